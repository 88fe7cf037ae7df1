package contest

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"colosseum/host/internal/records/store"
)

// Move is an entry that goes to a division.
type Move struct {
	Entry int `json:"entry"`
	From  int `json:"from"` // the division, from 0 for the highest; -1: it had none
	To    int `json:"to"`
}

// league is what a league has besides its entries.
type league struct {
	division []int   // by entry, from 0 for the highest; -1: a bot, or it has not started
	since    []int64 // by entry: the number of the last result before it came to its division
	begun    bool    // the entries have their first divisions
	dates    []divided
	last     time.Time      // the latest date that is done; zero: none
	counted  int64          // number of the last result that counted at a date
	results  *leagueResults // nil: not read; see State.readSeason
}

// divided is a date of promotion that is done.
type divided struct {
	at, due time.Time // due is zero by command
	reason  string
	final   bool
	moves   []Move
}

// Division returns the division of an entry, from 0 for the highest; -1: it has none.
func (s *State) Division(entry int) int {
	if s.league == nil {
		return -1
	}
	return s.league.division[entry]
}

// PlaysIn reports whether an entry of a league plays in a division. The boss of a division also
// plays in the one above, so that all ratings are on one scale.
func (s *State) PlaysIn(entry, division int) bool {
	return s.Division(entry) == division || s.Boss(division) == entry || s.Boss(division+1) == entry
}

// Boss returns the entry of the bot of a division, or -1.
func (s *State) Boss(division int) int {
	if s.Spec.Season == nil || division < 0 || division >= len(s.Spec.Season.Divisions) {
		return -1
	}
	if n, ok := s.Number(BotPrefix + s.Spec.Boss[s.Spec.Season.Divisions[division]]); ok {
		return n
	}
	return -1
}

// enterDivision gives the last entry its division: who comes late begins in the lowest one.
func (s *State) enterDivision() {
	if s.league == nil {
		return
	}
	d := -1
	if s.Phase != Open && s.Entries[len(s.Entries)-1].Bot == "" {
		d = len(s.Spec.Season.Divisions) - 1
	}
	s.league.division, s.league.since = append(s.league.division, d), append(s.league.since, 0)
}

// divide applies that entries go to divisions.
func (s *State) divide(e store.Event, d eventData) error {
	if s.league == nil {
		return errors.New("the contest has no divisions")
	}
	for _, m := range d.Moves {
		if m.Entry < 0 || m.Entry >= len(s.Entries) || m.To < 0 || m.To >= len(s.Spec.Season.Divisions) {
			return fmt.Errorf("there is no entry %d or no division %d", m.Entry, m.To)
		}
		s.league.division[m.Entry], s.league.since[m.Entry] = m.To, d.Results
	}
	l := s.league
	if d.Due.After(l.last) {
		l.last = d.Due
	}
	l.counted = d.Results
	if Kind(e.Kind) == End && l.results != nil {
		l.results.cut(d.Results)
	}
	if l.begun || Kind(e.Kind) == End {
		l.dates = append(l.dates, divided{e.At, d.Due, d.Reason, Kind(e.Kind) == End, d.Moves})
	}
	l.begun = true
	return nil
}

// startDivisions returns the divisions at the start, of equal size in the order of the
// seeding. Earlier is the league that this one follows, or nil: then each entry begins where
// that one has ended with it, and others in the lowest division.
func (s *State) startDivisions(order []int, earlier *State) []Move {
	divisions := s.Spec.Season.Divisions
	lowest := len(divisions) - 1
	var players []int // by seeding
	present := 0
	for _, n := range order {
		if s.Entries[n].Bot == "" {
			players = append(players, n)
			if !s.Entries[n].Withdrawn {
				present++
			}
		}
	}
	moves := make([]Move, 0, len(players))
	to := 0
	for i, n := range players { // those that have withdrawn are the last
		for to < lowest && i >= present*(to+1)/len(divisions) {
			to++
		}
		d := to
		if earlier != nil {
			d = lowest
			if k, ok := earlier.Number(s.Entries[n].Name); ok {
				d = s.sameDivision(earlier, earlier.Division(k))
			}
		}
		moves = append(moves, Move{n, -1, d})
	}
	return moves
}

// sameDivision returns the division with the name of one of an earlier league, or else that at
// the same place.
func (s *State) sameDivision(earlier *State, division int) int {
	divisions := s.Spec.Season.Divisions
	if division < 0 {
		return len(divisions) - 1
	}
	name := earlier.Spec.Season.Divisions[division]
	if i := slices.IndexFunc(divisions, func(d string) bool { return strings.EqualFold(d, name) }); i >= 0 {
		return i
	}
	return min(division, len(divisions)-1)
}

