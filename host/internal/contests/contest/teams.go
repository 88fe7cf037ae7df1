package contest

import "errors"

// Teams describes the teams of a contest.
type Teams struct {
	Size     int    `yaml:"size"`     // boards
	Reserves int    `yaml:"reserves"` // members beyond the boards
	Points   string `yaml:"points"`   // boards (default): the points of all boards; match: 1 for a won pairing, 0.5 for a tied one
}

// Team is an entry that consists of players. Its name is that of the entry.
type Team struct {
	Captain string   `yaml:"captain,omitempty" json:"captain,omitempty"` // the player that leads it; empty: the organizer does
	Players []string `yaml:"players" json:"players"`                     // in the order of the boards, and then the reserves
}

func (s *Spec) checkTeams() error {
	if s.Teams != nil {
		return errors.New("teams: not yet")
	}
	return nil
}

// accept applies that a player has joined the team whose captain had named it.
func (s *State) accept(eventData) error { return errNewer }

// lineUp applies a new order of the players of a team, which holds for the pairings after it.
func (s *State) lineUp(eventData) error { return errNewer }

// Players returns the registered players of an entry: one, or the members of a team; nil: it
// is a program or a bot.
func (e *Entry) Players() []string {
	switch {
	case e.Team != nil:
		return e.Team.Players
	case e.Player != "":
		return []string{e.Player}
	}
	return nil
}
