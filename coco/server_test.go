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

	"colosseum/internal/test/poll"
	"colosseum/protocol"

	"github.com/gorilla/websocket"
)

// testServer is a server that runs a script for its only client.
type testServer struct {
	t    testing.TB
	http *httptest.Server
	url  string
	done chan struct{} // closed when the script has ended
}

// client is the server's end of the connection to coco.
type client struct {
	t  testing.TB
	ws *websocket.Conn
}

func newTestServer(t testing.TB, script func(*client)) *testServer {
	f := &testServer{t: t, done: make(chan struct{})}
	upgrader := websocket.Upgrader{}
	f.http = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ws, err := upgrader.Upgrade(w, r, nil)
		if err != nil {
			t.Errorf("upgrade: got %v, want nil", err)
			return
		}
		defer close(f.done)
		defer ws.Close()
		script(&client{t, ws})
	}))
	t.Cleanup(f.http.Close)
	return f
}

// serve starts a server that runs a script after the handshake.
func serve(t testing.TB, script func(*client)) *testServer {
	return serveRaw(t, func(c *client) {
		c.shakeHands()
		script(c)
	})
}

// serveRaw starts a server that runs a script instead of the handshake.
func serveRaw(t testing.TB, script func(*client)) *testServer {
	f := newTestServer(t, script)
	f.http.Start()
	f.url = "ws" + strings.TrimPrefix(f.http.URL, "http") + "/"
	return f
}

func serveUnix(t testing.TB, script func(*client)) (socket string) {
	f := newTestServer(t, func(c *client) {
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
func (f *testServer) wait() {
	f.t.Helper()
	poll.Receive(f.t, "the server's script ends", f.done)
}

// fail ends the script.
func (c *client) fail(format string, args ...any) {
	c.t.Errorf("server: "+format, args...)
	runtime.Goexit()
}

func (c *client) shakeHands() {
	wantText(c.t, "handshake", string(c.receiveText()), `{"Handshake":{"magic":"coco","version":2}}`)
	c.send(protocol.NameHandshake, protocol.Handshake{Magic: "coco", Version: 2})
}

func (c *client) receiveText() []byte {
	kind, msg, err := c.ws.ReadMessage()
	if err != nil || kind != websocket.TextMessage {
		c.fail("got a frame of kind %d, %v, want text", kind, err)
	}
	return msg
}

// receive returns the fields of the next message, which must have this name.
func (c *client) receive(name string) json.RawMessage {
	got, body, err := protocol.Split(c.receiveText())
	if err != nil || got != name {
		c.fail("got %q, %v, want %q", got, err, name)
	}
	return body
}

func (c *client) send(name string, body any) { c.sendText(string(protocol.Encode(name, body))) }

func (c *client) sendText(text string) { c.ws.WriteMessage(websocket.TextMessage, []byte(text)) }

// stream sends bytes of a match.
func (c *client) stream(b string) { c.ws.WriteMessage(websocket.BinaryMessage, []byte(b)) }

// expect receives bytes of a player, which must be want.
func (c *client) expect(want string) {
	got := ""
	for len(got) < len(want) {
		kind, b, err := c.ws.ReadMessage()
		if err != nil || kind != websocket.BinaryMessage {
			c.fail("got a frame of kind %d, %v after %q, want %q", kind, err, got, want)
		}
		got += string(b)
	}
	wantText(c.t, "player's output", got, want)
}

// awaitClose waits until the client closes the connection, and returns the text
// messages that it sent before.
func (c *client) awaitClose() (texts []string) {
	for {
		kind, b, err := c.ws.ReadMessage()
		if err != nil {
			if !websocket.IsCloseError(err, websocket.CloseNormalClosure) {
				c.t.Errorf("server: got %v, want a normal close frame", err)
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

// join lets alice join a waiting match.
func (c *client) join() {
	c.receive(protocol.NameLobbyJoinMatch)
	c.send(protocol.NameLobbyJoinedMatch, protocol.JoinedReply{Info: protocol.Ok(info("alice"))})
}

// begin lets alice join a match, and starts it.
func (c *client) begin() {
	c.join()
	c.send(protocol.NameLobbyUpdate, protocol.LobbyEvent{Info: info("alice", "bob")})
	c.send(protocol.NameMatchStarted, nil)
}

// finish ends the match.
func (c *client) finish() {
	c.send(protocol.NameMatchEnded, nil)
	c.awaitClose()
}

// begun is coco's output for begin.
const begun = "> Joined \"T\" (roshambo)\n> Waiting for game to start\n" +
	"> Game has 0 spectators and 1/2 (0 bots) connected player: [\"alice\"]\n" +
	"> Game has 0 spectators and 2/2 (0 bots) connected players: [\"alice\", \"bob\"]\n" +
	"> Game started\n"
