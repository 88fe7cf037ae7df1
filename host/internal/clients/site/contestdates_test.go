package site

import (
	"strings"
	"testing"
	"time"

	ics "github.com/arran4/golang-ical"

	"colosseum/host/internal/contests/players"
)

func TestPlayerSaysThatItIsThere(t *testing.T) {
	s, _, _ := accountSite(t)
	schemas := readSchemas(t)
	login := []string{"Cookie", players.Cookie + "=" + bobsToken}
	w := change(s, "POST", "/api/contests/spring-cup/here", "{}", login...)
	if w.Code != 200 || !strings.HasPrefix(w.Body.String(), `{"contest":"spring-cup","player":"bob","until":"`) || w.Header().Get("Cache-Control") != "no-store" {
		t.Fatalf("got %d %s, want that bob is there", w.Code, w.Body)
	}
	for _, fault := range schemas.faults(schemas.answerTo("post", "/api/contests/{name}/here", "200", "application/json"), decode[any](t, w.Body.String()), "answer") {
		t.Error(fault)
	}
	if body := get(s, "/api/contests/spring-cup").Body.String(); !strings.Contains(body, `"here":[{"entry":"bob","player":"bob","round":4,"until":"`) {
		t.Errorf("got %s, want bob there", body)
	}
	for _, tt := range []struct {
		name, contest string
		header        []string
		status        int
		text          string
	}{
		{"nobody", "spring-cup", nil, 401, ""},
		{"page of another host", "spring-cup", append(login, "Origin", "https://evil.example"), 403, ""},
		{"unknown contest", "nothing", login, 404, "there is no such contest"},
		{"no dates", "next", login, 409, "its matches begin by themselves"},
	} {
		if w := change(s, "POST", "/api/contests/"+tt.contest+"/here", "{}", tt.header...); w.Code != tt.status || !strings.Contains(w.Body.String(), tt.text) {
			t.Errorf("%s: got %d %s, want %d with %q", tt.name, w.Code, w.Body, tt.status, tt.text)
		}
	}
}

func TestCalendarOfAContest(t *testing.T) {
	s, _, _ := accountSite(t)
	read := func(header ...string) []*ics.VEvent {
		t.Helper()
		w := ask(s, "GET", "/contests/spring-cup/calendar.ics", header...)
		if w.Code != 200 || w.Header().Get("Content-Type") != "text/calendar; charset=utf-8" || w.Header().Get("Content-Disposition") != `attachment; filename="spring-cup.ics"` {
			t.Fatalf("got %d and the header %v, want a calendar", w.Code, w.Header())
		}
		text := w.Body.String()
		if strings.Count(text, "\n") != strings.Count(text, "\r\n") {
			t.Error("got lines that end without CR LF, want that of RFC 5545")
		}
		for line := range strings.SplitSeq(text, "\r\n") {
			if len(line) > 75 {
				t.Errorf("got a line of %d bytes, want at most 75: %q", len(line), line)
			}
		}
		c, err := ics.ParseCalendar(strings.NewReader(text))
		if err != nil {
			t.Fatalf("%v in %s", err, text)
		}
		return c.Events()
	}
	events := read("Host", "cup.example")
	if len(events) != 7 {
		t.Fatalf("got %d events, want one for each round", len(events))
	}
	view, err := s.contests.Contests.View(t.Context(), "spring-cup")
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]bool{}
	for i, e := range events {
		from, err := e.GetStartAt()
		to, err2 := e.GetEndAt()
		if w := view.Windows[i]; err != nil || err2 != nil || !from.Equal(w.Opens) || !to.Equal(w.Closes) {
			t.Errorf("round %d: got it from %v to %v, %v, %v, want %v", i+1, from, to, err, err2, w)
		}
		if got, want := e.GetProperty(ics.ComponentPropertySummary).Value, view.Appointments[i].Title; ics.FromText(got) != want && got != want {
			t.Errorf("got the title %q, want %q", got, want)
		}
		if got := e.GetProperty(ics.ComponentPropertyUrl).Value; !strings.HasSuffix(got, "/contests/spring-cup") || !strings.HasPrefix(got, "http://") {
			t.Errorf("got the address %q, want that of the page", got)
		}
		ids[e.Id()] = true
	}
	if len(ids) != 7 {
		t.Errorf("got %d different IDs, want 7", len(ids))
	}
	view.Appointments[0].At = view.Appointments[0].At.Add(time.Hour) // it was shifted
	if again := read()[0]; !ids[again.Id()] {
		t.Errorf("got the ID %s after a shift, want that of before", again.Id())
	}
	if w := get(s, "/contests/next/calendar.ics"); w.Code != 404 {
		t.Errorf("a contest without dates: got %d, want 404", w.Code)
	}
}
