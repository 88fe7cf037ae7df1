package match

import (
	"time"

	"colosseum/host/internal/records/record"
)

// An answer has the time of its question, or less if less is left of its turn or in the
// player's bank. It is counted from the written question to the arrival of the line, so
// it includes the lag of the connection. A quota pays for the lag of an answer that
// would be late without it, and, if there is a bank, for that of each answer.
// docs/decisions/clocks.md has the reasons.

// Each turn of a player adds a gain to its quota, which begins with three gains and holds
// at most seven, as at lichess (scalachess, LagTracker). A gain is Config.Lag, or a
// twentieth of the time for an answer if that is less, so that lag does not multiply
// short times.
const (
	firstGains = 3
	mostGains  = 7
	gainShare  = 20
)

// probeDelay is the most time between Probe and the sending of its ping, when the host is
// not busy.
const probeDelay = 2 * time.Millisecond

// clock keeps the time of one seat. The mu of its match guards it.
type clock struct {
	asked   time.Time     // when it was asked last; zero: never
	allowed time.Duration // for the answer, with startup
	startup time.Duration // of allowed: the start grace, for the first answer
	left    time.Duration // of its time, after its last answer
	grace   time.Duration // how long the questions of this turn, or of the ticks in a row, can still stay unwritten; see maxUnwritten
	tick    bool          // the last question was a tick: its time does not wait until it is written
	fresh   bool          // it or the one before it was: lines from before it are dropped

	timed           bool // it has a bank
	turned          bool // it has had a turn
	probed          bool // the time for the answer has ended, and the lag was probed
	bank, increment time.Duration

	gain     time.Duration // of the quota, for each turn
	quota    time.Duration // of lag that can be forgiven
	forgiven time.Duration // since the start of the match
	waited   time.Duration // from that end until the probe was sent
	excuse   time.Duration // of the line for which the match waited: how much lag can be forgiven
}

// newClock returns the clock of a player's seat. c can be nil; timeout is the usual time
// for an answer, in seconds.
func newClock(c *record.Clock, timeout float64, startGrace, lag time.Duration) clock {
	gain := min(lag, seconds(timeout)/gainShare)
	k := clock{startup: startGrace, gain: gain, quota: firstGains * gain}
	if c != nil {
		k.timed, k.bank, k.increment = true, seconds(c.Bank), seconds(c.Increment)
	}
	return k
}

// startLocked starts the clock for a question that gives the player the time allowed. A resumed
// turn has only the time that its last answer left.
func (c *clock) startLocked(now time.Time, allowed time.Duration, resumed bool) {
	first := c.asked.IsZero()
	if resumed && !first {
		allowed = min(allowed, c.left)
	} else {
		c.grace = maxUnwritten
	}
	if !first {
		c.startup = 0
		if !resumed {
			c.quota = min(c.quota+c.gain, mostGains*c.gain)
		}
	}
	if c.turned && !resumed {
		c.bank += c.increment
	}
	c.tick, c.fresh, c.turned = false, c.tick, true
	if c.timed {
		allowed = min(allowed, c.bank)
	}
	c.asked, c.allowed, c.left = now, allowed+c.startup, 0
	c.probed, c.waited, c.excuse = false, 0, 0
}

// spendLocked subtracts the time that an answer used from the time of its turn and from the
// bank, after forgiving some lag.
func (c *clock) spendLocked(used time.Duration) {
	allowed := c.allowed - c.startup
	used = max(0, used-c.startup)
	forgiven := max(0, used-allowed) // at most the excuse, or the line was late
	if c.timed {
		forgiven = min(used, c.excuse)
	}
	c.quota -= forgiven
	c.forgiven += forgiven
	c.left = allowed - (used - forgiven)
	if c.timed {
		c.bank -= used - forgiven
	}
}

// missLocked subtracts the time of a question that had no answer in time.
func (c *clock) missLocked() {
	if c.timed {
		c.bank -= c.allowed - c.startup
	}
}

// beganLocked returns when the clock of a seat started, and whether the question has been
// written to the connection: the clock starts then, but that of a tick with the question.
func (s *seat) beganLocked() (since time.Time, written bool) {
	since, written = s.player.Written()
	if since.Before(s.asked) || s.tick {
		since = s.asked
	}
	return since, written
}

// limitLocked returns when the time of a seat that has not answered ends.
func (s *seat) limitLocked() time.Time {
	since, written := s.beganLocked()
	if !written && !s.tick {
		return s.asked.Add(max(0, s.wallLocked()+s.grace))
	}
	return since.Add(s.wallLocked())
}

// lagLocked returns how much lag can be forgiven for a line that comes now.
func (s *seat) lagLocked() time.Duration {
	if s.quota == 0 {
		return 0
	}
	return min(s.player.Lag()+s.waited, s.quota)
}

// lateLocked reports whether a line that came at the given time was too late for
// the question. The match can have waited longer, for another seat.
func (s *seat) lateLocked(at time.Time) bool {
	if s.byCPU && s.counted && s.cpu >= s.allowed {
		return true
	}
	return at.Sub(s.asked) >= s.allowed && !at.Before(s.limitLocked().Add(s.excuse))
}

// probeLocked probes the connection of a seat when its time has ended. Until the answer to
// the probe, nobody knows whether the player's line is on its way, and the match waits as
// long as the quota allows.
func (s *seat) probeLocked(now time.Time) {
	if s.probed || s.quota == 0 || now.Sub(s.asked) < s.allowed {
		return
	}
	if since, written := s.beganLocked(); written && !now.Before(since.Add(s.allowed)) {
		s.player.Probe()
		s.probed, s.waited = true, time.Since(since)-s.allowed+probeDelay
	}
}

// overdueLocked reports whether a seat that has not answered, and whose connection was
// probed if its time has ended, is late.
func (s *seat) overdueLocked(now time.Time) bool {
	if s.queued {
		return false
	}
	_, written := s.beganLocked()
	end := s.limitLocked()
	if exhausted, _ := s.exhaustedLocked(); exhausted && now.Before(end) {
		end = now
	}
	if now.Before(end) {
		return false
	}
	wait := end.Add(maxUnread)
	if written {
		end = end.Add(s.lagLocked())
	}
	return !now.Before(end) && !(now.Before(wait) && s.player.Unread(end))
}
