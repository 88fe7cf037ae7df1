//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"colosseum/protocol"

	"github.com/gorilla/websocket"
)

// organiser is a server with one contest.
type organiser struct {
	t    *testing.T
	http *httptest.Server
	url  string

	mu       sync.Mutex // guards the fields below
	requests []string   // that change something
	status   int        // of the answer to them
	answer   string
}

const (
	friday = `{"name":"friday","title":"Friday cup","game":"kamisado","args":{"pace":"0"},"timeout":5,"format":"swiss","state":"running","open":true,` +
		`"local":false,"created":"2027-03-01T17:00:00Z","entrants":2,"round":1,"rounds":7,"done":2,"all":4,"leaders":["ana"],"players":2,"legs":2,"seed":"7",` +
		`"entries":[{"name":"ana","kind":"player","seed":1},{"name":"bob","kind":"player","seed":2,"withdrawn":true}],"tie_breaks":["buchholz"],` +
		`"standings":[{"rank":1,"name":"ana","points":1.5,"played":2,"wins":1,"draws":1,"losses":0,"tie_breaks":[0.5],"rating":1100.4,"low":900.2,"high":1300.6},` +
		`{"rank":2,"name":"bob","points":0.3333333333,"played":2,"wins":0,"draws":1,"losses":1,"tie_breaks":[],"rating":0,"low":0,"high":0,"withdrawn":true}],"matches":null}`
	fridayCSV   = "rank,name,points\n1,ana,1.5\n"
	fridayFirst = `{"matches":[{"id":"8gj5mqqjtoklo","round":1,"slot":1,"pairing":1,"leg":1,"seats":["ana","bob"],"state":"finished","points":[1,0]}],"next":1}`
	fridayLast  = `{"matches":[{"id":"","round":2,"bracket":"losers","slot":1,"pairing":2,"leg":0,"seats":["ana"],"state":"bye"}]}`
)

func newOrganiser(t *testing.T) *organiser {
	o := &organiser{t: t, status: 200, answer: "{}"}
	mux := http.NewServeMux()
	for path, answer := range map[string]string{
		"/api/contests":                      `{"contests":[` + friday + `]}`,
		"/api/contests/friday":               friday,
		"/api/contests/friday/standings.csv": fridayCSV,
	} {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, r *http.Request) {
			if token := r.Header.Get("Authorization"); token != "" {
				t.Errorf("%s: got the token %q, want none", r.URL, token)
			}
			_, _ = io.WriteString(w, answer)
		})
	}
	mux.HandleFunc("GET /api/contests/friday/matches", func(w http.ResponseWriter, r *http.Request) {
		switch q := r.URL.Query(); q.Get("after") {
		case "":
			_, _ = io.WriteString(w, fridayFirst)
		case "1":
			_, _ = io.WriteString(w, fridayLast)
		default:
			t.Errorf("got the request %s, want a page of matches", r.URL)
		}
	})
	mux.HandleFunc("/api/contests/friday/entry", o.change)
	mux.HandleFunc("POST /api/contests/friday/lineup", o.change)
	mux.HandleFunc("/api/contests/friday/here", o.change)
	mux.HandleFunc("/api/", func(w http.ResponseWriter, _ *http.Request) { refuse(w, 404, "there is no such address") })
	upgrader := websocket.Upgrader{}
	mux.HandleFunc("/{$}", func(w http.ResponseWriter, r *http.Request) {
		if ws, err := upgrader.Upgrade(w, r, nil); err == nil {
			o.session(&client{t, ws})
			ws.Close()
		}
	})
	o.http = httptest.NewServer(mux)
	t.Cleanup(o.http.Close)
	o.url = "ws" + strings.TrimPrefix(o.http.URL, "http") + "/"
	return o
}

func refuse(w http.ResponseWriter, status int, text string) {
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]string{"error": text})
}

func (o *organiser) change(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.requests = append(o.requests, fmt.Sprintf("%s %s %s %s", r.Method, r.Header.Get("Authorization"), r.Header.Get("Content-Type"), body))
	w.WriteHeader(o.status)
	_, _ = io.WriteString(w, o.answer)
}

// session lets a player log in, and refuses to serve it, which ends coco.
func (o *organiser) session(c *client) {
	c.receive(protocol.NameHandshake)
	c.send(protocol.NameHandshake, protocol.Handshake{Magic: "coco", Version: 2, Player: "ana", Features: []string{protocol.FeaturePlayers, protocol.FeatureServe}})
	if _, _, err := c.ws.ReadMessage(); err != nil {
		return // it was not to serve
	}
	o.mu.Lock()
	o.requests = append(o.requests, "serve")
	o.mu.Unlock()
	c.send(protocol.NameServing, protocol.ServingReply{Player: protocol.Refused[string](fmt.Errorf("enough is known"))})
	c.awaitClose()
}

