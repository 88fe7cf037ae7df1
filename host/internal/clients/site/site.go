// Package site serves the pages for watching, replaying and playing matches in a
// browser, an HTTP API for reading, and the login. The pages are clients of the WebSocket
// protocol, like coco.
package site

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"colosseum/host/internal/clients/downloads"
	"colosseum/host/internal/clients/gamefiles"
	"colosseum/host/internal/clients/rendered"
	"colosseum/host/internal/cluster"
	"colosseum/host/internal/games/catalog"
	"colosseum/host/internal/play/lobby"
	"colosseum/host/internal/play/match"
	"colosseum/host/internal/play/serving"
	"colosseum/host/internal/records/record"
	"colosseum/host/internal/records/store"
	"colosseum/protocol"
)

// Games are the games of the catalog.
type Games interface {
	List() []*catalog.Offer
	Generation() uint64 // of List
}

// Lobby holds the waiting and running matches.
type Lobby interface {
	List() []protocol.MatchInfo
	Generation() uint64 // of List
	Info(id string) (protocol.MatchInfo, bool)
	ClocksFor(id string, player bool) (clocks []match.Clock, running bool)
	Snapshot() (infos []protocol.MatchInfo, generation uint64)
	Subscribe(s lobby.Subscriber, seed func() (generation uint64))
	Unsubscribe(s lobby.Subscriber)
}

// Clocks are those of the matches of other hosts.
type Clocks interface {
	// Clocks is ClocksFor of Lobby, for the client with a ticket, given its SHA-256. An
	// error means that the host of the match did not answer.
	Clocks(ctx context.Context, id string, ticket [32]byte) (clocks []match.Clock, running bool, err error)
}

// Seats are those of the players of this host.
type Seats interface {
	// Holds reports whether a ticket, given its SHA-256, is that of a seat in a match.
	Holds(id string, ticket [32]byte) bool
}

// Serving holds the players that serve.
type Serving interface {
	List() []serving.Player
	Generation() uint64 // of List
}

// Records are the records of the store.
type Records interface {
	Get(ctx context.Context, id string) (*record.Match, error)
	Select(ctx context.Context, q store.Query) (page []*record.Match, next string, err error)
}

// Readers bounds the cost of all reading, here and on WebSockets, so that reading
// never slows down matches.
type Readers interface {
	// Pay subtracts points for a request from the budgets of its address and of
	// all clients. It can wait for a short time. It returns 0, or how long the
	// client must wait before it tries again; busy reports that the budget of all
	// clients is used up.
	Pay(r *http.Request, points int) (retry time.Duration, busy bool)
	// Charge subtracts the cost of the bytes of an answer. It returns how long the
	// client must wait to stay within its budget.
	Charge(r *http.Request, bytes int) (wait time.Duration)
	// Work waits for a slot for long work; calling done frees it. It is not ok
	// when too many others are waiting, or ctx has ended.
	Work(ctx context.Context) (done func(), ok bool)
	// Follow counts an answer that goes on until its client leaves as one of the
	// client's connections, until done is called. The error is for the client.
	Follow(r *http.Request) (done func(), err error)
	// Client returns the address of a request as limits count it, and whether the
	// connection is encrypted, as far as the client sees it.
	Client(r *http.Request) (address string, encrypted bool)
}

// Players are the registered players. The errors are those of the package players.
type Players interface {
	Authenticate(ctx context.Context, address, token string) (player string, err error)
	Register(ctx context.Context, address, name, invite string) (token string, err error)
	Registration() string // players.Open, players.Invite or players.Closed
}

