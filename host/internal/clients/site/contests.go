package site

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"colosseum/host/internal/clients/rendered"
	"colosseum/host/internal/contests/contest"
)

// contestPages answers requests for contests, ratings and players.
type contestPages struct {
	*shared
	exports *exports
	listing rendered.Cache[uint64, *contestListing]
	views   caches // of contests
	ratings caches // of games
	nonce   string // of this process, in ETags that depend on generations of contests
}

func newContests(s *shared, exports *exports) *contestPages {
	return &contestPages{shared: s, exports: exports, nonce: rand.Text()}
}

type contestsAnswer struct {
	Contests []contest.Summary `json:"contests"`
}

// contestAnswer is a contest without its matches, except those that run now.
type contestAnswer struct {
	*contest.View
	Matches []contest.MatchView `json:"matches,omitempty"` // always nil: it hides the field of View
	Running []contest.MatchView `json:"running"`
}

type ratingsAnswer struct {
	Game    string             `json:"game"`
	Ratings []contest.Standing `json:"ratings"`
}

// contestListing is the list of contests.
type contestListing struct {
	byName map[string]contest.Summary
	list   *document
}

// caches hold answers by name. A name is only kept if there is an answer for it, so
// their number is that of the contests or games.
type caches struct {
	mu sync.Mutex // guards the field below
	of map[string]*rendered.Cache[uint64, *document]
}

// get returns the answer for a name in the current generation.
func (c *caches) get(name string, generation func() uint64, build func() (*document, error)) (*document, error) {
	c.mu.Lock()
	cache := c.of[name]
	c.mu.Unlock()
	if cache != nil {
		return cache.Get(generation, build)
	}
	cache = &rendered.Cache[uint64, *document]{}
	d, err := cache.Get(generation, build)
	if err == nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.of == nil {
			c.of = map[string]*rendered.Cache[uint64, *document]{}
		}
		c.of[name] = cache
	}
	return d, err
}

func (s *contestPages) contestListing(ctx context.Context) (*contestListing, error) {
	return s.listing.Get(s.Contests.Generation, func() (*contestListing, error) {
		list, err := s.Contests.List(ctx)
		if err != nil {
			return nil, err
		}
		l := &contestListing{byName: map[string]contest.Summary{}}
		a := contestsAnswer{[]contest.Summary{}}
		for _, c := range list {
			c.Leaders = orEmpty(c.Leaders)
			l.byName[c.Name] = c
			a.Contests = append(a.Contests, c)
		}
		l.list = newDocument("application/json", encode(a))
		return l, nil
	})
}

// orEmpty returns a list that is not null in JSON.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// contestPage returns a handler that sends a page of a contest that exists.
func (s *contestPages) contestPage(name string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		l, err := s.contestListing(r.Context())
		if err != nil {
			s.documents()[name].send(w, r) // it shows the error, and tries again
			return
		}
		c, ok := l.byName[r.PathValue("name")]
		if !ok {
			s.missing(w, r)
			return
		}
		p := s.previewContest(c)
		p.Plain = name == "contest.html"
		s.sendPreviewed(w, r, name, p)
	}
}

func (s *contestPages) ladderPage(w http.ResponseWriter, r *http.Request) {
	if _, err := s.ratingsDocument(r); errors.Is(err, contest.ErrUnknown) {
		s.missing(w, r)
		return
	}
	game := r.PathValue("game")
	s.sendPreviewed(w, r, "ladder.html", preview{Title: "Ratings of " + s.gameTitle(game), About: "The players of this host, by rating.", Game: game, Plain: true})
}

