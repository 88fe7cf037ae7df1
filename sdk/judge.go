package sdk

import (
	"math"
	"time"

	"colosseum/sdk/driver"
)

// Judge says how good the position of a match with two seats is. The function judge
// returns the result that seat 0 can expect, from -1 (it loses) over 0 (both seats have
// the same chances) to 1 (it wins); for a position that is decided, it returns exactly -1
// or 1. It also returns the best answer to the next question, as text for people, or "".
// It can search for them as long as thinking returns true, which reports whether there is
// time left for this position, as [Bot.Thinking] does for a move.
//
// A referee calls Judge before each question; where chance decides, before and after it,
// so that luck is not taken for skill. In a match that is being played, Judge does
// nothing: judge is called only when a recorded match is run again to analyse it. So judge
// must not change anything. It can call [Match.Rand], which then draws from numbers of its
// own. With another number of seats it is never called.
func (m *Match) Judge(judge func(thinking func() bool) (value float64, best string)) {
	j := m.judging
	if j == nil || m.answers < j.after {
		return
	}
	own := m.rand
	defer func() { m.rand = own }()
	m.rand = j.rand
	j.since, j.calls = time.Now(), 0
	value, best := judge(j.thinking)
	if math.IsNaN(value) || value < -1 || value > 1 {
		panic("sdk: Judge wants a value from -1 to 1, not " + formatFloat(value))
	}
	m.frame.Judgement = &driver.Judgement{Value: value, Best: best}
	m.flush()
}

// judging is what Judge needs in a match that is analysed.
type judging struct {
	rand     *driver.Rand
	time     time.Duration // for each position
	after    int           // see Setup.JudgeAfter
	thoughts int           // how many times thinking returns true for a position; 0: it uses the clock

	since time.Time // when the position came
	calls int       // of thinking since then
}

// newJudging returns nil if the match has no judgements.
func newJudging(s *driver.Setup) *judging {
	if s.Judge <= 0 || len(s.Names) != 2 {
		return nil
	}
	return &judging{rand: driver.NewRand(s.Seed, driver.StreamJudge), time: s.Judge, after: s.JudgeAfter, thoughts: s.Thoughts}
}

func (j *judging) thinking() bool {
	j.calls++
	if j.thoughts > 0 {
		return j.calls <= j.thoughts
	}
	return time.Since(j.since) < j.time
}
