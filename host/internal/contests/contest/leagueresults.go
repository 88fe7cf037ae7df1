package contest

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sort"
	"time"

	"colosseum/host/internal/contests/rating"
	"colosseum/host/internal/records/store"
)

// leagueResults are the results of a league, and the ratings by them alone. As in [Ratings],
// each version of a program is a competitor, and the one that has played last stands for the
// entry.
type leagueResults struct {
	competitors []leagueCompetitor
	of          [][]int // competitors of an entry, the one that has played last at the end
	tally       []Row   // by entry: the counts, of all versions
	matches     []leagueMatch
	latest      []store.Result // the last ones, the oldest first
	next        int            // the number after that of the last pairing
}

type leagueCompetitor struct{ entry, version int }

type leagueMatch struct {
	number int64 // of the result
	people int   // seats of players in this match and those before
	at     time.Time
	sample int64
	seats  []ratedSeat
}

// leagueEntry is an entry in the table of a league.
type leagueEntry struct {
	rating.Estimate
	version int // that has played last
	played  int
	here    int // matches since it came to its division
}

// addLeague adds the result of a match of a league.
func (s *State) addLeague(x store.Result) error {
	r := s.league.results
	if r == nil {
		return nil
	}
	r.next = max(r.next, x.Pairing+1)
	if x.Aborted || s.Phase == Ended && x.Number > s.league.counted {
		return nil
	}
	for len(r.of) < len(s.Entries) {
		r.of, r.tally = append(r.of, nil), append(r.tally, Row{})
	}
	m := leagueMatch{number: x.Number, at: x.Ended, sample: sample(x.Pairing, s.Spec.sample(x.Leg, len(x.Seats)))}
	if n := len(r.matches); n > 0 {
		m.people = r.matches[n-1].people
	}
	for _, seat := range x.Seats {
		if seat.Entry < 0 || seat.Entry >= len(s.Entries) {
			return fmt.Errorf("the match %s of the contest %s has the unknown entry %d", x.Match, s.Spec.Name, seat.Entry)
		}
		if s.Entries[seat.Entry].Bot == "" {
			m.people++
		}
		m.seats = append(m.seats, ratedSeat{int32(s.leagueCompetitor(seat.Entry, seat.Version)), int16(seat.Rank), int16(seat.Team)})
	}
	r.count(x)
	r.matches = append(r.matches, m)
	r.latest = append(r.latest, x)
	if len(r.latest) >= 2*MaxLadderMatches {
		r.latest = append([]store.Result(nil), r.latest[len(r.latest)-MaxLadderMatches:]...)
	}
	return nil
}

// leagueCompetitor returns the index of a version of the program of an entry, which plays now.
func (s *State) leagueCompetitor(entry, version int) int {
	r := s.league.results
	own := r.of[entry]
	i := len(r.competitors)
	if at := slices.IndexFunc(own, func(k int) bool { return r.competitors[k].version == version }); at >= 0 {
		i = own[at]
		own = slices.Delete(own, at, at+1)
	} else {
		r.competitors = append(r.competitors, leagueCompetitor{entry, version})
	}
	r.of[entry] = append(own, i)
	return i
}

// count adds a result to the counts of its entries. Among more than two, a shared first place
// is a draw.
func (r *leagueResults) count(x store.Result) {
	best := slices.MinFunc(x.Seats, func(a, b store.ResultSeat) int { return cmp.Compare(a.Rank, b.Rank) }).Rank
	for i, seat := range x.Seats {
		row := &r.tally[seat.Entry]
		row.Played++
		if _, forfeit := seat.Ended.Forfeit(); forfeit {
			row.Forfeits++
		}
		opponents, shared := 0, false
		for j, other := range x.Seats {
			if j != i && (seat.Team == 0 || other.Team != seat.Team) {
				opponents++
				shared = shared || other.Rank == best
			}
		}
		switch {
		case seat.Rank > best:
			row.Losses++
		case shared || opponents == 0:
			row.Draws++
			row.Points += 0.5
		default:
			row.Wins++
			row.Points++
		}
	}
}

// cut removes the matches after the last result that counts: they were running at the end.
func (r *leagueResults) cut(last int64) {
	r.matches = slices.DeleteFunc(r.matches, func(m leagueMatch) bool { return m.number > last })
	r.latest = slices.DeleteFunc(r.latest, func(x store.Result) bool { return x.Number > last })
}

// people returns how many seats players had in the matches after the result with a number.
func (r *leagueResults) people(after int64) int {
	if len(r.matches) == 0 {
		return 0
	}
	all := r.matches[len(r.matches)-1].people
	if i := sort.Search(len(r.matches), func(i int) bool { return r.matches[i].number > after }); i > 0 {
		return all - r.matches[i-1].people
	}
	return all
}

// rated returns matches for the ratings.
func (r *leagueResults) rated() []rating.Match {
	list := make([]rating.Match, 0, len(r.matches))
	for _, m := range r.matches {
		one := rating.Match{At: m.at, Sample: m.sample}
		teams := false
		for _, seat := range m.seats {
			one.Players, one.Ranks, one.Teams = append(one.Players, int(seat.competitor)), append(one.Ranks, int(seat.rank)), append(one.Teams, int(seat.team))
			teams = teams || seat.team > 0
		}
		if !teams {
			one.Teams = nil
		}
		list = append(list, one)
	}
	return list
}

var errNotRead = errors.New("the results of the league were not read")

