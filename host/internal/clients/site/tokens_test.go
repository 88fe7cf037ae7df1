package site

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"colosseum/host/internal/contests/contest"
	"colosseum/host/internal/contests/players"
	"colosseum/host/internal/records/store"
)

func (p *fakePlayers) Tokens(context.Context, string) ([]store.Token, error) {
	at := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	return []store.Token{
		{ID: "abc", Player: "bob", Label: "laptop", Scopes: []string{"play", "submit"}, Created: at, Seen: at.Add(time.Hour)},
		{ID: "def", Player: "bob", Label: "<script>", Created: at, Expires: at.Add(time.Minute)},
	}, p.broken
}

func (p *fakePlayers) Mint(_ context.Context, player, label string, scopes []players.Scope, life time.Duration) (token, id string, err error) {
	switch {
	case label == "":
		return "", "", players.ErrLabel
	case len(scopes) == 0:
		return "", "", players.ErrScopes
	case label == "full":
		return "", "", players.ErrFull
	}
	return newToken, fmt.Sprint(player, " ", scopes, " ", life), nil
}

func (p *fakePlayers) Revoke(_ context.Context, player, id string) error {
	if player != "bob" || id != "abc" {
		return players.ErrNoToken
	}
	return nil
}

func (p *fakePlayers) Rename(_ context.Context, _, name string) error {
	switch name {
	case "":
		return players.ErrName
	case "ann":
		return players.ErrTaken
	case "again":
		return players.ErrRecent
	}
	return nil
}

func (p *fakePlayers) Names(_ context.Context, name string) ([]string, error) {
	if name == "max" || name == "maxi" {
		return []string{"max", "maxi"}, nil
	}
	return nil, nil
}

// asBob are header fields of a program with bob's token.
var asBob = []string{"Authorization", "Bearer " + bobsToken}

func TestAccountsChangeAsOpenAPIDescribes(t *testing.T) {
	schemas := readSchemas(t)
	for _, tt := range []struct{ method, path, described, body, want string }{
		{"GET", "/api/account/tokens", "/api/account/tokens", "", `{"player":"bob","most":20,"tokens":[{"id":"abc","label":"laptop","scopes":["play","submit"],"created":"2026-03-04T05:06:07Z","seen":"2026-03-04T06:06:07Z"},` +
			`{"id":"def","label":"\u003cscript\u003e","scopes":[],"created":"2026-03-04T05:06:07Z","expires":"2026-03-04T05:07:07Z"}]}`},
		{"POST", "/api/account/tokens", "/api/account/tokens", `{"label":"laptop","scopes":["play","read"],"days":30}`, `{"id":"bob [play read] 720h0m0s","token":"coco_new"}`},
		{"POST", "/api/account/tokens", "/api/account/tokens", `{"label":"laptop","scopes":["all"]}`, `{"id":"bob [all] 0s","token":"coco_new"}`},
		{"DELETE", "/api/account/tokens/abc", "/api/account/tokens/{id}", `{}`, `{}`},
		{"POST", "/api/account/name", "/api/account/name", `{"name":"rob"}`, `{"player":"rob"}`},
	} {
		s, _, log := accountSite(t)
		w := change(s, tt.method, tt.path, tt.body, asBob...)
		if got := strings.TrimSpace(w.Body.String()); w.Code != 200 || got != tt.want || w.Header().Get("Cache-Control") != "no-store" || w.Header().Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s %s: got %d %s %v, want 200 %s for its owner alone", tt.method, tt.path, w.Code, got, w.Header(), tt.want)
		}
		method := strings.ToLower(tt.method)
		var v any
		if err := json.Unmarshal(w.Body.Bytes(), &v); err != nil {
			t.Fatal(err)
		}
		for _, fault := range schemas.faults(schemas.answerTo(method, tt.described, "200", "application/json"), v, tt.path) {
			t.Error(fault)
		}
		if strings.Contains(log.String(), "coco_") {
			t.Errorf("got the log %s, want no token", log)
		}
		if tt.body == "" {
			continue
		}
		if err := json.Unmarshal([]byte(tt.body), &v); err != nil {
			t.Fatal(err)
		}
		for _, fault := range schemas.faults(schemas.at("paths", tt.described, method, "requestBody", "content", "application/json", "schema"), v, tt.path) {
			t.Error(fault)
		}
	}
}

