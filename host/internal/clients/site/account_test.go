package site

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"colosseum/host/internal/contests/players"
)

const (
	bobsToken   = "coco_bob"
	readersWord = "coco_reader" // of bob, with the scope read
	zoesToken   = "coco_zoe"    // zoe organizes contests
	newToken    = "coco_new"
)

// fakePlayers has one player, bob. Each wrong token or refused registration uses up
// one of the tries.
type fakePlayers struct {
	registration string
	tries        int
	address      string // of the last call
	broken       error  // result of both calls
}

func (p *fakePlayers) Registration() string { return p.registration }

func (p *fakePlayers) Pupils(context.Context) (map[string]players.Pupil, error) {
	return map[string]players.Pupil{"ann": {RealName: "Ann Žák", Class: "=4b"}, "eve": {RealName: "Eve Li"}}, p.broken
}

func (p *fakePlayers) Authenticate(_ context.Context, address, token string, scope players.Scope) (string, error) {
	p.address = address
	switch {
	case p.broken != nil:
		return "", p.broken
	case token == bobsToken:
		return "bob", nil
	case token == zoesToken:
		return "zoe", nil
	case token == readersWord && scope != players.Read:
		return "", players.ErrScope
	case token == readersWord:
		return "bob", nil
	}
	if p.tries--; p.tries < 0 {
		return "", players.ErrTooMany
	}
	return "", players.ErrToken
}

func (p *fakePlayers) Register(_ context.Context, address, name, invite string) (string, error) {
	p.address = address
	switch {
	case p.broken != nil:
		return "", p.broken
	case p.registration == players.Closed:
		return "", players.ErrClosed
	case p.registration == players.Invite && invite != "welcome":
		return "", players.ErrInvite
	case name == "bob":
		return "", players.ErrTaken
	case name == "":
		return "", players.ErrName
	}
	if p.tries--; p.tries < 0 {
		return "", players.ErrTooOften
	}
	return newToken, nil
}

// accountSite returns a site with players, and what it logs.
func accountSite(t *testing.T) (*Site, *fakePlayers, *bytes.Buffer) {
	t.Helper()
	s, _ := newSite(t)
	p := &fakePlayers{registration: players.Open, tries: 3}
	log := &bytes.Buffer{}
	s.Players, s.log = p, slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	return s, p, log
}

// change makes a request as a page of the site does. Header fields replace its own.
func change(s http.Handler, method, path, body string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Origin", "http://example.com")
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}

func cookie(t *testing.T, w *httptest.ResponseRecorder) *http.Cookie {
	t.Helper()
	list := w.Result().Cookies()
	if len(list) != 1 {
		t.Fatalf("got cookies %v, want one: %d %s", list, w.Code, w.Body)
	}
	return list[0]
}

func TestAPlayerLogsInAndOut(t *testing.T) {
	for _, encrypted := range []bool{false, true} {
		t.Run(fmt.Sprint("encrypted ", encrypted), func(t *testing.T) {
			s, p, _ := accountSite(t)
			s.Readers = &fakeReaders{secure: encrypted}
			w := change(s, "POST", "/api/session", `{"token":"`+bobsToken+`"}`)
			if got, want := w.Body.String(), `{"player":"bob","registration":"open"}`+"\n"; w.Code != 200 || got != want {
				t.Fatalf("got %d %s, want 200 %s", w.Code, got, want)
			}
			c := cookie(t, w)
			if c.Name != players.Cookie || c.Value != bobsToken || !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Path != "/" || c.Domain != "" || c.Secure != encrypted || c.MaxAge != 31536000 {
				t.Errorf("got cookie %v, want one for a year that only this site gets; encrypted: %t", c, encrypted)
			}
			if p.address != "192.0.2.1:1234" {
				t.Errorf("got address %q, want that of the request", p.address)
			}
			w = get(s, "/api/session", "Cookie", c.Name+"="+c.Value)
			if got, want := w.Body.String(), `{"player":"bob","registration":"open"}`+"\n"; got != want || w.Header().Get("Cache-Control") != "no-store" || len(w.Result().Cookies()) > 0 {
				t.Errorf("got %s %v, want %s, which is not cached, and no cookie", got, w.Header(), want)
			}
			w = change(s, "DELETE", "/api/session", "{}")
			if c := cookie(t, w); w.Code != 200 || c.Value != "" || c.MaxAge >= 0 || c.Path != "/" || !c.HttpOnly || c.Secure != encrypted {
				t.Errorf("got %d and cookie %v, want 200 and the cookie removed", w.Code, c)
			}
		})
	}
}

