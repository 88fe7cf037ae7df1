//go:build unix

package main

import (
	"encoding/pem"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"colosseum/protocol"

	"github.com/gorilla/websocket"
)

const (
	listRequest = `{"GameList":{}}`
	listReply   = `{"GameList":{"games":[{"name":"dama","args":{}},{"name":"roshambo","args":{"rounds":{"description":"rounds & more","regex":"\\d+"}},"news":1}]}}`
	usageOfAll  = `[
  {
    "name": "dama",
    "args": {}
  },
  {
    "name": "roshambo",
    "args": {
      "rounds": {
        "description": "rounds & more",
        "regex": "\\d+"
      }
    }
  }
]
`
	usageOfDama = `[
  {
    "name": "dama",
    "args": {}
  }
]
`
)

func TestAnswersToRequestsAreOnStdout(t *testing.T) {
	t.Parallel()
	history := string(protocol.EncodeHistory(&protocol.History{
		ID: matchID, Game: "roshambo", Args: map[string]string{"rounds": "1", "pace": "0"}, Players: []string{"bob", "alice"}, Stream: []byte("bob\nalice\n1\n"),
	}))
	broken := string(protocol.EncodeHistory(&protocol.History{ID: matchID, Stream: []byte("\xff")}))
	const historyRequest = `{"HistoryMatch":{"id":"` + matchID + `"}}`
	tests := []struct {
		name           string
		args           string // separated by |
		request, reply string
		binary         bool
		want           string
		features       []string // of the server
	}{
		{name: "list", args: "list", request: listRequest, reply: listReply, want: "- dama\n- roshambo\n"},
		{name: "list of no games", args: "list", request: listRequest, reply: `{"GameList":{"games":[]}}`, want: ""},
		{name: "list with usage", args: "list|-u", request: listRequest, reply: listReply, want: usageOfAll},
		{name: "list as JSON", args: "list|--json", request: listRequest, reply: listReply, want: usageOfAll},
		{name: "list of no games as JSON", args: "list|--json", request: listRequest, reply: `{"GameList":{"games":[]}}`, want: "[]\n"},
		{name: "list of one game's usage", args: "list|dama|--usage", request: listRequest, reply: listReply, want: usageOfDama},
		{
			name: "list of a game", args: "list|dama", request: `{"GameDescription":{"name":"dama"}}`,
			reply: `{"GameDescription":{"description":"# dama\n\n\u001b]0;evil\u0007text"}}`, want: "# dama\n\n\\x1b]0;evil\\x07text\n",
		},
		{
			name: "list of a game as JSON", args: "list|--json|dama", request: `{"GameDescription":{"name":"dama"}}`,
			reply: `{"GameDescription":{"description":"# dama"}}`, want: "{\n  \"name\": \"dama\",\n  \"description\": \"# dama\"\n}\n",
		},
		{name: "empty lobby as JSON", args: "lobby|--json", request: `{"LobbyList":{}}`, reply: `{"LobbyList":{"info":[]}}`, want: "[]\n"},
		{
			name: "lobby as JSON", args: "lobby|--json", request: `{"LobbyList":{}}`,
			reply: `{"LobbyList":{"info":[{"players":2,"bots":0,"timeout":30.0,"args":{"rounds":"2"},"id":"8gj5mqqjtoklo","name":"x","game":"roshambo","running":false,"time":1795251010,"connected":["alice"],"spectators":1,"password":true,"verified":true}]}}`,
			want: `[
  {
    "players": 2,
    "bots": 0,
    "timeout": 30,
    "args": {
      "rounds": "2"
    },
    "id": "8gj5mqqjtoklo",
    "name": "x",
    "game": "roshambo",
    "running": false,
    "time": 1795251010,
    "connected": [
      "alice"
    ],
    "spectators": 1,
    "password": true,
    "verified": true
  }
]
`,
		},
		{
			name: "new with nothing", args: "new|roshambo",
			request: `{"GameNew":{"name":"roshambo","game":"roshambo","params":{"players":null,"bots":0,"timeout":null},"args":{},"password":null,"verification":null}}`,
			reply:   `{"GameNew":{"id":{"Ok":"8gj5mqqjtoklo"}}}`, want: "Created new game with id 8gj5mqqjtoklo\n",
		},
		{
			name: "new with everything, in any order", args: "new|roshambo|-b|1|T 1|-n|2|-t|2.5|-p|pw|-v|master|-a|rounds=5|-a|list=1,2=3|--json",
			request: `{"GameNew":{"name":"T 1","game":"roshambo","params":{"players":2,"bots":1,"timeout":2.5},"args":{"list":"1,2=3","rounds":"5"},"password":"pw","verification":"master"}}`,
			reply:   `{"GameNew":{"id":{"Ok":"8gj5mqqjtoklo"}}}`, want: "{\n  \"id\": \"8gj5mqqjtoklo\"\n}\n",
		},
		{
			name: "new with long options", args: "new|--players=2|--bots|0|--timeout|9|--password=|--verification-password=x|--arg=a=|roshambo",
			request: `{"GameNew":{"name":"roshambo","game":"roshambo","params":{"players":2,"bots":0,"timeout":9},"args":{"a":""},"password":"","verification":"x"}}`,
			reply:   `{"GameNew":{"id":{"Ok":"8gj5mqqjtoklo"}}}`, want: "Created new game with id 8gj5mqqjtoklo\n",
		},
		{
			name: "new with a clock", args: "new|roshambo|--clock|60+0.5", features: []string{protocol.FeatureClock},
			request: `{"GameNew":{"name":"roshambo","game":"roshambo","params":{"players":null,"bots":0,"timeout":null,"clock":{"bank":60,"increment":0.5}},"args":{},"password":null,"verification":null}}`,
			reply:   `{"GameNew":{"id":{"Ok":"8gj5mqqjtoklo"}}}`, want: "Created new game with id 8gj5mqqjtoklo\n",
		},
		{
			name: "new with the levels of the bots", args: "new|roshambo|-b|strong, easy", features: []string{protocol.FeatureLevels},
			request: `{"GameNew":{"name":"roshambo","game":"roshambo","params":{"players":null,"bots":2,"timeout":null,"levels":["strong","easy"]},"args":{},"password":null,"verification":null}}`,
			reply:   `{"GameNew":{"id":{"Ok":"8gj5mqqjtoklo"}}}`, want: "Created new game with id 8gj5mqqjtoklo\n",
		},
		{name: "history", args: "history", request: `"HistoryMatchList"`, reply: `{"HistoryMatchList":["a","b"]}`, want: "- a\n- b\n"},
		{name: "history, plain", args: "history|--plain", request: `"HistoryMatchList"`, reply: `{"HistoryMatchList":["a"]}`, want: "- a\n"},
		{name: "history as JSON", args: "history|--json", request: `"HistoryMatchList"`, reply: `{"HistoryMatchList":[]}`, want: "[]\n"},
		{name: "a match, raw", args: "history|-d|raw|" + matchID, request: historyRequest, reply: history, binary: true, want: "bob\nalice\n1\n"},
		{
			name: "a match", args: "history|" + matchID, request: historyRequest, reply: history, binary: true,
			want: "ID       8gj5mqqjtoklo\nGame     roshambo\nArgs     pace=0 rounds=1\nPlayers  bob alice\nBots     0\n\nbob\nalice\n1\n",
		},
		{
			name: "a match, json", args: "history|" + matchID + "|-d|json", request: historyRequest, reply: history, binary: true,
			want: `{
  "id": "8gj5mqqjtoklo",
  "game": "roshambo",
  "args": {
    "pace": "0",
    "rounds": "1"
  },
  "players": [
    "bob",
    "alice"
  ],
  "bots": 0,
  "history": "bob\nalice\n1\n"
}
`,
		},
		{
			name: "a match that is not text, json", args: "history|--json|" + matchID, request: historyRequest, reply: broken, binary: true,
			want: "{\n  \"id\": \"8gj5mqqjtoklo\",\n  \"game\": \"\",\n  \"args\": {},\n  \"players\": [],\n  \"bots\": 0,\n  \"history_base64\": \"/w==\"\n}\n",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := serveRaw(t, func(c *client) {
				c.receive(protocol.NameHandshake)
				c.send(protocol.NameHandshake, protocol.Handshake{Magic: "coco", Version: 2, Features: tt.features})
				wantText(t, "request", string(c.receiveText()), tt.request)
				if tt.binary {
					c.stream(tt.reply)
				} else {
					c.sendText(tt.reply)
				}
				c.awaitClose()
			})
			stdout, stderr := coco(t, 0, append([]string{"-s", f.url}, strings.Split(tt.args, "|")...)...)
			wantText(t, "stdout", stdout, tt.want)
			wantText(t, "stderr", stderr, "")
			f.wait()
		})
	}
}