// Site is the handler of all requests that are not WebSockets.
type Site struct {
	games    Games
	lobby    Lobby
	serving  Serving
	records  Records
	readers  Readers
	registry Players // nil: none can register or log in
	contests Contests
	analyses Analyses            // nil: there are none
	hosts    Hosts               // nil: this host is alone
	alone    func() cluster.Host // see Parts; can be nil
	clocked  Clocks              // nil: this host is alone
	seats    Seats
	log      *slog.Logger
	rules    rendered.Cache[gamesKey, *gameDocuments]
	matches  rendered.Cache[uint64, *document]
	seeds    rendered.Cache[uint64, *lobbySeed]
	feed     *feed
	previews previews // of ended matches
	embed    string   // see Parts, as in a policy
	players  rendered.Cache[uint64, *document]
	hosting  rendered.Cache[hostsKey, *document]
	listing  rendered.Cache[uint64, *contestListing]
	views    caches // of contests
	ratings  caches // of games
	nonce    string // of this process, in ETags that depend on generations of contests
	files    *gamefiles.Files
	sent     sentFiles
	watched  bool // see Parts

	downloads   *downloads.Folder
	downloading chan struct{} // holds one value for each running download; full: more wait
	loading     shares        // of addresses in downloading

	mux     *http.ServeMux
	exports chan struct{} // holds one value for each running export; full: more are refused
}

// writeTimeout bounds writing an answer, or one part of an export.
const writeTimeout = 30 * time.Second

// Parts are what a site shows.
type Parts struct {
	Games   Games
	Lobby   Lobby
	Serving Serving
	Records Records
	Readers Readers
	Seats   Seats

	Players  Players  // nil: none can register or log in
	Contests Contests // nil: there are none
	Analyses Analyses // nil: there are none

	Embed []string // origins of sites that can show matches in a frame; "*": all

	// Of a host in a cluster; nil: this host is alone.
	Hosts  Hosts
	Clocks Clocks

	Downloads *downloads.Folder // nil: none are offered

	Watched bool // the host watches the folders of the games, so pages look for new viewers often

	Alone func() cluster.Host // describes a host that is alone, for the page of hosts
}

// New returns a site.
func New(p Parts, log *slog.Logger) *Site {
	s := &Site{
		games: p.Games, lobby: p.Lobby, serving: p.Serving, records: p.Records, readers: p.Readers, registry: p.Players, log: log, mux: http.NewServeMux(),
		exports: make(chan struct{}, maxExports), feed: newFeed(p.Lobby), contests: p.Contests, analyses: p.Analyses, nonce: rand.Text(),
		hosts: p.Hosts, clocked: p.Clocks, seats: p.Seats, alone: p.Alone, embed: strings.Join(append([]string{"'self'"}, p.Embed...), " "),
		files: gamefiles.New(log), watched: p.Watched, downloads: p.Downloads, downloading: make(chan struct{}, maxDownloads),
	}
	if s.downloads == nil {
		s.downloads = downloads.Open("")
	}
	if s.contests == nil {
		s.contests = noContests{}
	}
	// points is the cost of a request; the handlers charge for long answers.
	for _, route := range []struct {
		pattern string
		points  int
		handler http.HandlerFunc
	}{
		{"GET /{$}", 1, sendPage("index.html")},
		{"GET /match/{id}", 1, s.matchPage("match.html")},
		{"GET /embed/{id}", 1, s.matchPage("embed.html")},
		{"GET /games/{name}", 1, s.gamePage},
		{"GET /games/{name}/viewer.js", 1, s.viewer},
		{"GET /games/{name}/players/{file}", 1, s.example},
		{"GET /games/{name}/bot", 1, s.botPage},
		{"GET /games/{name}/picture.png", 1, s.picture},
		{"GET /frame", 1, s.frame},
		{"GET /botframe", 1, botFrame},
		{"GET /hosts", 1, sendPage("hosts.html")},
		{"GET /api", 1, sendPage("api.html")},
		{"GET /assets/{name}", 1, asset},
		{"GET /favicon.ico", 1, icon},
		{"GET /api/games", 1, s.listGames},
		{"GET /api/games/{name}", 1, s.oneGame},
		{"GET /api/downloads", 1, s.listDownloads},
		{"GET /download/{name}", 1, s.sendDownload},
		{"GET /api/lobby", 1, s.listLobby},
		{"GET /api/lobby/events", 1, s.lobbyEvents},
		{"GET /api/serving", 1, s.listServing},
		{"GET /api/hosts", 1, s.listHosts},
		{"GET /api/matches", 2, s.listMatches},
		{"GET /api/matches.ndjson", 20, s.exportMatches},
		{"GET /api/matches/{id}", 1, s.oneMatch},
		{"GET /api/matches/{id}/clocks", 1, s.clocks},
		{"GET /api/matches/{id}/analysis", 1, s.analysis},
		{"GET /api/matches/{id}/stream", 2, s.stream},
		{"GET /api/openapi.json", 1, openAPI},
		{"GET /api/session", 1, s.account},
		{"POST /api/session", registeringPoints, s.logIn},
		{"DELETE /api/session", 1, s.logOut},
		{"POST /api/players", registeringPoints, s.register},
		{"GET /contests", 1, sendPage("contests.html")},
		{"GET /contests/{name}", 1, s.contestPage("contest.html")},
		{"GET /contests/{name}/projector", 1, s.contestPage("projector.html")},
		{"GET /players/{name}", 2, s.playerPage},
		{"GET /ladder/{game}", 1, s.ladderPage},
		{"GET /api/contests", 1, s.listContests},
		{"GET /api/contests/{name}", 1, s.oneContest},
		{"GET /api/contests/{name}/standings.csv", 2, s.standingsCSV},
		{"GET /api/contests/{name}/matches", 2, s.contestMatches},
		{"GET /api/contests/{name}/matches.csv", 20, s.matchesCSV},
		{"GET /api/contests/{name}/matches.ndjson", 20, s.matchesNDJSON},
		{"POST /api/contests/{name}/entry", registeringPoints, s.enter},
		{"DELETE /api/contests/{name}/entry", registeringPoints, s.withdraw},
		{"GET /api/ratings/{game}", 1, s.gameRatings},
		{"GET /api/ratings/{game}/ratings.csv", 2, s.ratingsCSV},
		{"GET /api/players/{name}", 2, s.onePlayer},
		{"/", 1, s.otherwise},
	} {
		s.mux.HandleFunc(route.pattern, s.paid(route.points, route.handler))
	}
	return s
}

