package contest

import (
	"errors"
	"slices"
	"strings"

	"colosseum/host/internal/records/store"
)

// Ruling is what an organizer has decided about the result of a leg.
type Ruling struct {
	Action RulingAction `json:"action"`
	Points []float64    `json:"points,omitempty"` // of Set: from 0 to 1, in the order of the entrants of the pairing
}

// RulingAction is what a Ruling does.
type RulingAction string

// The actions of rulings.
const (
	Set    RulingAction = "set"    // the leg has these points
	Annul  RulingAction = "annul"  // the leg counts for nobody
	Replay RulingAction = "replay" // the leg is played again, with another seed
)

func (s *Spec) checkOrganizers() error {
	if s.Organizers != nil {
		return errors.New("organizers: not yet")
	}
	return nil
}

// rule applies a ruling about a leg.
func (s *State) rule(store.Event, eventData) error { return errNewer }

// undo applies that an earlier event of an organizer no longer holds.
func (s *State) undo(eventData) error { return errNewer }

// rename applies another name of an entry.
func (s *State) rename(eventData) error { return errNewer }

// organize applies who can run the contest.
func (s *State) organize(eventData) error { return errNewer }

// Organizes reports whether a registered player can run the contest.
func (s *State) Organizes(player string) bool {
	return slices.ContainsFunc(s.Organizers, func(o string) bool { return strings.EqualFold(o, player) })
}
