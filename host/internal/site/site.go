// Package site serves people: the pages for watching, replaying and playing
// matches in a browser, and an HTTP API for reading. The pages themselves are
// clients of the WebSocket protocol, as coco is one.
package site

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"colosseum/host/internal/catalog"
	"colosseum/host/internal/store"
	"colosseum/protocol"
)

// Games is what the site asks of the catalog.
type Games interface {
	List() []*catalog.Offer
}

// Lobby is what the site asks of the lobby.
type Lobby interface {
	List() []protocol.MatchInfo
	Info(id string) (protocol.MatchInfo, bool)
	Clocks(id string) (left map[string]time.Duration, running bool)
}

// Records is what the site asks of the store.
type Records interface {
	Get(ctx context.Context, id string) (*store.Record, error)
	Select(ctx context.Context, q store.Query) (page []*store.Record, next string, err error)
}

// Site is the handler of all requests that are no WebSocket.
type Site struct {
	games   Games
	lobby   Lobby
	records Records
	log     *slog.Logger
	mux     *http.ServeMux
	viewers viewers
	exports chan struct{} // one token a running export; full: more are refused
}

// maxExports bounds the exports at one time, each of which keeps a reader of
// the record busy.
const maxExports = 2

// writeTimeout is how long one answer may take to be written; an export has
// as long for each of its pages.
const writeTimeout = 30 * time.Second

// New returns a site.
func New(games Games, lobby Lobby, records Records, log *slog.Logger) *Site {
	s := &Site{games: games, lobby: lobby, records: records, log: log, mux: http.NewServeMux(), exports: make(chan struct{}, maxExports)}
	s.mux.HandleFunc("GET /{$}", page("index.html"))
	s.mux.HandleFunc("GET /match/{id}", page("match.html"))
	s.mux.HandleFunc("GET /games/{name}", page("game.html"))
	s.mux.HandleFunc("GET /games/{name}/viewer.js", s.viewer)
	s.mux.HandleFunc("GET /frame", frame)
	s.mux.HandleFunc("GET /api", page("api.html"))
	s.mux.HandleFunc("GET /assets/{name}", asset)
	s.mux.HandleFunc("GET /favicon.ico", icon)
	s.mux.HandleFunc("GET /api/games", s.listGames)
	s.mux.HandleFunc("GET /api/games/{name}", s.oneGame)
	s.mux.HandleFunc("GET /api/lobby", s.listLobby)
	s.mux.HandleFunc("GET /api/matches", s.listMatches)
	s.mux.HandleFunc("GET /api/matches.ndjson", s.exportMatches)
	s.mux.HandleFunc("GET /api/matches/{id}", s.oneMatch)
	s.mux.HandleFunc("GET /api/matches/{id}/clocks", s.clocks)
	s.mux.HandleFunc("GET /api/matches/{id}/stream", s.stream)
	s.mux.HandleFunc("GET /api/openapi.json", openAPI)
	s.mux.HandleFunc("/api/", func(w http.ResponseWriter, _ *http.Request) {
		refuse(w, http.StatusNotFound, "there is no such address: see /api/openapi.json")
	})
	s.mux.HandleFunc("/", missing)
	return s
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
	// A failure means that the connection can't have deadlines.
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(writeTimeout))
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
