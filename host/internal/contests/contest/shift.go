package contest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"colosseum/host/internal/records/store"
)

// dateFormat shows a date in an error.
const dateFormat = "2006-01-02 15:04 MST"

// Shift gives a round, from 1, another window. A zero time leaves that end of the window as it
// is.
func (o *Organizer) Shift(ctx context.Context, name string, round int, opens, closes time.Time, reason string) error {
	return o.change(ctx, name, func(s *State) (*store.Event, error) {
		w, err := s.newWindow(round, opens, closes, time.Now())
		if err != nil {
			return nil, err
		}
		return new(newEvent(Shift, eventData{Round: round - 1, Opens: w.Opens, Closes: w.Closes, Reason: reason})), nil
	})
}

// newWindow returns the new window of a round, from 1.
func (s *State) newWindow(round int, opens, closes, now time.Time) (w Window, err error) {
	switch {
	case s.Phase == Ended:
		return w, fmt.Errorf("the contest %s has ended", s.Spec.Name)
	case s.Spec.Dates == nil:
		return w, fmt.Errorf("the rounds of the contest %s have no dates", s.Spec.Name)
	case round < 1 || round > MaxRounds || s.Spec.Rounds > 0 && round > s.Spec.Rounds:
		return w, fmt.Errorf("the contest %s has no round %d", s.Spec.Name, round)
	case s.over(round - 1):
		return w, fmt.Errorf("round %d of the contest %s is over", round, s.Spec.Name)
	case opens.IsZero() && closes.IsZero():
		return w, fmt.Errorf("say when round %d opens, or when it closes", round)
	}
	w, _ = s.Window(round - 1)
	if !opens.IsZero() {
		w.Opens = opens
	}
	if !closes.IsZero() {
		w.Closes = closes
	}
	if err := w.check(); err != nil {
		return w, fmt.Errorf("round %d: %w", round, err)
	}
	if !w.Closes.After(now) {
		return w, fmt.Errorf("round %d would have closed at %s already", round, w.Closes.Format(dateFormat))
	}
	return w, nil
}

// unshifts returns an error if a decision that shifts a round cannot be undone.
func (s *State) unshifts(d *decision, now time.Time) error {
	if s.Phase == Ended || s.over(d.round) {
		return fmt.Errorf("round %d of the contest %s is over", d.round+1, s.Spec.Name)
	}
	after := s.clone()
	if err := after.unshift(d.event); err != nil {
		return err
	}
	if w, ok := after.Window(d.round); ok && !w.Closes.After(now) {
		return fmt.Errorf("round %d would have closed at %s already: give it other dates instead", d.round+1, w.Closes.Format(dateFormat))
	}
	return nil
}

// over reports whether a round, from 0, was paired and is decided.
func (s *State) over(round int) bool {
	found := false
	for i := range s.Pairs {
		p := &s.Pairs[i]
		switch {
		case p.Round > round:
			found = true
		case p.Round == round && slices.ContainsFunc(p.Legs, func(l Leg) bool { return l.State == Planned }):
			return false
		case p.Round == round:
			found = true
		}
	}
	return found
}

// closedWhilePaused returns an error if a round that is not over has closed.
func (s *State) closedWhilePaused(now time.Time) error {
	for _, m := range s.Undecided() {
		if w, ok := s.WindowOf(&m); ok && s.Opened(m.Round) && !now.Before(w.Closes) {
			return fmt.Errorf("round %d has closed at %s, while the contest %s was paused: give it other dates first with host contest shift %s %d --closes DATE",
				m.Round+1, w.Closes.Format(dateFormat), s.Spec.Name, s.Spec.Name, m.Round+1)
		}
	}
	return nil
}

// Here notes that a player is there now, and can be called to a match of an open round until
// the time that it returns. A player that serves need not say so.
func (o *Organizer) Here(ctx context.Context, name, player string) (until time.Time, err error) {
	err = o.change(ctx, name, func(s *State) (*store.Event, error) {
		now := time.Now().Round(0)
		m, seat, err := s.playable(player, now)
		if err != nil {
			return nil, err
		}
		if said := s.attended(&m, seat).until; s.Here(&m, seat, now) && said.Sub(now) > HereFor/2 {
			until = said
			return nil, nil
		}
		until = now.Add(HereFor).UTC().Truncate(time.Second)
		d := s.attendants(m.Round, []Attendant{{m.Seats[seat], m.Entries[seat].Player}})
		d.Until = until
		return new(newEvent(Seen, d)), nil
	})
	return until, err
}

// playable returns the first match that a player can play now.
func (s *State) playable(player string, now time.Time) (m Match, seat int, err error) {
	if s.Spec.Dates == nil {
		return m, 0, fmt.Errorf("the rounds of the contest %s have no dates: its matches begin by themselves", s.Spec.Name)
	}
	if s.Phase != Running {
		return m, 0, fmt.Errorf("the contest %s is %s", s.Spec.Name, s.Phase)
	}
	var next time.Time
	for _, m := range s.Undecided() {
		seat := slices.IndexFunc(m.Entries, func(e Entry) bool { return e.Player != "" && strings.EqualFold(e.Player, player) })
		if seat < 0 {
			continue
		}
		w, ok := s.WindowOf(&m)
		switch {
		case ok && !now.Before(w.Opens) && (now.Before(w.Closes) || !s.Opened(m.Round)):
			return m, seat, nil
		case ok && now.Before(w.Opens) && (next.IsZero() || w.Opens.Before(next)):
			next = w.Opens
		}
	}
	if !next.IsZero() {
		return m, 0, fmt.Errorf("the next round of %s in the contest %s opens at %s", player, s.Spec.Name, next.Format(dateFormat))
	}
	return m, 0, fmt.Errorf("%s has no match to play now in the contest %s", player, s.Spec.Name)
}
