package site

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"colosseum/host/internal/contests/contest"
	"colosseum/host/internal/contests/players"
)

func TestPlayersEnterAndWithdraw(t *testing.T) {
	for _, tt := range []struct {
		name   string
		header []string
	}{
		{"with a cookie", []string{"Cookie", players.Cookie + "=" + bobsToken}},
		{"with a token", []string{"Authorization", "Bearer " + bobsToken, "Origin", ""}},
		{"with a token before a cookie", []string{"Authorization", "bearer " + bobsToken, "Cookie", players.Cookie + "=coco_old"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, _, _ := accountSite(t)
			schemas := readSchemas(t)
			for _, step := range []struct {
				method, answer, entry string
			}{
				{"POST", `{"contest":"next","player":"bob","entered":true}`, `{"name":"bob","kind":"player","seed":2}`},
				{"DELETE", `{"contest":"next","player":"bob","entered":false}`, `{"name":"bob","kind":"player","seed":2,"withdrawn":true}`},
				{"POST", `{"contest":"next","player":"bob","entered":true}`, `{"name":"bob","kind":"player","seed":2}`},
			} {
				w := change(s, step.method, "/api/contests/next/entry", "{}", tt.header...)
				if got := w.Body.String(); w.Code != 200 || got != step.answer+"\n" || w.Header().Get("Cache-Control") != "no-store" {
					t.Fatalf("%s: got %d %s, want 200 %s, which is not cached", step.method, w.Code, got, step.answer)
				}
				for _, fault := range schemas.faults(schemas.answerTo(strings.ToLower(step.method), "/api/contests/{name}/entry", "200", "application/json"), decode[any](t, w.Body.String()), step.method) {
					t.Error(fault)
				}
				if body := get(s, "/api/contests/next").Body.String(); !strings.Contains(body, step.entry) {
					t.Errorf("%s: got %s, want %s", step.method, body, step.entry)
				}
			}
		})
	}
}

func TestRefusedEntriesAreExplained(t *testing.T) {
	login := []string{"Cookie", players.Cookie + "=" + bobsToken}
	tests := []struct {
		name, method, contest, body string
		header                      []string
		status                      int
		text                        string
	}{
		{"nobody", "POST", "next", "{}", nil, 401, ""},
		{"wrong token", "POST", "next", "{}", []string{"Authorization", "Bearer coco_x"}, 401, ""},
		{"other scheme", "POST", "next", "{}", []string{"Authorization", "Basic " + bobsToken}, 401, ""},
		{"page of another host", "POST", "next", "{}", append(login, "Origin", "https://evil.example"), 403, ""},
		{"withdrawing from another host", "DELETE", "next", "{}", append(login, "Sec-Fetch-Site", "cross-site"), 403, ""},
		{"form", "POST", "next", "", append(login, "Content-Type", "text/plain"), 415, ""},
		{"another field", "POST", "next", `{"player":"ann"}`, login, 400, ""},
		{"long", "POST", "next", "{" + strings.Repeat(" ", maxForm) + "}", login, 413, ""},
		{"closed", "POST", "cup", "{}", login, 409, "the contest is not open: ask its organizer"},
		{"not entered", "DELETE", "next", "{}", login, 409, ""},
		{"unknown", "POST", "nothing", "{}", login, 404, ""},
		{"unknown withdrawal", "DELETE", "nothing", "{}", login, 404, ""},
	}
	schemas := readSchemas(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, _, log := accountSite(t)
			if tt.name == "not entered" {
				contestsOf(s).views = slices.DeleteFunc(contestsOf(s).views, func(v *contest.View) bool { return v.Name == "next" })
				contestsOf(s).views = append(contestsOf(s).views, &contest.View{Summary: contest.Summary{Name: "next", Open: true}})
			}
			w := change(s, tt.method, "/api/contests/"+tt.contest+"/entry", tt.body, tt.header...)
			if w.Code != tt.status || !strings.Contains(w.Body.String(), tt.text) {
				t.Fatalf("got %d %s, want %d %s", w.Code, w.Body, tt.status, tt.text)
			}
			for _, fault := range schemas.faults(schemas.answerTo(strings.ToLower(tt.method), "/api/contests/{name}/entry", fmt.Sprint(tt.status), "application/json"), decode[any](t, w.Body.String()), "answer") {
				t.Error(fault)
			}
			if all := w.Body.String() + log.String(); strings.Contains(all, "coco_") {
				t.Errorf("got %s, want no token in the answer or the log", all)
			}
		})
	}
}
