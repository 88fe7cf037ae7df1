package contest

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"colosseum/host/internal/records/record"
	"colosseum/host/internal/records/store"
	"colosseum/sdk/driver"
)

const passFile = "name: mark\ngame: duel\nseed: 7\nformat: pass\npass: {against: medium, wins: 2, of: 3, tries: 2}\nentries: [{player: ana}, {player: bob}]\n"

// passed is a pass mark with the results that a test adds.
type passed struct {
	*State
	t       *testing.T
	results int
}

func newPassed(t *testing.T, text string) *passed {
	t.Helper()
	s, err := NewState(store.Contest{Name: "mark", Game: "duel", Seed: 7, Spec: text, Created: time.Unix(0, 0)})
	if err != nil {
		t.Fatal(err)
	}
	p := &passed{State: s, t: t}
	p.apply(newEvent(Enter, eventData{Entries: append(slices.Clone(s.Spec.Entries.List), s.Spec.Pass.against())}), 0)
	p.apply(newEvent(Start, eventData{Numbers: []int{0, 1, 2}}), 0)
	return p
}

func (p *passed) apply(e store.Event, second int64) {
	p.t.Helper()
	e.Number, e.At = p.Last()+1, time.Unix(second, 0)
	if err := p.Apply(e); err != nil {
		p.t.Fatal(err)
	}
}

// try plays a try of an entry: for each leg its points, in seconds after the given one.
func (p *passed) try(entry int, by string, second int64, points ...float64) {
	p.t.Helper()
	p.apply(newEvent(Try, eventData{Numbers: []int{entry}, By: by}), second)
	pair := len(p.Pairs) - 1
	for leg, x := range points {
		p.results++
		r := store.Result{Number: int64(p.results), Contest: "mark", Match: fmt.Sprint("m", p.results), Pairing: pair, Leg: leg, Ended: time.Unix(second+int64(leg)+1, 0)}
		for _, n := range p.Fixture(pair, leg).Seats {
			rank := map[bool]int{true: 1, false: 2}[x == 0.5 || (x == 1) == (n == entry)]
			r.Seats = append(r.Seats, store.ResultSeat{Entry: n, Rank: rank, Ended: driver.EndedFinished})
		}
		if err := p.Add(r); err != nil {
			p.t.Fatal(err)
		}
	}
}

func (p *passed) rows() []Row {
	p.t.Helper()
	rows, err := p.Standings()
	if err != nil {
		p.t.Fatal(err)
	}
	return rows
}

func TestFirstTryThatReachesTheMarkDecides(t *testing.T) {
	p := newPassed(t, passFile)
	p.try(0, "ana", 100, 1, 0, 0)
	p.try(1, "bob", 200, 1, 1, 0)
	p.try(0, "ana", 300, 0, 1, 1)
	p.try(0, "", 400, 0, 0, 0) // passed stays passed
	rows := p.rows()
	if len(rows) != 2 || rows[0].Name != "bob" || rows[1].Name != "ana" {
		t.Fatalf("got %+v, want bob before ana, and no bot", rows)
	}
	if r := rows[0]; r.Rank != 1 || !r.Pass.At.Equal(time.Unix(202, 0)) || r.Pass.Best != 2 || r.Pass.Tries != 1 || r.Points != 1 || r.Played != 3 || r.Wins != 2 || r.Losses != 1 || r.Rated() {
		t.Errorf("got %+v with %+v, want it passed by the second win", r, r.Pass)
	}
	if r := rows[1]; r.Rank != 2 || !r.Pass.At.Equal(time.Unix(303, 0)) || r.Pass.Best != 2 || r.Pass.Tries != 3 || r.Played != 9 {
		t.Errorf("got %+v with %+v, want it passed in the second of three tries", r, r.Pass)
	}
}

