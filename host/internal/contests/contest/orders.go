package contest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"colosseum/host/internal/contests/pairing"
	"colosseum/host/internal/records/store"
)

const (
	maxOrganizers = 20
	maxReason     = 200 // bytes
	maxRulings    = 20  // about one leg
)

// ErrOrganizer is the error for a player that is not an organizer of the contest.
var ErrOrganizer = errors.New("only its organizers can do this")

func (s *Spec) checkOrganizers() error {
	switch {
	case len(s.Organizers) > maxOrganizers:
		return fmt.Errorf("organizers: more than %d", maxOrganizers)
	case len(s.Organizers) > 0 && s.Local():
		return errors.New("organizers: a contest of programs on this machine has none; leave them out")
	}
	for i, o := range s.Organizers {
		same := func(name string) bool { return strings.EqualFold(name, o) }
		switch {
		case o == "":
			return errors.New("organizers: a name is empty")
		case slices.ContainsFunc(s.Organizers[:i], same):
			return fmt.Errorf("organizers: %s is listed twice", o)
		}
		for _, e := range s.Entries.List {
			if slices.ContainsFunc(e.Players(), same) {
				return fmt.Errorf("organizers: %s is an entry, and cannot decide about itself", o)
			}
		}
	}
	return nil
}

// checkRegistered returns the players in the case in which they are registered, or an error
// if one is not.
func (o *Organizer) checkRegistered(ctx context.Context, names []string) ([]string, error) {
	var list []string
	for _, name := range names {
		e := Entry{Name: name, Player: name}
		if err := o.checkPlayer(ctx, &e); err != nil {
			return nil, err
		}
		list = append(list, e.Player)
	}
	return list, nil
}

// Organize lets registered players run a contest, or no longer.
func (o *Organizer) Organize(ctx context.Context, name string, players []string, remove bool) error {
	if !remove {
		var err error
		if players, err = o.checkRegistered(ctx, players); err != nil {
			return err
		}
	}
	return o.change(ctx, name, func(s *State) (*store.Event, error) {
		list := slices.Clone(s.Organizers)
		for _, p := range players {
			same := func(name string) bool { return strings.EqualFold(name, p) }
			switch {
			case remove && !s.Organizes(p):
				return nil, fmt.Errorf("%s is no organizer of the contest %s", p, s.Spec.Name)
			case remove:
				list = slices.DeleteFunc(list, same)
			case s.entryOf(p) != nil:
				return nil, fmt.Errorf("%s plays in the contest %s, and cannot decide about itself", p, s.Spec.Name)
			case !slices.ContainsFunc(list, same):
				list = append(list, p)
			}
		}
		switch {
		case len(list) > maxOrganizers:
			return nil, fmt.Errorf("the contest %s would have more than %d organizers", s.Spec.Name, maxOrganizers)
		case s.Spec.Local():
			return nil, fmt.Errorf("the contest %s is one of programs on this machine: it has no organizers", s.Spec.Name)
		case slices.Equal(list, s.Organizers):
			return nil, nil
		}
		return new(newEvent(Organize, eventData{Players: list})), nil
	})
}

// entryOf returns the entry to which a registered player belongs; nil: none.
func (s *State) entryOf(player string) *Entrant {
	for i := range s.Entries {
		if slices.ContainsFunc(s.Entries[i].Players(), func(p string) bool { return strings.EqualFold(p, player) }) {
			return &s.Entries[i]
		}
	}
	return nil
}

// sign adds to an event who has made it as an organizer.
func (o *Organizer) sign(s *State, e *store.Event) error {
	if o.By == "" {
		return nil
	}
	if !s.Organizes(o.By) {
		return fmt.Errorf("%s is no organizer of the contest %s: %w", o.By, s.Spec.Name, ErrOrganizer)
	}
	var d eventData
	if err := json.Unmarshal(e.Data, &d); err != nil {
		return err
	}
	d.By = o.By
	at := e.At
	*e = newEvent(Kind(e.Kind), d)
	e.At = at
	return nil
}

