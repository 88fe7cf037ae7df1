package contest

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"colosseum/host/internal/contests/pairing"
	"colosseum/host/internal/records/record"
	"colosseum/host/internal/records/store"
	"colosseum/sdk/driver"
)

// book is a Store of one contest in memory.
type book struct {
	contest store.Contest
	events  []store.Event
	results []store.Result
}

func (b *book) Create(context.Context, store.Contest, []store.Event) error { return nil }
func (b *book) List(context.Context) ([]store.Contest, error)              { return []store.Contest{b.contest}, nil }
func (b *book) Contest(context.Context, string) (store.Contest, error)     { return b.contest, nil }
func (b *book) Remove(context.Context, string) error                       { return nil }
func (b *book) Version(context.Context) (int64, error)                     { return 0, nil }
func (b *book) Events(_ context.Context, _ string, after int64) ([]store.Event, error) {
	return b.events[after:], nil
}
func (b *book) Results(_ context.Context, _ string, after int64) ([]store.Result, error) {
	return slices.Clone(b.results[after:]), nil
}
func (b *book) GameResults(context.Context, string, int64, func(store.Result) error) error {
	return nil
}
func (b *book) Append(_ context.Context, _ string, after int64, events []store.Event) error {
	if after != int64(len(b.events)) {
		return store.ErrChanged
	}
	for _, e := range events {
		e.Number = int64(len(b.events)) + 1
		b.events = append(b.events, e)
	}
	return nil
}

// game is a contest of ana, bob, eve and kim, for a test.
type game struct {
	*book
	*Organizer
	t *testing.T
}

// newGame returns a contest that has started, with its first pairings.
func newGame(t *testing.T, text string) *game {
	t.Helper()
	b := &book{contest: store.Contest{Name: "cup", Game: "duel", Seed: 7, Created: time.Unix(1, 0), Spec: "name: cup\ngame: duel\nmatches: 2\norganizers: [tea]\n" + text +
		"\nentries: [{player: ana}, {player: bob}, {player: eve}, {player: kim}]\n"}}
	g := &game{b, &Organizer{Store: b, Players: registry{"ana": "ana", "bob": "bob", "eve": "eve", "kim": "kim", "tea": "tea"}, By: "tea"}, t}
	s := g.state()
	g.must(b.Append(t.Context(), "cup", 0, []store.Event{newEvent(Enter, eventData{Entries: s.Spec.Entries.List})}))
	g.must(g.Start(t.Context(), "cup"))
	g.pair()
	return g
}

func (g *game) must(err error) {
	g.t.Helper()
	if err != nil {
		g.t.Fatal(err)
	}
}

// state returns the contest as a new process reads it.
func (g *game) state() *State {
	g.t.Helper()
	s, err := NewState(g.contest)
	g.must(err)
	g.must(s.Refresh(g.t.Context(), g.book))
	return s
}

// pair pairs the next round, or ends the contest.
func (g *game) pair() {
	g.t.Helper()
	s := g.state()
	next, over, err := pairing.Next(s.History())
	g.must(err)
	e := s.NewPairs(next)
	if over {
		e, err = s.NewEnd("", false)
		g.must(err)
	}
	g.must(g.Append(g.t.Context(), "cup", s.Last(), []store.Event{e}))
}

// play stores results for all legs that can be played: the entry with the lower number wins.
func (g *game) play() {
	g.t.Helper()
	for _, f := range g.state().Due(1000, nil, nil) {
		r := store.Result{Number: int64(len(g.results)) + 1, Contest: "cup", Pairing: f.Pairing, Leg: f.Leg, Attempt: f.Attempt,
			Match: fmt.Sprint("m", len(g.results)), Ended: time.Unix(int64(100+len(g.results)), 0)}
		for i, n := range f.Seats {
			rank := 1
			if n > f.Seats[1-i] {
				rank = 2
			}
			r.Seats = append(r.Seats, store.ResultSeat{Entry: n, Rank: rank, Ended: driver.EndedFinished})
		}
		g.results = append(g.results, r)
	}
}

// points returns the points of the entries in the order of their names.
func (g *game) points() string {
	g.t.Helper()
	rows, err := g.state().Standings()
	g.must(err)
	points := map[string]float64{}
	for _, r := range rows {
		points[r.Name] = r.Points
	}
	return fmt.Sprint(points["ana"], points["bob"], points["eve"], points["kim"])
}