// paid returns a handler of requests that cost the given points.
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
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(writeTimeout)) // fails if the connection has no deadlines
		handler(w, r)
	}
}

// work calls f in a slot for long work, and then the function that f returned,
// which sends the answer: a client that reads slowly does not occupy the slot. It
// refuses the request when too many others are waiting.
func (s *Site) work(w http.ResponseWriter, r *http.Request, f func(ctx context.Context) (send func())) {
	ctx, cancel := context.WithTimeout(r.Context(), queryTimeout)
	defer cancel()
	done, ok := s.readers.Work(ctx)
	if !ok {
		w.Header().Set("Retry-After", "5")
		refuse(w, http.StatusServiceUnavailable, errBusy.Error())
		return
	}
	send := func() func() {
		defer done()
		return f(ctx)
	}()
	send()
}

// policy is the Content-Security-Policy of all answers except the frame: markup
// injected into a page could run no script and reach no other server.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; frame-src 'self'; manifest-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors " + noAncestors

// noAncestors are the pages that can show a page of this host in a frame: none, except for
// embedded matches and the frame of a board.
const noAncestors = "'none'"

// ServeHTTP answers one request.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	if strings.HasPrefix(r.URL.Path, "/embed/") {
		h.Set("Content-Security-Policy", strings.TrimSuffix(policy, noAncestors)+s.embed)
	}
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("X-DNS-Prefetch-Control", "off")
	if isPublic(r.URL.Path) && (r.Method == http.MethodGet || r.Method == http.MethodHead) {
		readable(h)
	}
	s.mux.ServeHTTP(w, r)
}

// find returns the offer with a name, even if it is unavailable, or nil.
func (s *Site) find(name string) *catalog.Offer {
	for _, o := range s.games.List() {
		if o.Name == name {
			return o
		}
	}
	return nil
}
