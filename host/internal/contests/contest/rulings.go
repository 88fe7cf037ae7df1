package contest

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"colosseum/host/internal/contests/pairing"
	"colosseum/host/internal/records/store"
)

// Ruling is what an organizer has decided about the result of a leg.
type Ruling struct {
	Action RulingAction `json:"action"`
	// Points of Set are from 0 to 1, in the order of the entrants of the pairing; in a contest
	// by score it is the score.
	Points []float64 `json:"points,omitempty"`
}

// RulingAction is what a Ruling does.
type RulingAction string

// The actions of rulings.
const (
	Set    RulingAction = "set"    // the leg has these points
	Annul  RulingAction = "annul"  // the leg counts for nobody
	Replay RulingAction = "replay" // the leg is played again, with another seed
)

// ruled is a leg about which organizers have decided.
type ruled struct {
	outcomes []Outcome // of each attempt: the first one, and one for each Replay
	rulings  []*ruling // in their order
}

// ruling is a decision of an organizer about a leg.
type ruling struct {
	Ruling
	event    int64
	at       time.Time
	entrants []int // of the pairing
	attempt  int   // of Replay: the one that it wants
	undone   bool
}

// pointsOf returns the points of an entry.
func (r *ruling) pointsOf(entry int) float64 {
	if i := slices.Index(r.entrants, entry); r.Action == Set && i >= 0 {
		return r.Points[i]
	}
	return 0
}

// ruling returns the last decision that holds; nil: none.
func (l *Leg) ruling() *ruling { return l.lastRuling(Set, Annul, Replay) }

// lastRuling returns the last decision with one of the actions that holds; nil: none.
func (l *Leg) lastRuling(actions ...RulingAction) *ruling {
	if l.ruled == nil {
		return nil
	}
	for _, r := range slices.Backward(l.ruled.rulings) {
		if !r.undone && slices.Contains(actions, r.Action) {
			return r
		}
	}
	return nil
}

// number returns that of the attempt that counts, from 0.
func (l *Leg) number() int {
	if r := l.lastRuling(Replay); r != nil {
		return r.attempt
	}
	return 0
}

// attempt returns the outcome of the attempt that counts, without decisions.
func (l *Leg) attempt() *Outcome { return l.attemptNumber(l.number()) }

// attemptNumber returns the outcome of an attempt, without decisions; nil: there is none.
func (l *Leg) attemptNumber(n int) *Outcome {
	switch {
	case l.ruled == nil && n == 0:
		return &l.Outcome
	case l.ruled == nil || n < 0 || n >= len(l.ruled.outcomes):
		return nil
	}
	return &l.ruled.outcomes[n]
}

// attempts returns how many attempts the leg has, also those that no longer hold.
func (l *Leg) attempts() int {
	if l.ruled == nil {
		return 1
	}
	return len(l.ruled.outcomes)
}

// settle computes the outcome of a leg from its attempts and the decisions.
func (l *Leg) settle(alone bool) {
	if l.ruled == nil {
		return
	}
	l.Outcome = *l.attempt()
	r := l.ruling()
	if r == nil || r.Action == Replay {
		return
	}
	l.Absent = nil
	if l.Ended.IsZero() {
		l.Ended = r.at
	}
	switch {
	case r.Action == Annul:
		l.State = Void
	case l.Result != nil || alone:
		l.State = Played
	default:
		l.State = Walkover
	}
}

// counted returns the result of a leg that counts as it was played: no organizer has decided
// about it.
func (l *Leg) counted() *store.Result {
	if r := l.ruling(); r != nil && r.Action != Replay {
		return nil
	}
	return l.Result
}

// ranks returns the ranks of the seats of a leg that was played; nil: it does not count.
func (l *Leg) ranks() []int {
	r := l.ruling()
	switch {
	case l.Result == nil, r != nil && r.Action == Annul:
		return nil
	}
	var list []int
	for _, seat := range l.Result.Seats {
		rank := seat.Rank
		if r != nil && r.Action == Set {
			rank = 1
			for _, x := range r.Points {
				if x > r.pointsOf(seat.Entry) {
					rank++
				}
			}
		}
		list = append(list, rank)
	}
	return list
}