func TestEntryReachesTheMarkOnce(t *testing.T) {
	p := newPassed(t, passFile)
	reached := func(want ...int) {
		t.Helper()
		var got []int
		for _, e := range p.NewReached() {
			var d eventData
			if err := json.Unmarshal(e.Data, &d); err != nil {
				t.Fatal(err)
			}
			got = append(got, d.Numbers...)
			p.apply(e, 0)
		}
		if !slices.Equal(got, want) || len(p.NewReached()) > 0 {
			t.Errorf("got events of %v, then %v, want of %v, then none", got, p.NewReached(), want)
		}
	}
	p.try(0, "ana", 100, 1, 0, 0)
	reached()
	p.try(1, "bob", 200, 1, 1)
	p.apply(newEvent(Rule, eventData{Pairing: 1, Leg: 1, Ruling: &Ruling{Action: Annul}}), 210)
	reached()
	p.apply(newEvent(Rule, eventData{Pairing: 0, Leg: 1, Ruling: &Ruling{Action: Set, Points: []float64{1, 0}}}), 220)
	p.apply(newEvent(Undo, eventData{Event: p.Last() - 1}), 230)
	reached(0, 1)
	p.try(1, "bob", 300, 1, 1, 1)
	reached()
}

func TestOthersAreRankedByTheirBestTry(t *testing.T) {
	p := newPassed(t, passFile)
	if rows := p.rows(); rows[0].Rank != 1 || rows[1].Rank != 1 {
		t.Errorf("got %+v, want a shared rank before the first try", rows)
	}
	p.try(1, "bob", 100, 1, 0.5, 0)
	rows := p.rows()
	if rows[0].Name != "bob" || rows[0].Pass.Best != 1 || !rows[0].Pass.At.IsZero() || rows[0].Draws != 1 || rows[1].Rank != 2 {
		t.Errorf("got %+v, want bob first with one win, since draws do not count", rows)
	}
	drawn := newPassed(t, strings.Replace(passFile, "tries: 2", "draws: true", 1))
	drawn.try(1, "bob", 100, 1, 0.5, 0.5)
	if r := drawn.rows()[0]; r.Pass.Best != 2 || !r.Pass.At.Equal(time.Unix(103, 0)) {
		t.Errorf("got %+v, want two draws to count as a win", r.Pass)
	}
}

// TestMatchesThatWereNotPlayedAreNotWon: neither one that was aborted nor a walkover.
func TestMatchesThatWereNotPlayedAreNotWon(t *testing.T) {
	p := newPassed(t, strings.Replace(passFile, "tries: 2", "draws: true", 1))
	p.try(0, "ana", 100, 1)
	p.apply(NewAbandon(p.Fixture(0, 1), "3 matches were aborted"), 110)
	p.apply(NewAbsent(p.Fixture(0, 2), []int{0}), 120)
	if r := p.rows()[0]; r.Pass.Best != 1 || r.Played != 1 || !p.Complete() {
		t.Errorf("got %+v with %+v, want one match and one win", r, r.Pass)
	}
}

func TestSeatsAlternateAndSeedsAreThoseOfTheFile(t *testing.T) {
	for _, tt := range []struct {
		seeds        Seeds
		same, public bool
	}{{"", false, false}, {FreshSeeds, false, false}, {SameSeeds, true, false}, {PublishedSeeds, true, true}} {
		p := newPassed(t, strings.Replace(passFile, "tries: 2", "seeds: "+string(tt.seeds), 1))
		p.try(0, "ana", 100)
		p.try(1, "bob", 200)
		v, err := p.View(nil)
		if err != nil {
			t.Fatal(err)
		}
		if tt.public != (len(v.Pass.Values) == 3) {
			t.Errorf("seeds %q: got the seeds %q in public, want them %t", tt.seeds, v.Pass.Values, tt.public)
		}
		for leg := range 3 {
			a, b := p.Fixture(0, leg), p.Fixture(1, leg)
			if (a.Seed == b.Seed) != tt.same {
				t.Errorf("seeds %q: got %d and %d for two tries, want equal ones: %t", tt.seeds, a.Seed, b.Seed, tt.same)
			}
			if want := []int{leg % 2 * 2, (1 - leg%2) * 2}; !slices.Equal(a.Seats, want) {
				t.Errorf("seeds %q, leg %d: got the seats %v, want %v", tt.seeds, leg, a.Seats, want)
			}
			if tt.public && v.Pass.Values[leg] != fmt.Sprint(a.Seed) {
				t.Errorf("leg %d: got the seed %s in public, want %d", leg, v.Pass.Values[leg], a.Seed)
			}
		}
	}
}

