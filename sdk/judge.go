package sdk

import (
	"math"
	"time"

	"colosseum/sdk/driver"
)

// Judge is one call of the function that judges a position. Only that function is
// allowed to use it, until it returns.
type Judge struct {
	rand     *driver.Rand
	time     time.Duration // for each position
	thoughts int           // how many times Thinking returns true for a position; 0: it uses the clock

	since time.Time // when the call began
	calls int       // of Thinking since then
	best  string
}

// Thinking reports whether there is time left for this position, as [Bot.Thinking]
// does for a move.
func (j *Judge) Thinking() bool {
	j.calls++
	if j.thoughts > 0 {
		return j.calls <= j.thoughts
	}
	return time.Since(j.since) < j.time
}

// Rand returns a number from 0 to n-1, each with the same chance, drawn from the
// match's seed. It panics if n is below 1. It does not change what Match.Rand returns.
func (j *Judge) Rand(n int) int { return j.rand.Intn(n) }

// Best notes the best answer to the next question, as text for people.
func (j *Judge) Best(answer string) { j.best = answer }

// Judge says how good the position of a match with two seats is. The function judge
// returns the result that seat 0 can expect, from -1 (it loses) over 0 (both seats have
// the same chances) to 1 (it wins); for a position that is decided, it returns exactly -1
// or 1.
//
// A referee calls Judge before each question; where chance decides, before and after it,
// so that luck is not taken for skill. In a match that is being played, Judge does
// nothing: judge is called only when a recorded match is run again to analyse it. So judge
// must not change anything, except with the methods of [Judge]. With another number of
// seats it is never called.
func (m *Match) Judge(judge func(j *Judge) float64) {
	j := m.judging
	if j == nil {
		return
	}
	j.since, j.calls, j.best = time.Now(), 0, ""
	value := judge(j)
	if math.IsNaN(value) || value < -1 || value > 1 {
		panic("sdk: Judge wants a value from -1 to 1, not " + formatFloat(value))
	}
	m.frame.Judgement = &driver.Judgement{Value: value, Best: j.best}
	m.flush()
}

// newJudge returns nil if the match has no judgements.
func newJudge(s driver.Setup) *Judge {
	if s.Judge <= 0 || len(s.Names) != 2 {
		return nil
	}
	return &Judge{rand: driver.NewRand(s.Seed, driver.StreamJudge), time: s.Judge, thoughts: s.Thoughts}
}
