package contest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"colosseum/host/internal/records/record"
	"colosseum/host/internal/records/store"
	"colosseum/sdk/driver"
)

// played is a store with results that a test gives it.
type played struct {
	Store
	results map[string][]store.Result // by contest
	last    int64
}

func (p *played) Results(_ context.Context, name string, after int64) (list []store.Result, err error) {
	for _, r := range p.results[name] {
		if r.Number > after {
			list = append(list, r)
		}
	}
	return list, nil
}

// Get returns the record of a match, which agrees with its result.
func (p *played) Get(_ context.Context, id string) (*record.Match, error) {
	for name, list := range p.results {
		for _, r := range list {
			if r.Match != id {
				continue
			}
			m := &record.Match{ID: id, Fixture: &record.Fixture{Contest: name, Pairing: r.Pairing, Leg: r.Leg}, Seed: derive(7, r.Pairing, 0)}
			for _, seat := range r.Seats {
				m.Fixture.Entries = append(m.Fixture.Entries, seat.Entry)
				m.Seats = append(m.Seats, record.Seat{Rank: seat.Rank, Ended: seat.Ended})
			}
			return m, nil
		}
	}
	return nil, store.ErrNotFound
}

// add adds a result: winner has beaten loser.
func (p *played) add(contest string, winner, loser int) {
	p.last++
	list := p.results[contest]
	p.results[contest] = append(list, store.Result{
		Number: p.last, Contest: contest, Pairing: len(list), Match: strconv.Itoa(int(p.last)), Ended: time.Unix(p.last, 0),
		Seats: []store.ResultSeat{{Entry: winner, Rank: 1, Ended: driver.EndedFinished}, {Entry: loser, Rank: 2, Ended: driver.EndedFinished}},
	})
}

