package site

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"colosseum/host/internal/games/catalog"
	"colosseum/protocol"
)

// requests has a request for each route of the site, and whether it needs a slot for
// long work.
var requests = []struct {
	path string
	work bool
}{
	{"/", false}, {"/match/running", false}, {"/embed/running", false}, {"/games/roshambo", false}, {"/games/roshambo/viewer.js", false}, {"/games/roshambo/players/player.py", false}, {"/games/roshambo/bot", false}, {"/botframe", false}, {"/api/downloads", false}, {"/download/coco-linux-amd64", false}, {"/frame", false}, {"/api", false},
	{"/assets/match.js", false}, {"/favicon.ico", false}, {"/api/games", false}, {"/api/games/roshambo", false}, {"/api/lobby", false}, {"/api/serving", false}, {"/hosts", false}, {"/api/hosts", false}, {"/exports", false}, {"/api/exports", false}, {"/exports/2025-03/manifest.json", false}, {"/api/match.schema.json", false},
	{"/api/matches", true}, {"/api/matches?player=nobody", true}, {"/api/matches.ndjson", true}, {"/api/matches/running", false}, {"/api/matches/ended0", true},
	{"/api/matches/running/clocks", false}, {"/api/matches/ended0/stream", true}, {"/api/openapi.json", false}, {"/api/session", false}, {"/api/nothing", false}, {"/nothing", false},
	{"/contests", false}, {"/contests/cup", false}, {"/contests/nothing", false}, {"/contests/cup/projector", false}, {"/players/ann", true}, {"/ladder/roshambo", false},
	{"/api/contests", false}, {"/api/contests/cup", false}, {"/api/contests/cup/standings.csv", true}, {"/api/contests/cup/matches", true},
	{"/api/contests/cup/matches.csv", true}, {"/api/contests/cup/matches.ndjson", true}, {"/api/ratings/roshambo", false},
	{"/api/ratings/roshambo/ratings.csv", true}, {"/api/players/ann", true},
}

func TestEveryRequestIsPaidFor(t *testing.T) {
	s, _ := newSite(t)
	readers := s.Readers.(*fakeReaders)
	for _, tt := range requests {
		readers.paid = 0
		if get(s, tt.path); readers.paid == 0 {
			t.Errorf("%s: got 0 points, want some", tt.path)
		}
	}
}

func TestAnAddressThatReadsTooMuchIsRefused(t *testing.T) {
	s, _ := newSite(t)
	s.Readers = &fakeReaders{retry: 1500 * time.Millisecond}
	schemas := readSchemas(t)
	for _, tt := range requests {
		w := get(s, tt.path)
		var v any
		if err := json.Unmarshal(w.Body.Bytes(), &v); w.Code != http.StatusTooManyRequests || w.Header().Get("Retry-After") != "2" || err != nil {
			t.Fatalf("%s: got %d %v %s, want 429 with Retry-After: 2", tt.path, w.Code, w.Header(), w.Body)
		}
		for _, fault := range schemas.faults(schemas.answer("/api/games", "429", "application/json"), v, tt.path) {
			t.Error(fault)
		}
	}
}

