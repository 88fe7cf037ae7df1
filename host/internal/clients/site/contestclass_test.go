package site

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"colosseum/host/internal/contests/contest"
	"colosseum/host/internal/contests/players"
)

// newPass returns a pass mark of three players: ann has passed, bob has one try left, and cy
// tries for the last time today.
func newPass(now time.Time) *contest.View {
	v := &contest.View{
		Summary: contest.Summary{
			Name: "mark", Title: "Beat the medium bot", Game: "roshambo", Format: contest.Pass, Phase: contest.Running, Open: true, Created: now.Add(-400 * time.Hour), Started: now.Add(-399 * time.Hour), Count: 3,
		},
		Args: map[string]string{}, PerMatch: 2, PerPair: 4, TieBreaks: []string{}, Seed: 1,
		Pass: &contest.PassView{Against: "bot:medium", Wins: 3, Of: 4, Seeds: contest.PublishedSeeds, Values: []string{"7", "7", "18446744073709551615", "18446744073709551615"}, Tries: 2, Passed: 1},
	}
	for i, p := range []contest.Passed{
		{At: now.Add(-300 * time.Hour), Best: 4, Tries: 2, Left: 2},
		{Best: 2, Tries: 1, Left: 1, Next: now.Add(23 * time.Hour)},
		{Tries: 2, Next: now.Add(20 * time.Hour), Trying: true},
	} {
		row := contest.Row{Rank: i + 1, Name: names[i], Played: 4 * p.Tries, Wins: int(p.Best), TieBreaks: []float64{}, Pass: &p}
		if !p.At.IsZero() {
			row.Points = 1
		}
		v.Entries, v.Standings = append(v.Entries, contest.EntryView{Name: names[i], Kind: "player", Seed: i + 1}), append(v.Standings, row)
	}
	v.Entries = append(v.Entries, contest.EntryView{Name: "bot:medium", Kind: "bot", Seed: 4})
	for pairing, of := range []struct{ entry, round int }{{0, 1}, {0, 2}, {1, 1}, {2, 1}, {2, 2}} {
		for leg := range 4 {
			m := contest.MatchView{
				Round: of.round, Slot: of.entry + 1, Pairing: pairing + 1, Leg: leg + 1, Seats: []string{names[of.entry], "bot:medium"}, ID: fmt.Sprintf("mark-%d-%d", pairing, leg), State: "finished",
				Points: []float64{1, 0}, Ranks: []int{1, 2}, Outcome: []string{"finished", "finished"}, Ended: v.Created.Add(time.Duration(4*pairing+leg) * time.Hour),
			}
			switch {
			case of.entry == 2 && of.round == 2:
				m.ID, m.State, m.Points, m.Ranks, m.Outcome, m.Ended = "", "planned", nil, nil, nil, time.Time{}
			case of.entry == 2:
				m.ID, m.State, m.Points, m.Ranks, m.Outcome, m.Absent = "", "walkover", []float64{0, 1}, nil, nil, names[2:3]
			case of.entry == 1 && leg > 1, of.entry == 0 && of.round == 1 && leg > 1:
				m.Points, m.Ranks = []float64{0.5, 0.5}, []int{1, 1}
			}
			v.Matches = append(v.Matches, m)
			v.All++
			if !m.Ended.IsZero() {
				v.Done++
			}
		}
	}
	return v
}

// Try begins a try of a player that has one left.
func (c *fakeContests) Try(_ context.Context, name, player string, _ func(string) bool) error {
	return c.change(name, func(v *contest.View) error {
		for i, r := range v.Standings {
			if r.Name == player && r.Pass != nil && !r.Pass.Trying && r.Pass.Left > 0 {
				v.Standings[i].Pass = &contest.Passed{Tries: r.Pass.Tries + 1, Left: r.Pass.Left - 1, Trying: true}
				return nil
			}
		}
		return errors.New("no try can begin now")
	})
}