// checkReason returns an error unless a text can be the reason of a decision.
func checkReason(reason string) error {
	switch {
	case strings.TrimSpace(reason) == "":
		return errors.New("a decision needs a reason: everybody who sees the contest can read it")
	case len(reason) > maxReason || strings.ContainsFunc(reason, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return fmt.Errorf("the reason must be one line of at most %d bytes", maxReason)
	}
	return nil
}

// Rule decides about the result of a leg. Pairing and leg count from 0. The points of Set are
// by seat, as readers see the match.
func (o *Organizer) Rule(ctx context.Context, name string, pairingNumber, leg int, r Ruling, reason string) error {
	if err := checkReason(reason); err != nil {
		return err
	}
	return o.change(ctx, name, func(s *State) (*store.Event, error) {
		if err := s.judges(); err != nil {
			return nil, err
		}
		l, err := s.leg(pairingNumber, leg)
		if err != nil {
			return nil, fmt.Errorf("the contest %s has no leg %d of a pairing %d: host contest matches %s and its page show the numbers", s.Spec.Name, leg+1, pairingNumber+1, s.Spec.Name)
		}
		p := &s.Pairs[pairingNumber]
		if err := r.check(len(p.Entrants), p.Alone); err != nil {
			return nil, err
		}
		r := r
		if r.Action == Set {
			seats, bySeat := s.Fixture(pairingNumber, leg).Seats, r.Points
			r.Points = nil
			for _, n := range p.Entrants {
				r.Points = append(r.Points, bySeat[slices.Index(seats, n)])
			}
		}
		last := l.ruling()
		switch {
		case last != nil && last.Action == r.Action && r.Action != Replay && slices.Equal(last.Points, r.Points):
			return nil, nil // it was asked twice
		case r.Action == Replay && l.State == Planned:
			return nil, errors.New("the match has no result yet: there is nothing to play again")
		case l.ruled != nil && len(l.ruled.rulings) >= maxRulings:
			return nil, fmt.Errorf("there are already %d decisions about this match", maxRulings)
		case s.again(pairingNumber):
			return nil, errors.New("the pairing was tied and is played again: decide about its last repetition")
		}
		e := newEvent(Rule, eventData{Pairing: pairingNumber, Leg: leg, Ruling: &r, Reason: reason})
		return &e, s.allows(e)
	})
}

// judges returns an error if the contest has no results about which an organizer can decide.
func (s *State) judges() error {
	switch s.Spec.Format {
	case Ladder, League, Cup:
		return fmt.Errorf("the results of a %s count for ratings alone, and stay: bar an entry instead", s.Spec.Format)
	}
	return nil
}

// again reports whether there is a later repetition of a pairing.
func (s *State) again(number int) bool {
	p := &s.Pairs[number]
	return slices.ContainsFunc(s.Pairs[number+1:], func(x Pair) bool {
		return x.Round == p.Round && x.Bracket == p.Bracket && x.Slot == p.Slot && x.Replay > p.Replay
	})
}

// allows returns an error if a decision about results cannot hold any more.
func (s *State) allows(e store.Event) error {
	after := s.clone()
	e.Number = s.last + 1
	if err := after.Apply(e); err != nil {
		return err
	}
	if s.Phase == Ended && after.missing > s.missing {
		return fmt.Errorf("the contest %s has ended, and its matches are no longer played: set or annul the result instead", s.Spec.Name)
	}
	if s.Spec.Format != pairing.Knockout && s.Spec.Format != pairing.DoubleElimination {
		return nil
	}
	was, err := pairing.GoOn(s.History())
	if err != nil {
		return err
	}
	is, err := pairing.GoOn(after.History())
	if err != nil {
		return err
	}
	last := 0
	for i := range s.Pairs {
		last = max(last, s.Pairs[i].Round)
	}
	for i := range s.Pairs {
		if s.Pairs[i].Round < last && was[i] != is[i] {
			return errors.New("the next round is already paired, and this would change who goes on: that cannot be decided any more")
		}
	}
	return nil
}

// Undo lets an earlier decision no longer hold. Event is its number.
func (o *Organizer) Undo(ctx context.Context, name string, event int64, reason string) error {
	if err := checkReason(reason); err != nil {
		return err
	}
	return o.change(ctx, name, func(s *State) (*store.Event, error) {
		i := slices.IndexFunc(s.decisions, func(d decision) bool { return d.event == event })
		if i < 0 {
			return nil, fmt.Errorf("the contest %s has no decision %d: host contest show %s and its page list them", s.Spec.Name, event, s.Spec.Name)
		}
		d := &s.decisions[i]
		switch {
		case d.undoneBy != 0:
			return nil, fmt.Errorf("decision %d no longer holds: decision %d has undone it", event, d.undoneBy)
		case d.kind == Undone:
			return nil, errors.New("what is undone stays undone: decide again instead")
		case d.kind == Appoint:
			return nil, fmt.Errorf("host contest organizer %s says who can run it", s.Spec.Name)
		case d.kind == Forgive:
			return nil, errors.New("bar the entry again instead")
		case d.kind == Bar && s.Phase == Ended:
			return nil, fmt.Errorf("the contest %s has ended: nobody can come back", s.Spec.Name)
		case d.kind == Bar && !slices.ContainsFunc(d.entries, func(n int) bool { return s.Entries[n].bar == event }):
			return nil, errors.New("the entry came back, or has withdrawn again, since that decision")
		}
		if d.kind == Postpone {
			if err := s.unshifts(d, time.Now()); err != nil {
				return nil, err
			}
		}
		e := newEvent(Undo, eventData{Event: event, Reason: reason})
		return &e, s.allows(e)
	})
}

// Bar withdraws entries, which then cannot come back by themselves.
func (o *Organizer) Bar(ctx context.Context, name string, entries []string, reason string) error {
	if err := checkReason(reason); err != nil {
		return err
	}
	return o.withdraw(ctx, name, entries, false, reason)
}

// Forgive lets entries come back that an organizer has barred.
func (o *Organizer) Forgive(ctx context.Context, name string, entries []string, reason string) error {
	if err := checkReason(reason); err != nil {
		return err
	}
	return o.change(ctx, name, func(s *State) (*store.Event, error) {
		d := eventData{Reason: reason}
		for _, e := range entries {
			n, ok := s.Number(e)
			if !ok || !s.Entries[n].Barred {
				return nil, fmt.Errorf("%s is not barred from the contest %s", e, s.Spec.Name)
			}
			back := s.Entries[n].Entry
			d.Entries = append(d.Entries, back)
		}
		return new(newEvent(Enter, d)), s.admits(d.Entries, false)
	})
}

// Rename gives an entry another name in the contest. The registered player keeps its own.
func (o *Organizer) Rename(ctx context.Context, name, entry, newName, reason string) error {
	if err := checkReason(reason); err != nil {
		return err
	}
	if len(newName) > maxEntry || !entryName.MatchString(newName) {
		return fmt.Errorf("the name %q is not 1 to %d letters, digits, dots, hyphens and underscores", newName, maxEntry)
	}
	owner := ""
	if o.Players != nil {
		var err error
		if owner, err = o.Players.Owner(ctx, newName); err != nil {
			return err
		}
	}
	return o.change(ctx, name, func(s *State) (*store.Event, error) {
		n, ok := s.Number(entry)
		if !ok {
			return nil, fmt.Errorf("%s is not in the contest %s", entry, s.Spec.Name)
		}
		x := &s.Entries[n]
		other, taken := s.Number(newName)
		switch {
		case x.Bot != "" || x.Command != nil:
			return nil, fmt.Errorf("%s is no player: it keeps its name", x.Name)
		case s.Spec.Format == Ladder || s.Spec.Format == League:
			return nil, fmt.Errorf("the names in a %s are those of the ratings: the player can take another name itself", s.Spec.Format)
		case x.Name == newName:
			return nil, nil
		case owner != "" && !slices.ContainsFunc(x.Players(), func(p string) bool { return strings.EqualFold(p, owner) }):
			return nil, fmt.Errorf("%s is the name of another registered player", newName)
		case taken && other != n:
			return nil, fmt.Errorf("another entry of the contest %s has or had the name %s", s.Spec.Name, newName)
		}
		return new(newEvent(Rename, eventData{Numbers: []int{n}, Name: newName, Reason: reason})), nil
	})
}

// Order is something that an organizer does with a contest on its page.
type Order struct {
	Action  string   `json:"action"`  // start, pause, resume, end, enter, bar, forgive, rename, shift, rule or undo
	Reason  string   `json:"reason"`  // required for bar, forgive, rename, rule and undo
	Entries []string `json:"entries"` // of enter: registered players; of bar and forgive; of rename: one
	Name    string   `json:"name"`    // of rename: the new one
	Pairing int      `json:"pairing"` // of rule, from 1
	Leg     int      `json:"leg"`     // of rule, from 1
	Ruling  *Ruling  `json:"ruling"`  // of rule; the points are by seat
	Event   int64    `json:"event"`   // of undo: the number of the decision

	Round  int       `json:"round"`  // of shift, from 1
	Opens  time.Time `json:"opens"`  // of shift; zero: as it is
	Closes time.Time `json:"closes"` // of shift; zero: as it is
}

// Obey does what an organizer wants.
func (o *Organizer) Obey(ctx context.Context, name string, a Order) error {
	if a.Reason != "" {
		if err := checkReason(a.Reason); err != nil {
			return err
		}
	}
	switch a.Action {
	case "enter", "bar", "forgive", "rename":
		if len(a.Entries) == 0 || a.Action == "rename" && len(a.Entries) > 1 {
			return errors.New("entries: name the entry")
		}
	}
	switch a.Action {
	case "start":
		return o.Start(ctx, name)
	case "pause":
		return o.Pause(ctx, name, a.Reason)
	case "resume":
		return o.Resume(ctx, name)
	case "end":
		if a.Reason == "" {
			a.Reason = "the organizer has ended it"
		}
		return o.End(ctx, name, a.Reason)
	case "enter":
		var entries []Entry
		for _, player := range a.Entries {
			entries = append(entries, Entry{Name: player, Player: player})
		}
		return o.Enter(ctx, name, entries, false)
	case "bar":
		return o.Bar(ctx, name, a.Entries, a.Reason)
	case "forgive":
		return o.Forgive(ctx, name, a.Entries, a.Reason)
	case "rename":
		return o.Rename(ctx, name, a.Entries[0], a.Name, a.Reason)
	case "shift":
		return o.Shift(ctx, name, a.Round, a.Opens, a.Closes, a.Reason)
	case "rule":
		if a.Ruling == nil {
			return errors.New("ruling: it is missing")
		}
		return o.Rule(ctx, name, a.Pairing-1, a.Leg-1, *a.Ruling, a.Reason)
	case "undo":
		return o.Undo(ctx, name, a.Event, a.Reason)
	}
	return fmt.Errorf("action: %q is not one of start, pause, resume, end, enter, bar, forgive, rename, shift, rule, undo", a.Action)
}