func TestReadersAreRefusedWhenAllTogetherReadTooMuch(t *testing.T) {
	s, _ := newSite(t)
	s.Readers = &fakeReaders{retry: 1500 * time.Millisecond, busy: true}
	for _, tt := range requests {
		w := get(s, tt.path)
		if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") != "2" || !strings.HasPrefix(w.Body.String(), `{"error":"too many requests at once`) {
			t.Errorf("%s: got %d %v %s, want 503 with Retry-After", tt.path, w.Code, w.Header(), w.Body)
		}
	}
}

func TestCheapRequestsDoNotWaitBehindLongOnes(t *testing.T) {
	s, _ := newSite(t)
	s.Readers = &fakeReaders{full: true}
	for _, tt := range requests {
		w := get(s, tt.path)
		if !tt.work {
			if w.Code == http.StatusServiceUnavailable {
				t.Errorf("%s: got 503, want an answer without a slot", tt.path)
			}
			continue
		}
		if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" || !strings.HasPrefix(w.Body.String(), `{"error":`) {
			t.Errorf("%s: got %d %v %s, want 503 with Retry-After", tt.path, w.Code, w.Header(), w.Body)
		}
	}
}

// slotRecorder records whether a slot is held while the answer is written.
type slotRecorder struct {
	*httptest.ResponseRecorder
	readers *fakeReaders
	working bool
}

func (r *slotRecorder) Write(b []byte) (int, error) {
	r.working = r.working || r.readers.working
	return r.ResponseRecorder.Write(b)
}

func TestASlowClientHoldsNoSlot(t *testing.T) {
	s, _ := newSite(t)
	for _, tt := range requests {
		w := &slotRecorder{ResponseRecorder: httptest.NewRecorder(), readers: s.Readers.(*fakeReaders)}
		w.readers.work = 0
		s.ServeHTTP(w, httptest.NewRequest("GET", tt.path, nil))
		if w.working || w.readers.working || (w.readers.work > 0) != tt.work {
			t.Errorf("%s: got %d slots, held during the write: %t, afterwards: %t; want none held", tt.path, w.readers.work, w.working, w.readers.working)
		}
	}
}

func TestLongAnswersCostMore(t *testing.T) {
	s, list := newSite(t)
	list[0].Rules = strings.Repeat("All about the game. ", 1000)
	const length = -1 // of the answer
	for _, tt := range []struct {
		path  string
		bytes int
	}{
		{"/api/matches?limit=10", 10 * recordBytes}, {"/api/matches?limit=1", recordBytes}, {"/api/matches?player=nobody&limit=500", 0},
		{"/api/games/roshambo", length}, {"/games/roshambo/players/player.py", length}, {"/api/downloads", length}, {"/download/coco-linux-amd64", length}, {"/api/matches/ended0", length}, {"/api/matches/ended0/stream", length}, {"/api/matches.ndjson", length},
		{"/api/contests", length}, {"/api/contests/cup", length}, {"/api/contests/cup/standings.csv", length}, {"/api/contests/cup/matches", length},
		{"/api/contests/cup/matches.csv", length}, {"/api/contests/cup/matches.ndjson", length}, {"/api/ratings/roshambo", length},
		{"/api/ratings/roshambo/ratings.csv", length}, {"/api/players/ann", length},
	} {
		c := s.Readers.(*fakeReaders)
		c.charged = 0
		w := get(s, tt.path)
		if tt.bytes == length {
			tt.bytes = w.Body.Len()
		}
		if c.charged != tt.bytes {
			t.Errorf("%s: got %d bytes charged, want %d", tt.path, c.charged, tt.bytes)
		}
	}
}

// changingCatalog is a catalog whose games change.
type changingCatalog struct {
	fakeCatalog
	generation uint64
}

func (s *changingCatalog) Generation() uint64 { return s.generation }

// changingLobby is a lobby whose matches change.
type changingLobby struct {
	fakeLobby
	generation uint64
	listed     int
}

func (s *changingLobby) Generation() uint64 { return s.generation }

func (s *changingLobby) List() []protocol.MatchInfo {
	s.listed++
	return s.fakeLobby
}

func TestAnswersAreRenderedOnceForEachGeneration(t *testing.T) {
	old, list := newSite(t)
	games, lobby := &changingCatalog{list, 1}, &changingLobby{old.Lobby.(fakeLobby), 1, 0}
	s := New(Parts{Games: games, Lobby: lobby, Serving: old.Serving, Records: old.Records, Readers: &fakeReaders{}}, quiet)
	bodies := func() (texts []string) {
		for _, path := range []string{"/api/games", "/api/games/tiny", "/api/lobby"} {
			first := get(s, path, "Accept-Encoding", "gzip")
			if again := get(s, path, "If-None-Match", first.Header().Get("ETag")); first.Code != 200 || again.Code != http.StatusNotModified {
				t.Errorf("%s: got %d and then %d, want 200 and 304", path, first.Code, again.Code)
			}
			texts = append(texts, get(s, path).Body.String())
		}
		return texts
	}
	before, document := bodies(), s.games.gameDocuments().list()
	if after := bodies(); !slices.Equal(before, after) || lobby.listed != 1 || s.games.gameDocuments().list() != document {
		t.Errorf("got %q and %d lists of the lobby, want %q and 1", after, lobby.listed, before)
	}
	games.fakeCatalog = fakeCatalog{{Name: "tiny", Title: "Tiny, but new", Rules: "# new"}}
	games.generation++
	lobby.fakeLobby = nil
	lobby.generation++
	after := bodies()
	if !strings.Contains(after[0], "but new") || !strings.Contains(after[1], `"description":"# new"`) || strings.Contains(after[2], "running") {
		t.Errorf("got %q, want the changed games and lobby", after)
	}
	if w := get(s, "/api/games/roshambo"); w.Code != 404 {
		t.Errorf("a removed game: got %d, want 404", w.Code)
	}
}

// BenchmarkCheap measures requests that need no slot, without HTTP.
func BenchmarkCheap(b *testing.B) {
	s := New(Parts{
		Games: fakeCatalog{&catalog.Offer{Name: "tiny", Rules: strings.Repeat("All about the game. ", 1000)}}, Lobby: fakeLobby{}, Readers: &fakeReaders{},
	}, quiet)
	for _, path := range []string{"/api/games", "/api/games/tiny", "/api/lobby", "/"} {
		b.Run(path, func(b *testing.B) {
			r := httptest.NewRequest("GET", path, nil)
			r.Header.Set("Accept-Encoding", "gzip")
			for b.Loop() {
				s.ServeHTTP(httptest.NewRecorder(), r)
			}
		})
	}
}
