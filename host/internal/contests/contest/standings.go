package contest

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"colosseum/host/internal/contests/pairing"
	"colosseum/host/internal/contests/rating"
	"colosseum/host/internal/contests/standings"
	"colosseum/host/internal/records/record"
)

// TieBreaks returns the names of the tie-breaks of the contest.
func (s *State) TieBreaks() []string {
	if len(s.Spec.TieBreak) > 0 {
		return s.Spec.TieBreak
	}
	list := standings.Defaults(s.Spec.Format)
	switch {
	case s.Spec.Teams == nil || list == nil:
		return list
	case s.Spec.Teams.Points == byMatch:
		return append([]string{standings.BoardPoints}, list...)
	}
	return append([]string{standings.MatchPoints}, list...)
}

// Standings returns the standings of the moment, the first place first. Those of a
// ladder have no ranks and ratings: see [Ratings].
func (s *State) Standings() ([]Row, error) { return s.standings(s.History()) }

func (s *State) standings(h *pairing.History) ([]Row, error) {
	if s.Phase == Ended && s.Table != nil {
		if !s.late {
			return s.Table, nil
		}
		s = s.corrected()
		h = s.History()
	}
	rows := []Row{}
	switch s.Spec.Format {
	case Cup: // see State.CupTable
		return rows, nil
	case League:
		return s.leagueRows()
	case Ladder:
		for _, e := range s.Entries {
			rows = append(rows, Row{Name: e.Name, TieBreaks: []float64{}, Withdrawn: e.Withdrawn})
		}
		return rows, nil
	}
	if s.Spec.Format == Pass {
		return s.passStandings(), nil
	}
	list, err := standings.Compute(h, s.TieBreaks())
	if err != nil {
		return nil, fmt.Errorf("compute the standings of the contest %s: %w", s.Spec.Name, err)
	}
	forfeits := s.forfeits()
	if s.Spec.Format == pairing.Score { // scores of matches alone say nothing about strength against others
		for _, x := range list {
			rows = append(rows, Row{
				Rank: x.Rank, Name: s.Entries[x.Entrant].Name, Points: x.Points, Played: x.Played, Forfeits: forfeits[x.Entrant], TieBreaks: []float64{},
				Withdrawn: s.Entries[x.Entrant].Withdrawn, Scores: &Scores{Mean: x.Points, Best: x.Best, Sum: x.Sum, Missed: x.Walkovers},
			})
		}
		return rows, nil
	}
	estimates, err := s.estimates()
	if err != nil {
		return nil, fmt.Errorf("compute the ratings of the contest %s: %w", s.Spec.Name, err)
	}
	boards := make([][]BoardRow, len(s.Entries))
	if s.Spec.Teams != nil {
		if boards, err = s.boards(); err != nil {
			return nil, fmt.Errorf("compute the ratings of the boards of the contest %s: %w", s.Spec.Name, err)
		}
	}
	for _, x := range list {
		n := x.Entrant
		rows = append(rows, Row{
			Rank: x.Rank, Name: s.Entries[n].Name, Points: x.Points, Played: x.Played, Wins: x.Wins, Draws: x.Draws, Losses: x.Losses,
			Forfeits: forfeits[n], TieBreaks: append([]float64{}, x.TieBreaks...), Withdrawn: s.Entries[n].Withdrawn,
			Rating: estimates[n].Rating, Low: estimates[n].Low, High: estimates[n].High, Boards: boards[n],
		})
	}
	return rows, nil
}

// forfeits returns how many matches each entry has forfeited.
func (s *State) forfeits() []int {
	count := make([]int, len(s.Entries))
	for i := range s.Pairs {
		for j := range s.Pairs[i].Legs {
			if r := s.Pairs[i].Legs[j].counted(); r != nil {
				for _, seat := range r.Seats {
					if _, forfeit := seat.Ended.Forfeit(); forfeit {
						count[seat.Entry]++
					}
				}
			}
		}
	}
	return count
}

// Anchor is the rating of the fixed point of a game: its bot that entered first.
const Anchor = 1500

// estimates returns the ratings of the entries from the matches of this contest.
func (s *State) estimates() ([]rating.Estimate, error) {
	var matches []rating.Match
	for i := range s.Pairs {
		p := &s.Pairs[i]
		for j := range p.Legs {
			if ranks := p.Legs[j].ranks(); ranks != nil {
				r := p.Legs[j].Result
				m := rating.Match{At: r.Ended, Sample: sample(i, s.Spec.sample(j, len(p.Entrants))) + int64(r.Attempt)<<40, Ranks: ranks, Teams: teamsOf(r)}
				for _, seat := range r.Seats {
					m.Players = append(m.Players, seat.Entry)
				}
				matches = append(matches, m)
			}
		}
	}
	options := rating.Options{Now: time.Unix(0, 0)} // no match is older than another one
	for n, e := range s.Entries {
		if e.Bot != "" {
			options.Anchors = map[int]float64{n: Anchor}
			break
		}
	}
	t, err := rating.Fit(len(s.Entries), matches, options)
	if err != nil {
		return nil, err
	}
	return t.Estimates, nil
}