func TestViewOfAPassMark(t *testing.T) {
	p := newPassed(t, passFile)
	p.try(1, "bob", 100, 1, 1, 0)
	p.try(0, "ana", 200, 0)
	v, err := p.View(map[string]record.Fixture{"m9": {Pairing: 1, Leg: 1}})
	if err != nil {
		t.Fatal(err)
	}
	if v.Count != 2 || v.Round != 0 || v.Rounds != 0 || v.Done != 4 || v.All != 6 || v.Pass.Passed != 1 || v.Pass.Against != "bot:medium" || len(v.Leaders) > 0 {
		t.Errorf("got %+v with %+v, want two entries of which one has passed, and no rounds", v.Summary, v.Pass)
	}
	want := "rank,name,passed_at,best,of,tries,played,wins,draws,losses,forfeits,withdrawn\n1,bob,1970-01-01T00:01:42Z,2,3,1,3,2,0,1,0,false\n2,ana,,0,3,1,1,0,0,1,0,false\n"
	if got := string(v.CSV()); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	private := "rank,name,real_name,class,passed_at,best,of,tries,played,wins,draws,losses,forfeits,withdrawn\n1,bob,,,1970-01-01T00:01:42Z,2,3,1,3,2,0,1,0,false\n2,ana,'=Ana,4b,,0,3,1,1,0,0,1,0,false\n"
	if got := string(v.PrivateCSV(map[string]Pupil{"ana": {"=Ana", "4b"}})); got != private {
		t.Errorf("got\n%s\nwant\n%s", got, private)
	}
	if !v.Standings[1].Pass.Trying || v.Standings[0].Pass.Trying || !slices.Equal(p.Needed(), []string{"ana"}) {
		t.Errorf("got %+v, want a try of ana alone", v.Standings)
	}
	if part, ok := v.Participation("BOB"); !ok || part.Rank != 1 || part.Pass == nil || part.Pass.At.IsZero() {
		t.Errorf("got %+v, want that bob has passed", part)
	}
	if m := v.Matches[4]; m.State != "running" || m.ID != "m9" || m.Round != 1 {
		t.Errorf("got %+v, want the second match of the first try of ana", m)
	}
}

// TestQuotaCountsTheOwnTriesOfADay runs in a time of its own.
func TestQuotaCountsTheOwnTriesOfADay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		memory := &oneContest{contest: store.Contest{Name: "mark", Game: "duel", Spec: passFile, Created: time.Now()}}
		p := newPassed(t, passFile)
		memory.add(newEvent(Enter, eventData{Entries: append(slices.Clone(p.Spec.Entries.List), p.Spec.Pass.against())}))
		o := Organizer{Store: memory}
		ctx := context.Background()
		try := func(by, want string) {
			t.Helper()
			err := o.Try(ctx, "mark", "ANA", by)
			if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
				t.Fatalf("a try by %q: got %v, want %q", by, err, want)
			}
			if err == nil {
				memory.lose(t)
			}
			time.Sleep(time.Hour)
		}
		try("ana", "has not started: the host starts it in a moment")
		if err := o.Start(ctx, "mark"); err != nil {
			t.Fatal(err)
		}
		if err := o.Start(ctx, "mark"); err != nil {
			t.Errorf("a second start: got %v, want nothing to do", err)
		}
		try("ana", "")
		try("Ana", "")
		try("ana", "ana has begun 2 tries in the last 24 hours")
		try("zoe", "") // an organizer
		try("", "")    // the operator
		try("ana", "ana has begun 2 tries in the last 24 hours")
		time.Sleep(18 * time.Hour) // 24 hours after the first one
		v, err := o.View(ctx, "mark")
		if err != nil || v.Standings[0].Pass.Left != 1 || !v.Until.Equal(v.Standings[0].Pass.Next) || time.Until(v.Until) != time.Hour {
			t.Errorf("got %+v until %v, %v, want one try left, and one more in an hour", v.Standings[0].Pass, v.Until, err)
		}
		try("ana", "")
		memory.open = true
		try("ana", "")
		try("", "mark is being tried by ana now: 0 of 3 matches are decided")
	})
}