// newStart returns the events of the start: the seeding, and of a league the divisions.
func (o *Organizer) newStart(ctx context.Context, s *State, order []int) ([]store.Event, error) {
	events := []store.Event{newEvent(Start, eventData{Numbers: order, Groups: true})}
	if s.league == nil {
		return events, nil
	}
	earlier, err := loadEarlier(ctx, o.Store, s.Spec)
	if err != nil {
		return nil, err
	}
	if earlier != nil && earlier.Phase != Ended {
		return nil, fmt.Errorf("the league %s follows %s, which has not ended: end it first with host contest end %[2]s", s.Spec.Name, earlier.Spec.Name)
	}
	return append(events, newEvent(Divide, eventData{Moves: s.startDivisions(order, earlier)})), nil
}

// loadEarlier returns the league that another one follows, without its results, or nil.
func loadEarlier(ctx context.Context, from Store, spec *Spec) (*State, error) {
	name := spec.Season.Follows
	if name == "" {
		return nil, nil
	}
	s, err := Load(ctx, from, name)
	switch {
	case errors.Is(err, store.ErrNoContest):
		return nil, fmt.Errorf("season.follows: %w", unknown(name))
	case err == nil && s.league == nil:
		return nil, fmt.Errorf("season.follows: the contest %s is no league", name)
	}
	return s, err
}

// checkFollows returns an error if a new league follows what is no league.
func (o *Organizer) checkFollows(ctx context.Context, spec *Spec) error {
	if spec.Format != League {
		return nil
	}
	_, err := loadEarlier(ctx, o.Store, spec)
	return err
}

// readSeason reads the results of a league, which most changes do not need: there can be as
// many as in a ladder. From now on [State.Refresh] reads them.
func (s *State) readSeason(ctx context.Context, from Store) error {
	if s.league == nil || s.league.results != nil {
		return nil
	}
	s.league.results = &leagueResults{}
	return s.Refresh(ctx, from)
}

// LoadLeague is [Load] with the results of a league.
func LoadLeague(ctx context.Context, from Store, name string) (*State, error) {
	s, err := Load(ctx, from, name)
	if err != nil {
		return nil, err
	}
	return s, s.readSeason(ctx, from)
}

// NewDivide returns the event of promotion and relegation by the results of now. Due is the
// date; zero: there was none.
func (s *State) NewDivide(due time.Time, reason string) (store.Event, error) {
	moves, err := s.moves()
	return newEvent(Divide, eventData{Due: due, Reason: reason, Results: s.lastRead, Moves: moves}), err
}

// SeasonEvent returns the event that a running league needs at a time, or nil. Wait is the
// time until it will need one; 0: that is not known.
func (s *State) SeasonEvent(now time.Time) (e *store.Event, wait time.Duration, err error) {
	x := s.Spec.Season
	last, next := x.dates(s.Started, now)
	var made store.Event
	switch {
	case !x.End.IsZero() && !now.Before(x.End):
		made, err = s.NewEnd("", false)
	case last.After(s.Started) && last.After(s.league.last):
		made, err = s.NewDivide(last, "")
	case x.After > 0 && s.playedSince() >= float64(x.After):
		made, err = s.NewDivide(time.Time{}, "")
	default:
		for _, at := range []time.Time{next, x.End} {
			if left := at.Sub(now); !at.IsZero() && (wait == 0 || left < wait) {
				wait = left
			}
		}
		return nil, wait, nil
	}
	return &made, 0, err
}

// playedSince returns how many matches the entries have played on average since the last date.
func (s *State) playedSince() float64 {
	present := 0
	for _, e := range s.Entries {
		if e.Bot == "" && !e.Withdrawn {
			present++
		}
	}
	if present == 0 {
		return 0
	}
	return float64(s.league.results.people(s.league.counted)) / float64(present)
}

// moves returns which entries go up and down by the results of now.
func (s *State) moves() ([]Move, error) {
	t, err := s.leagueTable()
	if err != nil {
		return nil, err
	}
	return s.movesBy(t)
}