// sample returns the key of a sample of a pairing: the legs with one seed. See [Spec.sample].
func sample(pairing, number int) int64 { return int64(pairing)*MaxMatches + int64(number) + 1 }

// Summary returns the contest for a list.
func (s *State) Summary() Summary { return s.summary(s.History()) }

func (s *State) summary(h *pairing.History) Summary {
	v := Summary{
		Name: s.Spec.Name, Title: s.Spec.Title, Game: s.Spec.Game, Format: s.Spec.Format, Phase: s.Phase, Reason: s.Reason,
		Local: s.Spec.Local(), Created: s.Created, Start: s.Starts(), Started: s.Started, Ended: s.Ended, Leaders: []string{},
	}
	v.Open = s.Spec.Entries.Open && s.admits(nil, true) == nil
	for _, e := range s.Entries {
		if !e.Withdrawn && (s.Spec.Format != Pass || e.Bot == "") {
			v.Count++
		}
	}
	v.Done, v.All = s.Count()
	if s.Spec.Format == Pass { // the rounds of its pairings are the tries of an entry
		return v
	}
	for i := range s.Pairs {
		v.Round = max(v.Round, s.Pairs[i].Round+1)
	}
	if s.league != nil {
		s.summarizeLeague(&v)
		return v
	}
	if s.Spec.Format != Ladder && s.Spec.Format != Cup && s.Phase != Open {
		v.Rounds = max(pairing.Rounds(h), v.Round)
	}
	v.Window = s.current(s.windows(h))
	return v
}

// View returns the contest for readers. Running has the matches that are being played, by ID.
func (s *State) View(running map[string]record.Fixture) (*View, error) {
	history := s.History()
	rows, err := s.standings(history)
	if err != nil {
		return nil, err
	}
	v := &View{
		Summary: s.summary(history), Args: s.Spec.Args, Timeout: s.Spec.Timeout, Clock: s.Spec.Clock, PerMatch: s.Spec.Players, PerPair: s.Spec.Legs(), Teams: s.Spec.Teams,
		Entries: []EntryView{}, Organizers: append([]string{}, s.Organizers...), Rulings: s.Decisions(), TieBreaks: append([]string{}, s.TieBreaks()...), Standings: rows, Matches: []MatchView{},
	}
	v.people = s.people(rows)
	v.Windows, v.Here = s.windows(history), s.here(time.Now())
	v.Appointments = s.calendar(v.Windows)
	v.Calendar = len(v.Appointments) > 0
	if s.Phase == Ended {
		v.Seed = s.Seed
	}
	if v.Args == nil {
		v.Args = map[string]string{}
	}
	s.viewSeason(v)
	switch {
	case s.Spec.Format == Pass:
		s.showPass(v, time.Now())
	case v.Done > 0:
		v.lead()
	}
	for _, e := range s.Entries {
		kind := "player"
		switch {
		case e.Command != nil:
			kind = "program"
		case e.Bot != "":
			kind = "bot"
		case e.Team != nil:
			kind = "team"
		}
		one := EntryView{Name: e.Name, Kind: kind, Seed: e.Seed + 1, Withdrawn: e.Withdrawn, Barred: e.Barred, Reason: e.Reason, Team: e.Team, Warnings: e.Warnings}
		if e.Player != e.Name {
			one.Player = e.Player
		}
		v.Entries = append(v.Entries, one)
	}
	if s.Spec.Rolling() {
		s.viewRunning(v, running)
	}
	s.viewLatest(v)
	legs := s.legsOf(running)
	for i := range s.Pairs {
		for j := range s.Pairs[i].Legs {
			v.Matches = append(v.Matches, s.matchView(i, j, legs[[2]int{i, j}]))
		}
		if p := &s.Pairs[i]; p.Bye() {
			v.Matches = append(v.Matches, MatchView{
				Round: p.Round + 1, Bracket: p.Bracket, Slot: p.Slot + 1, Pairing: i + 1, Seats: s.names(p.Entrants), State: "bye", Points: history.Total(&history.Pairings[i]),
			})
		}
	}
	return v, nil
}

// people returns the registered players of rows by their names in lower case. A row can have an
// earlier name of its entry.
func (s *State) people(rows []Row) map[string][]string {
	all := map[string][]string{}
	for _, r := range rows {
		if n, ok := s.Number(r.Name); ok {
			all[strings.ToLower(r.Name)] = s.Entries[n].Players()
		}
	}
	return all
}

