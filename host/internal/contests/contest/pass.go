package contest

import (
	"errors"

	"colosseum/host/internal/records/store"
)

// PassMark is what an entry has to reach.
type PassMark struct {
	Against string   `yaml:"against"` // the level of the game's bot; "default": without one
	Wins    int      `yaml:"wins"`
	Of      int      `yaml:"of"`     // matches of one try
	Draws   bool     `yaml:"draws"`  // a draw counts as half a win
	Seeds   Seeds    `yaml:"seeds"`  // empty: fresh
	Tries   int      `yaml:"tries"`  // of an entry in a day; 0: 5
	Groups  []string `yaml:"groups"` // of the class list: only their players can enter; none: everybody
}

// Seeds says which seeds the matches of a try have.
type Seeds string

// The seeds of tries.
const (
	FreshSeeds     Seeds = "fresh"     // other ones in each try
	SameSeeds      Seeds = "same"      // the same in each try of each entry; nobody knows them before
	PublishedSeeds Seeds = "published" // the same, and everybody can read them from the start
)

func (s *Spec) checkPass() error {
	if s.Pass != nil {
		return errors.New("pass: not yet")
	}
	return nil
}

// try applies that an entry has begun a try.
func (s *State) try(store.Event, eventData) error { return errNewer }
