package site

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"colosseum/host/internal/catalog"
	"colosseum/host/internal/record"
	"colosseum/host/internal/store"
	"colosseum/internal/gamedir"
	"colosseum/protocol"
	"colosseum/sdk"
)

type fakeCatalog []*catalog.Offer

func (o fakeCatalog) List() []*catalog.Offer { return o }
func (o fakeCatalog) Generation() uint64     { return 1 }

type fakeLobby []protocol.MatchInfo

func (h fakeLobby) List() []protocol.MatchInfo { return h }
func (h fakeLobby) Generation() uint64         { return 1 }

func (h fakeLobby) Info(id string) (protocol.MatchInfo, bool) {
	for _, m := range h {
		if m.ID == id {
			return m, true
		}
	}
	return protocol.MatchInfo{}, false
}

func (h fakeLobby) Clocks(id string) (map[string]time.Duration, bool) {
	m, ok := h.Info(id)
	return map[string]time.Duration{"bob": 1500 * time.Millisecond, "ann": 0}, ok && m.Running
}

// fakeReaders counts the points and bytes of readers.
type fakeReaders struct {
	retry   time.Duration // result of Pay
	crowded bool          // result of Pay
	busy    bool          // Work is not ok
	paid    int           // points
	charged int           // bytes
	work    int           // calls of Work
	working bool          // between Work and done
}

func (c *fakeReaders) Pay(_ *http.Request, points int) (time.Duration, bool) {
	c.paid += points
	return c.retry, c.crowded
}

func (c *fakeReaders) Charge(_ *http.Request, bytes int) time.Duration {
	c.charged += bytes
	return 0
}

func (c *fakeReaders) Work(context.Context) (done func(), ok bool) {
	c.work++
	if c.busy {
		return nil, false
	}
	c.working = true
	return func() { c.working = false }, true
}

const hostile = `<script>alert(1)</script>"'&`

// newSite returns a site with two games, one of them with a viewer, and a waiting,
// a running and twelve ended matches.
func newSite(t *testing.T) (*Site, fakeCatalog) {
	t.Helper()
	records, err := store.Open(context.Background(), filepath.Join(t.TempDir(), "record.db"), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = records.Close() })
	noon := time.Date(2025, 3, 4, 12, 0, 0, 0, time.UTC)
	for i := range 12 {
		r := &record.Match{
			ID: fmt.Sprintf("ended%d", i), Name: hostile, Game: []string{"roshambo", "tiny"}[i%2], Plugin: "roshambo", Version: "v1",
			Params: map[string]string{"rounds": "2"}, Timeout: 30, Seed: math.MaxUint64, State: record.Finished,
			Seats:   []record.Seat{{Name: "ann", Score: 1, Rank: 1, Ended: "finished"}, {Name: hostile, Bot: true, Score: math.Inf(1), Rank: 2, Ended: "forfeit: timeout"}},
			Answers: []record.Answer{{Line: "ROCK", At: time.Second}, {Seat: 1, Outcome: "timeout", Line: "\xff"}},
			Stream:  []byte("ann\nbot\n\xff\n"), Started: noon, Ended: noon.Add(time.Duration(i) * time.Minute),
		}
		if i == 11 {
			r.State, r.Reason = record.Aborted, "the game failed"
		}
		if err := records.Finish(context.Background(), r); err != nil {
			t.Fatal(err)
		}
	}
	records.Begin(&record.Match{ID: "running", Seed: 7})
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "viewer.js"), []byte("export const start = 1;\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	list := fakeCatalog{
		{
			Name: "roshambo", Title: "Rock", Plugin: "roshambo", Version: "v1", Dir: dir, MinPlayers: 2, MaxPlayers: 2, MaxBots: 1, Timeout: 30,
			Rules:  "# roshambo\n\n" + hostile + "\n\n[x](javascript:alert(1))\n\n| a |\n|:-:|\n| b |\n",
			Params: []sdk.Param{sdk.Int("rounds", "number of rounds", 10, 1, 9999), sdk.Float("pace", "seconds", 1, 0, 30), sdk.Choice("bot", "level", "strong", "random")},
		},
		{Name: "tiny", Plugin: "tiny", MinPlayers: 1, MaxPlayers: 3, Unavailable: "its process has ended"},
	}
	waiting := protocol.MatchInfo{ID: "waiting", Name: hostile, Game: "tiny", Players: 3, Timeout: 5, Args: map[string]string{}, Connected: []string{"ann"}, Time: 7}
	running := protocol.MatchInfo{ID: "running", Name: "r", Game: "roshambo", Players: 2, Args: map[string]string{"rounds": "3"}, Connected: []string{}, Running: true}
	return New(list, fakeLobby{waiting, running}, records, &fakeReaders{}, slog.New(slog.DiscardHandler)), list
}