// legsOf returns the IDs of the matches that are being played, by pairing and leg. That of an
// attempt that no longer counts is none of them.
func (s *State) legsOf(running map[string]record.Fixture) map[[2]int]string {
	legs := map[[2]int]string{}
	for _, id := range slices.Sorted(maps.Keys(running)) {
		f := running[id]
		if l, err := s.leg(f.Pairing, f.Leg); err == nil && l.number() == f.Attempt {
			legs[[2]int{f.Pairing, f.Leg}] = id
		}
	}
	return legs
}

// viewRunning fills in the matches of a ladder or a league that are being played, in the order
// in which they were chosen.
func (s *State) viewRunning(v *View, running map[string]record.Fixture) {
	if s.Phase == Ended {
		return
	}
	ids := slices.SortedFunc(maps.Keys(running), func(a, b string) int {
		return cmp.Or(cmp.Compare(running[a].Pairing, running[b].Pairing), strings.Compare(a, b))
	})
	for _, id := range ids {
		f := running[id]
		if slices.ContainsFunc(f.Entries, func(n int) bool { return n < 0 || n >= len(s.Entries) }) {
			continue // they entered after the events were read
		}
		v.Matches = append(v.Matches, MatchView{
			ID: id, Round: 1, Slot: 1, Pairing: f.Pairing + 1, Leg: f.Leg + 1, State: "running", Seats: s.names(f.Entries), Division: s.divisionOf(f.Entries),
		})
	}
}

// lead sets the leaders from the standings.
func (v *View) lead() {
	for _, r := range v.Standings {
		if r.Rank == 1 && (v.Season == nil || r.Division == v.Season.Divisions[0].Name) {
			v.Leaders = append(v.Leaders, r.Name)
		}
	}
}

func (s *State) names(entries []int) []string {
	list := make([]string, len(entries))
	for i, n := range entries {
		list[i] = s.Entries[n].Name
	}
	return list
}

// matchView returns a leg for readers; running is the ID of its match, or empty.
func (s *State) matchView(pairing, leg int, running string) MatchView {
	p := &s.Pairs[pairing]
	l := &p.Legs[leg]
	f := s.Fixture(pairing, leg)
	v := MatchView{
		Round: p.Round + 1, Bracket: p.Bracket, Slot: p.Slot + 1, Replay: p.Replay, Pairing: pairing + 1, Leg: leg + 1,
		Seats: s.names(f.Seats), State: string(l.State), Absent: s.names(l.Absent), Ended: l.Ended,
	}
	switch {
	case l.State == Planned && running != "":
		v.ID, v.State = running, "running"
	case p.Alone && l.State == Played:
		v.Points = []float64{l.Score()}
	case l.State != Planned && !p.Alone:
		v.Points = l.Points(f.Seats)
	}
	if p.LineUps != nil {
		board, _ := s.Spec.board(leg)
		v.Board = board + 1
		for _, n := range f.Seats {
			v.Players = append(v.Players, s.Seated(pairing, leg, n).Player)
		}
	}
	if l.Result != nil {
		v.ID, v.Versions, v.Teams = l.Result.Match, versionsOf(l.Result), teamsOf(l.Result)
		for _, seat := range l.Result.Seats {
			v.Ranks, v.Outcome = append(v.Ranks, seat.Rank), append(v.Outcome, string(seat.Ended))
		}
	}
	l.mark(&v, f.Seats, p.Alone)
	return v
}

// Brief returns the view without its matches.
func (v *View) Brief() *View {
	b := *v
	b.Matches = nil
	return &b
}

// Participation returns the part of an entry, and false if there is no such entry.
func (v *View) Participation(name string) (Participation, bool) {
	team := ""
	if v.Teams != nil {
		if team = v.teamOf(name); team == "" {
			return Participation{}, false
		}
		name = team
	}
	for _, e := range v.Entries {
		switch { // an organizer has given a player another name
		case e.Player != "" && strings.EqualFold(e.Player, name):
			name = e.Name
		case e.Player != "" && strings.EqualFold(e.Name, name):
			return Participation{}, false
		}
	}
	i := slices.IndexFunc(v.Standings, func(r Row) bool { return strings.EqualFold(r.Name, name) })
	if i < 0 {
		return Participation{}, false
	}
	r := v.Standings[i]
	p := Participation{
		Contest: v.Name, Title: v.Title, Game: v.Game, Format: v.Format, Phase: v.Phase, Created: v.Created, Ended: v.Ended, Count: v.Count, Points: r.Points,
		Team: team, Division: r.Division,
	}
	if v.Done > 0 || v.Format == Cup {
		p.Rank = r.Rank
	}
	p.Pass = r.Pass
	return p, true
}