// alter changes a leg, and counts whether it is decided.
func (s *State) alter(l *Leg, change func()) {
	was := l.State == Planned
	change()
	l.settle(s.Spec.Format == pairing.Score)
	switch is := l.State == Planned; {
	case was && !is:
		s.missing--
	case !was && is:
		s.missing++
		s.firstPlanned = 0
	}
}

// rule applies a ruling about a leg.
func (s *State) rule(e store.Event, d eventData) error {
	l, err := s.leg(d.Pairing, d.Leg)
	if err != nil {
		return err
	}
	entrants := s.Pairs[d.Pairing].Entrants
	if d.Ruling == nil || d.Ruling.Action == Set && len(d.Ruling.Points) != len(entrants) {
		return errors.New("it has no ruling for this leg")
	}
	r := &ruling{Ruling: *d.Ruling, event: e.Number, at: e.At, entrants: entrants}
	s.alter(l, func() {
		if l.ruled == nil {
			l.ruled = &ruled{outcomes: []Outcome{l.Outcome}}
		}
		if r.Action == Replay {
			r.attempt = len(l.ruled.outcomes)
			l.ruled.outcomes = append(l.ruled.outcomes, Outcome{State: Planned})
		}
		l.ruled.rulings = append(l.ruled.rulings, r)
	})
	s.lookAtTry(d.Pairing)
	if r.Action == Replay {
		s.playAgain(d.Pairing, d.Leg, e.At)
	}
	s.note(e, d, decision{kind: DecisionKind(r.Action), pairing: d.Pairing, leg: d.Leg, entries: entrants, points: r.Points})
	s.walkovers(e)
	return nil
}

// undo applies that an earlier event of an organizer no longer holds.
func (s *State) undo(e store.Event, d eventData) error {
	i := slices.IndexFunc(s.decisions, func(x decision) bool { return x.event == d.Event })
	if i < 0 || s.decisions[i].undoneBy != 0 {
		return fmt.Errorf("event %d cannot be undone", d.Event)
	}
	was := &s.decisions[i]
	was.undoneBy = e.Number
	switch was.kind {
	case DecisionKind(Set), DecisionKind(Annul), DecisionKind(Replay):
		l, err := s.leg(was.pairing, was.leg)
		if err != nil {
			return err
		}
		s.alter(l, func() {
			for _, r := range l.ruled.rulings {
				r.undone = r.undone || r.event == was.event
			}
		})
		s.lookAtTry(was.pairing)
	case Bar:
		s.unbar(was)
	case NewName:
		s.showNames(was.entries)
	case Postpone:
		if err := s.unshift(was.event); err != nil {
			return err
		}
	}
	s.note(e, d, decision{kind: Undone, pairing: was.pairing, leg: was.leg, entries: was.entries, undoes: was.event})
	s.walkovers(e)
	return nil
}

// unbar lets entries come back that an organizer has withdrawn, and what was decided only by
// that is played.
func (s *State) unbar(was *decision) {
	for _, n := range was.entries {
		x := &s.Entries[n]
		if x.bar == was.event {
			x.Barred, x.bar = false, 0
		}
		if x.out == was.event {
			x.Withdrawn, x.out = false, 0
		}
	}
	for i := range s.Pairs {
		for j := range s.Pairs[i].Legs {
			l := &s.Pairs[i].Legs[j]
			for n := range l.attempts() {
				o := l.attemptNumber(n)
				switch {
				case o.Result == nil && o.event == was.event:
					s.alter(l, func() { *o = Outcome{State: Planned} })
				case o.before != nil && o.before.event == was.event:
					o.before = nil
				}
			}
		}
	}
}

// rename applies another name of entries: an organizer has given it, or else the registered
// player has another one now. Then Players has it; for a member of a team, it has the old
// and the new one.
func (s *State) rename(e store.Event, d eventData) error {
	for _, n := range d.Numbers {
		if n < 0 || n >= len(s.Entries) {
			return fmt.Errorf("there is no entry %d", n)
		}
	}
	if len(d.Players) > 0 {
		s.renamePlayer(d)
		return nil
	}
	x := decision{kind: NewName, entries: d.Numbers, name: d.Name}
	for _, n := range d.Numbers {
		x.from = s.Entries[n].Name
	}
	s.note(e, d, x)
	s.showNames(d.Numbers)
	return nil
}

