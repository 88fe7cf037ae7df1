package site

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"time"

	ics "github.com/arran4/golang-ical"

	"colosseum/host/internal/contests/contest"
)

// hereAnswer is the answer to a player that says that it is there.
type hereAnswer struct {
	Contest string    `json:"contest"`
	Player  string    `json:"player"`
	Until   time.Time `json:"until"`
}

// here notes that the client's player is there for its match.
func (s *contestPages) here(w http.ResponseWriter, r *http.Request) {
	if !read(w, r, &struct{}{}) {
		return
	}
	var until time.Time
	s.changeContest(w, r, func(ctx context.Context, name, player string) (err error) {
		until, err = s.Contests.Here(ctx, name, player)
		return err
	}, func(name, player string) any { return hereAnswer{name, player, until} })
}

// calendar sends the dates of a contest as a file for calendars (iCalendar, RFC 5545).
func (s *contestPages) calendar(w http.ResponseWriter, r *http.Request) {
	s.work(w, r, func(ctx context.Context) func() {
		view, err := s.Contests.View(ctx, r.PathValue("name"))
		if err != nil {
			return func() { s.fail(w, r, err) }
		}
		if len(view.Appointments) == 0 {
			return func() { refuse(w, http.StatusNotFound, "the contest has no dates") }
		}
		d := newDocument("text/calendar; charset=utf-8", calendarOf(view, s.origin(r)))
		s.Readers.Charge(r, len(d.plain))
		send := prepareDocument(w, r, d)
		return func() {
			w.Header().Set("Content-Disposition", `attachment; filename="`+view.Name+`.ics"`)
			send()
		}
	})
}

// calendarOf returns the dates of a contest. Their IDs stay the same when dates change, and
// are those of no other contest. Origin begins the addresses of this host; empty: unknown.
func calendarOf(v *contest.View, origin string) []byte {
	c := ics.NewCalendarFor("Colosseum")
	c.SetXWRCalName(v.Title)
	for _, a := range v.Appointments {
		e := c.AddEvent(fmt.Sprintf("%s.%s.%d@colosseum", a.ID, v.Name, v.Created.UnixMilli()))
		e.SetDtStampTime(v.Created)
		e.SetSequence(a.Changes)
		e.SetStartAt(a.At)
		if !a.Until.IsZero() {
			e.SetEndAt(a.Until)
		}
		e.SetSummary(a.Title)
		e.SetProperty(ics.ComponentPropertyTransp, string(ics.TransparencyTransparent)) // a round of days keeps nobody busy
		if origin != "" {
			e.SetURL(origin + "/contests/" + url.PathEscape(v.Name))
		}
	}
	return []byte(c.Serialize(ics.WithNewLineWindows))
}