// oneContest is a store with one contest.
type oneContest struct {
	Store
	contest store.Contest
	events  []store.Event
	results []store.Result
	open    bool // tries stay open
}

func (m *oneContest) add(e store.Event) {
	e.Number = int64(len(m.events) + 1)
	m.events = append(m.events, e)
}

// lose decides the last try: its entry has not come.
func (m *oneContest) lose(t *testing.T) {
	t.Helper()
	if m.open {
		return
	}
	s, err := Load(t.Context(), m, "mark")
	if err != nil {
		t.Fatal(err)
	}
	last := len(s.Pairs) - 1
	for leg := range 3 {
		m.add(NewAbsent(s.Fixture(last, leg), []int{0}))
	}
}

func (m *oneContest) Contest(context.Context, string) (store.Contest, error) { return m.contest, nil }

func (m *oneContest) Events(_ context.Context, _ string, after int64) ([]store.Event, error) {
	return m.events[after:], nil
}

func (m *oneContest) Results(_ context.Context, _ string, after int64) ([]store.Result, error) {
	return m.results[after:], nil
}

func (m *oneContest) Append(_ context.Context, _ string, _ int64, events []store.Event) error {
	for _, e := range events {
		m.add(e)
	}
	return nil
}

func TestTriesAreRefused(t *testing.T) {
	o, _ := newOrganizer(t)
	mustCreate(t, o, "format: pass\npass: {against: medium, wins: 1, of: 1}\nentries: [{player: ana}]\n")
	s, err := o.Load(t.Context(), "cup")
	if err != nil || len(s.Entries) != 2 || s.Entries[1].Name != "bot:medium" || !s.Spec.Unrated {
		t.Fatalf("got %+v, %v, want ana, the bot, and no ratings of the game", s.Entries, err)
	}
	if err := o.Start(t.Context(), "cup"); err != nil {
		t.Fatal(err)
	}
	for entry, want := range map[string]string{"bob": "bob is not in the contest cup: enter first", "bot:medium": "is the bot of the contest"} {
		if err := o.Try(t.Context(), "cup", entry, ""); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("a try of %s: got %v, want %q", entry, err, want)
		}
	}
	if err := o.Try(t.Context(), "cup", "bob", "bob"); err == nil || !strings.Contains(err.Error(), "its organizer enters the players") {
		t.Errorf("a try of bob, who cannot enter: got %v, want who enters the players", err)
	}
	for what, err := range map[string]error{
		"another bot":               o.Enter(t.Context(), "cup", []Entry{{Name: "bot:easy", Bot: "easy"}}, false),
		"the withdrawal of the bot": o.Withdraw(t.Context(), "cup", []string{"bot:medium"}, false),
	} {
		if err == nil || !strings.Contains(err.Error(), "enters by itself") {
			t.Errorf("%s: got %v, want a refusal", what, err)
		}
	}
	if err := o.Withdraw(t.Context(), "cup", []string{"ana"}, true); err != nil {
		t.Fatal(err)
	}
	if err := o.Try(t.Context(), "cup", "ana", "ana"); err == nil || !strings.Contains(err.Error(), "enter again first") {
		t.Errorf("got %v, want that ana has withdrawn", err)
	}
}