func newLeague(t *testing.T, texts ...string) (*Organizer, *played) {
	t.Helper()
	o, _ := newOrganizer(t)
	p := &played{Store: o.Store, results: map[string][]store.Result{}}
	o.Store, o.Players = p, nil
	for _, text := range texts {
		if _, err := o.Create(t.Context(), []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	return o, p
}

// leagueOf returns a description with players p0, p1 and so on, who are seeded in this order.
func leagueOf(name string, players int, season, more string) string {
	var list []string
	for i := range players {
		list = append(list, fmt.Sprintf("{player: p%d}", i))
	}
	return fmt.Sprintf("name: %s\ngame: duel\nformat: league\nseed: 7\nseeding: entry\nseason: {%s}\nentries: [%s]\n%s", name, season, strings.Join(list, ", "), more)
}

// table returns the standings as "DIVISION NAMES; ...": ^ and v mark who would move.
func table(t *testing.T, rows []Row) string {
	t.Helper()
	var b strings.Builder
	division := ""
	for _, r := range rows {
		if r.Division != division {
			if division != "" {
				b.WriteString("; ")
			}
			division = r.Division
			b.WriteString(division)
		}
		b.WriteString(" " + map[int]string{1: "^", 0: "", -1: "v"}[r.Move] + r.Name)
	}
	return b.String()
}

func mustTable(t *testing.T, o *Organizer, name string) string {
	t.Helper()
	v, err := o.View(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	return table(t, v.Standings)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func wantClean(t *testing.T, p *played, name string) {
	t.Helper()
	v, err := Verify(t.Context(), p, p, name)
	must(t, err)
	if len(v.Problems) > 0 || v.Matches != len(p.results[name]) {
		t.Errorf("got the problems %q in %d matches of %s, want none in %d", v.Problems, v.Matches, name, len(p.results[name]))
	}
}

func TestEntriesMoveByTheirIntervals(t *testing.T) {
	often := func(p *played, n, winner, loser int) {
		for range n {
			p.add("cup", winner, loser)
		}
	}
	for _, tt := range []struct {
		name         string
		season, more string
		play         func(p *played)
		want         string
	}{
		{"few matches", "divisions: [gold, silver], matches: 10", "", func(p *played) {
			often(p, 9, 4, 3)
			often(p, 9, 5, 3)
		}, "gold p0 p1 p2; silver p4 p5 p3"},
		{"the clearly best goes up", "divisions: [gold, silver], promote: 1", "", func(p *played) {
			often(p, 30, 4, 3)
			often(p, 30, 4, 5)
		}, "gold p0 p1 p2; silver ^p4 p3 p5"},
		{"a lead by chance does not count", "divisions: [gold, silver], promote: 1", "", func(p *played) {
			often(p, 10, 4, 3)
			often(p, 9, 3, 4)
			often(p, 10, 4, 5)
			often(p, 9, 5, 4)
		}, "gold p0 p1 p2; silver p4 p3 p5"},
		{"the clearly worst goes down", "divisions: [gold, silver], promote: 1", "", func(p *played) {
			often(p, 30, 0, 2)
			often(p, 30, 1, 2)
		}, "gold p0 p1 vp2; silver p3 p4 p5"},
		{"somebody stays", "divisions: [gold, silver], promote: 5", "", func(p *played) {
			often(p, 40, 4, 3)
			often(p, 40, 5, 3)
		}, "gold p0 p1 p2; silver ^p4 ^p5 p3"},
		{"above the boss", "divisions: [gold, silver]", "boss: {silver: easy}\n", func(p *played) {
			often(p, 25, 3, 6)
			often(p, 5, 6, 4)
			often(p, 5, 4, 6)
			often(p, 25, 6, 5)
		}, "gold p0 p1 p2; silver ^p3 p4 bot:easy p5"},
		{"below the boss of the lower division", "divisions: [gold, silver]", "boss: {silver: easy, gold: strong}\n", func(p *played) {
			often(p, 25, 7, 0) // the boss of silver, which plays in gold, too
			often(p, 25, 1, 7)
			often(p, 12, 6, 1)
		}, "gold bot:strong p1 vp0 p2; silver bot:easy p3 p4 p5"},
		{"nobody knows the boss", "divisions: [gold, silver]", "boss: {silver: easy}\n", func(p *played) {
			often(p, 40, 4, 3)
		}, "gold p0 p1 p2; silver p4 p3 p5 bot:easy"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			o, p := newLeague(t, leagueOf("cup", 6, tt.season, tt.more))
			must(t, o.Start(t.Context(), "cup"))
			tt.play(p)
			if got := mustTable(t, o, "cup"); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			must(t, o.Promote(t.Context(), "cup", "it is time"))
			must(t, o.End(t.Context(), "cup", ""))
			wantClean(t, p, "cup")
		})
	}
}

// playRound has each player of each division play some others of it, by their true strength:
// a lower number is stronger.
func playRound(t *testing.T, o *Organizer, p *played, name string, r *rand.Rand, matches int) {
	t.Helper()
	s, err := Load(t.Context(), p, name)
	must(t, err)
	for _, list := range s.order() {
		for i := range matches * len(list) / 2 {
			a, b := list[i%len(list)], list[r.IntN(len(list))]
			if a == b {
				continue
			}
			strong, weak := min(a, b), max(a, b)
			if r.IntN(100) < 50+min(45, 6*(weak-strong)) {
				p.add(name, strong, weak)
			} else {
				p.add(name, weak, strong)
			}
		}
	}
}

// TestSeasonsSortTheirPlayers plays two seasons with a seeding that is upside down, and
// recomputes them.
func TestSeasonsSortTheirPlayers(t *testing.T) {
	var list []string
	for i := range 12 {
		list = append(list, fmt.Sprintf("{player: p%02d}", i))
	}
	file := func(name, more string) string {
		return "name: " + name + "\ngame: duel\nformat: league\nseed: 7\nseeding: random\nentries: [" + strings.Join(list, ", ") + "]\nseason: {divisions: [gold, silver, bronze], matches: 8" + more + "}\n"
	}
	o, p := newLeague(t, file("spring", ""), file("autumn", ", follows: spring"))
	if err := o.Start(t.Context(), "autumn"); err == nil || !strings.Contains(err.Error(), "host contest end spring") {
		t.Errorf("got the error %v, want that the season before has not ended", err)
	}
	must(t, o.Start(t.Context(), "spring"))
	r := rand.New(rand.NewPCG(1, 2))
	for range 12 {
		playRound(t, o, p, "spring", r, 30)
		must(t, o.Promote(t.Context(), "spring", ""))
	}
	playRound(t, o, p, "spring", r, 30)
	must(t, o.End(t.Context(), "spring", ""))
	wantClean(t, p, "spring")
	spring, err := Load(t.Context(), p, "spring")
	must(t, err)
	for n := range spring.Entries {
		if got := spring.Division(n); got < n/4-1 || got > n/4+1 {
			t.Errorf("got the player %d in division %d, want it next to %d", n, got, n/4)
		}
	}
	if d := spring.Division(0); d != 0 {
		t.Errorf("got the best player in division %d, want 0", d)
	}

	must(t, o.Start(t.Context(), "autumn"))
	autumn, err := Load(t.Context(), p, "autumn")
	must(t, err)
	if !slices.Equal(autumn.league.division, spring.league.division) {
		t.Errorf("got the divisions %v of the next season, want %v", autumn.league.division, spring.league.division)
	}
	must(t, o.Enter(t.Context(), "autumn", player("late"), false))
	playRound(t, o, p, "autumn", r, 30)
	must(t, o.Withdraw(t.Context(), "autumn", []string{"p03"}, true))
	must(t, o.Promote(t.Context(), "autumn", ""))
	must(t, o.End(t.Context(), "autumn", ""))
	wantClean(t, p, "autumn")
	v, err := o.View(t.Context(), "autumn")
	must(t, err)
	if len(v.Season.Dates) != 2 || !v.Season.Dates[1].Final || v.Season.Dates[0].Final {
		t.Errorf("got the dates %+v, want one and the end", v.Season.Dates)
	}
	if i := slices.IndexFunc(v.Standings, func(r Row) bool { return r.Name == "late" }); v.Standings[i].Division != "bronze" {
		t.Errorf("got %+v, want the late one in bronze", v.Standings[i])
	}
	rows := v.Standings
	must(t, o.Remove(t.Context(), "spring"))
	wantClean(t, p, "autumn") // the season before is not there any more
	again, err := o.View(t.Context(), "autumn")
	must(t, err)
	if got, want := table(t, again.Standings), table(t, rows); got != want {
		t.Errorf("got the final table %q, want it unchanged, %q", got, want)
	}

	p.results["autumn"][3].Seats[0].Rank, p.results["autumn"][3].Seats[1].Rank = 2, 1
	for i := range 60 {
		x := &p.results["autumn"][i]
		x.Seats[0].Rank, x.Seats[1].Rank = x.Seats[1].Rank, x.Seats[0].Rank
	}
	if v, err := Verify(t.Context(), p, p, "autumn"); err != nil || len(v.Problems) == 0 {
		t.Errorf("got no problem and the error %v for other results, want some problems", err)
	}
}

// TestLeagueIsTheSameHoweverItIsRead: a reader has the results before an event that counts
// fewer, and one that begins later has them after it.
func TestLeagueIsTheSameHoweverItIsRead(t *testing.T) {
	o, p := newLeague(t, leagueOf("cup", 6, "divisions: [gold, silver], promote: 1, matches: 5", "boss: {silver: easy}\n"))
	must(t, o.Start(t.Context(), "cup"))
	live, err := LoadLeague(t.Context(), p, "cup")
	must(t, err)
	r := rand.New(rand.NewPCG(3, 4))
	for range 5 {
		playRound(t, o, p, "cup", r, 10)
		p.add("cup", 3, 6)
		must(t, o.Promote(t.Context(), "cup", ""))
		playRound(t, o, p, "cup", r, 3)
		must(t, live.Refresh(t.Context(), p))
		fresh, err := LoadLeague(t.Context(), p, "cup")
		must(t, err)
		want, err := fresh.Standings()
		must(t, err)
		got, err := live.Standings()
		must(t, err)
		if !slices.EqualFunc(got, want, func(a, b Row) bool { return a.Name == b.Name && near(a.Rating, b.Rating) && a.Move == b.Move }) {
			t.Fatalf("got %s, want %s", table(t, got), table(t, want))
		}
		if !slices.Equal(live.league.since, fresh.league.since) || live.playedSince() != fresh.playedSince() {
			t.Fatalf("got %v, want %v", live.league.since, fresh.league.since)
		}
	}
}

func TestSeasonHasItsDates(t *testing.T) {
	start := time.Date(2030, 3, 1, 18, 0, 0, 0, time.UTC)
	day := func(n int) time.Time { return start.AddDate(0, 0, n) }
	for _, tt := range []struct {
		name                  string
		x                     Season
		now                   time.Time
		wantLast, wantNextDay int // -1: none
	}{
		{"none", Season{}, day(3), -1, -1},
		{"before the first", Season{Every: 7 * 24 * time.Hour}, day(3), -1, 7},
		{"at a date", Season{Every: 7 * 24 * time.Hour}, day(14), 14, 21},
		{"after several dates", Season{Every: 7 * 24 * time.Hour}, day(24), 21, 28},
		{"before the end", Season{Every: 7 * 24 * time.Hour, End: day(28)}, day(24), 21, -1},
		{"a clock that was set back", Season{Every: 7 * 24 * time.Hour}, day(-3), -1, 7},
		{"listed", Season{Moves: []time.Time{day(2), day(5)}}, day(3), 2, 5},
		{"all over", Season{Moves: []time.Time{day(2), day(5)}}, day(9), 5, -1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			number := func(at time.Time) int {
				if at.IsZero() {
					return -1
				}
				return int(at.Sub(start) / (24 * time.Hour))
			}
			last, next := tt.x.dates(start, tt.now)
			if number(last) != tt.wantLast || number(next) != tt.wantNextDay {
				t.Errorf("got the day %d and next %d, want %d and %d", number(last), number(next), tt.wantLast, tt.wantNextDay)
			}
		})
	}
}

func TestLeagueIsRefused(t *testing.T) {
	for _, tt := range []struct{ name, season, more, want string }{
		{"no divisions", "promote: 2", "", "season.divisions: list 1 to"},
		{"a division twice", "divisions: [gold, Gold]", "", "listed twice"},
		{"two ways", "divisions: [gold], every: 24h, after: 5", "", "more than one of every, moves and after"},
		{"dates too near", "divisions: [gold], every: 1s", "", "at least 1m"},
		{"an end before the start", "divisions: [gold], start: 2030-01-02T00:00:00Z, end: 2030-01-01T00:00:00Z", "", "season.end: it is not after"},
		{"dates in no order", "divisions: [gold], moves: [2030-01-02T00:00:00Z, 2030-01-01T00:00:00Z]", "", "not in their order"},
		{"a date after the end", "divisions: [gold], end: 2030-01-01T00:00:00Z, moves: [2030-01-02T00:00:00Z]", "", "not between"},
		{"itself", "divisions: [gold], follows: cup", "", "not the name of another league"},
		{"a boss of no division", "divisions: [gold]", "boss: {silver: easy}\n", `"silver" is not one of the divisions gold`},
		{"a start at the top", "divisions: [gold]", "start: 2030-01-01T00:00:00Z\n", "use"},
		{"several matches", "divisions: [gold]", "matches: 2\n", "season.matches"},
		{"a promotion of none", "divisions: [gold], promote: -1", "", "season.promote"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			want := tt.want
			if tt.name == "a start at the top" {
				want = "season.start"
			}
			if _, err := ReadSpec([]byte(leagueOf("cup", 2, tt.season, tt.more))); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("got the error %v, want one with %q", err, want)
			}
		})
	}
	for _, tt := range []struct{ text, want string }{
		{"name: cup\ngame: duel\nformat: league\nseason: {divisions: [a]}\nentries: [{bot: strong}]\n", "use boss"},
		{"name: cup\ngame: duel\nformat: league\nseason: {divisions: [a]}\nentries: [{name: x, command: [x]}]\n", "a league is for registered players"},
		{"name: cup\ngame: duel\nformat: swiss\nseason: {divisions: [a]}\nentries: open\n", "only a league has one"},
		{"name: cup\nformat: cup\n", "cup: list the names"},
		{"name: cup\nformat: cup\ncup: [cup]\n", "not the name of another contest"},
		{"name: cup\nformat: cup\ncup: [a, a]\n", "listed twice"},
		{"name: cup\nformat: cup\ngame: duel\ncup: [a]\n", "no matches of its own"},
		{"name: cup\ngame: duel\nformat: swiss\nplaces: [3]\nentries: open\n", "only a contest with format: cup"},
	} {
		if _, err := ReadSpec([]byte(tt.text)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: got the error %v, want one with %q", tt.text, err, tt.want)
		}
	}
	o, _ := newLeague(t, leagueOf("cup", 2, "divisions: [gold]", "boss: {gold: easy}\n"), "name: sum\nformat: cup\ncup: [cup, later]\n")
	for _, tt := range []struct {
		err  error
		want string
	}{
		{o.Enter(t.Context(), "cup", []Entry{{Name: "bot:x", Bot: "x"}}, false), "use boss"},
		{o.Withdraw(t.Context(), "cup", []string{"bot:easy"}, false), "is the boss of a division"},
		{o.Promote(t.Context(), "cup", ""), "the contest cup is open"},
		{o.Promote(t.Context(), "sum", ""), "only a league has divisions"},
		{o.Start(t.Context(), "sum"), "nothing to start"},
		{o.Pause(t.Context(), "sum", ""), "nothing to pause"},
		{o.Enter(t.Context(), "sum", player("ann"), false), "enter one of those"},
	} {
		if tt.err == nil || !strings.Contains(tt.err.Error(), tt.want) {
			t.Errorf("got the error %v, want one with %q", tt.err, tt.want)
		}
	}
	for _, text := range []string{
		"name: top\nformat: cup\ncup: [sum]\n",
		leagueOf("next", 2, "divisions: [gold], follows: nosuch", ""),
		leagueOf("next", 2, "divisions: [gold], follows: sum", ""),
	} {
		if _, err := o.Create(t.Context(), []byte(text)); err == nil {
			t.Errorf("%q: got no error, want one", text)
		}
	}
}

