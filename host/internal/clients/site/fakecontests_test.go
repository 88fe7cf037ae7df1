package site

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"colosseum/host/internal/contests/contest"
	"colosseum/host/internal/contests/pairing"
)

// fakeContests are contests in memory.
type fakeContests struct {
	mu         sync.Mutex // guards the fields below
	generation uint64
	views      []*contest.View
	ratings    map[string][]contest.Standing
	profiles   map[string]*contest.Profile
	viewed     int   // calls of View
	broken     error // result of all calls
}

func (c *fakeContests) Generation() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.generation
}

func (c *fakeContests) List(context.Context) ([]contest.Summary, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var list []contest.Summary
	for _, v := range c.views {
		list = append(list, v.Summary)
	}
	return list, c.broken
}

func (c *fakeContests) View(_ context.Context, name string) (*contest.View, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.viewed++
	return c.findLocked(name)
}

func (c *fakeContests) findLocked(name string) (*contest.View, error) {
	for _, v := range c.views {
		if v.Name == strings.ToLower(name) {
			return v, c.broken
		}
	}
	return nil, cmp.Or(c.broken, contest.ErrUnknown)
}

func (c *fakeContests) Ratings(_ context.Context, game string) ([]contest.Standing, error) {
	if list, ok := c.ratings[game]; ok {
		return list, c.broken
	}
	return nil, cmp.Or(c.broken, contest.ErrUnknown)
}

func (c *fakeContests) Player(_ context.Context, name string) (*contest.Profile, error) {
	if p := c.profiles[name]; p != nil {
		return p, c.broken
	}
	return nil, cmp.Or(c.broken, contest.ErrUnknown)
}

func (c *fakeContests) History(_ context.Context, name, game string, since time.Time) ([]contest.Point, error) {
	return []contest.Point{{At: since, Rating: 1, Low: 0, High: 2}}, c.broken
}

func (c *fakeContests) Enter(_ context.Context, name, player string) error {
	return c.change(name, func(v *contest.View) error {
		if !v.Open {
			return errors.New("the contest is not open: ask its organizer")
		}
		for i, e := range v.Entries {
			if e.Name == player {
				v.Entries[i].Withdrawn = false
				return nil
			}
		}
		v.Entries = append(v.Entries, contest.EntryView{Name: player, Kind: "player", Seed: len(v.Entries) + 1})
		return nil
	})
}

func (c *fakeContests) Withdraw(_ context.Context, name, player string) error {
	return c.change(name, func(v *contest.View) error {
		for i, e := range v.Entries {
			if e.Name == player {
				v.Entries[i].Withdrawn = true
				return nil
			}
		}
		return fmt.Errorf("%s has not entered", player)
	})
}

func (c *fakeContests) Here(_ context.Context, name, player string) (until time.Time, err error) {
	return until, c.change(name, func(v *contest.View) error {
		if v.Window == nil {
			return errors.New("the rounds of the contest have no dates: its matches begin by themselves")
		}
		until = time.Now().Add(contest.HereFor).UTC().Truncate(time.Second)
		v.Here = []contest.Attending{{Entry: player, Player: player, Round: v.Window.Round, Until: until}}
		return nil
	})
}

// change replaces a view by a changed copy.
func (c *fakeContests) change(name string, f func(v *contest.View) error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	old, err := c.findLocked(name)
	if err != nil {
		return err
	}
	v := *old
	v.Entries, v.Matches, v.Standings = slices.Clone(v.Entries), slices.Clone(v.Matches), slices.Clone(v.Standings)
	if err := f(&v); err != nil {
		return err
	}
	v.Count = len(v.Entries)
	c.views[slices.Index(c.views, old)] = &v
	c.generation++
	return nil
}