func get(s http.Handler, path string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest("GET", path, nil)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}

func TestAnswersAreAsOpenAPIDescribesThem(t *testing.T) {
	s, _ := newSite(t)
	schemas := readSchemas(t)
	tests := []struct {
		request, path string
		status        int
	}{
		{"/api/games", "/api/games", 200},
		{"/api/games/roshambo", "/api/games/{name}", 200},
		{"/api/games/tiny", "/api/games/{name}", 200},
		{"/api/games/chess", "/api/games/{name}", 404},
		{"/api/lobby", "/api/lobby", 200},
		{"/api/matches", "/api/matches", 200},
		{"/api/matches?limit=3&game=tiny&player=ann&state=finished&since=2025-03-04T12:01:00Z&until=2026-01-01T00:00:00%2B01:00", "/api/matches", 200},
		{"/api/matches?limit=0", "/api/matches", 400},
		{"/api/matches?limit=501", "/api/matches", 400},
		{"/api/matches?state=running", "/api/matches", 400},
		{"/api/matches?since=yesterday", "/api/matches", 400},
		{"/api/matches?after=x", "/api/matches", 400},
		{"/api/matches?gmae=tiny", "/api/matches", 400},
		{"/api/matches/waiting", "/api/matches/{id}", 200},
		{"/api/matches/running", "/api/matches/{id}", 200},
		{"/api/matches/ended0", "/api/matches/{id}", 200},
		{"/api/matches/ended11", "/api/matches/{id}", 200},
		{"/api/matches/nothing", "/api/matches/{id}", 404},
		{"/api/matches/running/clocks", "/api/matches/{id}/clocks", 200},
		{"/api/matches/waiting/clocks", "/api/matches/{id}/clocks", 404},
		{"/api/matches/ended0/clocks", "/api/matches/{id}/clocks", 404},
		{"/api/matches/running/stream", "/api/matches/{id}/stream", 404},
		{"/api/matches.ndjson?limit=1", "/api/matches.ndjson", 200},
		{"/api/matches.ndjson?limit=-1", "/api/matches.ndjson", 400},
		{"/api/openapi.json", "/api/openapi.json", 200},
	}
	covered := map[string]bool{"/api/matches/{id}/stream": true} // its 200 is not JSON
	for _, tt := range tests {
		t.Run(tt.request, func(t *testing.T) {
			w := get(s, tt.request)
			if w.Code != tt.status {
				t.Fatalf("got status %d: %s, want %d", w.Code, w.Body, tt.status)
			}
			var v any
			if err := json.Unmarshal(w.Body.Bytes(), &v); err != nil {
				t.Fatal(err)
			}
			for _, fault := range schemas.faults(schemas.answer(tt.path, fmt.Sprint(tt.status), w.Header().Get("Content-Type")), v, "answer") {
				t.Error(fault)
			}
			if tt.status == 200 {
				covered[tt.path] = true
			}
		})
	}
	for path := range schemas.at("paths") {
		if !covered[path] {
			t.Errorf("got no answer of %s, want one", path)
		}
	}
}

func TestTheCheckOfAnswersFindsFaults(t *testing.T) {
	schemas := readSchemas(t)
	for _, bad := range []string{`{}`, `{"matches":7}`, `{"matches":[{"id":"x"}]}`, `{"matches":[],"more":1}`, `{"matches":[],"next":null}`, `[]`} {
		var v any
		if err := json.Unmarshal([]byte(bad), &v); err != nil {
			t.Fatal(err)
		}
		if len(schemas.faults(schemas.answer("/api/matches", "200", "application/json"), v, "")) == 0 {
			t.Errorf("got no fault in %s, want one", bad)
		}
	}
}