// TestOpenLeagueTakesWhoComesLate: it can start with nobody.
func TestOpenLeagueTakesWhoComesLate(t *testing.T) {
	o, p := newLeague(t, "name: cup\ngame: duel\nformat: league\nseed: 7\nseason: {divisions: [gold, silver]}\nboss: {gold: strong}\nentries: open\n")
	if got := mustTable(t, o, "cup"); got != " bot:strong" {
		t.Errorf("got %q before the start, want the boss alone", got)
	}
	must(t, o.Start(t.Context(), "cup"))
	must(t, o.Enter(t.Context(), "cup", player("ann"), true))
	live, err := LoadLeague(t.Context(), p, "cup")
	must(t, err)
	if got := mustTable(t, o, "cup"); got != "gold bot:strong; silver ann" {
		t.Errorf("got %q, want the late one in the lowest division", got)
	}
	p.add("cup", 1, 0)
	must(t, o.End(t.Context(), "cup", ""))
	p.add("cup", 1, 0) // it was running at the end
	must(t, live.Refresh(t.Context(), p))
	for i, s := range []*State{live, nil} {
		if s == nil {
			s, err = LoadLeague(t.Context(), p, "cup")
			must(t, err)
		}
		if v, err := s.View(nil); err != nil || v.Done != 1 || len(v.Matches) != 1 || v.Standings[1].Played != 1 {
			t.Errorf("reader %d: got %d matches, %d listed, %v, want the one that counts", i, v.Done, len(v.Matches), err)
		}
	}
	wantClean(t, p, "cup")
}