func TestRefusalsExitWith4(t *testing.T) {
	tests := []struct {
		name, args, reply string
		binary            bool
		want              string
	}{
		{name: "unknown game", args: "list|x", reply: `{"GameDescription":{"description":null}}`, want: `no game "x"`},
		{name: "usage of an unknown game", args: "list|-u|x", reply: listReply, want: `no game "x" (have dama, roshambo)`},
		{name: "new", args: "new|x", reply: `{"GameNew":{"id":{"Err":"Game not found"}}}`, want: "cannot create new game: Game not found; coco list shows the games there are"},
		{name: "join", args: "connect|x", reply: `{"LobbyJoinedMatch":{"info":{"Err":"Wrong password"}}}`, want: "cannot join match x: Wrong password; give the match's password with -p"},
		{name: "join with another password", args: "connect|-p|y|x", reply: `{"LobbyJoinedMatch":{"info":{"Err":"Wrong password"}}}`, want: "cannot join match x: Wrong password\n"},
		{name: "spectate", args: "connect|-s|x", reply: `{"SpectateJoined":{"info":{"Err":"Invalid ID: x"}}}`, want: "cannot join match x: Invalid ID: x"},
		{name: "new, with our own prefix", args: "new|x", reply: `{"GameNew":{"id":{"Err":"Cannot create game: no"}}}`, want: "cannot create new game: no"},
		{name: "join a match that has ended", args: "connect|x", reply: `{"LobbyJoinedMatch":{"info":{"Err":"Game \"x\" does not exists"}}}`, want: `does not exists; if it has ended, coco history x shows it`},
		{name: "history of an invalid ID", args: "history|x", reply: string(protocol.EncodeHistoryError(protocol.HistoryInvalidID)), binary: true, want: "cannot get match x: not a match ID: one is 13 characters"},
		{name: "history", args: "history|x", reply: string(protocol.EncodeHistoryError(protocol.HistoryNotFound)), binary: true, want: "cannot get match x: no such match"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := serve(t, func(c *client) {
				c.receiveText()
				if tt.binary {
					c.stream(tt.reply)
				} else {
					c.sendText(tt.reply)
				}
				c.awaitClose()
			})
			stdout, stderr := coco(t, 4, append([]string{"-s", f.url}, strings.Split(tt.args, "|")...)...)
			wantText(t, "stdout", stdout, "")
			wantPart(t, "stderr", stderr, tt.want)
			f.wait()
		})
	}
}