func TestClocksAreThoseOfTheRunningMatch(t *testing.T) {
	s, _ := newSite(t)
	if got, want := get(s, "/api/matches/running/clocks").Body.String(), `{"clocks":[{"name":"ann","left":0},{"name":"bob","left":1.5}]}`+"\n"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestASeedIsPublishedWhenTheMatchHasEnded(t *testing.T) {
	s, _ := newSite(t)
	if body := get(s, "/api/matches/running").Body.String(); strings.Contains(body, "seed") {
		t.Errorf("got %s, want no seed", body)
	}
	if body := get(s, "/api/matches/ended0").Body.String(); !strings.Contains(body, `"seed":"18446744073709551615"`) {
		t.Errorf("got %s, want the seed 18446744073709551615", body)
	}
}

func TestPagesOfMatchesFollowEachOther(t *testing.T) {
	s, _ := newSite(t)
	var got []string
	after := ""
	for {
		var page matchesAnswer
		if err := json.Unmarshal(get(s, "/api/matches?limit=5&after="+after).Body.Bytes(), &page); err != nil {
			t.Fatal(err)
		}
		for _, m := range page.Matches {
			got = append(got, m.ID)
		}
		if after = page.Next; after == "" {
			break
		}
	}
	if len(got) != 12 || got[0] != "ended11" || got[11] != "ended0" {
		t.Errorf("got %v, want ended11 to ended0", got)
	}
}

func TestAnExportHasEveryMatchWholeOnALine(t *testing.T) {
	s, _ := newSite(t)
	lines := bytes.Split(bytes.TrimSpace(get(s, "/api/matches.ndjson").Body.Bytes()), []byte("\n"))
	if len(lines) != 12 {
		t.Fatalf("got %d lines, want 12", len(lines))
	}
	for _, line := range lines {
		var m matchAnswer
		if err := json.Unmarshal(line, &m); err != nil || len(m.Answers) != 2 || m.Stream == nil {
			t.Errorf("got %s, %v, want a match with 2 answers and a stream", line, err)
		}
	}
}

// fakeRecords is a record of many matches. Each Select notes how many lines of an
// export have been written.
type fakeRecords struct {
	size    int
	sent    func() int // lines
	written []int
}

func (s *fakeRecords) Get(_ context.Context, id string) (*record.Match, error) {
	return &record.Match{ID: id, State: record.Finished}, nil
}

func (s *fakeRecords) Select(_ context.Context, q store.Query) (page []*record.Match, next string, err error) {
	s.written = append(s.written, s.sent())
	from := 0
	if q.After != "" {
		if from, err = strconv.Atoi(q.After); err != nil {
			return nil, "", err
		}
	}
	for i := from; i < min(from+q.Limit, s.size); i++ {
		page = append(page, &record.Match{ID: strconv.Itoa(i)})
	}
	if from+len(page) < s.size {
		next = strconv.Itoa(from + len(page))
	}
	return page, next, nil
}

func TestAnExportIsSentAsItIsRead(t *testing.T) {
	for _, tt := range []struct {
		query string
		lines int
		want  []int // written before each page was read
	}{
		{"", 250, []int{0, 100, 200}},
		{"?limit=130", 130, []int{0, 100}},
		{"?limit=100", 100, []int{0}},
	} {
		t.Run(tt.query, func(t *testing.T) {
			w := httptest.NewRecorder()
			lines := func() int { return bytes.Count(w.Body.Bytes(), []byte("\n")) }
			records := &fakeRecords{size: 250, sent: lines}
			New(fakeCatalog{}, fakeLobby{}, records, &fakeReaders{}, slog.New(slog.DiscardHandler)).ServeHTTP(w, httptest.NewRequest("GET", "/api/matches.ndjson"+tt.query, nil))
			if lines() != tt.lines || !slices.Equal(records.written, tt.want) {
				t.Errorf("got %d lines, %v before each page; want %d, %v", lines(), records.written, tt.lines, tt.want)
			}
		})
	}
}

func TestAMissingPageLinksToTheLobby(t *testing.T) {
	s, _ := newSite(t)
	w := get(s, "/nowhere", "Accept", "text/html,*/*")
	if w.Code != 404 || !strings.HasPrefix(w.Header().Get("Content-Type"), "text/html") || !strings.Contains(w.Body.String(), `<a href="/">`) {
		t.Errorf("got %d %s %s, want a page with status 404", w.Code, w.Header().Get("Content-Type"), w.Body)
	}
	if w := get(s, "/nowhere"); w.Code != 404 || !strings.HasPrefix(w.Header().Get("Content-Type"), "text/plain") {
		t.Errorf("without Accept: got %d %s, want plain text with status 404", w.Code, w.Header().Get("Content-Type"))
	}
}

func TestTooManyExportsAreRefused(t *testing.T) {
	s, _ := newSite(t)
	for range maxExports {
		s.exports <- struct{}{}
	}
	if w := get(s, "/api/matches.ndjson"); w.Code != 503 || w.Header().Get("Retry-After") == "" {
		t.Errorf("got status %d, want 503 with Retry-After", w.Code)
	}
	<-s.exports
	if w := get(s, "/api/matches.ndjson"); w.Code != 200 {
		t.Errorf("got status %d, want 200", w.Code)
	}
}

func TestARawStreamHasTheBytesOfSpectators(t *testing.T) {
	s, _ := newSite(t)
	if got := get(s, "/api/matches/ended0/stream").Body.String(); got != "ann\nbot\n\xff\n" {
		t.Errorf("got %q, want the bytes of the record", got)
	}
}

func TestADescriptionBringsNoHTML(t *testing.T) {
	s, _ := newSite(t)
	var game gameAnswer
	if err := json.Unmarshal(get(s, "/api/games/roshambo").Body.Bytes(), &game); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"<script", "javascript:", "style="} {
		if strings.Contains(game.HTML, bad) {
			t.Errorf("got %s, want it without %s", game.HTML, bad)
		}
	}
	if !strings.Contains(game.HTML, "<h1>roshambo</h1>") || !strings.Contains(game.HTML, "<td align=\"center\">b</td>") {
		t.Errorf("got %s, want a heading and an aligned cell", game.HTML)
	}
}