// movesBy returns which entries go up and down by a table. Across each line those go up that are
// better, and those go down that are worse, than the boss of the lower division; without a
// boss, than the best of those that stay, or the worst of them. The interval of the difference
// decides, and not that of each rating: how far two divisions are apart matters to nobody.
func (s *State) movesBy(t []leagueEntry) ([]Move, error) {
	var moves []Move
	moved := map[int]bool{}
	for upper := range len(s.Spec.Season.Divisions) - 1 {
		lower := upper + 1
		up := s.ranking(t, lower)
		down := s.ranking(t, upper)
		slices.Reverse(down)
		for _, c := range []struct {
			list     []int // the first ones move
			from, to int
		}{{up, lower, upper}, {down, upper, lower}} {
			line, most := s.Boss(lower), min(s.Spec.Season.Promote, len(c.list))
			if line < 0 {
				if most = min(most, len(c.list)-1); most < 1 { // somebody stays
					continue
				}
				line = c.list[most]
			}
			if t[line].played == 0 { // nobody knows where it is
				continue
			}
			apart, err := s.leagueFit(line, t[line].Rating)
			if err != nil {
				return nil, err
			}
			for _, n := range c.list[:most] {
				e := apart[n]
				beyond := c.to < c.from && e.Low > t[line].Rating || c.to > c.from && e.High < t[line].Rating
				if beyond && !moved[n] && t[n].here >= s.Spec.Season.Matches {
					moves = append(moves, Move{n, c.from, c.to})
					moved[n] = true
				}
			}
		}
	}
	return moves, nil
}

// ranking returns the entries of a division that have a rating and have not withdrawn, the
// best first.
func (s *State) ranking(t []leagueEntry, division int) []int {
	var list []int
	for n, e := range s.Entries {
		if s.league.division[n] == division && !e.Withdrawn && t[n].played > 0 {
			list = append(list, n)
		}
	}
	slices.SortFunc(list, func(a, b int) int { return s.better(t, a, b) })
	return list
}

// better compares two entries by their ratings, and equal ones by their seeding. Other
// processors round differently, so a tiny difference does not count.
func (s *State) better(t []leagueEntry, a, b int) int {
	const parts = 1e6
	return cmp.Or(cmp.Compare(math.Round(t[b].Rating*parts), math.Round(t[a].Rating*parts)), cmp.Compare(s.Entries[a].Seed, s.Entries[b].Seed))
}

// Promote moves the entries of a league between its divisions now.
func (o *Organizer) Promote(ctx context.Context, name, reason string) error {
	return o.change(ctx, name, func(s *State) (*store.Event, error) {
		switch {
		case s.league == nil:
			return nil, fmt.Errorf("the contest %s is a %s: only a league has divisions", s.Spec.Name, s.Spec.Format)
		case s.Phase != Running && s.Phase != Paused:
			return nil, fmt.Errorf("the contest %s is %s: only in a running one entries move", s.Spec.Name, s.Phase)
		}
		if err := s.readSeason(ctx, o.Store); err != nil {
			return nil, err
		}
		e, err := s.NewDivide(time.Time{}, reason)
		return &e, err
	})
}

// verifyLeague computes the divisions and the final table of a league again.
func (v *Verification) verifyLeague(ctx context.Context, from Store, records Records, s *State, events []store.Event, results []store.Result) error {
	s.league.results = &leagueResults{}
	all := results
	var order []int
	for _, e := range events {
		var d eventData
		if err := json.Unmarshal(e.Data, &d); err != nil {
			return fmt.Errorf("event %d: %w", e.Number, err)
		}
		kind := Kind(e.Kind)
		if kind == Start {
			order = d.Numbers
		}
		if kind == Divide || kind == End {
			for len(results) > 0 && results[0].Number <= d.Results {
				if err := s.Add(results[0]); err != nil {
					v.add("%v", err)
				}
				results = results[1:]
			}
			want, err := v.wantMoves(ctx, from, s, kind, order, d)
			switch {
			case err != nil:
				return err
			case !slices.Equal(d.Moves, want):
				v.add("event %d: the recorded moves between the divisions are not those of the results", e.Number)
			}
		}
		if kind == End {
			v.checkStandings(s, d.Standings)
		}
		if err := s.Apply(e); err != nil {
			return err
		}
	}
	for _, r := range all {
		for _, seat := range r.Seats {
			if seat.Entry < 0 || seat.Entry >= len(s.Entries) {
				v.add("the match %s has the unknown entry %d", r.Match, seat.Entry)
			}
		}
		if err := v.compare(ctx, records, r, s.LadderFixture(r.Pairing, nil).Seed); err != nil {
			return err
		}
	}
	return nil
}

// wantMoves returns the moves that an event should have.
func (v *Verification) wantMoves(ctx context.Context, from Store, s *State, kind Kind, order []int, d eventData) ([]Move, error) {
	if s.league.begun || kind == End {
		return s.moves()
	}
	earlier, err := loadEarlier(ctx, from, s.Spec)
	if errors.Is(err, ErrUnknown) { // it was removed since
		return d.Moves, nil
	}
	if err != nil {
		return nil, err
	}
	return s.startDivisions(order, earlier), nil
}
