package site

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"colosseum/host/internal/contests/contest"
	"colosseum/host/internal/contests/pairing"
)

func contestsOf(s *Site) *fakeContests { return s.Contests.(*fakeContests) }

func decode[T any](t *testing.T, text string) (v T) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

func TestAHostWithoutContestsHasNone(t *testing.T) {
	old, list := newSite(t)
	s := New(Parts{Games: list, Lobby: old.Lobby, Serving: old.Serving, Records: old.Records, Readers: &fakeReaders{}}, quiet)
	if got, want := get(s, "/api/contests").Body.String(), `{"contests":[]}`+"\n"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	for path, want := range map[string]int{"/contests": 200, "/contests/cup": 404, "/players/ann": 404, "/ladder/roshambo": 200, "/ladder/chess": 404, "/api/contests/cup": 404, "/api/ratings/roshambo": 200, "/api/players/ann": 404} {
		if w := get(s, path); w.Code != want {
			t.Errorf("%s: got %d, want %d", path, w.Code, want)
		}
	}
}

func TestUnknownContestsAndPlayersHaveAPageOfTheirOwn(t *testing.T) {
	s, _ := newSite(t)
	for path, want := range map[string]int{
		"/contests/cup": 200, "/contests/nothing": 404, "/contests/%3Cb%3E": 404, "/contests/cup/projector": 200, "/contests/nothing/projector": 404,
		"/players/ann": 200, "/players/nobody": 404, "/ladder/tiny": 200, "/ladder/chess": 404,
	} {
		w := get(s, path, "Accept", "text/html")
		if w.Code != want || !strings.HasPrefix(w.Header().Get("Content-Type"), "text/html") {
			t.Errorf("%s: got %d %s, want a page with status %d", path, w.Code, w.Header().Get("Content-Type"), want)
		}
	}
}

func TestAContestHasItsRunningMatchesAndNoOthers(t *testing.T) {
	s, _ := newSite(t)
	body := get(s, "/api/contests/cup").Body.String()
	v := decode[struct {
		Matches []contest.MatchView
		Running []contest.MatchView
		Seed    string
	}](t, body)
	if len(v.Running) != 1 || v.Running[0].State != "running" || v.Matches != nil || v.Seed != "9223372036854775809" {
		t.Errorf("got %s, want one running match, no list of all, and the whole seed", body)
	}
}

func TestMatchesOfAContestAreSelected(t *testing.T) {
	s, _ := newSite(t)
	view, err := contestsOf(s).View(t.Context(), "cup")
	if err != nil {
		t.Fatal(err)
	}
	last := view.Matches[20].Ended
	tests := []struct {
		query string
		want  func(m contest.MatchView) bool
	}{
		{"", func(contest.MatchView) bool { return true }},
		{"round=2", func(m contest.MatchView) bool { return m.Round == 2 }},
		{"state=bye", func(m contest.MatchView) bool { return m.State == "bye" }},
		{"state=running", func(m contest.MatchView) bool { return m.State == "running" }},
		{"player=ANN", func(m contest.MatchView) bool { return slices.Contains(m.Seats, "ann") }},
		{"since=" + last.Format(time.RFC3339Nano), func(m contest.MatchView) bool { return m.State == "running" || !m.Ended.Before(last) }},
		{"round=2&player=bob&state=walkover", func(m contest.MatchView) bool {
			return m.Round == 2 && slices.Contains(m.Seats, "bob") && m.State == "walkover"
		}},
	}
	for _, tt := range tests {
		t.Run(tt.query, func(t *testing.T) {
			var want []contest.MatchView
			for _, m := range view.Matches {
				if tt.want(m) {
					want = append(want, m)
				}
			}
			if len(want) == 0 {
				t.Fatal("got no such match of the contest, want one")
			}
			for _, limit := range []int{1, 3, 5000} {
				var got []contest.MatchView
				for after := ""; ; {
					a := decode[contestMatchesAnswer](t, get(s, fmt.Sprintf("/api/contests/cup/matches?limit=%d&%s%s", limit, tt.query, after)).Body.String())
					if got = append(got, a.Matches...); a.Next == 0 {
						break
					}
					after = fmt.Sprint("&after=", a.Next)
				}
				if fmt.Sprint(got) != fmt.Sprint(want) {
					t.Errorf("with pages of %d: got %v, want %v", limit, got, want)
				}
			}
		})
	}
}