func TestEveryAnswerForbidsForeignScripts(t *testing.T) {
	s, _ := newSite(t)
	for _, path := range []string{"/", "/match/x", "/games/roshambo", "/games/roshambo/viewer.js", "/assets/match.js", "/assets/nothing.js", "/api/lobby", "/nowhere", "/frame"} {
		h := get(s, path).Header()
		csp := h.Get("Content-Security-Policy")
		if !strings.Contains(csp, "default-src 'none'") || !strings.Contains(csp, "script-src '") || strings.Contains(csp, "script-src 'unsafe") {
			t.Errorf("%s: got policy %q, want one without foreign scripts", path, csp)
		}
		if h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Referrer-Policy") != "no-referrer" {
			t.Errorf("%s: got headers %v, want nosniff and no-referrer", path, h)
		}
	}
}

func TestNoPageHasAnInlineScript(t *testing.T) {
	for name, d := range documents() {
		if !strings.HasPrefix(d.kind, "text/html") || name == "frame" {
			continue
		}
		text := string(d.plain)
		for _, bad := range []string{"<style", " style=", " onclick=", "http:", "https:"} {
			if strings.Contains(text, bad) {
				t.Errorf("%s: got a page with %s, want none", name, bad)
			}
		}
		want := 1
		if name == "missing.html" {
			want = 0
		}
		if n := strings.Count(text, "<script"); n != want || n != strings.Count(text, `<script type="module" src="/assets/`) {
			t.Errorf("%s: got %d scripts, want %d from /assets/", name, n, want)
		}
	}
}

func TestOnlyTheFrameMayBeFramed(t *testing.T) {
	s, _ := newSite(t)
	if csp := get(s, "/match/x").Header().Get("Content-Security-Policy"); !strings.Contains(csp, "frame-ancestors 'none'") {
		t.Errorf("got policy %q, want frame-ancestors 'none'", csp)
	}
	csp := get(s, "/frame").Header().Get("Content-Security-Policy")
	if !strings.HasPrefix(csp, "sandbox allow-scripts;") || strings.Contains(csp, "connect-src") || strings.Contains(csp, "script-src 'self'") {
		t.Errorf("got policy %q, want a sandbox without connections", csp)
	}
}