// someContests returns a contest of each format and phase.
func someContests(now time.Time) *fakeContests {
	swiss := newView("spring-cup", "Spring cup "+hostile, pairing.Swiss, contest.Running, 12, now.Add(-time.Hour))
	swiss.TieBreaks, swiss.Round, swiss.Rounds = []string{"buchholz", "sonneborn-berger"}, 4, 7
	for round := 1; round <= 4; round++ {
		for slot := range 6 {
			a, b := slot*2, slot*2+1
			if round%2 == 0 {
				a, b = slot, 11-slot
			}
			p := pair{round: round, slot: slot + 1, seats: []int{(a + round) % 12, (b + round) % 12}}
			if round == 4 {
				p.planned = slot
			}
			play(swiss, p)
		}
	}
	swiss.Entries[7].Withdrawn = true
	for round := range 7 {
		opens := now.Add(time.Duration(round-3)*7*24*time.Hour - time.Hour).UTC().Truncate(time.Second)
		w := contest.RoundWindow{Round: round + 1, Window: contest.Window{Opens: opens, Closes: opens.Add(48 * time.Hour)}}
		if round == 3 {
			w.Shifted, w.Reason = true, "half term "+hostile
			swiss.Window = &w
		}
		swiss.Windows = append(swiss.Windows, w)
		swiss.Appointments = append(swiss.Appointments, contest.Appointment{ID: fmt.Sprint("round-", round+1), At: w.Opens, Until: w.Closes, Title: fmt.Sprintf("%s: round %d", swiss.Title, round+1), Changes: round % 2})
	}
	swiss.Calendar = true
	swiss.Here = []contest.Attending{{Entry: "ann", Player: "ann", Round: 4, Until: now.Add(time.Hour)}}
	robin := newView("autumn-league", "Autumn league", pairing.RoundRobin, contest.Ended, 9, now.Add(-200*time.Hour))
	robin.TieBreaks, robin.Round, robin.Rounds, robin.Ended = []string{"direct", "sonneborn-berger", "wins"}, 9, 9, now.Add(-190*time.Hour)
	for round := range 9 {
		for slot := range 4 {
			play(robin, pair{round: round + 1, slot: slot + 1, seats: []int{(round + slot + 1) % 9, (round + 8 - slot) % 9}})
		}
		play(robin, pair{round: round + 1, slot: 5, seats: []int{round}})
	}
	cup := newView("cup", "The cup", pairing.Knockout, contest.Running, 11, now.Add(-2*time.Hour))
	cup.Round = 3
	for slot, seats := range [][]int{{0}, {7, 8}, {3}, {4}, {1}, {6, 9}, {2}, {5, 10}} {
		play(cup, pair{round: 1, slot: slot + 1, seats: seats})
	}
	play(cup, pair{round: 2, slot: 1, seats: []int{0, 7}, tied: true})
	play(cup, pair{round: 2, slot: 1, replay: 1, seats: []int{0, 7}})
	play(cup, pair{round: 2, slot: 2, seats: []int{3, 4}})
	play(cup, pair{round: 2, slot: 3, seats: []int{1, 6}, walkover: true})
	play(cup, pair{round: 2, slot: 4, seats: []int{2, 5}})
	play(cup, pair{round: 3, slot: 1, seats: []int{0, 3}, planned: 1})
	play(cup, pair{round: 3, slot: 2, seats: []int{1, 2}, planned: 2})
	double := newView("double", "Double elimination", pairing.DoubleElimination, contest.Ended, 4, now.Add(-300*time.Hour))
	double.Round, double.Rounds, double.Ended = 4, 4, now.Add(-299*time.Hour)
	for _, p := range []pair{
		{round: 1, slot: 1, seats: []int{0, 3}}, {round: 1, slot: 2, seats: []int{1, 2}},
		{round: 2, slot: 1, seats: []int{0, 1}}, {round: 2, slot: 1, seats: []int{2, 3}, bracket: pairing.Losers},
		{round: 3, slot: 1, seats: []int{1, 2}, bracket: pairing.Losers}, {round: 4, slot: 1, seats: []int{0, 1}, bracket: pairing.Final},
	} {
		play(double, p)
	}
	open := newView("next", "Friday blitz", pairing.Swiss, contest.Open, 3, now)
	open.Open, open.Start, open.Clock, open.Round, open.Rounds = true, now.Add(20*time.Minute), "60+1", 0, 5
	ladder := newView("ladder", "Ladder of roshambo", contest.Ladder, contest.Running, 6, now.Add(-500*time.Hour))
	ladder.Open = true

	tables := newView("tables", "Tables of four", pairing.RoundRobin, contest.Ended, 5, now.Add(-400*time.Hour))
	tables.PerMatch, tables.PerPair, tables.Round, tables.Rounds, tables.Ended = 4, 1, 2, 2, now.Add(-399*time.Hour)
	playTable(tables, 1, []int{0, 1, 2, 3}, []int{1, 2, 2, 4})
	play(tables, pair{round: 1, slot: 2, seats: []int{4}})
	playTable(tables, 2, []int{4, 0, 2, 1}, []int{1, 3, 4, 2})
	play(tables, pair{round: 2, slot: 2, seats: []int{3}})

	c := &fakeContests{generation: 1, views: []*contest.View{swiss, cup, ladder, open, robin, double, newScore(now), newPass(now), tables, newTeams(now), newLeague(now), newCup(now)}, ratings: map[string][]contest.Standing{}, profiles: map[string]*contest.Profile{}}
	for i := range 8 {
		e := contest.Standing{Rank: i + 1, Name: names[i], Version: 2 * (i % 2), Rating: 180 - 60*float64(i), Played: 40 + i, Wins: 30 - i, Draws: 3, Losses: 7 + 2*i}
		if i == 3 {
			e.Rank, e.Name, e.Version, e.Bot, e.Rating = 0, "bot:strong", 0, true, 0
			e.Low, e.High = 0, 0
		} else {
			e.Low, e.High = e.Rating-40-10*float64(i), e.Rating+35+10*float64(i)
		}
		c.ratings["roshambo"] = append(c.ratings["roshambo"], e)
	}
	ann := &contest.Profile{Name: "ann", Games: []contest.GameProfile{{Game: "roshambo", Standing: c.ratings["roshambo"][0]}}}
	ann.Games[0].Versions = []contest.Standing{{Name: "ann", Version: 1, Rating: 100, Low: 60, High: 130, Played: 30}, {Name: "ann", Version: 2, Rating: 180, Low: 140, High: 220, Played: 40}}
	ann.Games[0].Compared = &contest.Comparison{Version: 2, Than: 1, Difference: 80, Low: 27, High: 133, Better: 0.998}
	for i := range 60 {
		x := float64(i)
		ann.Games[0].History = append(ann.Games[0].History, contest.Point{At: now.Add(time.Duration(i-60) * 7 * time.Hour), Rating: 3*x + 20*float64(i%5), Low: 3*x + 20*float64(i%5) - 200/(1+x/8) - 20, High: 3*x + 20*float64(i%5) + 200/(1+x/8) + 20})
	}
	for i, name := range []string{"bob", "bot:strong", hostile} {
		ann.Games[0].Opponents = append(ann.Games[0].Opponents, contest.HeadToHead{Name: name, Bot: i == 1, Played: 12 - i, Wins: 7, Draws: 1, Losses: 4 - i})
	}
	ann.Contests = append(ann.Contests, contest.Participation{Contest: "season", Title: "League of roshambo", Game: "roshambo", Format: contest.League, Phase: contest.Running, Created: now.Add(-100 * time.Hour), Count: 8, Rank: 1, Points: 8, Division: "gold"})
	for i, v := range []*contest.View{swiss, robin} {
		ann.Contests = append(ann.Contests, contest.Participation{Contest: v.Name, Title: v.Title, Game: v.Game, Format: v.Format, Phase: v.Phase, Created: v.Created, Count: v.Count, Rank: i, Points: 4.5})
	}
	c.profiles["ann"] = ann
	c.profiles["eve"] = &contest.Profile{Name: "eve", Games: []contest.GameProfile{{Game: "tiny"}}}
	return c
}

