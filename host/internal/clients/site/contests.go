package site

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"

	"colosseum/host/internal/clients/rendered"
	"colosseum/host/internal/contests/contest"
)

// Contests are the contests of the host. What its methods return is not changed by
// anyone. Until the generation changes they return the same, and View and Ratings
// are cheap.
type Contests interface {
	Generation() uint64 // changes with anything that the other methods return
	// List returns the running contests first, then those that are paused, open and
	// ended, of each the newest first.
	List(ctx context.Context) ([]contest.Summary, error)
	// View returns a contest, or contest.ErrUnknown.
	View(ctx context.Context, name string) (*contest.View, error)
	// Ratings returns the ratings of a game, the best first, or contest.ErrUnknown if it
	// has no rated match.
	Ratings(ctx context.Context, game string) ([]contest.Standing, error)
	// Player returns a registered player, or a bot with a rating, or contest.ErrUnknown.
	Player(ctx context.Context, name string) (*contest.Profile, error)
	// Enter enters a registered player, and Withdraw withdraws it. They return
	// contest.ErrUnknown if there is no such contest; other errors are for the client.
	Enter(ctx context.Context, name, player string) error
	Withdraw(ctx context.Context, name, player string) error
}

// noContests are the contests of a host that has none.
type noContests struct{}

func (noContests) Generation() uint64                              { return 0 }
func (noContests) List(context.Context) ([]contest.Summary, error) { return nil, nil }
func (noContests) View(context.Context, string) (*contest.View, error) {
	return nil, contest.ErrUnknown
}
func (noContests) Ratings(context.Context, string) ([]contest.Standing, error) {
	return nil, contest.ErrUnknown
}
func (noContests) Player(context.Context, string) (*contest.Profile, error) {
	return nil, contest.ErrUnknown
}
func (noContests) Enter(context.Context, string, string) error    { return contest.ErrUnknown }
func (noContests) Withdraw(context.Context, string, string) error { return contest.ErrUnknown }

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

func (s *Site) contestListing(ctx context.Context) (*contestListing, error) {
	return s.listing.Get(s.contests.Generation, func() (*contestListing, error) {
		list, err := s.contests.List(ctx)
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
func (s *Site) contestPage(name string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		l, err := s.contestListing(r.Context())
		if err != nil {
			documents()[name].send(w, r) // it shows the error, and tries again
			return
		}
		c, ok := l.byName[r.PathValue("name")]
		if !ok {
			missing(w, r)
			return
		}
		s.sendPreviewed(w, r, name, s.previewContest(c))
	}
}

func (s *Site) ladderPage(w http.ResponseWriter, r *http.Request) {
	if _, err := s.ratingsDocument(r); errors.Is(err, contest.ErrUnknown) {
		missing(w, r)
		return
	}
	documents()["ladder.html"].send(w, r)
}

func (s *Site) playerPage(w http.ResponseWriter, r *http.Request) {
	s.work(w, r, func(ctx context.Context) func() {
		profile, err := s.contests.Player(ctx, r.PathValue("name"))
		return func() {
			switch {
			case errors.Is(err, contest.ErrUnknown):
				missing(w, r)
			case err != nil:
				documents()["player.html"].send(w, r) // it shows the error, and tries again
			default:
				s.sendPreviewed(w, r, "player.html", s.previewPlayer(profile))
			}
		}
	})
}

func (s *Site) listContests(w http.ResponseWriter, r *http.Request) {
	l, err := s.contestListing(r.Context())
	if err != nil {
		s.fail(w, r, err)
		return
	}
	s.send(w, r, l.list)
}

func (s *Site) oneContest(w http.ResponseWriter, r *http.Request) {
	name := strings.ToLower(r.PathValue("name")) // otherwise each way to write it would be kept
	d, err := s.views.get(name, s.contests.Generation, func() (*document, error) {
		view, err := s.contests.View(r.Context(), name)
		if err != nil {
			return nil, err
		}
		v := *view
		v.Leaders, v.Entries, v.TieBreaks, v.Standings = orEmpty(v.Leaders), orEmpty(v.Entries), orEmpty(v.TieBreaks), orEmpty(v.Standings)
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

func (s *Site) gameRatings(w http.ResponseWriter, r *http.Request) {
	d, err := s.ratingsDocument(r)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	s.send(w, r, d)
}

// ratingsDocument returns the ratings of the game in the path, once for all readers.
func (s *Site) ratingsDocument(r *http.Request) (*document, error) {
	game := r.PathValue("game")
	return s.ratings.get(game, s.contests.Generation, func() (*document, error) {
		list, err := s.standings(r.Context(), game)
		if err != nil {
			return nil, err
		}
		return newDocument("application/json", encode(ratingsAnswer{game, orEmpty(list)})), nil
	})
}

// standings returns the ratings of a game, which can be none.
func (s *Site) standings(ctx context.Context, game string) ([]contest.Standing, error) {
	list, err := s.contests.Ratings(ctx, game)
	if errors.Is(err, contest.ErrUnknown) && s.find(game) != nil {
		return nil, nil
	}
	return list, err
}

func (s *Site) onePlayer(w http.ResponseWriter, r *http.Request) {
	s.work(w, r, func(ctx context.Context) func() {
		profile, err := s.contests.Player(ctx, r.PathValue("name"))
		if err != nil {
			return func() { s.fail(w, r, err) }
		}
		p := *profile
		p.Games, p.Contests = slices.Clone(orEmpty(p.Games)), orEmpty(p.Contests)
		for i := range p.Games {
			g := &p.Games[i]
			g.History, g.Opponents = orEmpty(g.History), orEmpty(g.Opponents)
		}
		d := newDocument("application/json", encode(p))
		if zips(r, d.plain) {
			d.zipped() // in the slot
		}
		return func() { s.send(w, r, d) }
	})
}
