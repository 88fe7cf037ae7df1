package site

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"colosseum/host/internal/contests/contest"
	"colosseum/host/internal/contests/players"
)

func TestOrdersOfOrganizers(t *testing.T) {
	zoe, bob := []string{"Cookie", players.Cookie + "=" + zoesToken}, []string{"Authorization", "Bearer " + bobsToken}
	bar := `{"action":"bar","entries":["ann"],"reason":"copied"}`
	schemas := readSchemas(t)
	for _, tt := range []struct {
		name, contest, body string
		header              []string
		status              int
		text                string
	}{
		{"a decision", "next", bar, zoe, 200, `{"contest":"next","action":"bar"}`},
		{"other dates", "next", `{"action":"shift","round":1,"closes":"2027-03-05T18:00:00+01:00","reason":"half term"}`, zoe, 200, `{"contest":"next","action":"shift"}`},
		{"no date", "next", `{"action":"shift","round":1,"opens":"tomorrow","reason":"x"}`, zoe, 400, ""},
		{"nobody", "next", bar, nil, 401, ""},
		{"a player", "next", bar, bob, 403, "only its organizers can do this"},
		{"a page of another host", "next", bar, append(zoe, "Origin", "https://evil.example"), 403, "only pages of this host"},
		{"no reason", "next", `{"action":"bar"}`, zoe, 409, "a decision needs a reason"},
		{"another field", "next", `{"action":"bar","by":"ann"}`, zoe, 400, ""},
		{"an unknown contest", "nothing", bar, zoe, 404, ""},
		{"a form", "next", bar, append(zoe, "Content-Type", "text/plain"), 415, ""},
		{"a long request", "next", `{"reason":"` + strings.Repeat("x", maxForm) + `"}`, zoe, 413, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, _, log := accountSite(t)
			w := change(s, "POST", "/api/contests/"+tt.contest+"/organize", tt.body, tt.header...)
			if w.Code != tt.status || !strings.Contains(w.Body.String(), tt.text) {
				t.Fatalf("got %d %s, want %d %s", w.Code, w.Body, tt.status, tt.text)
			}
			for _, fault := range schemas.faults(schemas.answerTo("post", "/api/contests/{name}/organize", fmt.Sprint(tt.status), "application/json"), decode[any](t, w.Body.String()), "answer") {
				t.Error(fault)
			}
			if strings.Contains(w.Body.String()+log.String(), "coco_") {
				t.Error("got a token in the answer or the log, want none")
			}
			view := get(s, "/api/contests/next").Body.String()
			for _, fault := range schemas.faults(schemas.answer("/api/contests/{name}", "200", "application/json"), decode[any](t, view), "view") {
				t.Error(fault)
			}
			if got := strings.Contains(view, `"reason":"`); got != (tt.status == 200) {
				t.Errorf("got %s, want the decision only if it was obeyed", view)
			}
		})
	}
}

func TestPageOfTheOrganizers(t *testing.T) {
	s, _, _ := accountSite(t)
	if w := get(s, "/contests/next/organize"); w.Code != 200 || !strings.Contains(w.Body.String(), `<section id="class"></section>`) {
		t.Errorf("got %d, want the page", w.Code)
	}
	if w := get(s, "/contests/nothing/organize"); w.Code != 404 {
		t.Errorf("an unknown contest: got %d, want 404", w.Code)
	}
}

func TestMatchesShowDecisions(t *testing.T) {
	s, _ := newSite(t)
	contestsOf(s).views = []*contest.View{{Summary: contest.Summary{Name: "x"}, PerMatch: 2, Matches: []contest.MatchView{
		{Seats: []string{"a", "b"}, State: "finished"},
		{Seats: []string{"b", "a"}, State: "finished", Points: []float64{1, 0}, Ruling: &contest.LegRuling{Event: 7, Action: contest.Replay},
			Earlier: []contest.EarlierMatch{{ID: "m1", State: contest.Played, Points: []float64{0, 1}, Ended: time.Unix(1, 0).UTC(), AnnulledBy: 7}}},
	}}}
	rows := table(t, s, "/api/contests/x/matches.csv", "x-matches.csv")
	if rows[0]["ruling"] != "" || rows[1]["ruling"] != "replay" {
		t.Errorf("got %v, want that the second match is played again", rows)
	}
	schemas := readSchemas(t)
	answer := decode[any](t, get(s, "/api/contests/x/matches").Body.String())
	for _, fault := range schemas.faults(schemas.answer("/api/contests/{name}/matches", "200", "application/json"), answer, "matches") {
		t.Error(fault)
	}
	if text := fmt.Sprint(answer); !strings.Contains(text, "annulled_by:7") {
		t.Errorf("got %s, want the earlier match", text)
	}
	contestsOf(s).views = []*contest.View{{Summary: contest.Summary{Name: "x"}, PerMatch: 2, Matches: []contest.MatchView{{Seats: []string{"a", "b"}, State: "planned"}}}}
	if _, ok := table(t, s, "/api/contests/x/matches.csv", "x-matches.csv")[0]["ruling"]; ok {
		t.Error("got a column of decisions without any, want none")
	}
}