var names = []string{"ann", "bob", "cy", "dora", "a-very-long-name", "fay", "gus", "hal", "ida", "jo", "kim", "lea"}

func newView(name, title string, format pairing.Format, phase contest.Phase, entrants int, created time.Time) *contest.View {
	v := &contest.View{
		Summary: contest.Summary{
			Name: name, Title: title, Game: "roshambo", Format: format, Phase: phase, Created: created, Count: entrants, Leaders: []string{"ann"},
		},
		Organizers: []string{"zoe"}, Args: map[string]string{"rounds": "3"}, PerMatch: 2, PerPair: 2, Seed: 1<<63 + 1,
	}
	if phase != contest.Open {
		v.Started = created.Add(time.Minute)
	}
	chance := rand.New(rand.NewPCG(1, uint64(entrants)))
	for i := range entrants {
		kind := "player"
		n := fmt.Sprint("p", i)
		if i < len(names) {
			n = names[i]
		}
		if i == entrants-1 && format != pairing.Swiss {
			kind, n = "bot", "bot:strong"
		}
		v.Entries = append(v.Entries, contest.EntryView{Name: n, Kind: kind, Seed: i + 1})
		if phase == contest.Open {
			continue
		}
		rating := 150 - 300*float64(i)/float64(entrants)
		v.Standings = append(v.Standings, contest.Row{
			Rank: i + 1, Name: n, Points: float64(entrants-i) * 0.5, Played: 7, Wins: entrants - i, Draws: 1, Losses: i, Forfeits: i % 3 / 2,
			TieBreaks: []float64{float64(entrants*3-i) / 2, float64(chance.IntN(40)) / 4, float64(entrants - i)}, Rating: rating, Low: rating - 90, High: rating + 80, Withdrawn: i == 7, Version: max(0, 3-i),
		})
	}
	return v
}

