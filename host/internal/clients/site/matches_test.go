package site

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"colosseum/host/internal/records/record"
	"colosseum/host/internal/records/store"
)

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
		{"/api/downloads", "/api/downloads", 200},
		{"/api/exports", "/api/exports", 200},
		{"/api/match.schema.json", "/api/match.schema.json", 200},
		{"/api/lobby", "/api/lobby", 200},
		{"/api/serving", "/api/serving", 200},
		{"/api/hosts", "/api/hosts", 200},
		{"/api/matches", "/api/matches", 200},
		{"/api/matches?limit=3&game=tiny&player=ann&state=finished&since=2025-03-04T12:01:00Z&until=2026-01-01T00:00:00%2B01:00", "/api/matches", 200},
		{"/api/matches?player=ann&opponent=bot:strong&result=lost&limit=2", "/api/matches", 200},
		{"/api/matches?player=ann&result=best", "/api/matches", 400},
		{"/api/matches?opponent=bob", "/api/matches", 400},
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
		{"/api/matches/ended0/analysis", "/api/matches/{id}/analysis", 200},
		{"/api/matches/ended3/analysis", "/api/matches/{id}/analysis", 202},
		{"/api/matches/running/analysis", "/api/matches/{id}/analysis", 409},
		{"/api/matches/ended2/analysis", "/api/matches/{id}/analysis", 422},
		{"/api/matches/running/stream", "/api/matches/{id}/stream", 404},
		{"/api/matches.ndjson?limit=1", "/api/matches.ndjson", 200},
		{"/api/matches.ndjson?limit=-1", "/api/matches.ndjson", 400},
		{"/api/contests", "/api/contests", 200},
		{"/api/contests/spring-cup", "/api/contests/{name}", 200},
		{"/api/contests/autumn-league", "/api/contests/{name}", 200},
		{"/api/contests/cup", "/api/contests/{name}", 200},
		{"/api/contests/next", "/api/contests/{name}", 200},
		{"/api/contests/mark", "/api/contests/{name}", 200},
		{"/api/contests/nothing", "/api/contests/{name}", 404},
		{"/api/contests/cup/matches", "/api/contests/{name}/matches", 200},
		{"/api/contests/double/matches?round=2&state=finished&player=BOB&since=2025-02-01T00:00:00Z&limit=1", "/api/contests/{name}/matches", 200},
		{"/api/contests/cup/matches?round=0", "/api/contests/{name}/matches", 400},
		{"/api/contests/cup/matches?limit=5001", "/api/contests/{name}/matches", 400},
		{"/api/contests/cup/matches?state=over", "/api/contests/{name}/matches", 400},
		{"/api/contests/cup/matches?since=now", "/api/contests/{name}/matches", 400},
		{"/api/contests/cup/matches?rond=1", "/api/contests/{name}/matches", 400},
		{"/api/contests/nothing/matches", "/api/contests/{name}/matches", 404},
		{"/api/contests/nothing/matches.csv", "/api/contests/{name}/matches.csv", 404},
		{"/api/contests/nothing/matches.ndjson", "/api/contests/{name}/matches.ndjson", 404},
		{"/api/contests/nothing/standings.csv", "/api/contests/{name}/standings.csv", 404},
		{"/api/ratings/roshambo", "/api/ratings/{game}", 200},
		{"/api/ratings/tiny", "/api/ratings/{game}", 200},
		{"/api/ratings/chess", "/api/ratings/{game}", 404},
		{"/api/ratings/chess/ratings.csv", "/api/ratings/{game}/ratings.csv", 404},
		{"/api/players/ann", "/api/players/{name}", 200},
		{"/api/players/ann?since=2025-01-01T00:00:00Z", "/api/players/{name}", 200},
		{"/api/players/ann?since=now", "/api/players/{name}", 400},
		{"/api/players/eve", "/api/players/{name}", 200},
		{"/api/players/eve?since=2025-01-01T00:00:00Z", "/api/players/{name}", 200},
		{"/api/players/eve?since=now", "/api/players/{name}", 400},
		{"/api/players/nobody", "/api/players/{name}", 404},
		{"/api/matches/ended1", "/api/matches/{id}", 200},
		{"/api/openapi.json", "/api/openapi.json", 200},
		{"/api/session", "/api/session", 200},
	}
	covered := map[string]bool{
		"/api/lobby/events": true,                                                                                                                                                                                      // goes on: see events_test.go
		"/api/players":      true, "/api/contests/{name}/entry": true, "/api/contests/{name}/organize": true, "/api/contests/{name}/lineup": true, "/api/contests/{name}/here": true, "/api/contests/{name}/try": true, // only for changes
		"/api/contests/{name}/class": true, "/api/contests/{name}/class.csv": true, // only for organizers: see contestclass_test.go
		"/api/matches/{id}/stream": true, "/api/contests/{name}/matches.ndjson": true, // the 200 is not JSON
		"/api/contests/{name}/matches.csv": true, "/api/contests/{name}/standings.csv": true, "/api/ratings/{game}/ratings.csv": true,
	}
	for _, path := range []string{"", "/player"} { // of which login_test.go has the answers
		covered["/api/login"+path] = true
	}
	for _, path := range []string{"", "/token", "/code", "/answer"} { // the same
		covered["/api/device"+path] = true
	}
	for _, path := range []string{"/api/account/tokens", "/api/account/tokens/{id}", "/api/account/name"} { // of tokens_test.go
		covered[path] = true
	}
	for _, tt := range submissionRequests { // of which submissions_test.go has the answers
		covered[tt.path] = true
	}
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

