package contest

import (
	"encoding/json"
	"time"

	"colosseum/host/internal/contests/pairing"
	"colosseum/host/internal/records/store"
)

// Kind is the kind of an event.
type Kind string

// The events of a contest. Together with the results of its matches they are all that
// it consists of.
const (
	Enter    Kind = "enter"    // entries enter, or come back
	Withdraw Kind = "withdraw" // entries are not paired again
	Start    Kind = "start"    // with the order of the seeding
	Pause    Kind = "pause"
	Resume   Kind = "resume"
	PairUp   Kind = "pair"    // the next pairings
	Absent   Kind = "absent"  // entries did not come to a match
	Abandon  Kind = "abandon" // the match of a leg was aborted too often
	Warn     Kind = "warn"    // a program has done what its author should know
	End      Kind = "end"     // with the final standings

	Divide   Kind = "divide"   // of a league: entries go to divisions
	Accept   Kind = "accept"   // a player joins the team that its captain has named it for
	LineUp   Kind = "line-up"  // the players of a team have another order
	Try      Kind = "try"      // an entry tries to reach the pass mark
	Reach    Kind = "reach"    // an entry has reached the pass mark, for the first time
	Shift    Kind = "shift"    // a round has other dates
	Seen     Kind = "seen"     // entries were there while a round was open
	Remind   Kind = "remind"   // a round will close soon
	Rule     Kind = "rule"     // an organizer decides about a result
	Undo     Kind = "undo"     // an earlier decision of an organizer no longer holds
	Rename   Kind = "rename"   // an entry has another name
	Organize Kind = "organize" // who can run the contest
)

// eventData is the JSON of an event. Each kind has some of the fields.
type eventData struct {
	Entries   []Entry           `json:"entries,omitempty"`
	Numbers   []int             `json:"numbers,omitempty"` // of entries
	Groups    bool              `json:"groups,omitempty"`  // of Start: not pairing.History.Earlier
	Pairings  []pairing.Pairing `json:"pairings,omitempty"`
	Pairing   int               `json:"pairing,omitempty"`
	Leg       int               `json:"leg,omitempty"`
	Reason    string            `json:"reason,omitempty"`
	Warning   Warning           `json:"warning,omitempty"`
	Barred    bool              `json:"barred,omitempty"`  // of Withdraw: the organizer did it
	Early     bool              `json:"early,omitempty"`   // of End: it was not over
	Results   int64             `json:"results,omitempty"` // of PairUp, Divide, Reach and End: the number of the last result that counts
	Standings []Row             `json:"standings,omitempty"`

	By      string    `json:"by,omitempty"`      // the player that decided it as an organizer, or as a captain; empty: the operator
	Moves   []Move    `json:"moves,omitempty"`   // of Divide and of the End of a league
	Players []string  `json:"players,omitempty"` // of Accept, LineUp and Organize
	Invited []string  `json:"invited,omitempty"` // of LineUp: those of Players that have not accepted yet
	Ruling  *Ruling   `json:"ruling,omitempty"`  // of Rule
	Event   int64     `json:"event,omitempty"`   // of Undo: the number of the event
	Name    string    `json:"name,omitempty"`    // of Rename: the new one
	Round   int       `json:"round,omitempty"`   // of Shift, Seen and Remind, from 0
	Opens   time.Time `json:"opens,omitzero"`    // of Shift
	Closes  time.Time `json:"closes,omitzero"`   // of Shift and Remind
	Due     time.Time `json:"due,omitzero"`      // of Divide: the date of the season; zero: there was none
	Until   time.Time `json:"until,omitzero"`    // of Seen: the player has said that it is there until then
	Missed  bool      `json:"missed,omitempty"`  // of Seen: they did not come to a match that had begun
}

// Warning is what the author of a program should know.
type Warning string

// The warnings.
const (
	NearlyLate Warning = "nearly late" // it often uses most of its time
	OutOfTurn  Warning = "out of turn" // it computes while it should wait
)

// newEvent returns an event that happens now. The store gives it a number.
func newEvent(kind Kind, d eventData) store.Event {
	text, err := json.Marshal(d)
	if err != nil {
		panic(err) // it holds nothing that JSON cannot express
	}
	return store.Event{At: time.Now(), Kind: string(kind), Data: text}
}

// NewPairs returns the event of new pairings.
func (s *State) NewPairs(next []pairing.Pairing) store.Event {
	return newEvent(PairUp, eventData{Pairings: next, Results: s.lastRead})
}

// NewAbsent returns the event that entries did not come to a match.
func NewAbsent(f Fixture, absent []int) store.Event {
	return newEvent(Absent, eventData{Pairing: f.Pairing, Leg: f.Leg, Numbers: absent})
}

// NewAbandon returns the event that a match was aborted too often.
func NewAbandon(f Fixture, reason string) store.Event {
	return newEvent(Abandon, eventData{Pairing: f.Pairing, Leg: f.Leg, Reason: reason})
}

// NewEnd returns the event that ends the contest with its standings. Early means that
// it is not over.
func (s *State) NewEnd(reason string, early bool) (store.Event, error) {
	rows, err := s.Standings()
	if err != nil {
		return store.Event{}, err
	}
	d := eventData{Reason: reason, Early: early, Results: s.lastRead, Standings: rows}
	if s.league != nil {
		d.Moves, err = s.moves()
	}
	return newEvent(End, d), err
}
