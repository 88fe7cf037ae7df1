package site

import (
	"net/http/httptest"
	"strings"
	"testing"

	"colosseum/host/internal/records/record"
	"colosseum/protocol"
)

func TestLinksToMatchesHaveAPreview(t *testing.T) {
	s, _ := newSite(t)
	readers := s.Readers.(*fakeReaders)
	for _, tt := range []struct {
		path   string
		secure bool
		want   []string
	}{
		{"/match/ended0", false, []string{"<title>ann beat Bot at Rock – Colosseum</title>", `property="og:title" content="ann beat Bot at Rock"`, `property="og:url" content="http://games.example:8088/match/ended0"`, "4 March 2025", "Bot answered too late."}},
		{"/embed/ended0", true, []string{`property="og:url" content="https://games.example:8088/match/ended0"`}},
		{"/match/ended11", false, []string{"(aborted)"}},
		{"/match/waiting", false, []string{"<title>Play tiny with ann – Colosseum</title>", "2 seats are free."}},
		{"/match/running", false, []string{"at Rock – Colosseum</title>", "playing now"}},
		{"/games/roshambo", false, []string{"<title>Rock – Colosseum</title>", `property="og:url" content="http://games.example:8088/games/roshambo"`}},
		{"/contests/spring-cup", false, []string{"A contest at "}},
		{"/players/ann", false, []string{"<title>ann – Colosseum</title>"}},
	} {
		readers.secure = tt.secure
		r := httptest.NewRequest("GET", tt.path, nil)
		r.Host = "games.example:8088"
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		for _, want := range append(tt.want, `<meta name="description" content="`, `name="twitter:card"`) {
			if !strings.Contains(w.Body.String(), want) {
				t.Errorf("%s: got %s, want %s", tt.path, w.Body, want)
			}
		}
	}
}