func TestACookieWithAnOldTokenIsRemoved(t *testing.T) {
	s, p, _ := accountSite(t)
	old := players.Cookie + "=coco_old"
	w := get(s, "/api/session", "Cookie", old)
	if c := cookie(t, w); w.Code != 200 || c.MaxAge >= 0 || !strings.Contains(w.Body.String(), `"player":""`) {
		t.Errorf("got %d %s and cookie %v, want nobody and the cookie removed", w.Code, w.Body, c)
	}
	p.tries = 0 // others behind the address have used them up
	w = get(s, "/api/session", "Cookie", old)
	if c := cookie(t, w); w.Code != 200 || c.MaxAge >= 0 {
		t.Errorf("after too many wrong tokens: got %d %s and cookie %v, want nobody and the cookie removed", w.Code, w.Body, c)
	}
	p.broken = players.ErrUnavailable
	if w := get(s, "/api/session", "Cookie", old); w.Code != 503 || len(w.Result().Cookies()) > 0 {
		t.Errorf("without the store: got %d and cookies %v, want 503 and none", w.Code, w.Result().Cookies())
	}
	if w := get(s, "/api/session"); w.Code != 200 || len(w.Result().Cookies()) > 0 {
		t.Errorf("without a cookie: got %d and cookies %v, want 200 and none", w.Code, w.Result().Cookies())
	}
}

func TestARegistrationShowsTheTokenAndLogsIn(t *testing.T) {
	s, p, _ := accountSite(t)
	p.registration = players.Invite
	w := change(s, "POST", "/api/players", `{"name":"ann","invite":"welcome"}`)
	if got, want := w.Body.String(), `{"player":"ann","registration":"invite","token":"`+newToken+`"}`+"\n"; w.Code != 200 || got != want {
		t.Fatalf("got %d %s, want 200 %s", w.Code, got, want)
	}
	if c := cookie(t, w); c.Value != newToken || !c.HttpOnly {
		t.Errorf("got cookie %v, want the new token, which scripts cannot read", c)
	}
	if w.Header().Get("Cache-Control") != "no-store" {
		t.Errorf("got headers %v, want no-store", w.Header())
	}
}

func TestRefusedAccountsAreExplained(t *testing.T) {
	tests := []struct {
		name               string
		method, path, body string
		header             []string
		change             func(p *fakePlayers)
		status             int
	}{
		{"page of another host", "POST", "/api/session", `{"token":"coco_bob"}`, []string{"Origin", "https://evil.example"}, nil, 403},
		{"other port", "POST", "/api/session", `{"token":"coco_bob"}`, []string{"Origin", "http://example.com:81"}, nil, 403},
		{"page without an origin", "POST", "/api/session", `{"token":"coco_bob"}`, []string{"Origin", "null"}, nil, 403},
		{"browser's word", "POST", "/api/players", `{"name":"ann"}`, []string{"Sec-Fetch-Site", "cross-site"}, nil, 403},
		{"other subdomain", "POST", "/api/players", `{"name":"ann"}`, []string{"Sec-Fetch-Site", "same-site"}, nil, 403},
		{"logging out from another host", "DELETE", "/api/session", `{}`, []string{"Origin", "https://evil.example"}, nil, 403},
		{"form", "POST", "/api/session", `token=coco_bob`, []string{"Content-Type", "application/x-www-form-urlencoded"}, nil, 415},
		{"text", "POST", "/api/players", `{"name":"ann"}`, []string{"Content-Type", "text/plain"}, nil, 415},
		{"no type", "DELETE", "/api/session", `{}`, []string{"Content-Type", ""}, nil, 415},
		{"no JSON", "POST", "/api/session", `coco_bob`, nil, nil, 400},
		{"other field", "POST", "/api/session", `{"password":"coco_bob"}`, nil, nil, 400},
		{"second value", "POST", "/api/session", `{"token":"coco_bob"}{}`, nil, nil, 400},
		{"empty", "POST", "/api/players", ``, nil, nil, 400},
		{"long name", "POST", "/api/players", `{"name":"` + strings.Repeat("a", maxForm) + `"}`, nil, nil, 413},
		{"long end", "POST", "/api/players", `{"name":"ann"}` + strings.Repeat(" ", maxForm), nil, nil, 413},
		{"wrong token", "POST", "/api/session", `{"token":"coco_wrong"}`, nil, nil, 401},
		{"too many wrong tokens", "POST", "/api/session", `{"token":"coco_wrong"}`, nil, func(p *fakePlayers) { p.tries = 0 }, 429},
		{"too many registrations", "POST", "/api/players", `{"name":"ann"}`, nil, func(p *fakePlayers) { p.tries = 0 }, 429},
		{"closed", "POST", "/api/players", `{"name":"ann"}`, nil, func(p *fakePlayers) { p.registration = players.Closed }, 403},
		{"wrong invitation", "POST", "/api/players", `{"name":"ann","invite":"coco_x"}`, nil, func(p *fakePlayers) { p.registration = players.Invite }, 403},
		{"name of another player", "POST", "/api/players", `{"name":"bob"}`, nil, nil, 409},
		{"no name", "POST", "/api/players", `{"name":""}`, nil, nil, 400},
		{"broken store", "POST", "/api/players", `{"name":"ann"}`, nil, func(p *fakePlayers) { p.broken = errors.New("coco_secret") }, 503},
	}
	schemas := readSchemas(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, p, log := accountSite(t)
			if tt.change != nil {
				tt.change(p)
			}
			w := change(s, tt.method, tt.path, tt.body, tt.header...)
			var v any
			if err := json.Unmarshal(w.Body.Bytes(), &v); w.Code != tt.status || err != nil {
				t.Fatalf("got %d %s, want %d and JSON", w.Code, w.Body, tt.status)
			}
			for _, fault := range schemas.faults(schemas.answerTo(strings.ToLower(tt.method), tt.path, fmt.Sprint(tt.status), "application/json"), v, "answer") {
				t.Error(fault)
			}
			if len(w.Result().Cookies()) > 0 {
				t.Errorf("got cookies %v, want none", w.Result().Cookies())
			}
			if all := w.Body.String() + log.String(); strings.Contains(all, "coco_") {
				t.Errorf("got %s, want no token in the answer or the log", all)
			}
		})
	}
}

