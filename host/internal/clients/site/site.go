// Package site serves the pages for watching, replaying and playing matches in a
// browser, an HTTP API for reading, and the login. The pages are clients of the WebSocket
// protocol, like coco.
package site

import (
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"colosseum/host/internal/clients/downloads"
	"colosseum/host/internal/clients/exported"
	"colosseum/host/internal/clients/gamefiles"
)

// Site is the handler of all requests that are not WebSockets.
type Site struct {
	*shared
	games     *gamePages
	gameFiles *gameFiles
	lobby     *lobbyPages
	feed      *feed
	matches   *matchPages
	contests  *contestPages
	downloads *downloadPages
	exports   *exports
	data      *dataPages
	hosts     *hostPages
	programs  *submissionPages

	mux     *http.ServeMux
	handler http.Handler // calls mux
}

// New returns a site.
func New(p Parts, log *slog.Logger) *Site {
	if p.Downloads == nil {
		p.Downloads = downloads.Open("")
	}
	if p.Exported == nil {
		p.Exported = exported.Open("")
	}
	if p.Contests == nil {
		p.Contests = noContests{}
	}
	all := &shared{Parts: p, log: log, files: gamefiles.New(log), library: newLibrary(p.Prefix, strings.Join(append([]string{"'self'"}, p.Embed...), " "))}
	exports := newExports(all)
	s := &Site{
		shared: all, games: &gamePages{shared: all}, gameFiles: &gameFiles{shared: all}, lobby: &lobbyPages{shared: all}, feed: newFeed(all),
		matches: &matchPages{shared: all}, contests: newContests(all, exports), downloads: newDownloads(all), exports: exports, data: newData(all), hosts: &hostPages{shared: all},
		programs: newSubmissions(all),
		mux:      http.NewServeMux(),
	}
	// points is the cost of a request; the handlers charge for long answers.
	for _, route := range []struct {
		pattern string
		points  int
		handler http.HandlerFunc
	}{
		{"GET /{$}", 1, s.sendPage("index.html")},
		{"GET /match/{id}", 1, s.matches.matchPage("match.html")},
		{"GET /embed/{id}", 1, s.matches.matchPage("embed.html")},
		{"GET /games/{name}", 1, s.games.gamePage},
		{"GET /games/{name}/viewer.js", 1, s.gameFiles.viewer},
		{"GET /games/{name}/players/{file}", 1, s.gameFiles.example},
		{"GET /games/{name}/bot", 1, s.games.botPage},
		{"GET /games/{name}/picture.png", 1, s.gameFiles.picture},
		{"GET /frame", 1, s.frame},
		{"GET /botframe", 1, s.botFrame},
		{"GET /hosts", 1, s.sendPage("hosts.html")},
		{"GET /api", 1, s.sendPage("api.html")},
		{"GET /assets/{name}", 1, s.asset},
		{"GET /plain/{$}", 2, s.plainLobby},
		{"GET /plain/matches", 2, s.plainMatches},
		{"GET /plain/match/{id}", 2, s.plainMatch},
		{"GET /plain/games/{name}", 2, s.plainGame},
		{"GET /plain/contests", 1, s.plainContests},
		{"GET /plain/contests/{name}", 2, s.plainContest},
		{"GET /plain/players/{name}", 2, s.plainPlayer},
		{"GET /plain/ladder/{game}", 2, s.plainLadder},
		{"GET /favicon.ico", 1, s.icon},
		{"GET /api/games", 1, s.games.listGames},
		{"GET /api/games/{name}", 1, s.games.oneGame},
		{"GET /api/downloads", 1, s.downloads.listDownloads},
		{"GET /download/{name}", 1, s.downloads.sendDownload},
		{"GET /exports", 1, s.sendPage("exports.html")},
		{"GET /exports/{name}/{file}", 1, s.data.file},
		{"GET /api/exports", 1, s.data.list},
		{"GET /api/match.schema.json", 1, matchSchema},
		{"GET /api/lobby", 1, s.lobby.listLobby},
		{"GET /api/lobby/events", 1, s.feed.lobbyEvents},
		{"GET /api/serving", 1, s.lobby.listServing},
		{"GET /api/hosts", 1, s.hosts.listHosts},
		{"GET /api/matches", 2, s.matches.listMatches},
		{"GET /api/matches.ndjson", 20, s.exports.matches},
		{"GET /api/matches/{id}", 1, s.matches.oneMatch},
		{"GET /api/matches/{id}/clocks", 1, s.matches.clocks},
		{"GET /api/matches/{id}/analysis", 1, s.analysis},
		{"GET /api/matches/{id}/stream", 2, s.matches.stream},
		{"GET /api/openapi.json", 1, openAPI},
		{"GET /api/session", 1, s.account},
		{"POST /api/session", registeringPoints, s.logIn},
		{"DELETE /api/session", 1, s.logOut},
		{"POST /api/players", registeringPoints, s.register},
		{"GET /login", 1, s.sendPage("login.html")},
		{"GET " + callbackPath, registeringPoints, s.finishLogin},
		{"GET /api/login", 1, s.pendingLogin},
		{"POST /api/login", registeringPoints, s.beginLogin},
		{"POST /api/login/player", registeringPoints, s.choosePlayer},
		{"GET /device", 1, s.sendPage("device.html")},
		{"POST /api/device", registeringPoints, s.askDevice},
		{"POST /api/device/token", 1, s.pollDevice},
		{"POST /api/device/code", registeringPoints, s.showDevice},
		{"POST /api/device/answer", registeringPoints, s.answerDevice},
		{"GET /account", 1, s.sendPage("account.html")},
		{"GET /api/account/tokens", 2, s.tokens},
		{"POST /api/account/tokens", registeringPoints, s.mint},
		{"DELETE /api/account/tokens/{id}", registeringPoints, s.revoke},
		{"POST /api/account/name", registeringPoints, s.rename},
		{"GET /contests", 1, s.sendPage("contests.html")},
		{"GET /contests/{name}", 1, s.contests.contestPage("contest.html")},
		{"GET /contests/{name}/organize", 1, s.contests.contestPage("organize.html")},
		{"GET /contests/{name}/projector", 1, s.contests.contestPage("projector.html")},
		{"GET /contests/{name}/calendar.ics", 2, s.contests.calendar},
		{"GET /players/{name}", 2, s.contests.playerPage},
		{"GET /ladder/{game}", 1, s.contests.ladderPage},
		{"GET /api/contests", 1, s.contests.listContests},
		{"GET /api/contests/{name}", 1, s.contests.oneContest},
		{"GET /api/contests/{name}/standings.csv", 2, s.contests.standingsCSV},
		{"GET /api/contests/{name}/matches", 2, s.contests.contestMatches},
		{"GET /api/contests/{name}/matches.csv", 20, s.contests.matchesCSV},
		{"GET /api/contests/{name}/matches.ndjson", 20, s.contests.matchesNDJSON},
		{"POST /api/contests/{name}/entry", registeringPoints, s.contests.enter},
		{"POST /api/contests/{name}/organize", registeringPoints, s.contests.organize},
		{"DELETE /api/contests/{name}/entry", registeringPoints, s.contests.withdraw},
		{"POST /api/contests/{name}/lineup", registeringPoints, s.contests.lineUp},
		{"POST /api/contests/{name}/here", registeringPoints, s.contests.here},
		{"POST /api/contests/{name}/try", registeringPoints, s.contests.try},
		{"GET /api/contests/{name}/class", registeringPoints, s.contests.class},
		{"GET /api/contests/{name}/class.csv", registeringPoints, s.contests.classCSV},
		{"GET /api/ratings/{game}", 1, s.contests.gameRatings},
		{"GET /api/ratings/{game}/ratings.csv", 2, s.contests.ratingsCSV},
		{"GET /api/players/{name}", 2, s.contests.onePlayer},
		{"GET /programs", 1, s.programs.page},
		{"GET /api/submissions", 2, s.programs.listAll},
		{"GET /api/submissions/work", 2, s.programs.numbers},
		{"GET /api/games/{name}/submissions", 2, s.programs.listGame},
		{"POST /api/games/{name}/submissions", submittingPoints, s.programs.submit},
		{"GET /api/games/{name}/submissions/{version}", 2, s.programs.follow},
		{"DELETE /api/games/{name}/submissions/{version}", registeringPoints, s.programs.remove},
		{"POST /api/games/{name}/submissions/{version}/active", registeringPoints, s.programs.activate},
		{"DELETE /api/games/{name}/submissions/active", registeringPoints, s.programs.pause},
		{"GET /api/games/{name}/submissions/{version}/source.zip", 5, s.programs.source},
		{"GET /api/games/{name}/submissions/{version}/journals", 2, s.programs.journals},
		{"GET /api/games/{name}/submissions/{version}/journals/{match}", 2, s.programs.journal},
		{"/", 1, func(w http.ResponseWriter, r *http.Request) { s.otherwise(w, r) }},
	} {
		s.mux.HandleFunc(route.pattern, s.paid(route.points, route.handler))
	}
	s.handler = s.unprefixed(http.HandlerFunc(s.answer))
	return s
}

// paid returns a handler of requests that cost the given points.
func (s *Site) paid(points int, handler http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if retry, busy := s.Readers.Pay(r, points); retry > 0 {
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

// policy is the Content-Security-Policy of all answers except the frame: markup
// injected into a page could run no script and reach no other server.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; frame-src 'self'; manifest-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors " + noAncestors

// noAncestors are the pages that can show a page of this host in a frame: none, except for
// embedded matches and the frame of a board.
const noAncestors = "'none'"

// ServeHTTP answers one request.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// answer answers a request whose path has no prefix.
func (s *Site) answer(w http.ResponseWriter, r *http.Request) {
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

// frame sends the frame of a board, which can be in pages of this host. Those can be in pages
// of other sites; browsers check all of them.
func (s *Site) frame(w http.ResponseWriter, r *http.Request) {
	d := *s.documents()["frame"]
	d.special += s.embed
	if r.URL.RawQuery == s.frameHash() {
		d.cache = forever
	}
	d.send(w, r)
}