// leagueTable returns the entries with their ratings by the results of now. The first bot is
// the fixed point.
func (s *State) leagueTable() ([]leagueEntry, error) {
	r := s.league.results
	if r == nil {
		return nil, errNotRead
	}
	list := make([]leagueEntry, len(s.Entries))
	estimates, err := s.leagueFit(slices.IndexFunc(s.Entries, func(e Entrant) bool { return e.Bot != "" }), Anchor)
	if err != nil {
		return nil, err
	}
	for n, own := range r.of {
		if len(own) > 0 {
			list[n] = leagueEntry{Estimate: estimates[n], version: r.competitors[own[len(own)-1]].version, played: r.tally[n].Played}
		}
	}
	for _, m := range r.matches {
		for _, seat := range m.seats {
			if n := r.competitors[seat.competitor].entry; m.number > s.league.since[n] {
				list[n].here++
			}
		}
	}
	return list, nil
}

// leagueFit returns the ratings by entry if that of one, or -1, is fixed. It is computed as a
// whole, and so the same on every host: with 60 players and 50,000 matches in 20 ms.
func (s *State) leagueFit(fixed int, at float64) ([]rating.Estimate, error) {
	r := s.league.results
	list := make([]rating.Estimate, len(s.Entries))
	if len(r.matches) == 0 {
		return list, nil
	}
	o := rating.Options{Now: time.Unix(0, 0)} // no match is older than another one
	if fixed >= 0 && fixed < len(r.of) && len(r.of[fixed]) > 0 {
		own := r.of[fixed]
		o.Anchors = map[int]float64{own[len(own)-1]: at}
	}
	t, err := rating.Fit(len(r.competitors), r.rated(), o)
	if err != nil {
		return nil, fmt.Errorf("compute the ratings of the contest %s: %w", s.Spec.Name, err)
	}
	for n, own := range r.of {
		if len(own) > 0 {
			list[n] = t.Estimates[own[len(own)-1]]
		}
	}
	return list, nil
}

// leagueRows returns the tables of the divisions, one after the other. Without results, and
// before the start, they have no ratings.
func (s *State) leagueRows() ([]Row, error) {
	rows := []Row{}
	if s.league.results == nil || s.Started.IsZero() {
		for _, d := range s.order() {
			for _, n := range d {
				rows = append(rows, Row{Name: s.Entries[n].Name, Division: s.divisionName(n), TieBreaks: []float64{}, Withdrawn: s.Entries[n].Withdrawn})
			}
		}
		return rows, nil
	}
	t, err := s.leagueTable()
	if err != nil {
		return nil, err
	}
	moves, err := s.movesBy(t)
	if err != nil {
		return nil, err
	}
	going := map[int]int{}
	for _, m := range moves {
		going[m.Entry] = m.From - m.To
	}
	for d, entries := range s.order() {
		if boss := s.Boss(d); boss >= 0 {
			entries = append(entries, boss)
		}
		slices.SortStableFunc(entries, func(a, b int) int {
			gone := func(n int) int {
				switch {
				case s.Entries[n].Withdrawn:
					return 2
				case t[n].played == 0:
					return 1
				}
				return 0
			}
			return cmp.Or(cmp.Compare(gone(a), gone(b)), s.better(t, a, b))
		})
		rank := 0
		for _, n := range entries {
			e := &t[n]
			row := Row{}
			if n < len(s.league.results.tally) {
				row = s.league.results.tally[n]
			}
			row.Name, row.Division, row.Withdrawn, row.TieBreaks = s.Entries[n].Name, s.Spec.Season.Divisions[d], s.Entries[n].Withdrawn, []float64{}
			row.Version, row.Rating, row.Low, row.High, row.Move = e.version, e.Rating, e.Low, e.High, going[n]
			if e.played > 0 && s.Entries[n].Bot == "" {
				rank++
				row.Rank = rank
			}
			rows = append(rows, row)
		}
	}
	return rows, nil
}

// order returns the entries of each division in the order of their seeding. Before the start
// all are in one list.
func (s *State) order() [][]int {
	if s.Started.IsZero() {
		all := make([]int, len(s.Entries))
		for i := range all {
			all[i] = i
		}
		return [][]int{all}
	}
	lists := make([][]int, len(s.Spec.Season.Divisions))
	for n, d := range s.league.division {
		if d >= 0 {
			lists[d] = append(lists[d], n)
		}
	}
	for _, list := range lists {
		slices.SortFunc(list, func(a, b int) int { return cmp.Compare(s.Entries[a].Seed, s.Entries[b].Seed) })
	}
	return lists
}

func (s *State) divisionName(entry int) string {
	if d := s.league.division[entry]; d >= 0 {
		return s.Spec.Season.Divisions[d]
	}
	return ""
}

// LeagueCompetitors returns the entries of a league that have played, in no particular order,
// and the number after that of its last match.
func (s *State) LeagueCompetitors() (list []Competitor, next int, err error) {
	t, err := s.leagueTable()
	if err != nil {
		return nil, 0, err
	}
	r := s.league.results
	last := make([][]string, len(s.Entries))
	for i := len(r.matches) - 1; i >= max(0, len(r.matches)-recent*len(s.Entries)); i-- {
		for _, a := range r.matches[i].seats {
			n := r.competitors[a.competitor].entry
			for _, b := range r.matches[i].seats {
				if a != b && len(last[n]) < maxLast {
					last[n] = append(last[n], s.Entries[r.competitors[b.competitor].entry].Name)
				}
			}
		}
	}
	for n, e := range t {
		if e.played > 0 {
			list = append(list, Competitor{Last: last[n], Standing: Standing{
				Name: s.Entries[n].Name, Version: e.version, Bot: s.Entries[n].Bot != "", Rating: e.Rating, Low: e.Low, High: e.High, Played: e.Played,
			}})
		}
	}
	return list, r.next, nil
}

// recent is how many matches for each entry LeagueCompetitors looks at.
const recent = 16