func TestClocksAreThoseOfTheRunningMatch(t *testing.T) {
	s, _ := newSite(t)
	if got, want := get(s, "/api/matches/running/clocks", "Colosseum-Ticket", "my ticket").Body.String(), `{"clocks":[{"name":"ann","left":0},{"name":"bob","left":1.5}],`+
		`"players":[{"name":"ann","bank":0,"away":0},{"name":"bob","bank":60,"lag_ms":20},{"name":"eve","bank":3600}]}`+"\n"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	for _, ticket := range []string{"", "another"} {
		if got, want := get(s, "/api/matches/running/clocks", "Colosseum-Ticket", ticket).Body.String(), `{"clocks":[],"players":[{"name":"ann"}]}`+"\n"; got != want {
			t.Errorf("with the ticket %q: got %s, want what spectators see, %s", ticket, got, want)
		}
	}
}

func TestMatchWithAClockShowsItAndTheTimesLeft(t *testing.T) {
	s, _ := newSite(t)
	body := get(s, "/api/matches/ended0").Body.String()
	for _, want := range []string{
		`"clock":{"bank":60,"increment":0.5}`, `{"seat":0,"line":"ROCK","at":1,"left":59.5}`,
		`{"seat":1,"line":"\ufffd","outcome":"timeout","at":0,"note":"depth 9","lines":2}`, // a bot
	} {
		if !strings.Contains(strings.ReplaceAll(body, "\ufffd", `\ufffd`), want) {
			t.Errorf("got %s, want it to have %s", body, want)
		}
	}
	if body := get(s, "/api/matches/ended1").Body.String(); strings.Contains(body, "clock") || strings.Contains(body, `"left"`) {
		t.Errorf("got %s, want no clock", body)
	}
	if body := get(s, "/api/lobby").Body.String(); strings.Count(body, `"clock":{"bank":60,"increment":1}`) != 1 {
		t.Errorf("got %s, want one match with a clock", body)
	}
}

func TestASeedIsPublishedWhenTheMatchHasEnded(t *testing.T) {
	s, _ := newSite(t)
	if body := get(s, "/api/matches/running").Body.String(); strings.Contains(body, "seed") {
		t.Errorf("got %s, want no seed", body)
	}
	if body := get(s, "/api/matches/ended0").Body.String(); !strings.Contains(body, `"seed":"18446744073709551615"`) {
		t.Errorf("got %s, want the seed 18446744073709551615", body)
	} else if want := `"salt":"7369787465656e00012062797465732e","commitment":"` + (&record.Match{Salt: []byte("sixteen\x00\x01 bytes."), Seed: math.MaxUint64}).Commitment() + `"`; !strings.Contains(body, want) {
		t.Errorf("got %s, want it to have %s", body, want)
	}
	if body := get(s, "/api/matches/ended1").Body.String(); strings.Contains(body, "salt") || strings.Contains(body, "commitment") {
		t.Errorf("got %s, want no commitment in the record of an older host", body)
	}
}

func TestOneMatchShowsWhyAPlayerForfeited(t *testing.T) {
	s, _ := newSite(t)
	const fault = `"fault":{"line":"b","asked":"your\nmove","late_ms":12}`
	if body := get(s, "/api/matches/ended0").Body.String(); strings.Count(body, `"fault"`) != 1 || !strings.Contains(body, fault) {
		t.Errorf("got %s, want %s once", body, fault)
	}
	if body := get(s, "/api/matches").Body.String(); strings.Contains(body, `"fault"`) {
		t.Errorf("got %s, want no fault in a list", body)
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

// fakeRecords has the records of many matches. Each Select adds to written how many
// lines of an export have been sent.
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
			New(Parts{Games: fakeCatalog{}, Lobby: fakeLobby{}, Records: records, Readers: &fakeReaders{}}, quiet).ServeHTTP(w, httptest.NewRequest("GET", "/api/matches.ndjson"+tt.query, nil))
			if lines() != tt.lines || !slices.Equal(records.written, tt.want) {
				t.Errorf("got %d lines, %v before each page; want %d, %v", lines(), records.written, tt.lines, tt.want)
			}
		})
	}
}

func TestTooManyExportsAreRefused(t *testing.T) {
	s, _ := newSite(t)
	for range maxExports {
		s.exports.running <- struct{}{}
	}
	if w := get(s, "/api/matches.ndjson"); w.Code != 503 || w.Header().Get("Retry-After") == "" {
		t.Errorf("got status %d, want 503 with Retry-After", w.Code)
	}
	<-s.exports.running
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

func TestGameThatIsPreparedHasAStateOfItsOwn(t *testing.T) {
	s, _ := newSite(t)
	for path, want := range map[string]string{
		"/api/games/tiny":     `"unavailable":"it is being compiled","preparing":true,`,
		"/api/games/roshambo": "",
	} {
		body := get(s, path).Body.String()
		if got := strings.Contains(body, `"preparing"`); got != (want != "") || !strings.Contains(body, want) {
			t.Errorf("%s: got %s, want it to have %q", path, body, want)
		}
	}
}