// answerWith sets the answer to requests that change something.
func (o *organiser) answerWith(status int, text string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.status, o.answer = status, text
}

// changes returns the requests that change something since the last call.
func (o *organiser) changes() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	list := o.requests
	o.requests = nil
	return list
}

func (o *organiser) want(requests ...string) {
	o.t.Helper()
	if got := o.changes(); !slices.Equal(got, requests) {
		o.t.Errorf("got the requests %q, want %q", got, requests)
	}
}

const (
	entering    = "POST Bearer " + anaToken + " application/json {}"
	withdrawing = "DELETE Bearer " + anaToken + " application/json {}"
)

func TestContestsAreShown(t *testing.T) {
	t.Parallel()
	o := newOrganiser(t)
	for _, tt := range []struct {
		name, args string
		want       []string
	}{
		{"list", "list", []string{"|  Name  |   Title    |   Game   | Format |  State  | Entrants | Round | Matches | First |", "| friday | Friday cup | kamisado | swiss  | running |    2     |  1/7  |   2/4   |  ana  |"}},
		{"one", "show friday", []string{"Game      kamisado pace=0\n", "Entry     coco contest enter friday\n", "Entrants  2 ana, bob (withdrawn)\n", "|  1   |       ana "}},
		{"standings", "standings friday", []string{
			"| Rank |      Name       | Points | Played | Won | Drawn | Lost | buchholz | Rating |    95 %     |",
			"|  1   |       ana       |  1.5   |   2    |  1  |   1   |  0   |   0.5    |  1100  | 900 to 1301 |",
			"|  2   | bob (withdrawn) |  0.33  |   2    |  0  |   1   |  1   |          |   –    |      –      |"}},
		{"matches", "matches friday", []string{"|    1     | 8gj5mqqjtoklo | ana, bob | finished | 1 : 0  |       |", "| 2 losers |               |   ana    |   bye    |        |       |"}},
		{"CSV", "standings --csv friday", []string{fridayCSV}},
		{"list as JSON", "list --json", []string{`"title": "Friday cup"`}},
		{"one as JSON", "show --json friday", []string{`"seed": "7"`}},
		{"standings as JSON", "standings --json friday", []string{"{\n  \"tie_breaks\": [\n    \"buchholz\"\n  ],\n  \"standings\": ["}},
		{"matches as JSON", "matches --json friday", []string{`"bracket": "losers"`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			stdout, _ := coco(t, 0, append([]string{"TZ=UTC", "-s", o.url, "contest"}, strings.Fields(tt.args)...)...)
			for _, part := range tt.want {
				wantPart(t, "stdout", stdout, part)
			}
		})
	}
	o.want()
}

func TestPlayerEntersAndWithdraws(t *testing.T) {
	t.Parallel()
	o, u := newOrganiser(t), newUser(t)
	_, stderr := u.coco(4, "", o.url, "contest", "enter", "friday")
	wantPart(t, "stderr", stderr, "coco register NAME")
	stdout, _ := u.coco(0, "", o.url, "COCO_TOKEN="+anaToken, "contest", "enter", "friday")
	wantText(t, "stdout", stdout, "Entered friday; coco serve GAME --contest friday -- PROGRAM plays your matches\n")
	stdout, _ = u.coco(0, "", o.url, "COCO_TOKEN="+anaToken, "contest", "withdraw", "friday")
	wantText(t, "stdout", stdout, "Withdrew from friday\n")
	o.want(entering, withdrawing)
}

func TestCaptainEntersATeam(t *testing.T) {
	t.Parallel()
	o, u := newOrganiser(t), newUser(t)
	token := "COCO_TOKEN=" + anaToken
	stdout, _ := u.coco(0, "", o.url, token, "contest", "enter", "friday", "--team", "reds", "bob", "cid")
	wantText(t, "stdout", stdout, "Entered friday with the team reds; the others accept with coco contest enter friday --team reds\n")
	stdout, _ = u.coco(0, "", o.url, token, "contest", "enter", "friday", "--team", "reds")
	wantText(t, "stdout", stdout, "You are in the team reds of friday; coco serve GAME --contest friday -- PROGRAM plays your matches\n")
	stdout, _ = u.coco(0, "", o.url, token, "contest", "lineup", "friday", "reds", "bob", "ana")
	wantText(t, "stdout", stdout, "The team reds is now bob, ana, from the next pairing on\n")
	const post = "POST Bearer " + anaToken + " application/json "
	o.want(post+`{"team":"reds","players":["bob","cid"]}`, post+`{"team":"reds"}`, post+`{"team":"reds","players":["bob","ana"]}`)
	_, stderr := u.coco(2, "", o.url, token, "contest", "lineup", "friday", "reds")
	wantPart(t, "no players", stderr, "lineup needs more arguments: coco contest lineup NAME TEAM PLAYER...\n")
	o.answerWith(409, `{"error":"ana is in the team blues"}`)
	_, stderr = u.coco(4, "", o.url, token, "contest", "enter", "friday", "--team", "reds")
	wantPart(t, "a refusal", stderr, "coco: cannot enter the contest friday: ana is in the team blues\n")
}

