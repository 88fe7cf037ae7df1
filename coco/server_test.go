//go:build unix

package main

import (
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"colosseum/protocol"

	"github.com/gorilla/websocket"
)

// fake is a server that plays a script to its one client.
type fake struct {
	t    testing.TB
	http *httptest.Server
	url  string
	done chan struct{} // closed when the script has ended
}

// client is the server's view of coco.
type client struct {
	t  testing.TB
	ws *websocket.Conn
}

func newFake(t testing.TB, script func(*client)) *fake {
	f := &fake{t: t, done: make(chan struct{})}
	upgrader := websocket.Upgrader{}
	f.http = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ws, err := upgrader.Upgrade(w, r, nil)
		if err != nil {
			t.Errorf("upgrade: %v", err)
			return
		}
		defer close(f.done)
		defer ws.Close()
		script(&client{t, ws})
	}))
	t.Cleanup(f.http.Close)
	return f
}

// serve starts a server that shakes hands and then plays a script.
func serve(t testing.TB, script func(*client)) *fake {
	return serveRaw(t, func(c *client) {
		c.shakeHands()
		script(c)
	})
}

// serveRaw starts a server that plays a script from the first frame on.
func serveRaw(t testing.TB, script func(*client)) *fake {
	f := newFake(t, script)
	f.http.Start()
	f.url = "ws" + strings.TrimPrefix(f.http.URL, "http") + "/"
	return f
}

func serveUnix(t testing.TB, script func(*client)) (socket string) {
	f := newFake(t, func(c *client) {
		c.shakeHands()
		script(c)
	})
	socket = filepath.Join(t.TempDir(), "socket")
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	f.http.Listener.Close()
	f.http.Listener = listener
	f.http.Start()
	return socket
}

// wait waits until the script has ended.
func (f *fake) wait() {
	f.t.Helper()
	<-f.done
}

// fail ends the script.
func (c *client) fail(format string, args ...any) {
	c.t.Errorf("server: "+format, args...)
	runtime.Goexit()
}

func (c *client) shakeHands() {
	wantText(c.t, "handshake", string(c.hearText()), `{"Handshake":{"magic":"coco","version":2}}`)
	c.say(protocol.NameHandshake, protocol.Handshake{Magic: "coco", Version: 2})
}

func (c *client) hearText() []byte {
	kind, msg, err := c.ws.ReadMessage()
	if err != nil || kind != websocket.TextMessage {
		c.fail("heard kind %d, %v", kind, err)
	}
	return msg
}

// hear reads the next message, which must have this name.
func (c *client) hear(name string) json.RawMessage {
	got, body, err := protocol.Split(c.hearText())
	if err != nil || got != name {
		c.fail("heard %q, %v instead of %q", got, err, name)
	}
	return body
}

func (c *client) say(name string, body any) { c.sayText(string(protocol.Encode(name, body))) }

func (c *client) sayText(text string) { c.ws.WriteMessage(websocket.TextMessage, []byte(text)) }

// stream sends bytes of a match.
func (c *client) stream(b string) { c.ws.WriteMessage(websocket.BinaryMessage, []byte(b)) }

// play waits for bytes of a player.
func (c *client) play(want string) {
	got := ""
	for len(got) < len(want) {
		kind, b, err := c.ws.ReadMessage()
		if err != nil || kind != websocket.BinaryMessage {
			c.fail("played kind %d, %v after %q", kind, err, got)
		}
		got += string(b)
	}
	wantText(c.t, "player's output", got, want)
}

// gone waits for the client to close the connection, and returns the text
// messages that it sent before.
func (c *client) gone() (texts []string) {
	for {
		kind, b, err := c.ws.ReadMessage()
		if err != nil {
			if !websocket.IsCloseError(err, websocket.CloseNormalClosure) {
				c.t.Errorf("server: the client left without a goodbye: %v", err)
			}
			return texts
		}
		if kind == websocket.TextMessage {
			texts = append(texts, string(b))
		}
	}
}

const matchID = "8gj5mqqjtoklo"

// info is the match of the tests.
func info(connected ...string) protocol.MatchInfo {
	return protocol.MatchInfo{
		ID: matchID, Name: "T", Game: "roshambo", Players: 2, Timeout: 30, Args: map[string]string{},
		Connected: append([]string{}, connected...), Time: time.Now().Add(time.Minute).Unix(),
	}
}

// join lets alice into a waiting match.
func (c *client) join() {
	c.hear(protocol.NameLobbyJoinMatch)
	c.say(protocol.NameLobbyJoinedMatch, protocol.JoinedReply{Info: protocol.Ok(info("alice"))})
}

// begin lets alice join, and the match begin.
func (c *client) begin() {
	c.join()
	c.say(protocol.NameLobbyUpdate, protocol.LobbyEvent{Info: info("alice", "bob")})
	c.say(protocol.NameMatchStarted, nil)
}

// finish ends the match.
func (c *client) finish() {
	c.say(protocol.NameMatchEnded, nil)
	c.gone()
}

// begun is what coco prints for begin.
const begun = "> Joined \"T\" (roshambo)\n> Waiting for game to start\n" +
	"> Game has 0 spectators and 1/2 (0 bots) connected player: [\"alice\"]\n" +
	"> Game has 0 spectators and 2/2 (0 bots) connected players: [\"alice\", \"bob\"]\n" +
	"> Game started\n"
