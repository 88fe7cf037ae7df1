package match

import (
	"maps"
	"sync"
	"time"

	"colosseum/host/internal/histogram"
)

// The reasons for which matches are aborted, as they are counted; people are
// told more.
const (
	abortShutdown = "shutdown" // the host stops
	abortProcess  = "process"  // the game's process ended
	abortSilence  = "silence"  // the referee worked for too long
	abortFlood    = "flood"    // the referee sends too much
	abortWire     = "wire"     // the game broke the rules of the wire
	abortReferee  = "referee"  // the referee gave up
)

// tellEvery is how long a match may keep what it has counted to itself.
const tellEvery = time.Second

// Tally is what was counted in one match, or in many.
type Tally struct {
	Answers histogram.Durations // of players, from the question to the line's arrival
	Turns   histogram.Durations // of the game, from the answers to its next frame; its bots think meanwhile
	Late    uint64              // questions that a player did not answer in time
	Gone    uint64              // questions to a player that had left
}

func (t *Tally) merge(other *Tally) {
	t.Answers.Merge(&other.Answers)
	t.Turns.Merge(&other.Turns)
	t.Late += other.Late
	t.Gone += other.Gone
}

// Totals adds up what many matches count. A match counts for itself, and adds
// here once a second and at its end: a turn costs no shared memory. The zero
// value is ready.
type Totals struct {
	mu  sync.Mutex // guards the fields below
	sum Sums
}

// Sums are totals at one moment.
type Sums struct {
	Tally
	Finished uint64            // matches
	Aborted  map[string]uint64 // matches, by reason
}

// Sums returns what all matches have added.
func (t *Totals) Sums() Sums {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.sum
	s.Aborted = maps.Clone(s.Aborted)
	return s
}

func (t *Totals) add(tally *Tally) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.sum.merge(tally)
}

// end counts a match that has ended; aborted is the reason, or empty.
func (t *Totals) end(aborted string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if aborted == "" {
		t.sum.Finished++
		return
	}
	if t.sum.Aborted == nil {
		t.sum.Aborted = map[string]uint64{}
	}
	t.sum.Aborted[aborted]++
}

// tell adds what the match has counted to the totals.
func (m *Match) tell(now time.Time) {
	m.told = now
	if m.totals != nil {
		m.totals.add(&m.tally)
	}
	m.tally = Tally{}
}