// newLeague returns a league of two divisions with a boss and a date.
func newLeague(now time.Time) *contest.View {
	v := newView("season", "League of roshambo", contest.League, contest.Running, 8, now.Add(-100*time.Hour))
	v.Round, v.Done, v.All, v.Open, v.Ends = 0, 120, 120, true, now.Add(500*time.Hour)
	v.Season = &contest.SeasonView{
		Divisions: []contest.DivisionView{{Name: "gold"}, {Name: "silver", Boss: "bot:strong"}}, Start: v.Started, End: v.Ends, Promote: 1, Matches: 10, Next: now.Add(68 * time.Hour), Follows: "autumn-league",
		Dates: []contest.DateView{
			{At: now.Add(-90 * time.Hour), Reason: "after the holidays", Moves: []contest.MoveView{}},
			{At: now.Add(-time.Hour), Due: now.Add(-time.Hour), Moves: []contest.MoveView{{Name: "ann", From: "silver", To: "gold"}, {Name: "gus", From: "gold", To: "silver"}}},
		},
	}
	for i := range v.Standings {
		r := &v.Standings[i]
		r.Division, r.TieBreaks = v.Season.Divisions[i/4].Name, []float64{}
		r.Rank, r.Withdrawn = i%4+1, false
		if i == len(v.Standings)-1 {
			r.Rank = 0 // the boss
		}
	}
	v.Standings[3].Move, v.Standings[4].Move = -1, 1
	return v
}

// newCup returns a cup of two contests and one that does not exist.
func newCup(now time.Time) *contest.View {
	v := newView("year", "Whole year", contest.Cup, contest.Running, 3, now.Add(-600*time.Hour))
	v.Game, v.Args, v.PerMatch, v.PerPair = "", map[string]string{}, 0, 0
	v.Cup = []contest.CupPart{
		{Name: "autumn-league", Title: "Autumn league", Format: pairing.RoundRobin, Phase: contest.Ended}, {Name: "puzzles", Title: "Puzzles", Format: pairing.Score, Phase: contest.Ended}, {Name: "next-year", Title: "next-year"},
	}
	for i := range v.Standings {
		v.Entries[i] = contest.EntryView{Name: names[i], Kind: "player", Seed: i + 1}
		v.Standings[i] = contest.Row{Rank: i + 1, Name: names[i], Points: float64(20 - 5*i), Played: 16, TieBreaks: []float64{}, Parts: []*float64{new(float64(20 - 5*i)), nil, nil}}
	}
	v.Standings[0].Parts[1] = new(0.0)
	return v
}

// newScore returns a contest by score of three players, of which the last missed its match.
func newScore(now time.Time) *contest.View {
	v := &contest.View{
		Summary: contest.Summary{
			Name: "puzzles", Title: "Puzzles", Game: "roshambo", Format: pairing.Score, Phase: contest.Ended, Created: now.Add(-400 * time.Hour), Started: now.Add(-399 * time.Hour),
			Ended: now.Add(-398 * time.Hour), Count: 3, Round: 1, Rounds: 1, Done: 3, All: 3, Leaders: []string{"ann"},
		},
		Args: map[string]string{}, PerMatch: 1, PerPair: 1, TieBreaks: []string{},
	}
	for i, score := range []float64{1200.5, 30, 0} {
		v.Entries = append(v.Entries, contest.EntryView{Name: names[i], Kind: "player", Seed: i + 1})
		row := contest.Row{Rank: i + 1, Name: names[i], Points: score, Played: 1, TieBreaks: []float64{}, Scores: &contest.Scores{Mean: score, Best: score, Sum: score}}
		m := contest.MatchView{Round: 1, Slot: i + 1, Pairing: i + 1, Leg: 1, Seats: names[i : i+1], ID: fmt.Sprint("puzzle", i), State: "finished", Points: []float64{score}, Ranks: []int{1}, Outcome: []string{"finished"}, Ended: v.Ended}
		if i == 2 {
			row.Played, row.Scores.Missed = 0, 1
			m.ID, m.State, m.Points, m.Ranks, m.Outcome, m.Absent = "", "walkover", nil, nil, nil, m.Seats
		}
		v.Standings, v.Matches = append(v.Standings, row), append(v.Matches, m)
	}
	return v
}

// pair is a pairing with two legs, or a bye.
type pair struct {
	round, slot, replay int
	bracket             pairing.Bracket
	seats               []int
	planned             int // legs that are planned; with 1, the other one is running
	tied, walkover      bool
}