func TestPlayerSaysThatItIsThere(t *testing.T) {
	t.Parallel()
	o, u := newOrganiser(t), newUser(t)
	o.answerWith(200, `{"contest":"friday","player":"ana","until":"2027-03-01T18:30:00Z"}`)
	stdout, _ := u.coco(0, "", o.url, "TZ=UTC", "COCO_TOKEN="+anaToken, "contest", "here", "friday")
	wantText(t, "stdout", stdout, "You are there until 2027-03-01 18:30: the match begins when all its players are\n")
	o.want(entering)
	o.answerWith(409, `{"error":"ana has no match to play now in the contest friday"}`)
	_, stderr := u.coco(4, "", o.url, "COCO_TOKEN="+anaToken, "contest", "here", "friday")
	wantText(t, "stderr", stderr, "coco: cannot wait for a match of the contest friday: ana has no match to play now in the contest friday\n")
}

func TestRefusalsOfContestsAreExplained(t *testing.T) {
	t.Parallel()
	o, u := newOrganiser(t), newUser(t)
	for _, tt := range []struct {
		name   string
		status int
		answer string
		code   int
		want   string
	}{
		{"a closed contest", 409, `{"error":"it has ended"}`, 4, "coco: cannot enter the contest friday: it has ended\n"},
		{"a wrong token", 401, `{"error":"the token is wrong"}`, 4, "the token is wrong (it is that of COCO_TOKEN)\n"},
		{"without a reason", 403, ``, 4, "cannot enter the contest friday: the server answered 403 Forbidden\n"},
		{"a busy server", 429, `{"error":"try again in 3 s"}`, 3, "429 Too Many Requests: try again in 3 s\n"},
		{"a text that controls a terminal", 409, `{"error":"\u001b[2J"}`, 4, `\x1b[2J`},
		{"a page", 500, strings.Repeat("<html>", 1<<20), 3, "the server answered 500 Internal Server Error\n"},
	} {
		o.answerWith(tt.status, tt.answer)
		_, stderr := u.coco(tt.code, "", o.url, "COCO_TOKEN="+anaToken, "contest", "enter", "friday")
		wantPart(t, tt.name, stderr, tt.want)
	}
	_, stderr := u.coco(4, "", o.url, "contest", "show", "monday")
	wantPart(t, "an unknown contest", stderr, `there is no contest "monday" on `+o.url+`: coco contest list shows all`)
	for _, name := range []string{"..", "../matches", "Friday", "a?b", "", strings.Repeat("x", 33)} {
		u.coco(2, "", o.url, "contest", "show", name)
	}
	_, stderr = u.coco(2, "", o.url, "contest", "show")
	wantPart(t, "no name", stderr, "show needs more arguments: coco contest show [--json] NAME\n")
	_, stderr = u.coco(2, "", o.url, "contest", "play")
	wantPart(t, "an unknown command", stderr, `unknown command "play" (have list, show, enter, lineup, here, withdraw, try, standings, matches; see coco contest --help)`)
	_, stderr = u.coco(2, "", o.url, "contest")
	wantPart(t, "no command", stderr, "which command? (have list, ")
}