func (g *game) want(points string) {
	g.t.Helper()
	if got := g.points(); got != points {
		g.t.Errorf("got the points %s, want %s", got, points)
	}
}

// verified checks that everything can be computed again.
func (g *game) verified() {
	g.t.Helper()
	v, err := Verify(g.t.Context(), g.book, noRecords{}, "cup")
	g.must(err)
	if len(v.Problems) > 0 {
		g.t.Errorf("got the problems %q, want none", v.Problems)
	}
}

type noRecords struct{}

func set(points ...float64) Ruling { return Ruling{Action: Set, Points: points} }

func TestRulingsChangeTheTable(t *testing.T) {
	g := newGame(t, "format: round-robin") // its first pairing is that of ana and kim
	ctx := t.Context()
	g.play()
	first := g.state().Pairs[0].Entrants
	if fmt.Sprint(first) != "[0 3]" {
		t.Fatalf("got the first pairing %v, want that of ana and kim", first)
	}
	g.want("6 4 2 0")
	g.must(g.Rule(ctx, "cup", 0, 0, set(0.5, 0.5), "the bell rang"))
	g.want("5.5 4 2 0.5")
	g.must(g.Rule(ctx, "cup", 0, 0, Ruling{Action: Annul}, "both had copied"))
	g.want("5 4 2 0")
	g.must(g.Undo(ctx, "cup", g.state().Last(), "they had not"))
	g.want("5.5 4 2 0.5")
	g.must(g.Rule(ctx, "cup", 0, 0, Ruling{Action: Replay}, "once more"))
	g.want("5 4 2 0")
	s := g.state()
	if s.Complete() || s.Fixture(0, 0).Seed == s.Fixture(0, 1).Seed || s.Fixture(0, 0).Attempt != 1 {
		t.Errorf("got the fixture %+v, want another attempt with another seed", s.Fixture(0, 0))
	}
	if err := g.Rule(ctx, "cup", 0, 0, Ruling{Action: Replay}, "once more"); err == nil {
		t.Error("a replay of what is not played yet: got no error")
	}
	g.play()
	g.want("6 4 2 0")
	v, err := g.state().View(nil)
	g.must(err)
	m := v.Matches[0]
	if m.ID != "m12" || m.Ruling == nil || m.Ruling.Action != Replay || len(m.Earlier) != 1 || m.Earlier[0].ID != "m0" || m.Earlier[0].AnnulledBy != m.Ruling.Event {
		t.Errorf("got the match %+v, want m12 after m0", m)
	}
	if len(v.Rulings) != 4 || v.Rulings[1].UndoneBy != v.Rulings[2].Event || v.Rulings[0].By != "tea" || v.Rulings[0].Reason != "the bell rang" {
		t.Errorf("got the decisions %+v", v.Rulings)
	}
	for !g.over() {
		g.pair()
		g.play()
	}
	g.verified()
	before := g.points()
	g.must(g.Rule(ctx, "cup", 1, 1, set(1, 0), "seen too late"))
	if got := g.points(); got == before {
		t.Error("a decision after the end: got the same points")
	}
	if err := g.Rule(ctx, "cup", 1, 1, Ruling{Action: Replay}, "again"); err == nil || !strings.Contains(err.Error(), "has ended") {
		t.Errorf("a replay after the end: got %v", err)
	}
	g.must(g.Undo(ctx, "cup", g.state().Last(), "it was right"))
	g.want(before)
	g.verified()
}

func (g *game) over() bool { return g.state().Phase == Ended }

// Get implements Records.
func (noRecords) Get(context.Context, string) (*record.Match, error) { return nil, store.ErrNotFound }

func TestLateResultsDoNotCountAfterTheEnd(t *testing.T) {
	g := newGame(t, "format: round-robin")
	g.must(g.End(t.Context(), "cup", "enough"))
	g.play2(0, 0)
	g.want("0 0 0 0")
	g.must(g.Rule(t.Context(), "cup", 1, 0, set(1, 0), "it was clear"))
	g.want("0 1 0 0")
	g.verified()
}

// play2 stores a result of a leg although the contest has ended.
func (g *game) play2(pairing, leg int) {
	f := g.state().Fixture(pairing, leg)
	r := store.Result{Number: int64(len(g.results)) + 1, Contest: "cup", Pairing: pairing, Leg: leg, Match: "late", Ended: time.Unix(900, 0)}
	for i, n := range f.Seats {
		r.Seats = append(r.Seats, store.ResultSeat{Entry: n, Rank: i + 1, Ended: driver.EndedFinished})
	}
	g.results = append(g.results, r)
}

