package match

import (
	"slices"
	"time"

	"colosseum/host/internal/records/record"
	"colosseum/protocol"
)

// Player is the connection of a player's program, as a match uses it. Its methods
// do not block, and can be called concurrently. Except for Ended, they are called with the
// match locked: they must not call the match, nor need a lock that is held during a call of
// the match.
type Player interface {
	// Send sends bytes to the player, in the order of the calls.
	Send(b []byte)
	// Written reports whether all bytes of Send have been written to the
	// connection, and when the last of them were: the player's clock starts then.
	Written() (since time.Time, done bool)
	// Unread reports whether lines that arrived before a time in the past might not
	// have been passed to Line yet. The match calls it before it counts the player
	// as late, because a delay of the host is not the player's fault.
	Unread(before time.Time) bool
	// Lag returns how long the connection needs from the host to the player and back,
	// at the moment; 0 if it is not known. A ping that is not answered yet counts with
	// its age since the call of Probe.
	Lag() time.Duration
	// Probe measures the lag again, unless that is under way.
	Probe()
	// Away reports that the connection of the named player of the match has broken,
	// and when its seat is lost. With a zero time, the player is back.
	Away(name string, until time.Time)
	// Cut closes the connection of a player that does not read.
	Cut()
	// Ended sends the result; the match has ended.
	Ended(r protocol.MatchResult)
}

// How much a player can send before being asked, or within a tick: maxAhead lines, and no
// more once they have maxAheadBytes, which is 64 lines of 4 KiB. Beyond that the connection is
// not read until the referee catches up, and TCP makes the program wait.
const (
	maxAhead      = 64
	maxAheadBytes = 256 << 10
)

// seat is one place of the match.
type seat struct {
	name   string
	bot    bool
	byCPU  bool              // its CPU time counts
	player Player            // nil for a bot
	local  Local             // player, if the host runs its program; nil: it does not
	sent   func(line string) // see Participant; can be nil

	// The match's mu guards the fields below.
	out    []byte // for the player, gathered during one frame
	last   []byte // the end of what it was sent since it was asked, see fault.go
	prompt []byte // the end of what it was sent before it was asked last
	clock
	hints
	notes
	due      time.Time     // the end of the time for its last answer that did not come
	lines    []line        // not yet used
	ahead    int           // bytes of lines
	waiting  bool          // the match waits for a line of this seat
	queued   bool          // its program waits for a core
	gone     bool          // no line follows
	counted  bool          // cpu is known
	cpu      time.Duration // that its program used for its last answer
	spent    record.Spent  // on the last answer; zero: the host does not run its program
	away     time.Time     // when the player loses its seat, because its connection has broken; zero: it has not
	breaks   int           // of its connection
	lags     time.Duration // the sum of the lags measured
	measured int           // number of these
	owed     int           // lines that a program of the host has not sent for its ticks
	missed   int           // ticks
	dropped  int           // lines, in ticks
}

// line is a line of a player, and when it reached the host.
type line struct {
	text string
	at   time.Time
	late bool // for the tick in which it came
	note string
}

// fullLocked reports whether the seat has as many lines as it can have.
func (s *seat) fullLocked() bool { return len(s.lines) >= maxAhead || s.ahead >= maxAheadBytes }

// staleLocked reports whether a line that reached the host at the given time is dropped,
// because it was sent for an earlier tick.
func (s *seat) staleLocked(at time.Time) bool { return s.fresh && at.Before(s.asked) }

// keepLines is for how many lines the memory of a seat is kept when they are used. A player
// that answers when it is asked needs one.
const keepLines = 4

// removeLocked removes the first n lines of a seat.
func (m *Match) removeLocked(s *seat, n int) {
	for _, l := range s.lines[:n] {
		s.ahead -= len(l.text)
	}
	if s.lines = slices.Delete(s.lines, 0, n); n > 0 {
		m.room.Broadcast()
	}
	if len(s.lines) == 0 && cap(s.lines) > keepLines {
		s.lines = nil
	}
}

// Line adds a line of the player on a seat, trimmed, which reached the host at the
// given time. It blocks while the player is as far ahead as it can be, and returns
// false when the match has ended.
func (m *Match) Line(number int, text string, at time.Time) bool {
	s := &m.seats[number]
	m.mu.Lock()
	defer m.mu.Unlock()
	for s.fullLocked() && !s.staleLocked(at) && m.result == nil {
		m.room.Wait()
	}
	if m.result != nil {
		return false
	}
	if s.owed > 0 {
		s.owed--
	}
	if s.staleLocked(at) {
		s.dropped++
		m.recent.dropped++
		return true
	}
	if s.queued { // its program has had its core, and the call of Began has not come yet
		s.asked = at
	}
	if s.waiting && (s.timed && !s.tick || at.Sub(s.asked) >= s.allowed) {
		s.excuse = s.lagLocked()
	}
	s.lines = append(s.lines, line{text, at, s.tick && s.lateInTickLocked(at), s.nextLocked()})
	s.ahead += len(text)
	if !s.tick || s.local == nil || s.owed == 0 {
		m.arrivedLocked(number)
	}
	return true
}