func TestPreviewsNameBotsByTheirLevels(t *testing.T) {
	s, _ := newSite(t)
	rec := record.Match{Game: "tiny", Params: map[string]string{"bot": "strong"}, Seats: []record.Seat{
		{Name: "ServerBot$0", Bot: true, Rank: 1}, {Name: "ServerBot$1", Bot: true, Level: "easy", Rank: 2},
	}}
	if got, want := s.previewRecord(&rec).Title, "Strong bot 1 beat Easy bot 2 at tiny"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	info := protocol.MatchInfo{Game: "tiny", Players: 2, Bots: 2, Running: true, Args: map[string]string{"bot": "random"}, Levels: []string{"easy"}}
	if got, want := s.previewListed(info).Title, "Easy bot 1 against Random bot 2 at tiny"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestPreviewsEscapeNames(t *testing.T) {
	s, _ := newSite(t)
	for _, m := range []record.Match{
		{Game: hostile, Seats: []record.Seat{{Name: hostile, Rank: 1}, {Name: `" onload="x`, Rank: 2}}},
		{Game: "tiny", Reason: hostile, Seats: []record.Seat{{Name: "</title><b>", Rank: 1}, {Name: "x\x00y", Rank: 1}}},
	} {
		w := httptest.NewRecorder()
		r := httptest.NewRequest("GET", "/match/x", nil)
		r.Host = `evil"><script>`
		s.sendPreviewed(w, r, "match.html", s.previewRecord(&m))
		text := w.Body.String()
		for _, bad := range []string{"<script>alert", `" onload="`, "</title><b>", `evil"`, "\x00"} {
			if strings.Contains(text, bad) {
				t.Errorf("got %q in %s, want it escaped", bad, text)
			}
		}
		if strings.Contains(text, "og:url") {
			t.Errorf("got an address with the host name %s, want none", r.Host)
		}
	}
}

func TestResultsAreSaidInTitles(t *testing.T) {
	s, _ := newSite(t)
	seats := func(ranks ...int) (list []record.Seat) {
		for i, rank := range ranks {
			list = append(list, record.Seat{Name: []string{"ann", "bob", "eve", "joe", "kim", "lea"}[i], Rank: rank})
		}
		return list
	}
	teams := func(seats []record.Seat, teams ...int) []record.Seat {
		for i, team := range teams {
			seats[i].Team = team
		}
		return seats
	}
	for _, tt := range []struct {
		seats  []record.Seat
		params map[string]string
		want   string
	}{
		{seats(2, 1), nil, "bob beat ann at Rock"},
		{seats(1, 1), nil, "ann and bob drew at Rock"},
		{seats(1, 2, 3), nil, "ann beat bob and eve at Rock"},
		{seats(1, 2, 1), nil, "ann and eve shared the first place at Rock"},
		{seats(2, 1, 3, 4, 5, 6), nil, "bob beat ann, eve, joe, kim and lea at Rock"},
		{seats(1), nil, "ann at Rock"},
		{teams(seats(1, 3, 1, 3), 1, 2, 1, 2), nil, "ann and eve beat bob and joe at Rock"},
		{teams(seats(1, 1, 3), 1, 0, 2), nil, "ann and bob shared the first place at Rock"},
		{teams(seats(1, 1), 1, 1), nil, "ann and bob at Rock"},
		{[]record.Seat{{Name: "ServerBot$0", Bot: true, Rank: 2}, {Name: "ann", Rank: 1}}, map[string]string{"bot": "easy"}, "ann beat Easy bot at Rock"},
		{[]record.Seat{{Name: "ServerBot$0", Bot: true, Rank: 2}, {Name: "ServerBot$1", Bot: true, Rank: 1}}, map[string]string{"bot": hostile}, "Bot 2 beat Bot 1 at Rock"},
	} {
		if got := s.previewRecord(&record.Match{Game: "roshambo", Seats: tt.seats, Params: tt.params}).Title; got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
}

func TestPreviewsOfEndedMatchesAreReadOnce(t *testing.T) {
	s, _ := newSite(t)
	readers := s.Readers.(*fakeReaders)
	for range 3 {
		get(s, "/match/ended0")
	}
	if readers.work != 1 {
		t.Errorf("got %d slots for three requests, want 1", readers.work)
	}
	readers.full = true
	if w := get(s, "/match/ended1"); w.Code != 200 || strings.Contains(w.Body.String(), "og:title") {
		t.Errorf("without a slot: got %d %s, want the page without a preview", w.Code, w.Body)
	}
	for i := range maxPreviews + 1 {
		s.matches.previews.keep(string(rune(i)), 1, preview{})
	}
	if n := len(s.matches.previews.byID); n > maxPreviews {
		t.Errorf("got %d previews kept, want at most %d", n, maxPreviews)
	}
}

func TestSitesThatCanShowMatchesAreInThePolicy(t *testing.T) {
	_, list := newSite(t)
	for _, tt := range []struct {
		embed []string
		want  string
	}{{nil, "frame-ancestors 'self'"}, {[]string{"https://school.example", "https://club.example:8443"}, "frame-ancestors 'self' https://school.example https://club.example:8443"}, {[]string{"*"}, "frame-ancestors 'self' *"}} {
		s := New(Parts{Games: list, Lobby: fakeLobby{}, Readers: &fakeReaders{}, Embed: tt.embed}, quiet)
		for path, want := range map[string]string{"/embed/x": tt.want, "/frame": tt.want, "/match/x": "frame-ancestors 'none'", "/": "frame-ancestors 'none'"} {
			s.Records = &fakeRecords{sent: func() int { return 0 }}
			if got := get(s, path).Header().Get("Content-Security-Policy"); !strings.HasSuffix(got, "; "+want) {
				t.Errorf("%s with %v: got %q, want it to end with %q", path, tt.embed, got, want)
			}
		}
	}
}

func TestThePagesCanBeInstalled(t *testing.T) {
	s, _ := newSite(t)
	w := get(s, "/assets/manifest.webmanifest")
	if w.Code != 200 || w.Header().Get("Content-Type") != "application/manifest+json" || !strings.Contains(get(s, "/").Body.String(), `<link rel="manifest" href="/assets/manifest.webmanifest">`) {
		t.Errorf("got %d %v, want a manifest that pages link", w.Code, w.Header())
	}
	for _, icon := range []string{"icon.svg", "icon-192.png", "icon-512.png"} {
		if w2 := get(s, "/assets/"+icon); !strings.Contains(w.Body.String(), `"src": "`+icon+`"`) || w2.Code != 200 || !strings.HasPrefix(w2.Header().Get("Content-Type"), "image/") {
			t.Errorf("%s: got %d %v, want an icon of the manifest", icon, w2.Code, w2.Header())
		}
	}
}
