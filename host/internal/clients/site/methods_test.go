package site

import (
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

// ask sends a request without a body.
func ask(s http.Handler, method, path string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, nil)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}

func TestEachAddressHasItsMethods(t *testing.T) {
	s, _ := newSite(t)
	for _, tt := range []struct {
		path    string
		methods string // the field Allow; "": there is no such address
	}{
		{"/", "GET, HEAD, OPTIONS"}, {"/match/running", "GET, HEAD, OPTIONS"}, {"/embed/running", "GET, HEAD, OPTIONS"}, {"/games/tiny", "GET, HEAD, OPTIONS"}, {"/frame", "GET, HEAD, OPTIONS"},
		{"/assets/match.js", "GET, HEAD, OPTIONS"}, {"/contests/cup", "GET, HEAD, OPTIONS"}, {"/nothing", ""}, {"/api/nothing", ""},
		{"/api/games", "GET, HEAD, OPTIONS"}, {"/api/lobby", "GET, HEAD, OPTIONS"}, {"/api/lobby/events", "GET, HEAD, OPTIONS"}, {"/api/matches/ended0", "GET, HEAD, OPTIONS"},
		{"/api/matches/ended0/stream", "GET, HEAD, OPTIONS"}, {"/api/matches.ndjson", "GET, HEAD, OPTIONS"},
		{"/api/session", "GET, HEAD, POST, DELETE, OPTIONS"}, {"/api/players", "POST, OPTIONS"}, {"/account", "GET, HEAD, OPTIONS"},
		{"/api/account/tokens", "GET, HEAD, POST, OPTIONS"}, {"/api/account/tokens/abc", "DELETE, OPTIONS"}, {"/api/account/name", "POST, OPTIONS"}, {"/api/contests/cup/entry", "POST, DELETE, OPTIONS"},
		{"/api/contests/cup/here", "POST, OPTIONS"}, {"/contests/spring-cup/calendar.ics", "GET, HEAD, OPTIONS"},
		{"/api/submissions", "GET, HEAD, OPTIONS"}, {"/api/submissions/work", "GET, HEAD, OPTIONS"}, {"/api/games/roshambo/submissions", "GET, HEAD, POST, OPTIONS"},
		{"/api/games/roshambo/submissions/1", "GET, HEAD, DELETE, OPTIONS"}, {"/api/games/roshambo/submissions/1/active", "POST, OPTIONS"},
		{"/api/games/roshambo/submissions/1/source.zip", "GET, HEAD, OPTIONS"}, {"/api/games/roshambo/submissions/1/journals/ended0", "GET, HEAD, OPTIONS"},
	} {
		for _, method := range []string{"GET", "HEAD", "POST", "DELETE", "PUT", "PATCH", "TRACE", "OPTIONS", "BREW"} {
			if tt.path == "/api/lobby/events" && method == "GET" {
				continue // goes on
			}
			w := ask(s, method, tt.path)
			where := method + " " + tt.path
			allowed := slices.Contains(strings.Split(tt.methods, ", "), method)
			switch {
			case tt.methods == "":
				if w.Code != http.StatusNotFound {
					t.Errorf("%s: got %d, want 404", where, w.Code)
				}
			case method == "OPTIONS":
				if w.Code != http.StatusNoContent || w.Header().Get("Allow") != tt.methods {
					t.Errorf("%s: got %d with Allow: %q, want 204 with %q", where, w.Code, w.Header().Get("Allow"), tt.methods)
				}
			case !allowed:
				if w.Code != http.StatusMethodNotAllowed || w.Header().Get("Allow") != tt.methods {
					t.Errorf("%s: got %d with Allow: %q, want 405 with %q", where, w.Code, w.Header().Get("Allow"), tt.methods)
				}
				var refusal errorAnswer
				if err := json.Unmarshal(w.Body.Bytes(), &refusal); isAPI(tt.path) && (err != nil || !strings.Contains(refusal.Error, "use "+tt.methods)) {
					t.Errorf("%s: got %s, want an error that says what to use", where, w.Body)
				}
			case w.Code == http.StatusMethodNotAllowed || w.Code == http.StatusNotFound:
				t.Errorf("%s: got %d, want another answer", where, w.Code)
			}
		}
	}
}