func TestAMatchOfAnEarlierAttemptDoesNotCount(t *testing.T) {
	g := newGame(t, "format: round-robin")
	g.must(g.Rule(t.Context(), "cup", 0, 0, set(0.5, 0.5), "a power cut"))
	g.must(g.Rule(t.Context(), "cup", 0, 0, Ruling{Action: Replay}, "the power is back"))
	g.play2(0, 0) // of the first attempt
	if s := g.state(); s.Pairs[0].Legs[0].State != Planned || s.missing != 12 {
		t.Errorf("got the leg %s and %d to play, want it planned and 12", s.Pairs[0].Legs[0].State, s.missing)
	}
	g.play()
	if s := g.state(); !s.Complete() || s.Pairs[0].Legs[0].Result.Attempt != 1 {
		t.Errorf("got the result %+v, want that of the second attempt", s.Pairs[0].Legs[0].Result)
	}
}

func TestBarredEntriesComeBackWithAnUndo(t *testing.T) {
	ctx := t.Context()
	g := newGame(t, "format: round-robin")
	g.must(g.Bar(ctx, "cup", []string{"ANA"}, "copied"))
	bar := g.state().Last()
	if s := g.state(); s.missing != 6 || !s.Entries[0].Barred {
		t.Errorf("got %d legs to play and %+v, want 6 and ana barred", s.missing, s.Entries[0])
	}
	g.must(g.Undo(ctx, "cup", bar, "it was another one"))
	if s := g.state(); s.missing != 12 || s.Entries[0].Withdrawn {
		t.Errorf("got %d legs to play and %+v, want 12 and ana back", s.missing, s.Entries[0])
	}
	g.must(g.Bar(ctx, "cup", []string{"ana"}, "copied"))
	g.must(g.Forgive(ctx, "cup", []string{"ana"}, "has said sorry"))
	if s := g.state(); s.missing != 6 || s.Entries[0].Withdrawn {
		t.Errorf("got %d legs to play and %+v, want 6 and ana back", s.missing, s.Entries[0])
	}
	if err := g.Undo(ctx, "cup", g.state().Last()-1, "x"); err == nil || !strings.Contains(err.Error(), "came back") {
		t.Errorf("the undo of a bar after which it came back: got %v", err)
	}
	var kinds []string
	for _, d := range g.state().Decisions() {
		kinds = append(kinds, string(d.Kind))
	}
	if got := strings.Join(kinds, " "); got != "bar undo bar forgive" {
		t.Errorf("got the decisions %s", got)
	}
}

func TestRenamedEntries(t *testing.T) {
	ctx := t.Context()
	g := newGame(t, "format: round-robin")
	g.must(g.Rename(ctx, "cup", "ana", "rocket", "a joke"))
	g.must(g.Rename(ctx, "cup", "rocket", "comet", "a better one"))
	s := g.state()
	for _, name := range []string{"ana", "Rocket", "comet"} {
		if n, ok := s.Number(name); !ok || n != 0 {
			t.Errorf("%s: got the entry %d, %t, want 0", name, n, ok)
		}
	}
	if s.Entries[0].Name != "comet" || s.Entries[0].Player != "ana" {
		t.Errorf("got %+v, want the player ana with the name comet", s.Entries[0])
	}
	g.must(g.Undo(ctx, "cup", s.Last()-1, "not the first one")) // the second one holds
	if got := g.state().Entries[0].Name; got != "comet" {
		t.Errorf("got the name %s, want comet", got)
	}
	g.must(g.Undo(ctx, "cup", s.Last(), "nor the second one"))
	if got := g.state().Entries[0].Name; got != "ana" {
		t.Errorf("got the name %s, want ana", got)
	}
	g.must(g.Rename(ctx, "cup", "ana", "comet", "after all"))
	v, err := g.state().View(nil)
	g.must(err)
	if v.Entries[0].Player != "ana" {
		t.Errorf("got the entry %+v, want its player", v.Entries[0])
	}
	if p, ok := v.Participation("ana"); !ok || p.Contest != "cup" {
		t.Errorf("the part of ana: got %+v, %t", p, ok)
	}
	if _, ok := v.Participation("comet"); ok {
		t.Error("the part of a player comet: got one, want none")
	}
	g.By = ""
	if err := g.Withdraw(ctx, "cup", []string{"comet"}, true); err == nil {
		t.Error("another player with the name comet withdrew ana")
	}
	g.must(g.Withdraw(ctx, "cup", []string{"ana"}, true))
	// The registered player itself has another name: the one of the organizer still holds.
	s = g.state()
	g.must(g.Append(ctx, "cup", s.Last(), []store.Event{newEvent(Rename, eventData{Numbers: []int{0}, Name: "ann", Players: []string{"ann"}})}))
	if s := g.state(); s.Entries[0].Name != "comet" || s.Entries[0].Player != "ann" {
		t.Errorf("got %+v, want the player ann with the name comet", s.Entries[0])
	}
}

