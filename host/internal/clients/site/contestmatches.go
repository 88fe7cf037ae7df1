package site

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"colosseum/host/internal/contests/contest"
)

// Sizes of pages of the matches of a contest.
const (
	usualMatches = 1000
	maxMatches   = 5000
)

type contestMatchesAnswer struct {
	Matches []contest.MatchView `json:"matches"`
	Next    int                 `json:"next,omitempty"` // for the parameter after
}

// contestMatches sends matches of a contest. An unchanged answer needs no slot, since
// pages ask for it again and again.
func (s *contestPages) contestMatches(w http.ResponseWriter, r *http.Request) {
	q, err := contestQuery(r.URL.Query())
	if err != nil {
		refuse(w, http.StatusBadRequest, err.Error())
		return
	}
	etag := fmt.Sprintf(`"%s-%d"`, s.nonce, s.Contests.Generation()) // before View, so that a later change is noticed next time
	if known(r, etag) {
		(&document{etag: etag}).send(w, r)
		return
	}
	s.work(w, r, func(ctx context.Context) func() {
		view, err := s.Contests.View(ctx, r.PathValue("name"))
		if err != nil {
			return func() { s.fail(w, r, err) }
		}
		a := contestMatchesAnswer{Matches: []contest.MatchView{}}
		a.Matches, a.Next = q.page(view.Matches)
		d := newDocument("application/json", encode(a))
		d.etag = etag
		s.Readers.Charge(r, len(d.plain))
		return prepareDocument(w, r, d)
	})
}

// matchQuery selects matches of a contest.
type matchQuery struct {
	round  int       // 0: all
	state  string    // empty: all
	player string    // empty: all
	since  time.Time // those that ended at this time or later, or are running; zero: all
	after  int       // how many matches of the contest are left out
	limit  int
}

var matchStates = []string{"planned", "running", "finished", "walkover", "void", "bye"}

// contestQuery parses the filters of the matches of a contest.
func contestQuery(v url.Values) (matchQuery, error) {
	q := matchQuery{state: v.Get("state"), player: v.Get("player"), limit: usualMatches}
	for name := range v {
		switch name {
		case "round", "state", "player", "since", "after", "limit":
		default:
			return q, fmt.Errorf("%q is not a filter: use round, state, player, since, after or limit", name)
		}
	}
	if q.state != "" && !slices.Contains(matchStates, q.state) {
		return q, fmt.Errorf("state: one of %s", strings.Join(matchStates, ", "))
	}
	for _, number := range []struct {
		name      string
		into      *int
		from, top int
	}{{"round", &q.round, 1, contest.MaxRounds}, {"after", &q.after, 0, 1 << 40}, {"limit", &q.limit, 1, maxMatches}} {
		if text := v.Get(number.name); text != "" {
			n, err := strconv.Atoi(text)
			if err != nil || n < number.from || n > number.top {
				return q, fmt.Errorf("%s: a whole number from %d to %d", number.name, number.from, number.top)
			}
			*number.into = n
		}
	}
	if text := v.Get("since"); text != "" {
		t, err := time.Parse(time.RFC3339, text)
		if err != nil {
			return q, errors.New("since: a time like 2006-01-02T15:04:05Z")
		}
		q.since = t
	}
	return q, nil
}

// page returns the matches of a page, and where the next one begins; 0: it is the last.
func (q *matchQuery) page(all []contest.MatchView) (page []contest.MatchView, next int) {
	page = []contest.MatchView{}
	for i := q.after; i < len(all); i++ {
		m := &all[i]
		switch {
		case q.round != 0 && m.Round != q.round, q.state != "" && m.State != q.state:
		case q.player != "" && !slices.ContainsFunc(slices.Concat(m.Seats, m.Players), func(name string) bool { return strings.EqualFold(name, q.player) }):
		case !q.since.IsZero() && m.State != "running" && m.Ended.Before(q.since):
		case len(page) == q.limit:
			return page, i
		default:
			page = append(page, *m)
		}
	}
	return page, 0
}