func TestPagesOfOtherHostsReadOnlyPublicAnswers(t *testing.T) {
	s, _ := newSite(t)
	const origin = "https://elsewhere.example"
	for _, path := range []string{"/api/games", "/api/games/nothing", "/api/lobby", "/api/matches", "/api/matches/ended0", "/api/matches/ended0/stream", "/api/matches/running/clocks", "/api/contests/cup", "/api/openapi.json"} {
		for _, method := range []string{"GET", "HEAD"} {
			h := ask(s, method, path, "Origin", origin).Header()
			if h.Get("Access-Control-Allow-Origin") != "*" || h.Get("Access-Control-Allow-Credentials") != "" || !strings.Contains(h.Get("Access-Control-Expose-Headers"), "ETag, Retry-After") {
				t.Errorf("%s %s: got %v, want an answer that all pages can read, without cookies", method, path, h)
			}
		}
		w := ask(s, "OPTIONS", path, "Origin", origin, "Access-Control-Request-Method", "GET", "Access-Control-Request-Headers", "if-none-match")
		if h := w.Header(); w.Code != 204 || h.Get("Access-Control-Allow-Origin") != "*" || h.Get("Access-Control-Allow-Methods") != "GET, HEAD" || !strings.Contains(h.Get("Access-Control-Allow-Headers"), "If-None-Match") {
			t.Errorf("OPTIONS %s: got %d %v, want that all pages can read it", path, w.Code, h)
		}
	}
	for _, tt := range [][2]string{
		{"GET", "/api/session"}, {"POST", "/api/session"}, {"DELETE", "/api/session"}, {"OPTIONS", "/api/session"}, {"POST", "/api/players"}, {"OPTIONS", "/api/players"},
		{"GET", "/api/login"}, {"POST", "/api/login"}, {"POST", "/api/login/player"}, {"POST", "/api/device"}, {"POST", "/api/device/token"}, {"OPTIONS", "/api/device/answer"},
		{"POST", "/api/contests/cup/entry"}, {"DELETE", "/api/contests/cup/entry"}, {"POST", "/api/contests/cup/here"}, {"OPTIONS", "/api/contests/cup/entry"}, {"POST", "/api/games"}, {"PUT", "/api/matches/ended0"},
		{"GET", "/api/submissions"}, {"GET", "/api/submissions/work"}, {"OPTIONS", "/api/submissions"}, {"GET", "/api/games/roshambo/submissions"}, {"OPTIONS", "/api/games/roshambo/submissions/1"}, {"GET", "/api/games/roshambo/submissions/1/source.zip"},
		{"GET", "/"}, {"GET", "/match/ended0"}, {"GET", "/embed/ended0"}, {"GET", "/assets/match.js"}, {"OPTIONS", "/"}, {"OPTIONS", "/assets/match.js"}, {"OPTIONS", "/api/nothing"},
	} {
		if h := ask(s, tt[0], tt[1], "Origin", origin, "Access-Control-Request-Method", "POST").Header(); h.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s %s: got %v, want an answer that only pages of this host can read", tt[0], tt[1], h)
		}
	}
}

