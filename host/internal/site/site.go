// Package site serves people: the pages for watching, replaying and playing
// matches in a browser, and an HTTP API for reading. The pages themselves are
// clients of the WebSocket protocol, as coco is one.
package site

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"strconv"
	"time"

	"colosseum/host/internal/catalog"
	"colosseum/host/internal/rendered"
	"colosseum/host/internal/store"
	"colosseum/protocol"
)

// Games is what the site asks of the catalog.
type Games interface {
	List() []*catalog.Offer
	Generation() uint64 // of List
}

// Lobby is what the site asks of the lobby.
type Lobby interface {
	List() []protocol.MatchInfo
	Generation() uint64 // of List
	Info(id string) (protocol.MatchInfo, bool)
	Clocks(id string) (left map[string]time.Duration, running bool)
}

// Records is what the site asks of the store.
type Records interface {
	Get(ctx context.Context, id string) (*store.Record, error)
	Select(ctx context.Context, q store.Query) (page []*store.Record, next string, err error)
}

// Readers bounds what all readers cost together, here and on WebSockets: who
// plays must not be slowed down by who reads.
type Readers interface {
	// Pay takes points for a request off what its client's address may read, and
	// all clients together, and may wait for them. When there are none, it returns
	// how long the client should stay away, and else 0. Busy says that all
	// together read too much.
	Pay(r *http.Request, points int) (retry time.Duration, busy bool)
	// Charge takes off what an answer of so many bytes costs beyond the request.
	// It returns how long the client would have had to wait for that.
	Charge(r *http.Request, bytes int) (wait time.Duration)
	// Work waits until what takes long may be done, which is until done is
	// called. Not ok: too many others wait, or ctx has ended.
	Work(ctx context.Context) (done func(), ok bool)
}

// Site is the handler of all requests that are no WebSocket.
type Site struct {
	games   Games
	lobby   Lobby
	records Records
	readers Readers
	log     *slog.Logger
	rules   rendered.Cache[gamesKey, *gameDocuments]
	matches rendered.Cache[uint64, *document]
	viewers viewers
	mux     *http.ServeMux
	exports chan struct{} // one token a running export; full: more are refused
}

// maxExports bounds the exports at one time, each of which keeps a reader of
// the record busy.
const maxExports = 2

// writeTimeout is how long one answer may take to be written; an export has
// as long for each of its pages.
const writeTimeout = 30 * time.Second

// New returns a site.
func New(games Games, lobby Lobby, records Records, readers Readers, log *slog.Logger) *Site {
	s := &Site{
		games: games, lobby: lobby, records: records, readers: readers, log: log, mux: http.NewServeMux(),
		exports: make(chan struct{}, maxExports),
	}
	// The points of a request stand beside it. What is long, or not in memory,
	// costs more when it is known how much there is.
	for _, route := range []struct {
		pattern string
		points  int
		handler http.HandlerFunc
	}{
		{"GET /{$}", 1, page("index.html")},
		{"GET /match/{id}", 1, page("match.html")},
		{"GET /games/{name}", 1, page("game.html")},
		{"GET /games/{name}/viewer.js", 1, s.viewer},
		{"GET /frame", 1, frame},
		{"GET /api", 1, page("api.html")},
		{"GET /assets/{name}", 1, asset},
		{"GET /favicon.ico", 1, icon},
		{"GET /api/games", 1, s.listGames},
		{"GET /api/games/{name}", 1, s.oneGame},
		{"GET /api/lobby", 1, s.listLobby},
		{"GET /api/matches", 2, s.listMatches},
		{"GET /api/matches.ndjson", 20, s.exportMatches},
		{"GET /api/matches/{id}", 1, s.oneMatch},
		{"GET /api/matches/{id}/clocks", 1, s.clocks},
		{"GET /api/matches/{id}/stream", 2, s.stream},
		{"GET /api/openapi.json", 1, openAPI},
		{"/api/", 1, func(w http.ResponseWriter, _ *http.Request) {
			refuse(w, http.StatusNotFound, "there is no such address: see /api/openapi.json")
		}},
		{"/", 1, missing},
	} {
		s.mux.HandleFunc(route.pattern, s.paid(route.points, route.handler))
	}
	return s
}

// paid is a handler of requests that cost so many points.
func (s *Site) paid(points int, handler http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if retry, busy := s.readers.Pay(r, points); retry > 0 {
			seconds := int(math.Ceil(retry.Seconds()))
			w.Header().Set("Retry-After", strconv.Itoa(seconds))
			if busy {
				refuse(w, http.StatusServiceUnavailable, fmt.Sprintf("too many requests at once: try again in %d s", seconds))
			} else {
				refuse(w, http.StatusTooManyRequests, fmt.Sprintf("too many requests from your address: try again in %d s", seconds))
			}
			return
		}
		// A failure means that the connection can't have deadlines.
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(writeTimeout))
		handler(w, r)
	}
}

// work does what takes long when others leave room for it: f makes an answer,
// which the function that it returns sends. A client that reads slowly holds
// nobody up. It refuses when too many wait.
func (s *Site) work(w http.ResponseWriter, r *http.Request, f func(ctx context.Context) (send func())) {
	ctx, cancel := context.WithTimeout(r.Context(), queryTimeout)
	defer cancel()
	done, ok := s.readers.Work(ctx)
	if !ok {
		w.Header().Set("Retry-After", "5")
		refuse(w, http.StatusServiceUnavailable, "too many requests wait: try again later")
		return
	}
	send := func() func() {
		defer done()
		return f(ctx)
	}()
	send()
}

// policy is the Content-Security-Policy of all answers but the frame. Markup
// that got into a page could run nothing and reach nobody.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; frame-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// ServeHTTP answers one request.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("X-DNS-Prefetch-Control", "off")
	s.mux.ServeHTTP(w, r)
}

// find returns the offer under a name, also one that is unavailable.
func (s *Site) find(name string) *catalog.Offer {
	for _, o := range s.games.List() {
		if o.Name == name {
			return o
		}
	}
	return nil
}