func TestAFloodOfTokensIsRefused(t *testing.T) {
	s, _, _ := accountSite(t)
	var codes []int
	for range 5 {
		codes = append(codes, change(s, "POST", "/api/session", `{"token":"coco_guess"}`).Code)
	}
	if got, want := fmt.Sprint(codes), "[401 401 401 429 429]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	s.Readers = &fakeReaders{retry: 1}
	if w := change(s, "POST", "/api/players", `{"name":"ann"}`); w.Code != 429 || w.Header().Get("Retry-After") == "" {
		t.Errorf("without points: got %d %v, want 429 with Retry-After", w.Code, w.Header())
	}
}

func TestAHostWithoutPlayersRegistersNone(t *testing.T) {
	s, _ := newSite(t)
	if got, want := get(s, "/api/session").Body.String(), `{"player":"","registration":"closed"}`+"\n"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	for _, path := range []string{"/api/session", "/api/players"} {
		if w := change(s, "POST", path, "{}"); w.Code != 401 && w.Code != 403 {
			t.Errorf("%s: got %d, want a refusal", path, w.Code)
		}
	}
}

func TestAccountsAreAsOpenAPIDescribesThem(t *testing.T) {
	s, _, _ := accountSite(t)
	schemas := readSchemas(t)
	for _, tt := range []struct{ method, path, body string }{
		{"GET", "/api/session", ""},
		{"POST", "/api/session", `{"token":"` + bobsToken + `"}`},
		{"DELETE", "/api/session", "{}"},
		{"POST", "/api/players", `{"name":"ann","invite":""}`},
	} {
		w := change(s, tt.method, tt.path, tt.body)
		var v any
		if err := json.Unmarshal(w.Body.Bytes(), &v); w.Code != 200 || err != nil {
			t.Fatalf("%s %s: got %d %s, want 200 and JSON", tt.method, tt.path, w.Code, w.Body)
		}
		method := strings.ToLower(tt.method)
		for _, fault := range schemas.faults(schemas.answerTo(method, tt.path, "200", "application/json"), v, tt.method+" "+tt.path) {
			t.Error(fault)
		}
		if tt.body == "" {
			continue
		}
		if err := json.Unmarshal([]byte(tt.body), &v); err != nil {
			t.Fatal(err)
		}
		form := schemas.at("paths", tt.path, method, "requestBody", "content", "application/json", "schema")
		for _, fault := range schemas.faults(form, v, tt.method+" "+tt.path) {
			t.Error(fault)
		}
	}
}