func TestAnswersAreSentOnceAndKeptOnlyIfTheyCannotChange(t *testing.T) {
	s, _ := newSite(t)
	for _, tt := range []struct{ path, cache string }{
		{"/api/games", "no-cache"}, {"/api/games/roshambo", "no-cache"}, {"/api/lobby", "no-cache"}, {"/api/serving", "no-cache"}, {"/api/hosts", "no-cache"}, {"/api/exports", "no-cache"}, {"/api/match.schema.json", "no-cache"},
		{"/api/matches", "no-cache"}, {"/api/matches/waiting", "no-cache"}, {"/api/matches/running", "no-cache"}, {"/api/matches/ended0", forever}, {"/api/matches/ended11", forever},
		{"/api/matches/ended0/stream", forever}, {"/api/contests", "no-cache"}, {"/api/contests/cup", "no-cache"}, {"/api/contests/cup/matches", "no-cache"},
		{"/api/contests/cup/standings.csv", "no-cache"}, {"/api/ratings/roshambo", "no-cache"}, {"/api/ratings/roshambo/ratings.csv", "no-cache"}, {"/api/players/ann", "no-cache"},
		{"/api/openapi.json", "no-cache"}, {"/match/ended0", "no-cache"}, {"/match/running", "no-cache"}, {"/games/roshambo", "no-cache"}, {"/embed/ended0", "no-cache"}, {"/", "no-cache"},
	} {
		first := get(s, tt.path)
		etag := first.Header().Get("ETag")
		if first.Code != 200 || first.Header().Get("Cache-Control") != tt.cache || etag == "" || !strings.Contains(first.Header().Get("Vary"), "Accept-Encoding") {
			t.Errorf("%s: got %d %v, want 200 with an ETag, Vary and Cache-Control: %s", tt.path, first.Code, first.Header(), tt.cache)
			continue
		}
		for _, known := range []string{etag, "W/" + etag, `"x", ` + etag, "*"} {
			if again := get(s, tt.path, "If-None-Match", known); again.Code != 304 || again.Body.Len() > 0 || again.Header().Get("ETag") != etag {
				t.Errorf("%s: got %d with If-None-Match: %s, want 304", tt.path, again.Code, known)
			}
		}
		if again := get(s, tt.path, "If-None-Match", `"x"`); again.Code != 200 {
			t.Errorf("%s: got %d with another ETag, want 200", tt.path, again.Code)
		}
	}
	for _, path := range []string{"/api/matches/nothing", "/api/nothing", "/nothing", "/api/session", "/api/matches/running/stream"} {
		if cache := get(s, path).Header().Get("Cache-Control"); cache != "no-store" {
			t.Errorf("%s: got Cache-Control: %q, want no-store", path, cache)
		}
	}
}

func TestPagesOfWhatDoesNotExistAreMissing(t *testing.T) {
	s, _ := newSite(t)
	for _, path := range []string{"/match/nothing", "/embed/nothing", "/games/nothing", "/contests/nothing", "/players/nobody", "/ladder/chess"} {
		w := get(s, path, "Accept", "text/html", "If-None-Match", "*")
		if w.Code != 404 || !strings.Contains(w.Body.String(), "<!doctype html>") {
			t.Errorf("%s: got %d, want a page with status 404", path, w.Code)
		}
	}
}

func TestLongTextsAreCompressed(t *testing.T) {
	s, _ := newSite(t)
	for _, path := range []string{"/api/matches.ndjson", "/api/contests/double/matches.ndjson", "/api/matches", "/match/ended0"} {
		plain, zipped := get(s, path, "Accept-Encoding", "br, gzip;q=0"), get(s, path, "Accept-Encoding", "deflate, gzip;q=0.5")
		if plain.Header().Get("Content-Encoding") != "" || plain.Body.Len() <= packet || zipped.Header().Get("Content-Encoding") != "gzip" {
			t.Errorf("%s: got %v with %d bytes and %v, want only the second in gzip", path, plain.Header(), plain.Body.Len(), zipped.Header())
			continue
		}
		z, err := gzip.NewReader(zipped.Body)
		if err != nil {
			t.Fatal(err)
		}
		if text, err := io.ReadAll(z); err != nil || string(text) != plain.Body.String() {
			t.Errorf("%s: got %d bytes, %v, want %d", path, len(text), err, plain.Body.Len())
		}
	}
	if w := ask(s, "HEAD", "/api/matches.ndjson"); w.Code != 200 || w.Body.Len() > 0 {
		t.Errorf("HEAD of an export: got %d with %d bytes, want 200 without a body", w.Code, w.Body.Len())
	}
}