func TestAViewerIsServedAsItsFileIsNow(t *testing.T) {
	s, list := newSite(t)
	w := get(s, "/games/roshambo/viewer.js")
	if w.Code != 200 || w.Body.String() != "export const start = 1;\n" || !strings.HasPrefix(w.Header().Get("Content-Type"), "text/plain") {
		t.Fatalf("got %d %s %v, want the file as plain text", w.Code, w.Body, w.Header())
	}
	if again := get(s, "/games/roshambo/viewer.js", "If-None-Match", w.Header().Get("ETag")); again.Code != 304 {
		t.Errorf("unchanged file: got status %d, want 304", again.Code)
	}
	path := filepath.Join(list[0].Dir, "viewer.js")
	if err := os.WriteFile(path, []byte("export const start = 22;\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if now := get(s, "/games/roshambo/viewer.js", "If-None-Match", w.Header().Get("ETag")); now.Code != 200 || !strings.Contains(now.Body.String(), "22") {
		t.Errorf("changed file: got %d %s, want 200 and the new text", now.Code, now.Body)
	}
}

func TestAGameWithoutAUsableViewerIsShownAsText(t *testing.T) {
	const outside = "viewer.js: it is or lies behind a link that leads out of the folder; a link inside must be relative"
	tests := []struct {
		name string
		make func(path string) error
		want string
	}{
		{"none", func(string) error { return nil }, "it has no viewer.js"},
		{"too large", func(path string) error { return os.WriteFile(path, make([]byte, maxViewer+1), 0o644) }, "viewer.js: it has more than 256 KiB"},
		{"a sparse file of 8 GiB", func(path string) error {
			return errors.Join(os.WriteFile(path, nil, 0o644), os.Truncate(path, 8<<30))
		}, "viewer.js: it has more than 256 KiB"},
		{"a folder", func(path string) error { return os.Mkdir(path, 0o755) }, "viewer.js: it is a folder, and not a regular file"},
		{"a named pipe", func(path string) error { return syscall.Mkfifo(path, 0o644) }, "viewer.js: it is a named pipe, and not a regular file"},
		{"a link to a device", func(path string) error { return os.Symlink("/dev/zero", path) }, outside},
		{"a link out of the folder", func(path string) error {
			secret := filepath.Join(t.TempDir(), "secret")
			return errors.Join(os.WriteFile(secret, []byte("secret"), 0o644), os.Symlink(secret, path))
		}, outside},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, list := newSite(t)
			list[0].Dir = t.TempDir()
			if err := tt.make(filepath.Join(list[0].Dir, "viewer.js")); err != nil {
				t.Fatal(err)
			}
			if w, want := get(s, "/games/roshambo/viewer.js"), "This game is shown as text: "+tt.want+"\n"; w.Code != 404 || w.Body.String() != want {
				t.Errorf("got %d %q, want 404 %q", w.Code, w.Body, want)
			}
			if body := get(s, "/api/games/roshambo").Body.String(); strings.Contains(body, `"viewer"`) {
				t.Errorf("got %s, want no viewer", body)
			}
		})
	}
}

func TestAFolderThatHangsDelaysOneRequest(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "viewer.js"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		list := fakeCatalog{{Name: "roshambo", Dir: dir}}
		s, server := New(list, fakeLobby{}, nil, &fakeReaders{}, slog.New(slog.DiscardHandler)), make(chan struct{})
		begin := time.Now()
		v := s.viewers.visit(list[0], func(*gamedir.Folder) viewer { <-server; return viewer{} })
		if d := time.Since(begin); !errors.Is(v.err, gamedir.ErrSilent) || d != viewerTimeout {
			t.Errorf("got %v after %v, want %v after %v", v.err, d, gamedir.ErrSilent, viewerTimeout)
		}
		begin = time.Now()
		if w := get(s, "/games/roshambo/viewer.js"); w.Code != 503 {
			t.Errorf("got %d %s, want 503", w.Code, w.Body)
		}
		if body := get(s, "/api/games").Body.String(); strings.Contains(body, `"viewer"`) {
			t.Errorf("got %s, want no viewer", body)
		}
		if d := time.Since(begin); d != 0 {
			t.Errorf("the next requests took %v, want 0s", d)
		}
		close(server)
		synctest.Wait()
		if w := get(s, "/games/roshambo/viewer.js"); w.Code != 200 {
			t.Errorf("afterwards: got %d %s, want 200", w.Code, w.Body)
		}
	})
}

func TestAssetsAreSentOnceAndSmall(t *testing.T) {
	s, _ := newSite(t)
	w := get(s, "/assets/match.js", "Accept-Encoding", "gzip, br")
	if w.Header().Get("Content-Encoding") != "gzip" || w.Body.Len() >= len(documents()["match.js"].plain) {
		t.Errorf("got %v, %d bytes, want fewer than %d in gzip", w.Header(), w.Body.Len(), len(documents()["match.js"].plain))
	}
	again := get(s, "/assets/match.js", "If-None-Match", w.Header().Get("ETag"))
	if again.Code != 304 || again.Body.Len() > 0 {
		t.Errorf("got status %d, want 304 without a body", again.Code)
	}
	if w := get(s, "/assets/index.html"); w.Code != 404 {
		t.Errorf("a page under /assets: got %d, want 404", w.Code)
	}
}

