package match

import (
	"maps"
	"sync"
	"time"

	"colosseum/host/internal/base/histogram"
)

// Why matches are aborted, as it is counted; players read a longer reason.
const (
	abortShutdown = "shutdown" // the host stops
	abortProcess  = "process"  // the game's process has ended
	abortSilence  = "silence"  // the referee worked for too long
	abortFlood    = "flood"    // the referee sends too much
	abortWire     = "wire"     // the game broke the rules of the wire
	abortReferee  = "referee"  // the referee gave up
	abortFenced   = "fenced"   // the other hosts have aborted it
	abortTaken    = "taken"    // its player has taken back a move
	abortPlayed   = "played"   // another match of its leg has a result
)

// reportEvery is how often a running match adds its counts to its Counters.
const reportEvery = time.Second

// Stats are the counts of many matches.
type Stats struct {
	Answers  histogram.Durations // of players, from the question to the line's arrival
	Turns    histogram.Durations // of the game, from the answers to its next frame, bots' thinking included
	Late     uint64              // questions that a player did not answer in time, except ticks
	Missed   uint64              // ticks that a player did not answer
	Dropped  uint64              // lines of players, because another one was the answer to the tick
	Gone     uint64              // questions to a player that had left
	Finished uint64              // matches
	Aborted  map[string]uint64   // matches, by reason
}

// recent are the counts of one match since it last added them to its Counters.
type recent struct {
	answers, turns              histogram.Few
	late, missed, dropped, gone uint32
}

// Counters add up the counts of many matches. A match counts in its own memory,
// and adds its counts here once a second and at its end, so that a turn touches
// no shared memory. The zero value is ready to use; all methods can be called
// concurrently.
type Counters struct {
	mu    sync.Mutex // guards the field below
	stats Stats
}

// Stats returns the sums so far.
func (c *Counters) Stats() Stats {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.stats
	s.Aborted = maps.Clone(s.Aborted)
	return s
}

// add adds counts of a match, except for its end.
func (c *Counters) add(r *recent) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stats.Answers.Merge(&r.answers)
	c.stats.Turns.Merge(&r.turns)
	c.stats.Late += uint64(r.late)
	c.stats.Missed += uint64(r.missed)
	c.stats.Dropped += uint64(r.dropped)
	c.stats.Gone += uint64(r.gone)
}

// end counts a match that has ended; cause is why it was aborted, or empty.
func (c *Counters) end(cause string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if cause == "" {
		c.stats.Finished++
		return
	}
	if c.stats.Aborted == nil {
		c.stats.Aborted = map[string]uint64{}
	}
	c.stats.Aborted[cause]++
}

// reportLocked adds the counts of the match since the last report to the counters.
func (m *Match) reportLocked(now time.Time) {
	m.reported = now
	m.config.Counters.add(&m.recent)
	m.recent = recent{}
}