// FuzzContestQuery checks that a query is refused or selects a bounded page.
func FuzzContestQuery(f *testing.F) {
	for _, s := range []string{"", "round=1&state=bye&limit=3", "limit=0", "limit=5001", "since=2006-01-02T15:04:05Z", "after=99999999999", "after=-1", "x=1", "player=%00%ff"} {
		f.Add(s)
	}
	all := make([]contest.MatchView, 3)
	f.Fuzz(func(t *testing.T, text string) {
		r, err := http.NewRequest("GET", "/", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.URL.RawQuery = text
		q, err := contestQuery(r.URL.Query())
		if err != nil {
			return
		}
		if page, next := q.page(all); len(page) > min(q.limit, len(all)) || q.limit > maxMatches || next < 0 {
			t.Errorf("query %q: got %d matches and next %d, want a bounded page", text, len(page), next)
		}
	})
}

func TestAContestIsRenderedOnceForEachGeneration(t *testing.T) {
	s, _ := newSite(t)
	c := contestsOf(s)
	var tags []string
	for range 3 {
		first := get(s, "/api/contests/next")
		tags = append(tags, first.Header().Get("ETag"))
		if w := get(s, "/api/contests/next", "If-None-Match", tags[0]); w.Code != 304 || w.Body.Len() > 0 {
			t.Errorf("got %d and %d bytes, want 304 and none", w.Code, w.Body.Len())
		}
	}
	if c.viewed != 1 {
		t.Errorf("got %d views, want 1", c.viewed)
	}
	if err := c.Enter(t.Context(), "next", "zoe"); err != nil {
		t.Fatal(err)
	}
	if w := get(s, "/api/contests/next", "If-None-Match", tags[0]); w.Code != 200 || !strings.Contains(w.Body.String(), `"zoe"`) {
		t.Errorf("after a change: got %d %s, want the new entry", w.Code, w.Body)
	}
	for range 3 {
		get(s, "/api/contests/nothing")
	}
	if len(s.contests.views.of) != 1 {
		t.Errorf("got answers for %d names, want only that of the contest", len(s.contests.views.of))
	}
}

func TestUnchangedMatchesNeedNoSlotAndNoBytes(t *testing.T) {
	s, _ := newSite(t)
	const path = "/api/contests/cup/matches"
	tag := get(s, path).Header().Get("ETag")
	readers := &fakeReaders{full: true}
	s.Readers = readers
	if w := get(s, path, "If-None-Match", tag); w.Code != 304 || readers.work+readers.charged+w.Body.Len() > 0 {
		t.Errorf("got %d, %d slots, %d bytes, want 304 without any", w.Code, readers.work, readers.charged)
	}
	if err := contestsOf(s).Enter(t.Context(), "next", "zoe"); err != nil {
		t.Fatal(err)
	}
	if w := get(s, path, "If-None-Match", tag); w.Code != 503 {
		t.Errorf("after a change: got %d, want 503 without a slot", w.Code)
	}
	other, _ := newSite(t)
	if w := get(other, path, "If-None-Match", tag); w.Code != 200 {
		t.Errorf("from another host: got %d, want 200", w.Code)
	}
}

func TestContestsThatCannotBeReadAreAnError(t *testing.T) {
	s, _ := newSite(t)
	contestsOf(s).broken = errors.New("the disk is full")
	for _, path := range []string{"/api/contests", "/api/contests/cup", "/api/contests/cup/matches", "/api/contests/cup/matches.csv", "/api/contests/cup/standings.csv", "/api/ratings/roshambo", "/api/players/ann"} {
		if w := get(s, path); w.Code != 500 || strings.Contains(w.Body.String(), "disk") {
			t.Errorf("%s: got %d %s, want 500 without the reason", path, w.Code, w.Body)
		}
	}
	contestsOf(s).broken = nil
	if w := get(s, "/api/contests/cup"); w.Code != 200 {
		t.Errorf("afterwards: got %d, want 200", w.Code)
	}
}

// large returns contests with one that has many entries and matches.
func large(entries, matches int) *fakeContests {
	v := newView("large", "Large", pairing.Swiss, contest.Running, entries, time.Now())
	v.TieBreaks = []string{"buchholz", "sonneborn-berger"}
	for i := range matches {
		v.Matches = append(v.Matches, contest.MatchView{
			ID: fmt.Sprintf("m%012d", i), Round: i/(entries/2) + 1, Slot: i%(entries/2) + 1, Pairing: i + 1, Leg: 1, Seats: []string{"player-number-1", "player-number-2"},
			State: "finished", Points: []float64{1, 0}, Ranks: []int{1, 2}, Outcome: []string{"finished", "forfeit: disconnected"}, Ended: v.Created.Add(time.Duration(i) * time.Second),
		})
	}
	return &fakeContests{generation: 1, views: []*contest.View{v}}
}

func TestALargeContestSendsPollersOnlyWhatIsNew(t *testing.T) {
	s, _ := newSite(t)
	s.Contests = large(1000, 40_000)
	c := contestsOf(s)
	w := get(s, "/api/contests/large", "Accept-Encoding", "gzip")
	if w.Body.Len() > 60_000 {
		t.Errorf("got %d bytes of standings, want at most 60,000", w.Body.Len())
	}
	if again := get(s, "/api/contests/large", "If-None-Match", w.Header().Get("ETag")); again.Code != 304 || again.Body.Len() > 0 {
		t.Errorf("got %d and %d bytes, want 304 and none", again.Code, again.Body.Len())
	}
	last := c.views[0].Matches[39_990].Ended.Format(time.RFC3339Nano)
	if a := decode[contestMatchesAnswer](t, get(s, "/api/contests/large/matches?since="+strings.ReplaceAll(last, "+", "%2B")).Body.String()); len(a.Matches) != 10 {
		t.Errorf("got %d matches, want the 10 that are new", len(a.Matches))
	}
	if w := get(s, "/api/contests/large/matches"); w.Body.Len() > 1<<20 || decode[contestMatchesAnswer](t, w.Body.String()).Next != usualMatches {
		t.Errorf("got %d bytes, want a page of at most a megabyte", w.Body.Len())
	}
	readers := s.Readers.(*fakeReaders)
	readers.work = 0
	if lines := strings.Count(get(s, "/api/contests/large/matches.ndjson").Body.String(), "\n"); lines != 40_000 || readers.work < 100 {
		t.Errorf("got %d lines in %d slots, want 40,000 in at least 100", lines, readers.work)
	}
}

func BenchmarkLargeContest(b *testing.B) {
	c := large(1000, 40_000)
	s := New(Parts{Games: fakeCatalog{}, Lobby: fakeLobby{}, Readers: &fakeReaders{}, Contests: c}, quiet)
	tag := get(s, "/api/contests/large").Header().Get("ETag")
	since := "/api/contests/large/matches?since=" + c.views[0].Matches[39_990].Ended.UTC().Format(time.RFC3339Nano)
	for _, bb := range []struct {
		name, path string
		header     []string
		changes    bool
	}{
		{"unchanged", "/api/contests/large", []string{"If-None-Match", tag}, false},
		{"changed", "/api/contests/large", []string{"Accept-Encoding", "gzip"}, true},
		{"matches since", since, nil, true},
		{"all matches", "/api/contests/large/matches.ndjson", nil, false},
	} {
		b.Run(bb.name, func(b *testing.B) {
			for b.Loop() {
				if bb.changes {
					c.generation++
				}
				get(s, bb.path, bb.header...)
			}
		})
	}
}

// TestOneAnswerIsKeptForAContest: the names of contests are found in any case.
func TestOneAnswerIsKeptForAContest(t *testing.T) {
	s, _ := newSite(t)
	for _, name := range []string{"cup", "Cup", "cUp", "CUP", "nothing"} {
		_ = get(s, "/api/contests/"+name)
	}
	s.contests.views.mu.Lock()
	defer s.contests.views.mu.Unlock()
	if got := len(s.contests.views.of); got != 1 {
		t.Errorf("got %d answers kept for one contest, want 1", got)
	}
}