func TestLongAnswersAreCompressedOnRequest(t *testing.T) {
	s, list := newSite(t)
	list[0].Rules = strings.Repeat("All about the game. ", 1000)
	if err := os.WriteFile(filepath.Join(list[0].Dir, "viewer.js"), bytes.Repeat([]byte("// it draws\n"), 1000), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/api/games/roshambo", "/api/openapi.json", "/games/roshambo/viewer.js"} {
		plain, zipped := get(s, path), get(s, path, "Accept-Encoding", "gzip")
		if plain.Header().Get("Content-Encoding") != "" || zipped.Header().Get("Content-Encoding") != "gzip" || zipped.Header().Get("Vary") != "Accept-Encoding" {
			t.Errorf("%s: got %v and %v, want only the second in gzip", path, plain.Header(), zipped.Header())
			continue
		}
		z, err := gzip.NewReader(zipped.Body)
		if err != nil {
			t.Fatal(err)
		}
		if text, err := io.ReadAll(z); err != nil || !bytes.Equal(text, plain.Body.Bytes()) {
			t.Errorf("%s: got %d bytes, %v, want %d", path, len(text), err, plain.Body.Len())
		}
	}
	if w := get(s, "/api/matches/running/clocks", "Accept-Encoding", "gzip"); w.Header().Get("Content-Encoding") != "" {
		t.Error("got a short answer in gzip, want it uncompressed")
	}
}

func TestNothingCanBeChanged(t *testing.T) {
	s, _ := newSite(t)
	for _, method := range []string{"POST", "PUT", "DELETE", "PATCH"} {
		w := httptest.NewRecorder()
		s.ServeHTTP(w, httptest.NewRequest(method, "/api/matches", io.NopCloser(strings.NewReader("{}"))))
		if w.Code < 400 {
			t.Errorf("%s: got %d, want an error", method, w.Code)
		}
	}
}

// FuzzRender checks that a description becomes only HTML of Markdown.
func FuzzRender(f *testing.F) {
	for _, s := range []string{
		"# A *game*\n\n| a | b |\n|---|:-:|\n| 1 | 2 |\n", hostile, "[x](javascript:alert(1))", "![x](data:text/html,<script>)", "<javascript:x>",
		"[x]: javascript:x\n[x]", "[a](jAvAsCrIpT&#58;x)", "<a onclick=x>", "```<script>\n```", "&lt;script&gt;", "\xff\x00", "[a](\"onclick=\"x)",
		"[](javascript)", // a page of that name
	} {
		f.Add(s)
	}
	// The elements that goldmark creates.
	own := regexp.MustCompile(`^</?(h[1-6]|p|em|strong|code|pre|ul|ol|li|blockquote|hr|br|a|img|table|thead|tbody|tr|th|td|!-- raw HTML omitted --)( (href|src|alt|title|class|align|start)="[^"<>]*")*( /)?>`)
	address := regexp.MustCompile(`(?i)(href|src)="\s*((javascript|vbscript)(:|&)|data:text)`)
	f.Fuzz(func(t *testing.T, text string) {
		html := render(text)
		for rest := html; ; {
			i := strings.IndexByte(rest, '<')
			if i < 0 {
				break
			}
			rest = rest[i:]
			tag := own.FindString(rest)
			if tag == "" {
				t.Fatalf("rendering %q: got %q, want no markup like %.40q", text, html, rest)
			}
			rest = rest[len(tag):]
		}
		if address.MatchString(html) {
			t.Errorf("rendering %q: got %q, want no dangerous address", text, html)
		}
	})
}

// FuzzQuery checks that a query is refused or selects a bounded page.
func FuzzQuery(f *testing.F) {
	for _, s := range []string{"", "game=dama&state=finished&limit=3", "limit=0", "limit=501", "since=2006-01-02T15:04:05Z", "until=never", "state=running", "after=1.2", "after='", "x=1", "player=%00%ff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v, err := url.ParseQuery(text)
		if err != nil {
			return
		}
		q, err := query(v, usualPage, maxPage)
		if err == nil && (q.Limit < 1 || q.Limit > maxPage || q.State != "" && q.State != record.Finished && q.State != record.Aborted) {
			t.Errorf("query %q: got %+v, want a bounded page or an error", text, q)
		}
	})
}