// Leave removes the player on a seat for good. Lines that it sent before still
// count.
func (m *Match) Leave(number int) {
	s := &m.seats[number]
	m.mu.Lock()
	defer m.mu.Unlock()
	s.gone = true
	m.room.Broadcast()
	m.arrivedLocked(number)
}

// arrivedLocked handles that a seat has a line, or is gone.
func (m *Match) arrivedLocked(number int) {
	s := &m.seats[number]
	if !s.waiting {
		return
	}
	s.waiting = false
	s.pauseLocked()
	if m.refuseLocked(number); len(s.lines) == 0 && !s.gone {
		s.waiting = true
		s.resumeLocked()
		m.armLocked(time.Now())
		return
	}
	if m.missing--; m.missing == 0 {
		m.stepLocked(time.Now())
	}
}

// Away marks the player on a seat as away because its connection has broken, until the
// time at which its seat is lost, or, with a zero time, as back. The other players
// receive that. Calls for one seat must not overlap.
func (m *Match) Away(number int, until time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := &m.seats[number]
	if until.IsZero() && s.waiting && m.result == nil { // it might have lost the question
		s.tellLocked(s.remainsLocked(time.Now()))
	}
	if m.result != nil || s.away.IsZero() && until.IsZero() {
		return
	}
	if s.away.IsZero() {
		s.breaks++
	}
	s.away = until
	for i := range m.seats {
		// With mu, so that it comes before Ended.
		if p := m.seats[i].player; p != nil && i != number {
			p.Away(s.name, until)
		}
	}
}

// Clock is the time of one player at a moment.
type Clock struct {
	Name  string
	Asked bool          // the match waits for its answer
	Left  time.Duration // for this answer, without the start grace; 0 if it is not asked
	Timed bool          // the match has a clock
	Bank  time.Duration // time left in the bank
	Lag   time.Duration // of its connection
	Away  time.Time     // when it loses its seat, because its connection has broken; zero: it has not
}

// Clocks returns the clocks of the players, in the order of their seats. The game keeps
// the time of its bots.
func (m *Match) Clocks() []Clock {
	clocks := make([]Clock, 0, len(m.seats))
	now := time.Now()
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := range m.seats {
		s := &m.seats[i]
		if s.bot {
			continue
		}
		c := Clock{Name: s.name, Asked: s.waiting, Timed: s.timed, Bank: s.bank, Lag: s.player.Lag(), Away: s.away}
		if s.waiting {
			c.Left = s.remainsLocked(now)
			c.Bank = max(0, c.Bank-s.usesLocked(now))
		}
		clocks = append(clocks, c)
	}
	return clocks
}

// usesLocked returns how much time a seat that is asked has used, without the start grace.
func (s *seat) usesLocked(now time.Time) time.Duration {
	used := time.Duration(0)
	if since, written := s.beganLocked(); written {
		used = now.Sub(since)
	}
	if s.byCPU {
		if cpu, known := s.local.Used(); known {
			used = cpu
		}
	}
	return max(0, used-s.startup)
}

// remainsLocked returns how much time is left for the answer of a seat that is asked.
func (s *seat) remainsLocked(now time.Time) time.Duration {
	return max(0, s.allowed-s.startup-s.usesLocked(now))
}

// resultLocked returns what the match itself knows of the result for a seat.
func (s *seat) resultLocked() protocol.PlayerResult {
	r := protocol.PlayerResult{Name: s.name, Forgiven: s.forgiven.Milliseconds(), Away: s.breaks, Missed: s.missed, Dropped: s.dropped, Refused: s.refused}
	if s.timed {
		r.Left = new(s.bank.Milliseconds())
	}
	if s.measured > 0 {
		r.Lag = (s.lags / time.Duration(s.measured)).Milliseconds()
	}
	return r
}

// measureLocked adds the lag of each player to its average.
func (m *Match) measureLocked() {
	for i := range m.seats {
		s := &m.seats[i]
		if s.bot || s.gone || !s.away.IsZero() {
			continue
		}
		if lag := s.player.Lag(); lag > 0 {
			s.lags += lag
			s.measured++
		}
	}
}
