package site

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"colosseum/host/internal/catalog"
	"colosseum/protocol"
)

// all are requests for everything that the site has, and whether they need work
// that others may have to wait for.
var all = []struct {
	path string
	work bool
}{
	{"/", false}, {"/match/running", false}, {"/games/roshambo", false}, {"/games/roshambo/viewer.js", false}, {"/frame", false}, {"/api", false},
	{"/assets/match.js", false}, {"/favicon.ico", false}, {"/api/games", false}, {"/api/games/roshambo", false}, {"/api/lobby", false},
	{"/api/matches", true}, {"/api/matches?player=nobody", true}, {"/api/matches.ndjson", true}, {"/api/matches/running", false}, {"/api/matches/ended0", true},
	{"/api/matches/running/clocks", false}, {"/api/matches/ended0/stream", true}, {"/api/openapi.json", false}, {"/api/nothing", false}, {"/nothing", false},
}

func TestEveryRequestIsPaidFor(t *testing.T) {
	for _, tt := range all {
		s, _ := newSite(t)
		get(s, tt.path)
		if c := s.readers.(*crowd); c.paid == 0 {
			t.Errorf("%s costs nothing", tt.path)
		}
	}
}

func TestWhoReadsTooMuchIsRefusedWithATime(t *testing.T) {
	s, _ := newSite(t)
	s.readers = &crowd{retry: 1500 * time.Millisecond}
	schemas := readSchemas(t)
	for _, tt := range all {
		w := get(s, tt.path)
		var v any
		if err := json.Unmarshal(w.Body.Bytes(), &v); w.Code != http.StatusTooManyRequests || w.Header().Get("Retry-After") != "2" || err != nil {
			t.Fatalf("%s: %d %v %s", tt.path, w.Code, w.Header(), w.Body)
		}
		for _, fault := range schemas.faults(schemas.answer("/api/games", "429", "application/json"), v, tt.path) {
			t.Error(fault)
		}
	}
}