func TestPassMarkIsVerified(t *testing.T) {
	p := newPassed(t, passFile)
	m := &oneContest{contest: store.Contest{Name: "mark", Game: "duel", Seed: 7, Spec: passFile}}
	add := func(kind Kind, d eventData) {
		e := newEvent(kind, d)
		e.At = time.Unix(int64(len(m.events)), 0)
		m.add(e)
	}
	add(Enter, eventData{Entries: append(slices.Clone(p.Spec.Entries.List), p.Spec.Pass.against())})
	add(Start, eventData{Numbers: []int{0, 1, 2}})
	add(Try, eventData{Numbers: []int{1}, By: "bob"})
	for leg, ranks := range [][]int{{1, 2}, {2, 1}, {2, 1}} {
		r := store.Result{Number: int64(leg + 1), Contest: "mark", Match: fmt.Sprint("m", leg), Leg: leg, Ended: time.Unix(int64(9+leg), 5)}
		for i := range 2 {
			r.Seats = append(r.Seats, store.ResultSeat{Entry: []int{1, 2}[(i+leg)%2], Rank: ranks[i], Ended: driver.EndedFinished})
		}
		m.results = append(m.results, r)
	}
	if err := (&Organizer{Store: m}).End(t.Context(), "mark", "done"); err != nil {
		t.Fatal(err)
	}
	check := func(want string) {
		t.Helper()
		v, err := Verify(t.Context(), m, noRecords{}, "mark")
		if err != nil || want == "" && len(v.Problems) > 0 || want != "" && !slices.ContainsFunc(v.Problems, func(p string) bool { return strings.Contains(p, want) }) {
			t.Errorf("got %+v, %v, want %q", v, err, want)
		}
	}
	check("")
	var d eventData
	end := &m.events[len(m.events)-1]
	if err := json.Unmarshal(end.Data, &d); err != nil {
		t.Fatal(err)
	}
	if got := d.Standings[0]; got.Name != "bob" || !got.Pass.At.Equal(time.Unix(10, 5)) || got.Pass.Left != 0 {
		t.Errorf("got %+v with %+v at the end, want that bob has passed", got, got.Pass)
	}
	d.Standings[0].Pass.At = d.Standings[0].Pass.At.Add(time.Second)
	end.Data, _ = json.Marshal(d)
	check("place 1 of the recorded standings, bob, is not that of the results")
}

// members are the classes of a test.
type members map[string][]string

func (m members) Members(_ context.Context, class string) ([]string, error) {
	return m[strings.ToLower(class)], nil
}

func TestClassEntersWhenTheContestIsCreated(t *testing.T) {
	o, _ := newOrganizer(t)
	o.Classes = members{"4b": {"Ana", "eve"}}
	mustCreate(t, o, "format: swiss\nentries: [{player: eve}, {class: 4B}, {bot: easy}]\n")
	s, err := o.Load(t.Context(), "cup")
	if err != nil {
		t.Fatal(err)
	}
	if names := s.names([]int{0, 1, 2}); len(s.Entries) != 3 || !slices.Equal(names, []string{"eve", "Ana", "bot:easy"}) {
		t.Errorf("got %q, want each player of the class once", names)
	}
	events, err := o.Store.Events(t.Context(), "cup", 0)
	if err != nil || strings.Contains(string(events[0].Data), "4") {
		t.Errorf("got %s, %v, want no class in an event", events[0].Data, err)
	}
	if _, err := o.Create(t.Context(), []byte("name: other\ngame: duel\nformat: swiss\nentries: [{class: 4c}]\n")); err == nil || !strings.Contains(err.Error(), `no player is in the class "4c"`) {
		t.Errorf("got %v, want that the class has no players", err)
	}
}

func TestOnlyGroupsOfAPassMarkCanEnter(t *testing.T) {
	o, _ := newOrganizer(t)
	o.Classes = members{"4b": {"Ana"}}
	mustCreate(t, o, "format: pass\npass: {against: medium, wins: 1, of: 1, groups: [4b]}\nentries: open\n")
	if err := o.Enter(t.Context(), "cup", player("ana"), true); err != nil {
		t.Errorf("got %v, want that ana can enter", err)
	}
	err := o.Enter(t.Context(), "cup", player("bob"), true)
	if err == nil || !strings.Contains(err.Error(), "not for bob") || strings.Contains(err.Error(), "4b") {
		t.Errorf("got %v, want a refusal without the name of a class", err)
	}
	if err := o.Enter(t.Context(), "cup", player("bob"), false); err != nil {
		t.Errorf("got %v, want that the organizer can enter bob", err)
	}
}
