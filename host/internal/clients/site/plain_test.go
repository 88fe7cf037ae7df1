package site

import (
	"html"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var tag = regexp.MustCompile(`<(/?)([a-z][a-z0-9]*)[^>]*>`)

// nesting returns the first fault in the nesting of the elements of a page, or "".
func nesting(page string) string {
	void := []string{"meta", "link", "img", "br", "hr", "input"}
	var open []string
	for _, m := range tag.FindAllStringSubmatch(page, -1) {
		switch n := len(open); {
		case slices.Contains(void, m[2]):
		case m[1] == "":
			open = append(open, m[2])
		case n == 0 || open[n-1] != m[2]:
			return m[0] + " in " + strings.Join(open, " ")
		default:
			open = open[:n-1]
		}
	}
	return strings.Join(open, " ")
}

func TestPagesCanBeReadWithoutJavaScript(t *testing.T) {
	plain, _ := newSite(t)
	s := under(plain, "/colosseum")
	for _, tt := range []struct {
		page  string
		wants []string
	}{
		{"/plain/", []string{"Matches now", "waiting for players", "Rock", "Results", "/plain/match/ended0", "(aborted)"}},
		{"/plain/matches?game=roshambo", []string{"ended0"}},
		{"/plain/match/ended0", []string{"rounds = 2", "<code>ROCK</code>", "out of time", `href="/colosseum/plain/players/Ann"`, `/api/matches/ended0/stream"`}},
		{"/plain/match/waiting", []string{">ann<", `href="/colosseum/plain/players/Ann"`}},
		{"/plain/match/running", []string{"rounds = 3"}},
		{"/plain/games/roshambo", []string{"<h1>roshambo</h1>", `<td align="center">b</td>`}},
		{"/plain/contests", []string{`href="/colosseum/plain/contests/cup"`, "● running"}},
		{"/plain/contests/cup", []string{"Standings", "ann", "/api/contests/cup/standings.csv"}},
		{"/plain/players/ann", []string{"Ratings", "Contests"}},
		{"/plain/ladder/roshambo", []string{"ann"}},
	} {
		w := get(s, tt.page)
		body := w.Body.String()
		if w.Code != 200 || w.Header().Get("ETag") == "" || strings.Contains(body, "<script") || strings.Contains(body, "javascript:") {
			t.Errorf("%s: got %d %v %s, want a page without scripts", tt.page, w.Code, w.Header(), body)
		}
		for _, want := range tt.wants {
			if !strings.Contains(body, want) && !strings.Contains(html.UnescapeString(body), want) {
				t.Errorf("%s: got %s, want it with %q", tt.page, body, want)
			}
		}
		if fault := nesting(body); fault != "" {
			t.Errorf("%s: got elements that are not closed: %s", tt.page, fault)
		}
		at, _ := url.Parse("http://example.com/colosseum" + tt.page)
		for _, m := range linked.FindAllStringSubmatch(body, -1) {
			link, err := at.Parse(html.UnescapeString(m[1]))
			if err != nil || !strings.HasPrefix(link.Path, "/colosseum/") {
				t.Errorf("%s: got the link %s, want one under the prefix", tt.page, m[1])
			} else if fake := strings.Contains(link.Path, "/match/cup-") || strings.Contains(link.Path, "/players/"); !fake && get(s, link.RequestURI()).Code != 200 {
				t.Errorf("%s: got no page for its link %s", tt.page, m[1]) // the records of the contests are fakes
			}
		}
		if body := get(s, tt.page, "Accept-Language", "it").Body.String(); !strings.Contains(body, ">Tornei</a>") {
			t.Errorf("%s: got %s, want it in Italian", tt.page, body)
		}
	}
	for _, path := range []string{"/plain/match/none", "/plain/games/none", "/plain/contests/none", "/plain/players/none", "/plain/ladder/none"} {
		if w := get(s, path); w.Code != 404 {
			t.Errorf("%s: got %d, want 404", path, w.Code)
		}
	}
}

func TestPagesLeadToThoseWithoutJavaScript(t *testing.T) {
	plain, _ := newSite(t)
	s := under(plain, "/colosseum")
	for _, path := range []string{"/", "/match/ended0", "/match/running", "/games/roshambo", "/contests", "/contests/cup", "/players/ann", "/ladder/roshambo"} {
		want := `<noscript><meta http-equiv="refresh" content="0; url=/colosseum/plain` + path + `"></noscript>`
		if body := get(s, path).Body.String(); strings.Count(body, want) != 1 {
			t.Errorf("%s: got %.1500s, want one %s", path, body, want)
		}
	}
	if body := get(s, "/login").Body.String(); strings.Contains(body, "http-equiv") || !strings.Contains(body, `<a href="/colosseum/plain/">`) {
		t.Errorf("the login: got %s, want a link to pages without JavaScript", body)
	}
}