func TestServersWithoutContests(t *testing.T) {
	t.Parallel()
	older := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { refuse(w, 404, "there is no such address") }))
	t.Cleanup(older.Close)
	original := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
	t.Cleanup(original.Close)
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<!doctype html>") }))
	t.Cleanup(page.Close)
	for _, tt := range []struct {
		name   string
		server *httptest.Server
		code   int
		want   string
	}{
		{"an older host", older, 4, "has no contests\n"},
		{"the original server", original, 3, "does not answer HTTP requests"},
		{"a proxy with a page", page, 3, "the server's answer is not JSON"},
	} {
		at := "ws" + strings.TrimPrefix(tt.server.URL, "http")
		for _, args := range [][]string{{"list"}, {"show", "friday"}} {
			_, stderr := coco(t, tt.code, append([]string{"-s", at, "contest"}, args...)...)
			wantPart(t, tt.name, stderr, tt.want)
		}
	}
	endless := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"next":1}`) }))
	t.Cleanup(endless.Close)
	_, stderr := coco(t, 3, "-s", "ws"+strings.TrimPrefix(endless.URL, "http"), "contest", "matches", "friday")
	wantPart(t, "matches without end", stderr, "has no end")
}

func TestTokenDoesNotFollowARedirection(t *testing.T) {
	t.Parallel()
	other, u := newOrganiser(t), newUser(t)
	here := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.http.URL+r.URL.Path, http.StatusTemporaryRedirect)
	}))
	t.Cleanup(here.Close)
	_, stderr := u.coco(4, "", "ws"+strings.TrimPrefix(here.URL, "http"), "COCO_TOKEN="+anaToken, "contest", "enter", "friday")
	wantPart(t, "stderr", stderr, "307 Temporary Redirect")
	other.want()
}

func TestContestsAreReadOnAUnixSocket(t *testing.T) {
	t.Parallel()
	o := newOrganiser(t)
	socket := filepath.Join(t.TempDir(), "socket")
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	local := httptest.NewUnstartedServer(o.http.Config.Handler)
	_ = local.Listener.Close()
	local.Listener = listener
	local.Start()
	t.Cleanup(local.Close)
	stdout, _ := coco(t, 0, "-s", "unix:"+socket, "contest", "standings", "--csv", "friday")
	wantText(t, "stdout", stdout, fridayCSV)
}

func TestContestsNeedATrustedCertificate(t *testing.T) {
	t.Parallel()
	o, u := newOrganiser(t), newUser(t)
	secure := httptest.NewUnstartedServer(o.http.Config.Handler)
	secure.Config.ErrorLog = log.New(io.Discard, "", 0) // it has the refused handshake
	secure.StartTLS()
	t.Cleanup(secure.Close)
	at := "wss" + strings.TrimPrefix(secure.URL, "https")
	_, stderr := u.coco(3, "", at, "COCO_TOKEN="+anaToken, "contest", "enter", "friday")
	wantPart(t, "stderr", stderr, "certificate")
	o.want()
	_, stderr = u.coco(0, "", at, "COCO_TOKEN="+anaToken, "COCO_ALLOW_INSECURE=1", "--insecure", "contest", "enter", "friday")
	wantPart(t, "stderr", stderr, "the server's certificate is not verified")
	o.want(entering)
	_, stderr = u.coco(3, "", "ws"+strings.TrimPrefix(secure.URL, "https"), "contest", "list")
	wantPart(t, "stderr", stderr, "(with TLS its address begins with wss:)")
	_, stderr = u.coco(3, "", "wss"+strings.TrimPrefix(o.http.URL, "http"), "contest", "list")
	wantPart(t, "stderr", stderr, "(without TLS its address begins with ws:)")
}

func TestServeEntersContestsFirst(t *testing.T) {
	t.Parallel()
	o, u := newOrganiser(t), newUser(t)
	args := []string{"COCO_TOKEN=" + anaToken, "serve", "kamisado", "--contest", "friday", "--", "true"}
	stdout, stderr := u.coco(4, "", o.url, args...)
	wantPart(t, "stderr", stderr, "enough is known")
	wantPart(t, "stdout", stdout, "msg=entered contest=friday")
	o.want(entering, "serve")
	o.answerWith(409, `{"error":"it has ended"}`)
	_, stderr = u.coco(4, "", o.url, args...)
	wantPart(t, "stderr", stderr, "cannot enter the contest friday: it has ended (without --contest friday, coco serves without entering)")
	o.want(entering)
	_, stderr = u.coco(4, "", o.url, "COCO_TOKEN="+anaToken, "serve", "roshambo", "--contest", "friday", "--", "true")
	wantPart(t, "stderr", stderr, "the contest friday plays kamisado, which you do not serve: coco serve kamisado --contest friday -- PROGRAM")
	_, stderr = u.coco(4, "", o.url, "COCO_TOKEN="+anaToken, "serve", "kamisado", "--contest", "monday", "--", "true")
	wantPart(t, "stderr", stderr, `there is no contest "monday"`)
	u.coco(2, "", o.url, "COCO_TOKEN="+anaToken, "serve", "kamisado", "--contest", "../x", "--", "true")
	o.want()
}