func TestARulingThatChangesWhoWentOnIsRefused(t *testing.T) {
	ctx := t.Context()
	g := newGame(t, "format: knockout") // ana - kim, bob - eve
	g.play()
	g.pair()
	if err := g.Rule(ctx, "cup", 0, 0, set(0, 1), "x"); err == nil || !strings.Contains(err.Error(), "already paired") {
		t.Errorf("a tie after the next round was paired: got %v", err)
	}
	if err := g.Rule(ctx, "cup", 0, 0, Ruling{Action: Replay}, "x"); err == nil || !strings.Contains(err.Error(), "already paired") {
		t.Errorf("a replay after the next round was paired: got %v", err)
	}
	g.must(g.Rule(ctx, "cup", 0, 0, set(0.5, 0.5), "only half a win"))
	g.play()
	g.pair()
	if !g.over() {
		t.Fatal("the knockout has not ended")
	}
	final := len(g.state().Pairs) - 1
	if p := g.state().Pairs[final-1]; len(p.Entrants) != 2 || p.Slot != 0 {
		t.Fatalf("got the pairing %+v, want the final", p)
	}
	for leg := range 2 {
		g.must(g.Rule(ctx, "cup", final-1, leg, set(float64(leg), float64(1-leg)), "ana had help"))
	}
	rows, err := g.state().Standings()
	g.must(err)
	if rows[0].Name != "bob" || rows[0].Rank != 1 || rows[1].Rank != 2 {
		t.Errorf("got %s on place 1, want bob", rows[0].Name)
	}
	g.verified()
}

func TestOrganizersAreRefused(t *testing.T) {
	ctx := t.Context()
	for _, tt := range []struct {
		name, want string
		do         func(g *game) error
	}{
		{"a player that is no organizer", "eve is no organizer", func(g *game) error { g.By = "eve"; return g.Pause(ctx, "cup", "") }},
		{"no reason", "needs a reason", func(g *game) error { return g.Rule(ctx, "cup", 0, 0, set(1, 0), " ") }},
		{"two lines", "one line", func(g *game) error { return g.Rule(ctx, "cup", 0, 0, set(1, 0), "a\nb") }},
		{"no such leg", "has no leg 3 of a pairing 1", func(g *game) error { return g.Rule(ctx, "cup", 0, 2, set(1, 0), "x") }},
		{"points of three", "needs the points of 2 entries", func(g *game) error { return g.Rule(ctx, "cup", 0, 0, set(1, 0, 0), "x") }},
		{"too many points", "they are from 0 to 1", func(g *game) error { return g.Rule(ctx, "cup", 0, 0, set(2, 0), "x") }},
		{"no such action", "is not one of set, annul, replay", func(g *game) error { return g.Rule(ctx, "cup", 0, 0, Ruling{Action: "win"}, "x") }},
		{"a replay before the match", "nothing to play again", func(g *game) error { return g.Rule(ctx, "cup", 0, 0, Ruling{Action: Replay}, "x") }},
		{"the undo of nothing", "has no decision 2", func(g *game) error { return g.Undo(ctx, "cup", 2, "x") }},
		{"a second undo", "no longer holds", func(g *game) error {
			g.must(g.Rule(ctx, "cup", 0, 0, set(1, 0), "x"))
			g.must(g.Undo(ctx, "cup", 4, "x"))
			return g.Undo(ctx, "cup", 4, "x")
		}},
		{"forgiving nobody", "is not barred", func(g *game) error { return g.Forgive(ctx, "cup", []string{"ana"}, "x") }},
		{"the name of another player", "another registered player", func(g *game) error { return g.Rename(ctx, "cup", "ana", "tea", "x") }},
		{"the name of another entry", "has or had the name ZOE", func(g *game) error {
			g.must(g.Rename(ctx, "cup", "ana", "zoe", "x"))
			return g.Rename(ctx, "cup", "bob", "ZOE", "x")
		}},
		{"an organizer that plays", "cannot play in it", func(g *game) error { return g.Enter(ctx, "cup", player("tea"), false) }},
		{"an entry that organizes", "cannot decide about itself", func(g *game) error { g.By = ""; return g.Organize(ctx, "cup", []string{"bob"}, false) }},
		{"an unknown organizer", "zoe is not registered", func(g *game) error { g.By = ""; return g.Organize(ctx, "cup", []string{"zoe"}, false) }},
		{"removing a stranger", "is no organizer", func(g *game) error { g.By = ""; return g.Organize(ctx, "cup", []string{"bob"}, true) }},
		{"an unknown order", "is not one of start", func(g *game) error { return g.Obey(ctx, "cup", Order{Action: "win"}) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := newGame(t, "format: swiss\nrounds: 2")
			if err := tt.do(g); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got the error %v, want one with %q", err, tt.want)
			}
		})
	}
}

