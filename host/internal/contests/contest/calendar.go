package contest

import (
	"fmt"
	"slices"
	"time"

	"colosseum/host/internal/contests/pairing"
)

// Appointment is a date of a contest in a calendar.
type Appointment struct {
	ID      string // it stays the same when the date changes
	At      time.Time
	Until   time.Time // zero: it is a moment
	Title   string
	Changes int // how often the date was changed
}

// RoundWindow is when a round is played, for readers.
type RoundWindow struct {
	Round int `json:"round"` // from 1
	Window
	Shifted bool   `json:"shifted,omitempty"` // an organizer has changed it
	Reason  string `json:"reason,omitempty"`  // of the last change
}

// Attending is a player that has said that it is there.
type Attending struct {
	Entry  string    `json:"entry"`
	Player string    `json:"player"`
	Round  int       `json:"round"` // from 1
	Until  time.Time `json:"until"`
}

// maxAppointments bounds the dates of promotion of a season without an end.
const maxAppointments = 100

// Calendar returns the dates of the contest that are known: its start, its rounds, and those
// of its season.
func (s *State) Calendar() []Appointment { return s.calendar(s.windows(s.History())) }

func (s *State) calendar(rounds []RoundWindow) []Appointment {
	var list []Appointment
	title := s.Spec.Title
	if !s.Spec.Start.IsZero() {
		list = append(list, Appointment{ID: "start", At: s.Spec.Start, Title: title + " starts"})
	}
	for _, w := range rounds {
		list = append(list, Appointment{
			ID: fmt.Sprintf("round-%d", w.Round), At: w.Opens, Until: w.Closes, Title: fmt.Sprintf("%s: round %d", title, w.Round), Changes: s.dates.changes[w.Round-1],
		})
	}
	season := s.Spec.Season
	if season == nil {
		return list
	}
	if !season.Start.IsZero() {
		list = append(list, Appointment{ID: "season-start", At: season.Start, Title: title + " starts"})
	}
	for i, at := range s.promotions() {
		list = append(list, Appointment{ID: fmt.Sprintf("move-%d", i+1), At: at, Title: title + ": promotion"})
	}
	if !season.End.IsZero() {
		list = append(list, Appointment{ID: "season-end", At: season.End, Title: title + " ends"})
	}
	return list
}

// promotions returns the dates of promotion of a season.
func (s *State) promotions() []time.Time {
	season := s.Spec.Season
	if season.Every <= 0 || season.date(s.Started, 0).IsZero() {
		return season.Moves
	}
	var list []time.Time
	for len(list) < maxAppointments {
		at := season.date(s.Started, len(list)+1)
		if !season.End.IsZero() && !at.Before(season.End) {
			break
		}
		list = append(list, at)
	}
	return list
}

// windows returns the windows of all rounds as far as they are known.
func (s *State) windows(h *pairing.History) []RoundWindow {
	list := []RoundWindow{}
	if s.Spec.Dates == nil {
		return list
	}
	n := max(pairing.Rounds(h), len(s.Spec.Dates.Rounds), 1)
	for _, p := range s.Pairs {
		n = max(n, p.Round+1)
	}
	if s.Phase == Open { // more players can enter
		n = max(n, s.Spec.Rounds)
		for _, x := range s.dates.shifts {
			n = max(n, x.round+1)
		}
	}
	for round := range min(n, MaxRounds) {
		w, ok := s.Window(round)
		if !ok {
			continue
		}
		one := RoundWindow{Round: round + 1, Window: w}
		for _, x := range s.dates.shifts {
			if x.round == round {
				one.Shifted, one.Reason = true, x.reason
			}
		}
		list = append(list, one)
	}
	return list
}

// current returns the window of the round that is played now, or comes next; nil: none is
// known.
func (s *State) current(rounds []RoundWindow) *RoundWindow {
	if s.Phase == Ended {
		return nil
	}
	for i := range rounds {
		if !s.over(rounds[i].Round - 1) {
			return &rounds[i]
		}
	}
	return nil
}

// here returns those that have said that they are there after a time.
func (s *State) here(now time.Time) []Attending {
	var list []Attending
	if s.Spec.Dates == nil || s.Phase == Ended {
		return nil
	}
	for _, m := range s.Undecided() {
		for seat, n := range m.Seats {
			one := Attending{s.Entries[n].Name, m.Entries[seat].Player, m.Round + 1, s.attended(&m, seat).until}
			if s.Here(&m, seat, now) && !slices.Contains(list, one) {
				list = append(list, one)
			}
		}
	}
	return list
}
