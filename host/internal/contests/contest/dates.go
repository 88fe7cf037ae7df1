package contest

import (
	"errors"
	"time"
)

// Dates are when the rounds of a contest open and close. A round that is open is played when
// all players of a match are there; when it closes, what was not played is decided.
type Dates struct {
	First  time.Time     `yaml:"first"`  // when round 1 opens
	Every  time.Duration `yaml:"every"`  // between the openings of two rounds
	Open   time.Duration `yaml:"open"`   // how long a round is open; 0: until the next one opens
	Rounds []Window      `yaml:"rounds"` // of the first rounds, instead of First, Every and Open
	Remind time.Duration `yaml:"remind"` // before a round closes, its reminder is sent; 0: 24h
}

// Window is the time in which a round is played.
type Window struct {
	Opens  time.Time `yaml:"opens" json:"opens"`
	Closes time.Time `yaml:"closes" json:"closes"`
}

func (s *Spec) checkDates() error {
	if s.Dates != nil {
		return errors.New("dates: not yet")
	}
	return nil
}

// shift applies another window for a round.
func (s *State) shift(eventData) error { return errNewer }

// seen applies that entries were there while a round was open.
func (s *State) seen(eventData) error { return errNewer }
