package contest

import (
	"encoding/json"
	"fmt"
	"time"

	"colosseum/host/internal/records/store"
)

// The types of announcements. Receivers and configurations have them, so they never change.
const (
	NewsCreated = "contest.created"
	NewsStarted = "contest.started"
	NewsPaused  = "contest.paused"
	NewsResumed = "contest.resumed"
	NewsEnded   = "contest.ended"
	NewsPaired  = "round.paired"
	NewsClosing = "round.closing"
	NewsRuled   = "result.ruled"
	NewsUndone  = "result.undone"
	NewsMoved   = "league.moved"
	NewsPassed  = "player.passed"
)

// Announcements are the types of all announcements.
func Announcements() []string {
	return []string{NewsCreated, NewsStarted, NewsPaused, NewsResumed, NewsEnded, NewsPaired, NewsClosing, NewsRuled, NewsUndone, NewsMoved, NewsPassed}
}

// Announcement is what other sites learn of an event of a contest.
type Announcement struct {
	Type string
	At   time.Time
	News News
}

// News are the details of an announcement. Each type has some of the fields.
type News struct {
	Contest string    `json:"contest"` // its name
	Title   string    `json:"title"`
	Game    string    `json:"game,omitempty"`
	Format  string    `json:"format"`
	Address string    `json:"address,omitempty"` // of its page
	Starts  time.Time `json:"starts,omitzero"`   // when it starts by itself

	Entries   int        `json:"entries,omitempty"`
	Reason    string     `json:"reason,omitempty"`
	By        string     `json:"by,omitempty"`        // the player that decided it as an organizer; empty: the operator
	Round     int        `json:"round,omitempty"`     // from 1
	Closes    time.Time  `json:"closes,omitzero"`     // the round
	Pairings  [][]string `json:"pairings,omitempty"`  // the names of the first MaxNews pairings; one name: a bye
	Paired    int        `json:"paired,omitempty"`    // how many pairings there are
	Standings []Place    `json:"standings,omitempty"` // the first MaxNews entries
	Early     bool       `json:"early,omitempty"`     // the contest was ended before it was over
	Moves     []NewsMove `json:"moves,omitempty"`     // between the divisions, the first MaxNews
	Event     int64      `json:"event,omitempty"`     // the number of the ruling; of result.undone: of what no longer holds

	Entrants []string     `json:"entrants,omitempty"` // of the pairing that a ruling is about; of player.passed: who has; of round.closing: the first MaxNews that have matches to play
	Leg      int          `json:"leg,omitempty"`      // of the pairing, from 1
	Action   RulingAction `json:"action,omitempty"`   // of a ruling
	Points   []float64    `json:"points,omitempty"`   // of a ruling, for the entrants
}

// MaxNews bounds the lists in News.
const MaxNews = 100

// Place is an entry in the final standings.
type Place struct {
	Rank     int     `json:"rank"` // of a league: in the division
	Name     string  `json:"name"`
	Points   float64 `json:"points"`
	Division string  `json:"division,omitempty"` // of a league
}

// NewsMove is an entry that has gone to another division.
type NewsMove struct {
	Name string `json:"name"`
	From string `json:"from,omitempty"` // empty: it was in none
	To   string `json:"to"`
}

// AnnounceCreation returns the announcement that the contest was created.
func (s *State) AnnounceCreation() Announcement {
	n := s.news()
	n.Starts = s.Spec.Start
	return Announcement{NewsCreated, s.Created, n}
}

func (s *State) news() News {
	return News{Contest: s.Spec.Name, Title: s.Spec.Title, Game: s.Spec.Game, Format: string(s.Spec.Format)}
}

// Announce returns what other sites learn of an event that was applied last. The results of
// the contest need not be there.
func (s *State) Announce(e store.Event) ([]Announcement, error) {
	var d eventData
	if err := json.Unmarshal(e.Data, &d); err != nil {
		return nil, err
	}
	n := s.news()
	n.Reason, n.By = d.Reason, d.By
	one := func(kind string) []Announcement { return []Announcement{{kind, e.At, n}} }
	switch Kind(e.Kind) {
	case Start:
		n.Entries = len(s.Entries)
		return one(NewsStarted), nil
	case Pause:
		return one(NewsPaused), nil
	case Resume:
		return one(NewsResumed), nil
	case PairUp:
		for i, p := range d.Pairings {
			if n.Round == 0 || p.Round < n.Round-1 {
				n.Round = p.Round + 1
			}
			if i < MaxNews {
				n.Pairings = append(n.Pairings, s.names(p.Entrants))
			}
		}
		n.Paired = len(d.Pairings)
		return one(NewsPaired), nil
	case Remind:
		n.Round, n.Closes = d.Round+1, d.Closes
		for _, i := range d.Numbers[:min(len(d.Numbers), MaxNews)] {
			if i >= 0 && i < len(s.Entries) {
				n.Entrants = append(n.Entrants, s.Entries[i].Name)
			}
		}
		return one(NewsClosing), nil
	case Rule:
		n.Event, n.Leg = e.Number, d.Leg+1
		if d.Ruling != nil {
			n.Action, n.Points = d.Ruling.Action, d.Ruling.Points
		}
		if d.Pairing >= 0 && d.Pairing < len(s.Pairs) {
			p := &s.Pairs[d.Pairing]
			n.Round, n.Entrants = p.Round+1, s.names(p.Entrants)
		}
		return one(NewsRuled), nil
	case Undo:
		n.Event = d.Event
		return one(NewsUndone), nil
	case Reach:
		n.Entrants = s.names(d.Numbers)
		return one(NewsPassed), nil
	case Divide:
		return s.moved(e.At, n, d.Moves), nil
	case End:
		all := s.moved(e.At, n, d.Moves)
		n.Early = d.Early
		for _, row := range d.Standings[:min(len(d.Standings), MaxNews)] {
			n.Standings = append(n.Standings, Place{row.Rank, row.Name, row.Points, row.Division})
		}
		return append(all, one(NewsEnded)...), nil
	}
	return nil, nil
}

// moved announces moves between divisions; none if nobody moves.
func (s *State) moved(at time.Time, n News, moves []Move) []Announcement {
	if len(moves) == 0 {
		return nil
	}
	for _, m := range moves[:min(len(moves), MaxNews)] {
		if m.Entry >= 0 && m.Entry < len(s.Entries) {
			n.Moves = append(n.Moves, NewsMove{s.Entries[m.Entry].Name, s.newsDivision(m.From), s.newsDivision(m.To)})
		}
	}
	return []Announcement{{NewsMoved, at, n}}
}

// newsDivision returns the name of a division; "" for -1.
func (s *State) newsDivision(n int) string {
	switch {
	case n < 0:
		return ""
	case s.Spec.Season != nil && n < len(s.Spec.Season.Divisions):
		return s.Spec.Season.Divisions[n]
	}
	return fmt.Sprint(n + 1)
}
