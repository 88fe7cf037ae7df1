package contest

import (
	"slices"
	"time"
)

// SeasonView is the season of a league for readers.
type SeasonView struct {
	Divisions []DivisionView `json:"divisions"` // the highest first
	Start     time.Time      `json:"start,omitzero"`
	End       time.Time      `json:"end,omitzero"`
	Promote   int            `json:"promote"`           // most entries that go up, and down, at one line and date
	Matches   int            `json:"matches"`           // least matches of an entry in its division before it moves
	After     int            `json:"after,omitempty"`   // the next date is when the entries have played so many matches on average since the last one; 0: by date
	Next      time.Time      `json:"next,omitzero"`     // the next date of promotion; zero: not known
	Follows   string         `json:"follows,omitempty"` // the league before this one
	Dates     []DateView     `json:"dates"`             // those that are done, the oldest first: the last 200
}

// DivisionView is a division of a league.
type DivisionView struct {
	Name string `json:"name"`
	Boss string `json:"boss,omitempty"` // the entry of its bot; empty: it has none
}

// DateView is a date of promotion and relegation that is done.
type DateView struct {
	At     time.Time  `json:"at"`
	Due    time.Time  `json:"due,omitzero"` // zero: by command, or by the number of matches
	Reason string     `json:"reason,omitempty"`
	Final  bool       `json:"final,omitempty"` // the end of the season
	Moves  []MoveView `json:"moves"`
}

// MoveView is an entry that went from one division to another.
type MoveView struct {
	Name string `json:"name"`
	From string `json:"from"`
	To   string `json:"to"`
}

// maxShownDates bounds SeasonView.Dates.
const maxShownDates = 200

// summarizeLeague fills in what a summary says about a league.
func (s *State) summarizeLeague(v *Summary) {
	v.Start, v.Ends = s.Spec.Season.Start, s.Spec.Season.End
	if r := s.league.results; r != nil {
		v.Done = len(r.matches)
		v.All = v.Done
	}
}

// viewSeason fills in what a view says about a league.
func (s *State) viewSeason(v *View) {
	if s.league == nil {
		return
	}
	x := s.Spec.Season
	season := &SeasonView{Start: x.Start, End: x.End, Promote: x.Promote, Matches: x.Matches, After: x.After, Follows: x.Follows, Dates: []DateView{}}
	for i, name := range x.Divisions {
		d := DivisionView{Name: name}
		if boss := s.Boss(i); boss >= 0 {
			d.Boss = s.Entries[boss].Name
		}
		season.Divisions = append(season.Divisions, d)
	}
	if s.Phase == Running {
		_, season.Next = x.dates(s.Started, time.Now())
	}
	for _, d := range s.league.dates[max(0, len(s.league.dates)-maxShownDates):] {
		date := DateView{At: d.at, Due: d.due, Reason: d.reason, Final: d.final, Moves: []MoveView{}}
		for _, m := range d.moves {
			date.Moves = append(date.Moves, MoveView{s.Entries[m.Entry].Name, x.Divisions[m.From], x.Divisions[m.To]})
		}
		season.Dates = append(season.Dates, date)
	}
	v.Season = season
}

// viewLatest fills in the last matches of a league.
func (s *State) viewLatest(v *View) {
	if s.league == nil || s.league.results == nil {
		return
	}
	list := s.league.results.latest
	v.addLatest(list[max(0, len(list)-MaxLadderMatches):])
}

// divisionOf returns the name of the division in which entries of a league meet; empty: one has
// moved since.
func (s *State) divisionOf(entries []int) string {
	if s.league == nil {
		return ""
	}
	for d, name := range s.Spec.Season.Divisions {
		if !slices.ContainsFunc(entries, func(n int) bool { return !s.PlaysIn(n, d) }) {
			return name
		}
	}
	return ""
}