// README's bot.py starts right after the host has printed where it listens.
func TestNewWaitsUntilItsGameIsPrepared(t *testing.T) {
	t.Parallel()
	f := serve(t, func(c *client) {
		for _, reply := range []string{`{"Err":"the game roshambo is unavailable: it is being compiled, try again in a minute"}`, `{"Ok":"8gj5mqqjtoklo"}`} {
			c.receiveText()
			c.sendText(`{"GameNew":{"id":` + reply + `}}`)
		}
		c.awaitClose()
	})
	stdout, stderr := coco(t, 0, "-s", f.url, "new", "roshambo")
	wantText(t, "stdout", stdout, "Created new game with id 8gj5mqqjtoklo\n")
	wantText(t, "stderr", stderr, "coco: warning: the server prepares the game (it is being compiled): waiting for at most 15 minutes\n")
	f.wait()
}

// The original server ignores what it does not know, and would create another match.
func TestWhatTheServerLacksIsRefused(t *testing.T) {
	tests := []struct{ name, args, want string }{
		{"levels", "new|roshambo|-b|strong,easy", "cannot create new game: the server gives all bots one level: write their number, and -a bot=LEVEL"},
		{"a clock", "new|roshambo|--clock|60+1", "cannot create new game: the server has no clocks: leave out --clock"},
		{"a clock for a program", "new|roshambo|--clock|60+1|--|true", "the server has no clocks"},
		{"a challenge", "challenge|bob|roshambo|--|true", "cannot challenge: the server does not know coco serve"},
		{"a token", "COCO_TOKEN=" + anaToken + "|new|roshambo", "has no registered players: leave out the token of COCO_TOKEN"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := serveRaw(t, func(c *client) {
				c.receive(protocol.NameHandshake)
				c.send(protocol.NameHandshake, protocol.Handshake{Magic: "coco", Version: 2})
				if _, request, err := c.ws.ReadMessage(); err == nil {
					t.Errorf("the server received %q, want no request", request)
				}
			})
			args := append([]string{"-s", f.url}, strings.Split(tt.args, "|")...)
			if strings.HasPrefix(tt.args, "COCO_") {
				args[0], args[1], args[2] = args[2], args[0], args[1]
			}
			_, stderr := coco(t, 4, args...)
			wantPart(t, "stderr", stderr, tt.want)
			f.wait()
		})
	}
}

