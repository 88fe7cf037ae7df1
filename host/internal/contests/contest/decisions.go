package contest

import (
	"time"

	"colosseum/host/internal/records/store"
)

// DecisionKind is what an organizer has done: a RulingAction, or one of these.
type DecisionKind string

// The kinds of decisions, beside those of rulings.
const (
	Bar      DecisionKind = "bar"     // entries are withdrawn, and cannot come back by themselves
	Forgive  DecisionKind = "forgive" // an entry that was barred is back
	NewName  DecisionKind = "rename"
	Postpone DecisionKind = "shift" // a round has other dates
	Undone   DecisionKind = "undo"
	Appoint  DecisionKind = "organizers" // who can run the contest
)

// Decision is a decision of an organizer for readers.
type Decision struct {
	Event    int64        `json:"event"` // its number, with which it can be undone
	At       time.Time    `json:"at"`
	By       string       `json:"by,omitempty"` // the registered player that made it; empty: the operator of the host
	Kind     DecisionKind `json:"kind"`
	Round    int          `json:"round,omitempty"`   // from 1; of rulings and of shift
	Pairing  int          `json:"pairing,omitempty"` // from 1; of rulings
	Leg      int          `json:"leg,omitempty"`     // from 1; of rulings
	Entries  []string     `json:"entries,omitempty"` // of rulings in the order of the points
	Points   []float64    `json:"points,omitempty"`  // of set
	From     string       `json:"from,omitempty"`    // of rename: the earlier name
	Name     string       `json:"name,omitempty"`    // of rename: the new one
	Opens    time.Time    `json:"opens,omitzero"`    // of shift
	Closes   time.Time    `json:"closes,omitzero"`   // of shift
	Undoes   int64        `json:"undoes,omitempty"`  // of undo: the number of the event
	UndoneBy int64        `json:"undone_by,omitempty"`
	Contest  string       `json:"contest,omitempty"` // of a cup that has ended: the decision is about this one of its contests
	Players  []string     `json:"players,omitempty"` // of organizers: who can run the contest from then on; none: nobody
	Reason   string       `json:"reason,omitempty"`
}

// decision is a decision of an organizer.
type decision struct {
	event, undoneBy, undoes int64
	at                      time.Time
	by, reason              string
	kind                    DecisionKind
	round, pairing, leg     int // from 0
	entries                 []int
	points                  []float64
	from, name              string
	players                 []string
	opens, closes           time.Time
}

// ruling reports whether it is one about a leg.
func (d *decision) ruling() bool {
	return d.kind == DecisionKind(Set) || d.kind == DecisionKind(Annul) || d.kind == DecisionKind(Replay)
}

// note keeps a decision for readers.
func (s *State) note(e store.Event, d eventData, x decision) {
	x.event, x.at, x.by, x.reason = e.Number, e.At, d.By, d.Reason
	x.round, x.opens, x.closes = d.Round, d.Opens, d.Closes
	s.decisions = append(s.decisions, x)
	s.late = s.late || s.Phase == Ended && x.kind != Appoint
}

// forgive notes that an organizer lets an entry come back.
func (s *State) forgive(e store.Event, d eventData, entry Entry) {
	if n, ok := s.Number(entry.Name); ok && s.Entries[n].Barred {
		s.note(e, d, decision{kind: Forgive, entries: []int{n}})
	}
}

// Decisions returns the decisions of the organizers, the first one first.
func (s *State) Decisions() []Decision {
	list := []Decision{}
	for _, d := range s.decisions {
		x := Decision{
			Event: d.event, At: d.at, By: d.by, Kind: d.kind, Entries: s.names(d.entries), Points: d.points, From: d.from, Name: d.name,
			Opens: d.opens, Closes: d.closes, Undoes: d.undoes, UndoneBy: d.undoneBy, Players: d.players, Reason: d.reason,
		}
		switch {
		case d.ruling():
			x.Round, x.Pairing, x.Leg = s.Pairs[d.pairing].Round+1, d.pairing+1, d.leg+1
		case d.kind == Postpone:
			x.Round = d.round + 1
		}
		list = append(list, x)
	}
	return list
}

// LegRuling is the decision about a leg that holds, for readers.
type LegRuling struct {
	Event  int64        `json:"event"` // see Decision
	Action RulingAction `json:"action"`
}

// EarlierMatch is a match of a leg that was to be played again, for readers.
type EarlierMatch struct {
	ID         string    `json:"id"` // empty: it was not played
	State      LegState  `json:"state"`
	Points     []float64 `json:"points"` // by seat; in a contest by score the score
	Ended      time.Time `json:"ended"`
	AnnulledBy int64     `json:"annulled_by"` // the number of the decision
}

// mark adds to a leg what organizers have decided about it.
func (l *Leg) mark(v *MatchView, seats []int, alone bool) {
	r := l.ruling()
	if r == nil {
		return
	}
	v.Ruling = &LegRuling{Event: r.event, Action: r.Action}
	for _, again := range l.ruled.rulings {
		if again.Action != Replay || again.undone {
			continue
		}
		number := 0
		for _, r := range l.ruled.rulings {
			if r.Action == Replay && !r.undone && r.attempt < again.attempt {
				number = r.attempt
			}
		}
		o := l.ruled.outcomes[number]
		if o.State == Planned {
			continue
		}
		before := &Leg{Outcome: o}
		was := EarlierMatch{State: o.State, Ended: o.Ended, AnnulledBy: again.event, Points: before.Points(seats)}
		if alone {
			was.Points = []float64{before.Score()}
		}
		if o.Result != nil {
			was.ID = o.Result.Match
		}
		v.Earlier = append(v.Earlier, was)
	}
}