func TestWhenAllReadTooMuchIsRefusedWithATime(t *testing.T) {
	s, _ := newSite(t)
	s.readers = &crowd{retry: 1500 * time.Millisecond, crowded: true}
	for _, tt := range all {
		w := get(s, tt.path)
		if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") != "2" || !strings.HasPrefix(w.Body.String(), `{"error":"too many requests at once`) {
			t.Errorf("%s: %d %v %s, want 503", tt.path, w.Code, w.Header(), w.Body)
		}
	}
}

func TestCheapRequestsDoNotWaitBehindLongOnes(t *testing.T) {
	s, _ := newSite(t)
	s.readers = &crowd{busy: true}
	for _, tt := range all {
		w := get(s, tt.path)
		if !tt.work {
			if w.Code == http.StatusServiceUnavailable {
				t.Errorf("%s waits", tt.path)
			}
			continue
		}
		if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" || !strings.HasPrefix(w.Body.String(), `{"error":`) {
			t.Errorf("%s: %d %v %s, want 503", tt.path, w.Code, w.Header(), w.Body)
		}
	}
}

// reader notes whether anybody was kept from working while it was written to.
type reader struct {
	*httptest.ResponseRecorder
	crowd   *crowd
	working bool
}

func (r *reader) Write(b []byte) (int, error) {
	r.working = r.working || r.crowd.working
	return r.ResponseRecorder.Write(b)
}

func TestAClientThatReadsSlowlyKeepsNobodyFromWorking(t *testing.T) {
	s, _ := newSite(t)
	for _, tt := range all {
		w := &reader{ResponseRecorder: httptest.NewRecorder(), crowd: s.readers.(*crowd)}
		w.crowd.work = 0
		s.ServeHTTP(w, httptest.NewRequest("GET", tt.path, nil))
		if w.working || w.crowd.working || (w.crowd.work > 0) != tt.work {
			t.Errorf("%s: worked %d times, while it was written: %t, afterwards: %t", tt.path, w.crowd.work, w.working, w.crowd.working)
		}
	}
}

func TestLongAnswersCostMore(t *testing.T) {
	s, list := newSite(t)
	list[0].Rules = strings.Repeat("All about the game. ", 1000)
	const length = -1 // that of the answer
	for _, tt := range []struct {
		path  string
		bytes int
	}{
		{"/api/matches?limit=10", 10 * recordBytes}, {"/api/matches?limit=1", recordBytes}, {"/api/matches?player=nobody&limit=500", 0},
		{"/api/games/roshambo", length}, {"/api/matches/ended0", length}, {"/api/matches/ended0/stream", length}, {"/api/matches.ndjson", length},
	} {
		c := s.readers.(*crowd)
		c.charged = 0
		w := get(s, tt.path)
		if tt.bytes == length {
			tt.bytes = w.Body.Len()
		}
		if c.charged != tt.bytes {
			t.Errorf("%s was charged as %d bytes, want %d", tt.path, c.charged, tt.bytes)
		}
	}
}

// shop offers games that change.
type shop struct {
	offers
	generation uint64
}

func (s *shop) Generation() uint64 { return s.generation }

// square is a lobby that changes.
type square struct {
	hall
	generation uint64
	listed     int
}

func (s *square) Generation() uint64 { return s.generation }

func (s *square) List() []protocol.MatchInfo {
	s.listed++
	return s.hall
}

func TestWhatDoesNotChangeIsMadeOnce(t *testing.T) {
	old, list := newSite(t)
	games, lobby := &shop{list, 1}, &square{old.lobby.(hall), 1, 0}
	s := New(games, lobby, old.records, &crowd{}, slog.New(slog.DiscardHandler))
	bodies := func() (texts []string) {
		for _, path := range []string{"/api/games", "/api/games/tiny", "/api/lobby"} {
			first := get(s, path, "Accept-Encoding", "gzip")
			if again := get(s, path, "If-None-Match", first.Header().Get("ETag")); first.Code != 200 || again.Code != http.StatusNotModified {
				t.Errorf("%s: %d and then %d, want 200 and 304", path, first.Code, again.Code)
			}
			texts = append(texts, get(s, path).Body.String())
		}
		return texts
	}
	before, document := bodies(), s.gameDocuments().list()
	if after := bodies(); !slices.Equal(before, after) || lobby.listed != 1 || s.gameDocuments().list() != document {
		t.Errorf("it was made again: got %q, want %q; the lobby was listed %d times", after, before, lobby.listed)
	}
	games.offers = offers{{Name: "tiny", Title: "Tiny, but new", Rules: "# new"}}
	games.generation++
	lobby.hall = nil
	lobby.generation++
	after := bodies()
	if !strings.Contains(after[0], "but new") || !strings.Contains(after[1], `"description":"# new"`) || strings.Contains(after[2], "running") {
		t.Errorf("the change is not to be seen: %q", after)
	}
	if w := get(s, "/api/games/roshambo"); w.Code != 404 {
		t.Errorf("a game that is gone: %d", w.Code)
	}
}

func TestAGameShowsAtOnceThatItsViewerCameOrWent(t *testing.T) {
	s, list := newSite(t)
	path := filepath.Join(list[0].Dir, "viewer.js")
	has := func(when string, want bool) {
		t.Helper()
		for _, address := range []string{"/api/games", "/api/games/roshambo"} {
			if got := bytes.Contains(get(s, address).Body.Bytes(), []byte(`"viewer"`)); got != want {
				t.Errorf("%s %s names a viewer: %t, want %t", when, address, got, want)
			}
		}
	}
	has("at first", true)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	has("when it is gone", false)
	if err := os.WriteFile(path, []byte("// back"), 0o644); err != nil {
		t.Fatal(err)
	}
	has("when it is back", true)
}

// BenchmarkCheap is what the requests cost that bypass the slots, without HTTP.
func BenchmarkCheap(b *testing.B) {
	s := New(offers{&catalog.Offer{Name: "tiny", Rules: strings.Repeat("All about the game. ", 1000)}}, hall{}, nil, &crowd{}, slog.New(slog.DiscardHandler))
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