func TestOrganizersComeAndGo(t *testing.T) {
	g := newGame(t, "format: swiss")
	g.must(g.Withdraw(t.Context(), "cup", []string{"ana"}, false))
	g.By = ""
	g.must(g.Organize(t.Context(), "cup", []string{"TEA"}, true))
	if got := g.state().Organizers; len(got) != 0 {
		t.Errorf("got the organizers %v, want none", got)
	}
	g.must(g.Organize(t.Context(), "cup", []string{"Tea"}, false))
	if got := fmt.Sprint(g.state().Organizers); got != "[tea]" {
		t.Errorf("got the organizers %s, want tea", got)
	}
	list := g.state().Decisions()[1:] // without that about ana
	if len(list) != 2 || list[0].Kind != Appoint || list[0].Players != nil || list[0].By != "" || fmt.Sprint(list[1].Players) != "[tea]" {
		t.Errorf("got the decisions %+v, want both changes, by the operator", list)
	}
	if err := g.Undo(t.Context(), "cup", list[0].Event, "x"); err == nil || !strings.Contains(err.Error(), "host contest organizer cup") {
		t.Errorf("got %v, want what to do instead", err)
	}
	for _, text := range []string{"organizers: [ana]", "organizers: [tea, TEA]", `organizers: [""]`} {
		_, err := ReadSpec([]byte("name: cup\ngame: duel\nformat: swiss\nentries: [{player: Ana}, open: true]\n" + text))
		if err == nil {
			_, err = ReadSpec([]byte("name: cup\ngame: duel\nformat: swiss\nentries: [{player: Ana}, {player: bob}]\n" + text))
		}
		if err == nil {
			t.Errorf("%s: got no error", text)
		}
	}
}

// TestTheOrderOfResultsDoesNotMatter reads a contest with decisions in two ways.
func TestTheOrderOfResultsDoesNotMatter(t *testing.T) {
	ctx := t.Context()
	g := newGame(t, "format: round-robin")
	g.must(g.Bar(ctx, "cup", []string{"kim"}, "x"))
	g.play2(0, 1) // it was running
	g.play()
	g.must(g.Rule(ctx, "cup", 0, 1, Ruling{Action: Annul}, "x"))
	g.must(g.Rule(ctx, "cup", 1, 0, Ruling{Action: Replay}, "x"))
	g.must(g.Undo(ctx, "cup", 4, "x"))
	g.play()
	early := g.state() // all events, and then the results
	late, err := NewState(g.contest)
	g.must(err)
	next := 0
	for _, e := range g.events { // each result as soon as its attempt is known
		g.must(late.Apply(e))
		for next < len(g.results) && late.attemptOf(g.results[next]) {
			g.must(late.Add(g.results[next]))
			next++
		}
	}
	texts := make([]string, 2)
	for i, s := range []*State{early, late} {
		v, err := s.View(nil)
		g.must(err)
		text, err := json.Marshal(v)
		g.must(err)
		texts[i] = fmt.Sprintf("%s %d", text, s.missing)
	}
	if texts[0] != texts[1] {
		t.Errorf("got\n%s\nwant\n%s", texts[1], texts[0])
	}
}

func (s *State) attemptOf(r store.Result) bool {
	l, err := s.leg(r.Pairing, r.Leg)
	return err == nil && l.attemptNumber(r.Attempt) != nil
}