func TestBrokenServersExitWith3(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		server func(*client)
		want   string
	}{
		{"wrong magic", func(c *client) { c.receiveText(); c.sendText(`{"Handshake":{"magic":"tea","version":2}}`) }, "is not a Code Colosseum server"},
		{"other first message", func(c *client) { c.receiveText(); c.sendText(listReply) }, "is not a Code Colosseum server"},
		{"other version", func(c *client) { c.receiveText(); c.sendText(`{"Handshake":{"magic":"coco","version":1}}`) }, "version 1 of the protocol, this client version 2"},
		{"not JSON", func(c *client) { c.receiveText(); c.sendText(`hello`) }, "cannot be read"},
		{"silent close", func(c *client) { c.receiveText() }, "the connection was lost"},
		{"close with a reason", func(c *client) {
			c.receiveText()
			c.ws.WriteMessage(websocket.CloseMessage, websocket.FormatCloseMessage(protocol.CloseShutdown, "back in 5 minutes"))
		}, "closed the connection: back in 5 minutes (code 4003)"},
		{"wrong reply", func(c *client) { c.shakeHands(); c.receiveText(); c.send(protocol.NameLobbyList, nil) }, `answered "LobbyList" instead of GameList`},
		{"list of version 1", func(c *client) { c.shakeHands(); c.receiveText(); c.sendText(`{"GameList":{"games":["a"]}}`) }, "cannot be read"},
		{"lost during a request", func(c *client) { c.shakeHands(); c.receiveText(); c.ws.NetConn().Close() }, "the connection was lost"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			stdout, stderr := coco(t, 3, "-s", serveRaw(t, tt.server).url, "list")
			wantText(t, "stdout", stdout, "")
			wantPart(t, "stderr", stderr, tt.want)
		})
	}
}

func TestLimitOfTheServerIsARefusal(t *testing.T) {
	f := serveRaw(t, func(c *client) {
		c.receiveText()
		c.ws.WriteMessage(websocket.CloseMessage, websocket.FormatCloseMessage(protocol.CloseLimit, "too many clients"))
	})
	_, stderr := coco(t, 4, "-s", f.url, "list")
	wantPart(t, "stderr", stderr, "too many clients")
}

func TestUnreachableServersExitWith3(t *testing.T) {
	web := httptest.NewServer(http.NotFoundHandler())
	defer web.Close()
	_, stderr := coco(t, 3, "-s", "ws"+strings.TrimPrefix(web.URL, "http"), "list")
	wantPart(t, "stderr", stderr, "is not a Code Colosseum server: it answered 404 Not Found")
	web.Close()
	_, stderr = coco(t, 3, "-s", "ws"+strings.TrimPrefix(web.URL, "http"), "list")
	wantPart(t, "stderr", stderr, "connection refused")
	_, stderr = coco(t, 3, "-s", "unix:/nowhere/socket", "list")
	wantPart(t, "stderr", stderr, "no such file")
}

func TestUnixSocketIsAnAddress(t *testing.T) {
	for _, prefix := range []string{"unix:", "ws+unix://"} {
		t.Run(prefix, func(t *testing.T) {
			socket := serveUnix(t, func(c *client) {
				c.receiveText()
				c.sendText(listReply)
				c.awaitClose()
			})
			stdout, _ := coco(t, 0, "-s", prefix+socket, "list")
			wantText(t, "stdout", stdout, "- dama\n- roshambo\n")
		})
	}
}

