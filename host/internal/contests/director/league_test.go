package director

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"colosseum/host/internal/contests/contest"
)

// season is a league with three divisions. The desk lets the players with lower
// names win two matches of three.
func season(name string, players int, more string) string {
	var list []string
	for i := range players {
		list = append(list, fmt.Sprintf("{player: p%02d}", players-1-i)) // the weakest first
	}
	return fmt.Sprintf("name: %s\ngame: duel\nformat: league\nseed: 7\nseeding: entry\nentries: [{open: true}, %s]\nseason: {divisions: [gold, silver, bronze], matches: 10%s}\n", name, strings.Join(list, ", "), more)
}

func verified(t *testing.T, m *memory, name string) {
	t.Helper()
	v, err := contest.Verify(t.Context(), m, m, name)
	if err != nil || len(v.Problems) > 0 {
		t.Errorf("got %+v, %v, want no problems in %s", v, err, name)
	}
}

func TestLeaguePlaysInDivisionsUntilItsEnd(t *testing.T) {
	withDirector(t, 13, func(t *testing.T, d *Director, desk *fakeDesk, o contest.Organizer) {
		begins := time.Now().Add(10 * time.Minute)
		text := season("cup", 12, fmt.Sprintf(", start: %s, end: %s, every: 10m", begins.Format(time.RFC3339), begins.Add(40*time.Minute).Format(time.RFC3339)))
		for _, text := range []string{text, "name: sum\nformat: cup\ncup: [cup]\n"} {
			if _, err := o.Create(t.Context(), []byte(text)); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(5 * time.Minute)
		if v := view(t, d); v.Phase != contest.Open || desk.count() > 0 || !v.Start.Equal(begins.Truncate(time.Second)) {
			t.Errorf("got the league %s with %d matches, want it open until %v", v.Phase, desk.count(), begins)
		}
		time.Sleep(13 * time.Minute)
		v := view(t, d)
		if v.Phase != contest.Running || v.Done < 100 || len(v.Season.Dates) > 0 || v.Season.Next.Sub(begins.Truncate(time.Second)) != 10*time.Minute {
			t.Errorf("got the league %s with %d matches, %+v, want 100 matches and the first date after 10 minutes", v.Phase, v.Done, v.Season)
		}
		division := map[string]string{}
		for _, r := range v.Standings {
			division[r.Name] = r.Division
			if r.Played < 10 {
				t.Errorf("got %d matches of %s, want at least 10", r.Played, r.Name)
			}
		}
		for _, m := range v.Matches {
			if division[m.Seats[0]] != division[m.Seats[1]] {
				t.Fatalf("got a match of %v before the first date, want one in a division", m.Seats)
			}
		}
		if err := d.Enter(t.Context(), "cup", "p12"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		if err := o.Pause(t.Context(), "cup", "lunch"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(22 * time.Minute) // three dates pass: one event stands for them
		if err := o.Resume(t.Context(), "cup"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		v = view(t, d)
		if n := len(v.Season.Dates); n != 1 || !v.Season.Dates[n-1].Due.Equal(begins.Truncate(time.Second).Add(30*time.Minute)) {
			t.Errorf("got the dates %+v, want one, after 30 minutes", v.Season.Dates)
		}
		time.Sleep(10 * time.Minute)
		v = view(t, d)
		if v.Phase != contest.Ended || v.Reason != "" || !v.Season.Dates[len(v.Season.Dates)-1].Final {
			t.Errorf("got the league %s (%s), want it ended by itself with a last date", v.Phase, v.Reason)
		}
		if v.Standings[0].Division != "gold" || v.Standings[0].Rank != 1 || v.Leaders[0] != v.Standings[0].Name || len(v.Leaders) != 1 {
			t.Errorf("got %+v and the leaders %v, want the first of gold alone", v.Standings[0], v.Leaders)
		}
		p, err := d.Player(t.Context(), "p12")
		if err != nil || len(p.Contests) != 2 || len(p.Games) != 1 || p.Games[0].Played == 0 {
			t.Fatalf("got %+v, %v, want the player in the league, in the cup and in the ratings", p, err)
		}
		i := slices.IndexFunc(p.Contests, func(c contest.Participation) bool { return c.Contest == "cup" })
		if p.Contests[i].Division == "" || p.Contests[i].Rank == 0 {
			t.Errorf("got %+v, want its division and its rank", p.Contests[i])
		}
		sum, err := d.View(t.Context(), "sum")
		if err != nil || sum.Phase != contest.Ended || len(sum.Standings) != 13 || sum.Standings[0].Points == 0 {
			t.Errorf("got the cup %+v, %v, want it ended with 13 players", sum, err)
		}
		verified(t, desk.store, "cup")
		verified(t, desk.store, "sum")
	})
}

// TestLeagueGoesOnAfterItsHostWasKilled: no match counts twice, and no date is lost.
func TestLeagueGoesOnAfterItsHostWasKilled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory()
		o := contest.Organizer{Store: m}
		if _, err := o.Create(t.Context(), []byte(season("cup", 9, ", after: 30")+"boss: {silver: medium, bronze: easy}\n")); err != nil {
			t.Fatal(err)
		}
		if err := o.Start(t.Context(), "cup"); err != nil {
			t.Fatal(err)
		}
		for life := range 5 {
			desk := newFakeDesk(m, 9)
			desk.played = 10_000 * (life + 1) // the IDs of matches
			d := New(o, desk, desk, Settings{Parallel: 100}, slog.New(slog.NewTextHandler(io.Discard, nil)))
			ctx, kill := context.WithCancel(t.Context())
			done := make(chan struct{})
			go func() { // ends with ctx
				runAlone(ctx, d)
				close(done)
			}()
			time.Sleep(7*time.Minute + time.Duration(life)*13*time.Second)
			kill()
			<-done
		}
		if err := o.End(t.Context(), "cup", ""); err != nil {
			t.Fatal(err)
		}
		v, err := o.View(t.Context(), "cup")
		if err != nil {
			t.Fatal(err)
		}
		pairings := map[int]bool{}
		for _, r := range m.allResults() {
			if pairings[r.Pairing] {
				t.Errorf("got the match %d twice, want once", r.Pairing)
			}
			pairings[r.Pairing] = true
		}
		if v.Done < 300 || len(v.Season.Dates) < 3 {
			t.Errorf("got %d matches and %d dates, want at least 300 and 3", v.Done, len(v.Season.Dates))
		}
		met := map[string]map[string]bool{}
		for _, x := range m.allResults() {
			for i, seat := range x.Seats {
				name := v.Entries[seat.Entry].Name
				if met[name] == nil {
					met[name] = map[string]bool{}
				}
				met[name][v.Entries[x.Seats[1-i].Entry].Name] = true
			}
		}
		// The desk has bots win against most. So all go down to bronze after some time.
		if met["bot:easy"]["bot:medium"] || len(met["bot:medium"]) < 3 || len(met["bot:easy"]) < 6 {
			t.Errorf("got the opponents %v of a boss, want only players", met)
		}
		verified(t, m, "cup")
	})
}