func TestRefusedChangesOfAccountsAreExplained(t *testing.T) {
	schemas := readSchemas(t)
	const tokens, name = "/api/account/tokens", "/api/account/name"
	for _, tt := range []struct {
		name, method, path, body string
		header                   []string
		status                   int
	}{
		{"nobody lists", "GET", tokens, "", nil, 401},
		{"nobody creates", "POST", tokens, `{"label":"x","scopes":["all"]}`, nil, 401},
		{"nobody renames", "POST", name, `{"name":"rob"}`, nil, 401},
		{"a token for reading lists", "GET", tokens, "", []string{"Authorization", "Bearer " + readersWord}, 403},
		{"a token for reading creates", "POST", tokens, `{"label":"x","scopes":["all"]}`, []string{"Authorization", "Bearer " + readersWord}, 403},
		{"a token for reading revokes", "DELETE", tokens + "/abc", `{}`, []string{"Authorization", "Bearer " + readersWord}, 403},
		{"a token for reading renames", "POST", name, `{"name":"rob"}`, []string{"Authorization", "Bearer " + readersWord}, 403},
		{"page of another host", "POST", tokens, `{"label":"x","scopes":["all"]}`, append([]string{"Origin", "https://evil.example"}, asBob...), 403},
		{"page of another host revokes", "DELETE", tokens + "/abc", `{}`, append([]string{"Sec-Fetch-Site", "cross-site"}, asBob...), 403},
		{"page of another host renames", "POST", name, `{"name":"rob"}`, append([]string{"Origin", "null"}, asBob...), 403},
		{"a form", "POST", tokens, `label=x`, append([]string{"Content-Type", "application/x-www-form-urlencoded"}, asBob...), 415},
		{"another field", "POST", tokens, `{"label":"x","scopes":["all"],"player":"zoe"}`, asBob, 400},
		{"no label", "POST", tokens, `{"label":"","scopes":["all"]}`, asBob, 400},
		{"no scope", "POST", tokens, `{"label":"x","scopes":[]}`, asBob, 400},
		{"too many days", "POST", tokens, `{"label":"x","scopes":["all"],"days":36500000}`, asBob, 400},
		{"less than no days", "POST", tokens, `{"label":"x","scopes":["all"],"days":-1}`, asBob, 400},
		{"too many tokens", "POST", tokens, `{"label":"full","scopes":["all"]}`, asBob, 409},
		{"long", "POST", tokens, `{"label":"` + strings.Repeat("a", maxForm) + `","scopes":["all"]}`, asBob, 413},
		{"the token of another", "DELETE", tokens + "/def", `{}`, asBob, 404},
		{"no name", "POST", name, `{"name":""}`, asBob, 400},
		{"the name of another", "POST", name, `{"name":"ann"}`, asBob, 409},
		{"too soon", "POST", name, `{"name":"again"}`, asBob, 409},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, _, log := accountSite(t)
			w := change(s, tt.method, tt.path, tt.body, tt.header...)
			var v any
			if err := json.Unmarshal(w.Body.Bytes(), &v); w.Code != tt.status || err != nil {
				t.Fatalf("got %d %s, want %d and JSON", w.Code, w.Body, tt.status)
			}
			described := strings.Replace(strings.Replace(tt.path, "/abc", "/{id}", 1), "/def", "/{id}", 1)
			for _, fault := range schemas.faults(schemas.answerTo(strings.ToLower(tt.method), described, fmt.Sprint(tt.status), "application/json"), v, "answer") {
				t.Error(fault)
			}
			if all := w.Body.String() + log.String(); strings.Contains(all, "coco_") {
				t.Errorf("got %s, want no token in the answer or the log", all)
			}
		})
	}
	s, p, _ := accountSite(t)
	p.broken = errors.New("coco_secret")
	if w := get(s, tokens, asBob...); w.Code != 503 || strings.Contains(w.Body.String(), "coco_") {
		t.Errorf("without the store: got %d %s, want 503", w.Code, w.Body)
	}
}

func TestFormerNamesLeadToTheirPlayer(t *testing.T) {
	s, _, _ := accountSite(t)
	s.Contests = renamedContests{s.Contests}
	w := get(s, "/players/old")
	if w.Code != http.StatusFound || w.Header().Get("Location") != "/players/new.name" {
		t.Errorf("got %d to %q, want 302 to /players/new.name", w.Code, w.Header().Get("Location"))
	}
	if w := get(s, "/players/New.Name"); w.Code != 200 {
		t.Errorf("the present name: got %d, want 200", w.Code)
	}
}

// renamedContests has the player new.name, which had the name old.
type renamedContests struct{ Contests }

func (renamedContests) Player(context.Context, string) (*contest.Profile, error) {
	return &contest.Profile{Name: "new.name", Former: []string{"old"}}, nil
}