func (s *contestPages) playerPage(w http.ResponseWriter, r *http.Request) {
	s.work(w, r, func(ctx context.Context) func() {
		profile, err := s.Contests.Player(ctx, r.PathValue("name"))
		return func() {
			switch {
			case errors.Is(err, contest.ErrUnknown):
				s.missing(w, r)
			case err != nil:
				s.documents()["player.html"].send(w, r) // it shows the error, and tries again
			case !strings.EqualFold(profile.Name, r.PathValue("name")): // a former name; it can change again
				w.Header().Set("Cache-Control", "no-store")
				s.redirect(w, r, "/players/"+url.PathEscape(profile.Name), http.StatusFound)
			default:
				p := s.previewPlayer(profile)
				p.Plain = true
				s.sendPreviewed(w, r, "player.html", p)
			}
		}
	})
}

func (s *contestPages) listContests(w http.ResponseWriter, r *http.Request) {
	l, err := s.contestListing(r.Context())
	if err != nil {
		s.fail(w, r, err)
		return
	}
	s.send(w, r, l.list)
}

func (s *contestPages) oneContest(w http.ResponseWriter, r *http.Request) {
	name := strings.ToLower(r.PathValue("name")) // otherwise each way to write it would be kept
	d, err := s.views.get(name, s.Contests.Generation, func() (*document, error) {
		view, err := s.Contests.View(r.Context(), name)
		if err != nil {
			return nil, err
		}
		v := *view
		v.Leaders, v.Entries, v.TieBreaks, v.Standings = orEmpty(v.Leaders), orEmpty(v.Entries), orEmpty(v.TieBreaks), orEmpty(v.Standings)
		v.Organizers, v.Rulings = orEmpty(v.Organizers), orEmpty(v.Rulings)
		a := contestAnswer{View: &v, Running: []contest.MatchView{}}
		for _, m := range view.Matches {
			if m.State == "running" {
				a.Running = append(a.Running, m)
			}
		}
		return newDocument("application/json", encode(a)), nil
	})
	if err != nil {
		s.fail(w, r, err)
		return
	}
	s.send(w, r, d)
}

func (s *contestPages) gameRatings(w http.ResponseWriter, r *http.Request) {
	d, err := s.ratingsDocument(r)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	s.send(w, r, d)
}

// ratingsDocument returns the ratings of the game in the path, once for all readers.
func (s *contestPages) ratingsDocument(r *http.Request) (*document, error) {
	game := r.PathValue("game")
	return s.ratings.get(game, s.Contests.Generation, func() (*document, error) {
		list, err := s.standings(r.Context(), game)
		if err != nil {
			return nil, err
		}
		return newDocument("application/json", encode(ratingsAnswer{game, orEmpty(list)})), nil
	})
}

// standings returns the ratings of a game, which can be none.
func (s *contestPages) standings(ctx context.Context, game string) ([]contest.Standing, error) {
	list, err := s.Contests.Ratings(ctx, game)
	if errors.Is(err, contest.ErrUnknown) && s.find(game) != nil {
		return nil, nil
	}
	return list, err
}

func (s *contestPages) onePlayer(w http.ResponseWriter, r *http.Request) {
	var since time.Time
	if text := r.URL.Query().Get("since"); text != "" {
		var err error
		if since, err = time.Parse(time.RFC3339, text); err != nil {
			refuse(w, http.StatusBadRequest, "since: a time like 2006-01-02T15:04:05Z")
			return
		}
	}
	s.work(w, r, func(ctx context.Context) func() {
		profile, err := s.Contests.Player(ctx, r.PathValue("name"))
		if err != nil {
			return func() { s.fail(w, r, err) }
		}
		p := *profile
		p.Games, p.Contests = slices.Clone(orEmpty(p.Games)), orEmpty(p.Contests)
		for i := range p.Games {
			g := &p.Games[i]
			if !since.IsZero() {
				if g.History, err = s.Contests.History(ctx, p.Name, g.Game, since); err != nil {
					return func() { s.fail(w, r, err) }
				}
			}
			g.History, g.Opponents = orEmpty(g.History), orEmpty(g.Opponents)
		}
		d := newDocument("application/json", encode(p))
		if zips(r, d.plain) {
			d.zipped() // in the slot
		}
		return func() { s.send(w, r, d) }
	})
}