// play adds the matches of a pairing. The first entry wins the first leg, and the second
// leg is a draw.
func play(v *contest.View, p pair) {
	number := 1
	for _, m := range v.Matches {
		number = max(number, m.Pairing+1)
	}
	m := contest.MatchView{Round: p.round, Bracket: p.bracket, Slot: p.slot, Replay: p.replay, Pairing: number}
	for _, n := range p.seats {
		m.Seats = append(m.Seats, v.Entries[n].Name)
	}
	if len(p.seats) == 1 {
		m.State, m.Points = "bye", []float64{2}
		v.Matches = append(v.Matches, m)
		return
	}
	for leg := range 2 {
		m.Leg, m.ID, m.State = leg+1, fmt.Sprintf("%s-%d-%d", v.Name, number, leg+1), "finished"
		if len(v.Matches)%5 == 0 {
			m.Versions = []int{3, 0}
		}
		m.Points, m.Ranks, m.Outcome, m.Ended = []float64{1, 0}, []int{1, 2}, []string{"finished", "forfeit: timeout"}, v.Created.Add(time.Duration(len(v.Matches))*time.Minute)
		switch {
		case p.planned > leg || p.planned > 1:
			m.ID, m.State, m.Points, m.Ranks, m.Outcome, m.Ended = "", "planned", nil, nil, nil, time.Time{}
			if p.planned == 1 {
				m.ID, m.State = "running", "running"
			}
		case p.walkover:
			m.ID, m.State, m.Ranks, m.Outcome, m.Absent = "", "walkover", nil, nil, m.Seats[1:]
		case p.tied:
			m.Points[leg], m.Points[1-leg], m.Ranks[leg], m.Ranks[1-leg] = 1, 0, 1, 2
		case leg == 1:
			m.Points, m.Ranks, m.Outcome = []float64{0.5, 0.5}, []int{1, 1}, []string{"finished", "finished"}
		}
		if leg == 1 {
			m.Seats = []string{m.Seats[1], m.Seats[0]}
			slices.Reverse(m.Points)
			slices.Reverse(m.Ranks)
			slices.Reverse(m.Outcome)
		}
		v.Matches = append(v.Matches, m)
		v.All++
		if m.State != "planned" && m.State != "running" {
			v.Done++
		}
	}
}

// playTable adds a match of more than two, with the ranks of its seats.
func playTable(v *contest.View, round int, seats, ranks []int) {
	m := contest.MatchView{
		ID: fmt.Sprintf("%s-%d", v.Name, round), Round: round, Slot: 1, Pairing: 2*round - 1, Leg: 1, State: "finished", Ranks: ranks,
		Ended: v.Created.Add(time.Duration(round) * time.Minute),
	}
	for i, n := range seats {
		above, below := 0, 0
		for _, rank := range ranks {
			if rank < ranks[i] {
				above++
			} else if rank > ranks[i] {
				below++
			}
		}
		others := len(seats) - 1
		m.Seats, m.Outcome = append(m.Seats, v.Entries[n].Name), append(m.Outcome, "finished")
		m.Points = append(m.Points, (float64(below)+float64(others-above-below)/2)/float64(others))
	}
	v.Matches = append(v.Matches, m)
	v.All++
	v.Done++
}

// Organize obeys zoe, and refuses decisions without a reason.
func (c *fakeContests) Organize(_ context.Context, name, player string, order contest.Order) error {
	return c.change(name, func(v *contest.View) error {
		switch {
		case player != "zoe":
			return fmt.Errorf("%s: %w", player, contest.ErrOrganizer)
		case order.Reason == "":
			return errors.New("a decision needs a reason")
		}
		d := contest.Decision{Event: int64(9 + len(v.Rulings)), At: time.Unix(1, 0), By: player, Kind: contest.DecisionKind(order.Action), Entries: order.Entries, Reason: order.Reason}
		switch order.Action {
		case "rule":
			d.Kind, d.Round, d.Pairing, d.Leg, d.Points = contest.DecisionKind(order.Ruling.Action), 1, order.Pairing, order.Leg, order.Ruling.Points
			for i, m := range v.Matches {
				if m.Pairing == order.Pairing && m.Leg == order.Leg {
					d.Entries, v.Matches[i].Points = m.Seats, order.Ruling.Points
					v.Matches[i].Ruling = &contest.LegRuling{Event: d.Event, Action: order.Ruling.Action}
				}
			}
		case "undo":
			d.Undoes = order.Event
			v.Rulings = slices.Clone(v.Rulings)
			for i := range v.Rulings {
				if v.Rulings[i].Event == order.Event {
					v.Rulings[i].UndoneBy = d.Event
				}
			}
		}
		v.Rulings = append(v.Rulings, d)
		return nil
	})
}

// Organizes reports that zoe runs all contests.
func (c *fakeContests) Organizes(_ context.Context, _, player string) (bool, error) {
	return player == "zoe", nil
}