func TestPlayerBeginsATry(t *testing.T) {
	s, _, _ := accountSite(t)
	login := []string{"Cookie", players.Cookie + "=" + bobsToken}
	schemas := readSchemas(t)
	try := func(path, body string, header []string, status int, want string) {
		t.Helper()
		w := change(s, "POST", path, body, header...)
		if w.Code != status || !strings.Contains(w.Body.String(), want) || status == 200 && w.Header().Get("Cache-Control") != "no-store" {
			t.Fatalf("%s: got %d %s, want %d %s", path, w.Code, w.Body, status, want)
		}
		for _, fault := range schemas.faults(schemas.answerTo("post", "/api/contests/{name}/try", fmt.Sprint(status), "application/json"), decode[any](t, w.Body.String()), path) {
			t.Error(fault)
		}
	}
	const mark = "/api/contests/mark/try"
	try(mark, "{}", nil, 401, "")
	try(mark, `{"player":"ann"}`, login, 400, "")
	try(mark, "{}", append(login, "Origin", "https://evil.example"), 403, "")
	try("/api/contests/nothing/try", "{}", login, 404, "")
	try(mark, "{}", login, 200, `{"contest":"mark","player":"bob"}`)
	try(mark, "{}", login, 409, "no try can begin now")
}

func TestOnlyOrganizersSeeTheClass(t *testing.T) {
	s, p, log := accountSite(t)
	organizer := []string{"Authorization", "Bearer " + zoesToken}
	schemas := readSchemas(t)
	for _, tt := range []struct {
		name, path string
		header     []string
		status     int
	}{
		{"nobody", "mark/class", nil, 401},
		{"another player", "mark/class", []string{"Cookie", players.Cookie + "=" + bobsToken}, 403},
		{"another player, as CSV", "mark/class.csv", []string{"Cookie", players.Cookie + "=" + bobsToken}, 403},
		{"no such contest", "nothing/class", organizer, 404},
		{"the organizer", "mark/class", organizer, 200},
	} {
		w := get(s, "/api/contests/"+tt.path, tt.header...)
		if w.Code != tt.status || tt.status != 200 && strings.Contains(w.Body.String(), "Ž") {
			t.Errorf("%s: got %d %s, want %d", tt.name, w.Code, w.Body, tt.status)
		}
		if origin := w.Header().Get("Access-Control-Allow-Origin"); origin != "" {
			t.Errorf("%s: got an answer for pages of %q, want it for those of this host alone", tt.name, origin)
		}
		path := "/api/contests/{name}/" + tt.path[strings.IndexByte(tt.path, '/')+1:]
		for _, fault := range schemas.faults(schemas.answer(path, fmt.Sprint(tt.status), "application/json"), decode[any](t, w.Body.String()), tt.name) {
			t.Error(fault)
		}
		if tt.status == 200 && (w.Body.String() != `{"contest":"mark","pupils":[{"name":"ann","real_name":"Ann Žák","class":"=4b"}]}`+"\n" || w.Header().Get("Cache-Control") != "no-store") {
			t.Errorf("got %s, want ann alone: eve does not play, and nothing is known of the others", w.Body)
		}
	}
	w := get(s, "/api/contests/mark/class.csv", organizer...)
	if w.Code != 200 || w.Header().Get("Content-Disposition") != `attachment; filename="mark-class.csv"` || !strings.Contains(w.Body.String(), "\n1,ann,Ann Žák,'=4b,") || !strings.Contains(w.Body.String(), "\n2,bob,,,") {
		t.Errorf("got %d %v %s, want a table with real names and classes", w.Code, w.Header(), w.Body)
	}
	p.broken = players.ErrUnavailable
	if w := get(s, "/api/contests/mark/class", organizer...); w.Code != 503 {
		t.Errorf("without the registry: got %d %s, want 503", w.Code, w.Body)
	}
	if text := log.String(); strings.Contains(text, "Ann") || strings.Contains(text, "4b") {
		t.Errorf("got the log %s, want no real name and no class", text)
	}
	for _, path := range []string{"/api/contests/mark", "/api/contests/mark/standings.csv", "/api/contests/mark/matches", "/api/players/ann"} {
		if body := get(s, path).Body.String(); strings.Contains(body, "Ž") || strings.Contains(body, "4b") {
			t.Errorf("%s: got %s, want no real name and no class", path, body)
		}
	}
}
