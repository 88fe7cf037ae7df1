package contest

import (
	"errors"
	"time"
)

// Season is the time and the divisions of a league.
type Season struct {
	Start     time.Time     `yaml:"start"` // zero: by command
	End       time.Time     `yaml:"end"`   // zero: by command
	Divisions []string      `yaml:"divisions"`
	Promote   int           `yaml:"promote"` // most entries that go up, and down, at one line and date; 0: 2
	Every     time.Duration `yaml:"every"`   // between two dates of promotion; 0: none
	Moves     []time.Time   `yaml:"moves"`   // dates of promotion; none: by Every or After
	After     int           `yaml:"after"`   // promotion when the entries have played so many matches on average since the last one; 0: by date
	Matches   int           `yaml:"matches"` // least matches of an entry in its division before it moves; 0: 10
	Follows   string        `yaml:"follows"` // the league whose final divisions this one begins with; empty: none
}

// Move is an entry that goes to a division.
type Move struct {
	Entry int `json:"entry"`
	From  int `json:"from"` // the division, from 0 for the highest; -1: it had none
	To    int `json:"to"`
}

func (s *Spec) checkSeason() error {
	if s.Season != nil || s.Boss != nil {
		return errors.New("season: not yet")
	}
	return nil
}

func (s *State) divide(eventData) error { return errNewer }
