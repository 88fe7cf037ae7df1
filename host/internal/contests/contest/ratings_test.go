package contest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"time"

	"colosseum/host/internal/contests/rating"
	"colosseum/host/internal/records/store"
	"colosseum/sdk/driver"
)

// interrupted is a store with results that cannot be read after some of them.
type interrupted struct {
	Store
	contest store.Contest
	events  []store.Event
	results []store.Result
	most    int // of one call
}

var errInterrupted = errors.New("interrupted")

func (s *interrupted) GameResults(_ context.Context, _ string, after int64, f func(store.Result) error) error {
	for i, r := range s.results[after:] {
		if i == s.most {
			return errInterrupted
		}
		if err := f(r); err != nil {
			return err
		}
	}
	return nil
}

func (s *interrupted) Contest(context.Context, string) (store.Contest, error) { return s.contest, nil }

func (s *interrupted) Events(_ context.Context, _ string, after int64) ([]store.Event, error) {
	return s.events[after:], nil
}

// TestRatingsCountEachResultOnceAfterErrors: a reader that goes away interrupts the
// reading for all.
func TestRatingsCountEachResultOnceAfterErrors(t *testing.T) {
	var entries []Entry
	for _, name := range []string{"a", "b", "c", "d", "e", "f"} {
		entries = append(entries, Entry{Name: name, Player: name})
	}
	s := &interrupted{contest: store.Contest{Name: "cup", Game: "duel", Spec: head + "entries: open"}, most: 1}
	enter := newEvent(Enter, eventData{Entries: entries})
	enter.Number = 1
	s.events = []store.Event{enter}
	for i, pair := range [][2]int{{0, 1}, {2, 3}, {4, 5}, {0, 2}, {1, 2}} {
		s.results = append(s.results, store.Result{
			Number: int64(i + 1), Contest: "cup", Pairing: i, Match: string(rune('m' + i)), Ended: time.Unix(int64(i), 0),
			Seats: []store.ResultSeat{{Entry: pair[0], Rank: 1}, {Entry: pair[1], Rank: 2}},
		})
	}
	now := time.Unix(100, 0)
	got := NewRatings("duel", 0)
	for i := range s.results[1:] {
		if err := got.Refresh(t.Context(), s); !errors.Is(err, errInterrupted) {
			t.Fatalf("call %d: got the error %v, want %v", i, err, errInterrupted)
		}
		_ = got.Standings(now)
	}
	if err := got.Refresh(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	s.most = len(s.results)
	want, err := LoadRatings(t.Context(), s, "duel", 0)
	if err != nil {
		t.Fatal(err)
	}
	for i, w := range want.Standings(now) {
		if g := got.Standings(now)[i]; g.Name != w.Name || g.Played != w.Played || !near(g.Rating, w.Rating) || !near(g.Low, w.Low) {
			t.Errorf("place %d: got %+v, want %+v", i+1, g, w)
		}
	}
}

// The chart of a player and the figure above it are about the same rating.
func TestHistoryOfARatingEndsWithTheRatingOfNow(t *testing.T) {
	s := &interrupted{contest: store.Contest{Name: "cup", Game: "duel", Spec: head + "entries: open"}, most: 1 << 20}
	var entries []Entry
	for _, name := range []string{"ann", "bob", "eve"} {
		entries = append(entries, Entry{Name: name, Player: name})
	}
	enter := newEvent(Enter, eventData{Entries: entries})
	enter.Number = 1
	s.events = []store.Event{enter}
	for i := range 40 { // pairs with one seed, in which seats are swapped
		a, b := (i/2)%3, (i/2+1)%3
		first, second := 1, 2
		if i%5 == 0 {
			first, second = 2, 1
		}
		s.results = append(s.results, store.Result{
			Number: int64(i + 1), Contest: "cup", Pairing: i / 2, Leg: i % 2, Match: strconv.Itoa(i), Ended: time.Unix(int64(i)*3600, 0),
			Seats: []store.ResultSeat{{Entry: a, Rank: first}, {Entry: b, Rank: second}},
		})
	}
	r, err := LoadRatings(t.Context(), s, "duel", 0)
	if err != nil {
		t.Fatal(err)
	}
	p, ok, err := r.Profile("ann", time.Unix(40*3600, 0))
	if err != nil || !ok || len(p.History) < 10 {
		t.Fatalf("got %d points of ann, %v, %v, want a history", len(p.History), ok, err)
	}
	last := p.History[len(p.History)-1]
	if last.Rating != p.Rating || last.Low != p.Low || last.High != p.High {
		t.Errorf("got the last point %+v, want %.1f from %.1f to %.1f, as of now", last, p.Rating, p.Low, p.High)
	}
	since := time.Unix(20*3600, 0)
	recent, err := r.History("ann", since, time.Unix(40*3600, 0))
	if n := len(recent); err != nil || n < 5 || !recent[0].At.Equal(since) || recent[1].At.Before(since) || recent[n-1] != last {
		t.Errorf("since %v: got %v, %v; want a point at that time, the later ones, and the last one as before", since, recent, err)
	}
	if none, err := r.History("nobody", since, since); err != nil || none != nil {
		t.Errorf("nobody: got %v, %v, want no history", none, err)
	}
	before := p.History[len(p.History)-2]
	if ratio := (before.High - before.Low) / (last.High - last.Low); ratio < 0.95 || ratio > 1.2 {
		t.Errorf("got an interval of %.0f one match before, and of %.0f at the end, want about the same", before.High-before.Low, last.High-last.Low)
	}
	if d := before.Rating - last.Rating; d < -100 || d > 100 {
		t.Errorf("got the rating %.0f one match before, and %.0f at the end, want about the same", before.Rating, last.Rating)
	}
}

// The difference of two independent normal variables has the sum of their variances: here
// 1.96 standard deviations are 50.
func TestVersionIsComparedWithTheOneBeforeIt(t *testing.T) {
	list := []Standing{{Version: 3, Rating: 1500, Low: 1470, High: 1530}, {Version: 4, Rating: 1550, Low: 1510, High: 1590}}
	c := compare(list, 4)
	if c == nil || c.Version != 4 || c.Than != 3 || c.Difference != 50 || c.Low != 0 || c.High != 100 || math.Abs(c.Better-0.975) > 1e-6 {
		t.Errorf("got %+v, want a difference of 50 from 0 to 100, and 0.975", c)
	}
	for _, version := range []int{3, 5} {
		if c := compare(list, version); c != nil {
			t.Errorf("version %d: got %+v, want nothing to compare it with", version, c)
		}
	}
}

// Versions of programs are rated as if they were players of their own.
func TestEachVersionOfAProgramHasItsRating(t *testing.T) {
	s := &interrupted{contest: store.Contest{Name: "top", Game: "duel", Spec: "name: top\ngame: duel\nformat: ladder\nentries: open\n"}, most: 1 << 20}
	enter := newEvent(Enter, eventData{Entries: []Entry{{Name: "ann", Player: "ann"}, {Name: "Bob", Player: "Bob"}, {Name: "eve", Player: "eve"}}})
	enter.Number = 1
	s.events = []store.Event{enter}
	// One competitor of the fit for each version: ann connects at first and later hands in
	// two versions, Bob plays with one and then connects, and eve always connects.
	split := map[string]int{"ann 0": 0, "ann 1": 1, "ann 2": 2, "Bob 1": 3, "Bob 0": 4, "eve 0": 5}
	names := []string{"ann", "Bob", "eve"}
	r := rand.New(rand.NewPCG(1, 2))
	var matches []rating.Match
	played := map[string]int{}
	const n = 300
	for i := range n {
		version := []int{min(2, i/100), 1 - i/150, 0}
		order := r.Perm(3)[:2]
		x := store.Result{Number: int64(i + 1), Contest: "top", Pairing: i, Match: strconv.Itoa(i), Ended: time.Unix(int64(i), 0)}
		m := rating.Match{At: x.Ended, Sample: int64(i + 1)}
		ranks := r.Perm(2)
		for seat, entry := range order {
			rank := ranks[seat] + 1
			x.Seats = append(x.Seats, store.ResultSeat{Entry: entry, Rank: rank, Version: version[entry]})
			key := fmt.Sprint(names[entry], " ", version[entry])
			m.Players, m.Ranks = append(m.Players, split[key]), append(m.Ranks, rank)
			played[key]++
		}
		s.results, matches = append(s.results, x), append(matches, m)
	}
	now := time.Unix(n, 0)
	want, err := rating.Fit(len(split), matches, rating.Options{Now: now})
	if err != nil {
		t.Fatal(err)
	}
	got, err := LoadRatings(t.Context(), s, "duel", 0)
	if err != nil {
		t.Fatal(err)
	}
	check := func(what string, s Standing) {
		t.Helper()
		key := fmt.Sprint(s.Name, " ", s.Version)
		e := want.Estimates[split[key]]
		if s.Played != played[key] || math.Abs(s.Rating-e.Rating) > 1 || math.Abs(s.Low-e.Low) > 2 || math.Abs(s.High-e.High) > 2 {
			t.Errorf("%s: got %+v, want %d matches and %.1f from %.1f to %.1f", what, s, played[key], e.Rating, e.Low, e.High)
		}
	}
	lines := map[string]int{}
	for _, s := range got.Standings(now) {
		lines[s.Name] = s.Version
		check("table", s)
	}
	if !maps.Equal(lines, map[string]int{"ann": 2, "Bob": 0, "eve": 0}) {
		t.Errorf("got the lines %v, want one for each player, of what has played last", lines)
	}
	for name, want := range map[string][]int{"ANN": {0, 1, 2}, "bob": {0, 1}, "eve": nil} {
		p, ok, err := got.Profile(name, now)
		if err != nil || !ok {
			t.Fatalf("profile of %s: got %v and %v, want it", name, ok, err)
		}
		var versions []int
		for _, s := range p.Versions {
			versions = append(versions, s.Version)
			check("profile", s)
		}
		if !slices.Equal(versions, want) || p.Version != lines[p.Name] {
			t.Errorf("profile of %s: got version %d of %v, want %d of %v", name, p.Version, versions, lines[p.Name], want)
		}
		if c := p.Compared; (c != nil) != (p.Version > 0) || c != nil && (c.Version != 2 || c.Than != 1 || (c.Difference > 0) != (c.Better > 0.5)) {
			t.Errorf("profile of %s: got the comparison %+v, want one of the version in the table with the one before it", name, c)
		}
		if len(p.Opponents) != 2 {
			t.Errorf("profile of %s: got the opponents %+v, want the two others", name, p.Opponents)
		}
	}
	if x, ok := got.Rating("ann"); !ok || math.Abs(x-want.Estimates[2].Rating) > 1 {
		t.Errorf("got the rating %.1f of ann, want that of version 2", x)
	}
	state, err := NewState(s.contest)
	if err == nil {
		err = state.Apply(enter)
	}
	if err != nil {
		t.Fatal(err)
	}
	v, err := state.View(nil)
	if err != nil {
		t.Fatal(err)
	}
	v.Rank(got, now)
	if v.Done != n {
		t.Errorf("got %d matches of the ladder, want %d with those of earlier versions", v.Done, n)
	}
	for _, row := range v.Standings {
		if row.Version != lines[row.Name] {
			t.Errorf("got version %d of %s in the table, want %d", row.Version, row.Name, lines[row.Name])
		}
	}
	for i, x := range s.results {
		want := []int{x.Seats[0].Version, x.Seats[1].Version}
		if slices.Max(want) == 0 {
			want = nil
		}
		if got := v.Matches[i].Versions; !slices.Equal(got, want) {
			t.Errorf("match %d: got the versions %v, want %v", i, got, want)
		}
	}
}

func TestLadderHasForfeitsAndItsLastMatches(t *testing.T) {
	s := &interrupted{contest: store.Contest{Name: "top", Game: "duel", Spec: "name: top\ngame: duel\nformat: ladder\nentries: open\n"}, most: 1 << 20}
	enter := newEvent(Enter, eventData{Entries: []Entry{{Name: "ann", Player: "ann"}, {Name: "bob", Player: "bob"}}})
	enter.Number = 1
	s.events = []store.Event{enter}
	const played = 2*MaxLadderMatches + 100
	for i := range played {
		x := store.Result{
			Number: int64(i + 1), Contest: "top", Pairing: i, Match: strconv.Itoa(i), Ended: time.Unix(int64(i), 0), Aborted: i%10 == 3,
			Seats: []store.ResultSeat{{Entry: 1, Rank: 2, Ended: driver.EndedFinished}, {Entry: 0, Rank: 1, Ended: driver.EndedFinished}},
		}
		if i%10 == 4 {
			x.Seats[0].Ended = "forfeit: timeout"
		}
		s.results = append(s.results, x)
	}
	state, err := NewState(s.contest)
	if err != nil {
		t.Fatal(err)
	}
	if err := state.Apply(enter); err != nil {
		t.Fatal(err)
	}
	v, err := state.View(nil)
	if err != nil {
		t.Fatal(err)
	}
	ratings, err := LoadRatings(t.Context(), s, "duel", 0)
	if err != nil {
		t.Fatal(err)
	}
	v.Rank(ratings, time.Unix(played, 0))
	for i, want := range []Row{{Name: "ann", Wins: played * 9 / 10}, {Name: "bob", Losses: played * 9 / 10, Forfeits: played / 10}} {
		if r := v.Standings[i]; r.Name != want.Name || r.Wins != want.Wins || r.Losses != want.Losses || r.Forfeits != want.Forfeits {
			t.Errorf("place %d: got %+v, want %+v", i+1, r, want)
		}
	}
	if len(v.Matches) != MaxLadderMatches {
		t.Fatalf("got %d matches, want the last %d", len(v.Matches), MaxLadderMatches)
	}
	last := v.Matches[MaxLadderMatches-1]
	if last.ID != strconv.Itoa(played-1) || last.State != "finished" || !slices.Equal(last.Seats, []string{"bob", "ann"}) || !slices.Equal(last.Points, []float64{0, 1}) ||
		!slices.Equal(last.Ranks, []int{2, 1}) || last.Pairing != played || last.Leg != 1 || last.Round != 1 || !last.Ended.Equal(time.Unix(played-1, 0)) {
		t.Errorf("got the last match %+v, want ann's win over bob", last)
	}
	for _, m := range v.Matches {
		if i, _ := strconv.Atoi(m.ID); i%10 == 3 {
			t.Errorf("got the match %s, want none that was aborted", m.ID)
		}
	}
}