func TestCertificateIsVerifiedUnlessConfirmedTwice(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, env string
		args      []string
		trusted   bool
		code      int
		want      string
	}{
		{name: "unknown authority", env: "A=", code: 3, want: "certificate"},
		{name: "authority of the system", env: "A=", trusted: true, code: 0},
		{name: "insecure without confirmation", env: "COCO_ALLOW_INSECURE=0", args: []string{"--insecure"}, code: 2, want: "COCO_ALLOW_INSECURE=1"},
		{name: "insecure with confirmation", env: "COCO_ALLOW_INSECURE=1", args: []string{"--insecure"}, code: 0, want: "not verified"},
		{name: "confirmation without insecure", env: "COCO_ALLOW_INSECURE=1", code: 3, want: "certificate"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := newTestServer(t, func(c *client) {
				c.shakeHands()
				c.receiveText()
				c.sendText(listReply)
				c.awaitClose()
			})
			f.http.Config.ErrorLog = log.New(io.Discard, "", 0)
			f.http.StartTLS()
			roots := filepath.Join(t.TempDir(), "roots.pem")
			text := []byte{}
			if tt.trusted {
				text = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: f.http.Certificate().Raw})
			}
			if err := os.WriteFile(roots, text, 0o600); err != nil {
				t.Fatal(err)
			}
			args := append([]string{"SSL_CERT_FILE=" + roots, "SSL_CERT_DIR=" + t.TempDir(), tt.env, "-s", "wss" + strings.TrimPrefix(f.http.URL, "https")}, tt.args...)
			_, stderr := coco(t, tt.code, append(args, "list")...)
			wantPart(t, "stderr", stderr, tt.want)
		})
	}
}

func TestWrongUsageExitsWith2(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, args, want string }{
		{"no command", "", "which command? (have list, lobby, new, connect, history"},
		{"unknown command", "lsit", `unknown command "lsit"`},
		{"unknown option", "list|-x", "-x"},
		{"too much for list", "list|a|b", `list does not take "b"`},
		{"too much for lobby", "lobby|a", `lobby does not take "a"`},
		{"new without a game", "new", "new needs more arguments: coco new GAME"},
		{"new with half a parameter", "new|x|-a|rounds", "key=value"},
		{"new with a parameter twice", "new|x|-a|r=1|-a|r=2", `"r" is given twice`},
		{"new with a word for a number", "new|x|-n|two", "two"},
		{"new as JSON with a program", "new|x|--json|--|true", "--json is for a match without a program"},
		{"new with a log and no program", "new|x|--log|d", "--log needs a program"},
		{"new with less than no bots", "new|x|-b|-1", "less than 0"},
		{"new with an endless timeout", "new|x|-t|inf", "timeout"},
		{"connect without an ID", "connect", "connect needs more arguments"},
		{"connect with a program but no dashes", "connect|id|prog", `connect does not take "prog"`},
		{"connect by an unknown channel", "connect|id|-c|smoke", `unknown channel "smoke" (have stdio, pipe)`},
		{"connect without lingering", "connect|id|--linger|0", "--linger"},
		{"server after the command", "list|-s|ws://h/", "-s URL comes before the command: coco -s URL list"},
		{"program for list", "list|--|prog", "only new, connect, serve, challenge, uci and refeed take a program"},
		{"unknown display", "history|-d|nice", `unknown display "nice" (have raw, pretty, json)`},
		{"a plain match", "history|--plain|x", "--plain is for the list of matches"},
		{"two displays", "history|-d|raw|--json|x", "exclude each other"},
		{"address without a scheme", "-s|localhost:8088|list", "does not begin with ws://"},
		{"address of another kind", "-s|ftp://localhost/|list", "does not begin with ws://"},
		{"address without a host", "-s|ws:///x|list", "names no host"},
		{"address without a socket", "-s|unix:|list", "names no socket"},
		{"address with a broken port", "-s|ws://h:port|connect|x|--|true", "not a URL"},
		{"insecure without TLS", "--insecure|list", "has no certificate"},
		{"completion of an unknown shell", "completion|tcsh", "tcsh"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var args []string
			if tt.args != "" {
				args = strings.Split(tt.args, "|")
			}
			stdout, stderr := coco(t, 2, args...)
			wantText(t, "stdout", stdout, "")
			wantPart(t, "stderr", stderr, tt.want)
		})
	}
}

func TestCompletionScriptsAndSuggestions(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish", "pwsh"} {
		stdout, _ := coco(t, 0, "completion", shell)
		wantPart(t, shell, stdout, "--generate-shell-completion")
	}
	stdout, _ := coco(t, 0, "--generate-shell-completion")
	wantPart(t, "suggestions", stdout, "lobby")
	stdout, _ = coco(t, 0, "connect", "--sp", "--generate-shell-completion")
	wantPart(t, "suggestions", stdout, "--spectate")
}

func TestHelpAndVersionSucceed(t *testing.T) {
	stdout, _ := coco(t, 0, "--help")
	wantPart(t, "help", stdout, "history")
	stdout, _ = coco(t, 0, "connect", "--help")
	wantPart(t, "help", stdout, "--linger")
	stdout, _ = coco(t, 0, "-V")
	wantPart(t, "version", stdout, "coco ")
}