// renamePlayer applies that a registered player has another name.
func (s *State) renamePlayer(d eventData) {
	name := d.Players[len(d.Players)-1]
	for i, o := range s.Organizers {
		if len(d.Players) > 1 && strings.EqualFold(o, d.Players[0]) {
			s.Organizers = slices.Clone(s.Organizers)
			s.Organizers[i] = name
		}
	}
	for _, n := range d.Numbers {
		x := &s.Entries[n]
		if x.Team == nil {
			x.Player, x.own = name, name
			s.numbers[strings.ToLower(name)] = n
			continue
		}
		s.renameMember(n, d.Players[0], name)
	}
	s.showNames(d.Numbers)
}

// showNames gives entries the last names that organizers have given them, or else their own.
// Earlier names stay valid.
func (s *State) showNames(entries []int) {
	for _, n := range entries {
		x := &s.Entries[n]
		if x.own == "" {
			x.own = x.Name
		}
		x.Name = x.own
		for _, d := range s.decisions {
			if d.kind == NewName && d.undoneBy == 0 && slices.Contains(d.entries, n) {
				x.Name = d.name
			}
		}
		if _, taken := s.numbers[strings.ToLower(x.Name)]; !taken {
			s.numbers[strings.ToLower(x.Name)] = n
		}
	}
}

// Organizes reports whether a registered player can run the contest.
func (s *State) Organizes(player string) bool {
	return slices.ContainsFunc(s.Organizers, func(o string) bool { return strings.EqualFold(o, player) })
}

// clone returns a copy to which events can be applied.
func (s *State) clone() *State {
	c := *s
	c.Entries, c.Pairs, c.decisions = slices.Clone(s.Entries), slices.Clone(s.Pairs), slices.Clone(s.decisions)
	c.numbers = make(map[string]int, len(s.numbers))
	for name, n := range s.numbers {
		c.numbers[name] = n
	}
	c.dates, c.passes = s.dates.clone(), maps.Clone(s.passes)
	for i := range c.Pairs {
		legs := slices.Clone(c.Pairs[i].Legs)
		for j := range legs {
			if r := legs[j].ruled; r != nil {
				own := &ruled{outcomes: slices.Clone(r.outcomes)}
				for _, one := range r.rulings {
					own.rulings = append(own.rulings, new(*one))
				}
				legs[j].ruled = own
			}
		}
		c.Pairs[i].Legs = legs
	}
	return &c
}

// corrected returns a contest that has ended as it was at its end, with the decisions that
// came later.
func (s *State) corrected() *State {
	c := s.clone()
	c.late, c.Table = false, nil
	for i := range c.Pairs {
		for j := range c.Pairs[i].Legs {
			l := &c.Pairs[i].Legs[j]
			for n := range l.attempts() {
				if o := l.attemptNumber(n); o.Result != nil && o.Result.Number > s.final {
					c.alter(l, func() { *o = o.without() })
				}
			}
		}
	}
	return c
}

// check returns an error if points cannot be those of a leg with a number of entrants.
func (r *Ruling) check(entrants int, alone bool) error {
	switch {
	case !slices.Contains([]RulingAction{Set, Annul, Replay}, r.Action):
		return fmt.Errorf("%q is not one of set, annul, replay", r.Action)
	case r.Action != Set && r.Points != nil:
		return fmt.Errorf("%s takes no points", r.Action)
	case r.Action == Set && len(r.Points) != entrants:
		return fmt.Errorf("it needs the points of %d entries, and not of %d", entrants, len(r.Points))
	}
	for _, x := range r.Points {
		if math.IsNaN(x) || math.IsInf(x, 0) || !alone && (x < 0 || x > 1) {
			return fmt.Errorf("points %v: they are from 0 to 1", x)
		}
	}
	return nil
}
