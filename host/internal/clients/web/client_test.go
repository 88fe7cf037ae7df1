package web

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"colosseum/internal/test/poll"
	"colosseum/protocol"
)

// client is a client of a test. Unless it is one of ours, it checks that the original
// client would accept each message.
type client struct {
	t        testing.TB
	conn     *websocket.Conn
	stream   string // bytes of a match that wantBytes has not compared yet
	original originalClient
	ours     bool // it knows messages that the original client does not know
	fake     bool // its time is that of a bubble, in which a wait without an end is found
}

// dial connects without a handshake.
func (srv *testServer) dial() *client {
	srv.t.Helper()
	var d websocket.Dialer
	if srv.network != nil {
		d.NetDialContext = srv.network.dial
	}
	conn, response, err := d.Dial("ws"+strings.TrimPrefix(srv.http.URL, "http")+"/any/path", nil)
	if err != nil {
		srv.t.Fatal(err)
	}
	_ = response.Body.Close()
	c := &client{t: srv.t, conn: conn, fake: srv.network != nil}
	srv.t.Cleanup(c.close)
	return c
}

// connect connects and shakes hands.
func (srv *testServer) connect() *client {
	srv.t.Helper()
	c := srv.dial()
	c.sendText(`{"Handshake":{"magic":"coco","version":2}}`)
	c.wantText(`{"Handshake":{"magic":"coco","version":2}}`)
	return c
}

func (c *client) close() { _ = c.conn.Close() }

func (c *client) sendText(text string) {
	c.t.Helper()
	if err := c.conn.WriteMessage(websocket.TextMessage, []byte(text)); err != nil {
		c.t.Fatal(err)
	}
}

// sendBytes sends bytes of the player's program.
func (c *client) sendBytes(bytes string) {
	c.t.Helper()
	if err := c.conn.WriteMessage(websocket.BinaryMessage, []byte(bytes)); err != nil {
		c.t.Fatal(err)
	}
}

// limit ends the next read if nothing comes.
func (c *client) limit() {
	if !c.fake {
		_ = c.conn.SetReadDeadline(time.Now().Add(poll.Limit))
	}
}

// read returns the next message, without measured lags: "text" and the text, "binary" and the bytes,
// "close", the code and the reason, or "lost" and the error without a close frame.
func (c *client) read() (kind, data string) {
	c.limit()
	k, b, err := c.conn.ReadMessage()
	if closed, ok := errors.AsType[*websocket.CloseError](err); ok && closed.Code != websocket.CloseAbnormalClosure {
		return "close", fmt.Sprintf("%d %s", closed.Code, closed.Text)
	}
	switch {
	case err != nil:
		return "lost", err.Error()
	case k == websocket.BinaryMessage:
		kind, err = "binary", c.original.binary(b)
	default:
		kind, err = "text", c.original.text(string(b))
	}
	if err != nil && !c.ours {
		c.t.Error(err)
	}
	return kind, anyLag.ReplaceAllString(string(b), "")
}

var (
	anyTime     = regexp.MustCompile(`"time":\d+`)
	anyCommit   = regexp.MustCompile(`"commitment":"[0-9a-f]{64}"`)
	anyFeatures = regexp.MustCompile(`,"features":\[[^]]*\]`)
	anyLag      = regexp.MustCompile(`,"(lag_ms|forgiven_ms)":(\d+|\{[^}]*\})`)
)

// wantText expects the given texts, in which T stands for every time, and C for every
// commitment, without the features of handshakes.
func (c *client) wantText(want ...string) {
	c.t.Helper()
	for _, w := range want {
		kind, got := c.read()
		got = anyTime.ReplaceAllString(got, `"time":T`)
		got = anyCommit.ReplaceAllString(got, `"commitment":C`)
		got = anyFeatures.ReplaceAllString(got, "")
		if kind != "text" || got != w {
			c.t.Fatalf("got %s %s\nwant %s", kind, got, w)
		}
	}
}

// wantBytes expects bytes of a match, in messages of any size.
func (c *client) wantBytes(want string) {
	c.t.Helper()
	for len(c.stream) < len(want) {
		kind, data := c.read()
		if kind != "binary" {
			c.t.Fatalf("got %s %s\nwant %.80q", kind, data, want)
		}
		c.stream += data
	}
	if c.stream[:len(want)] != want {
		c.t.Fatalf("got %.80q\nwant %.80q", c.stream, want)
	}
	c.stream = c.stream[len(want):]
}

// wantClose expects a close frame after any other messages, with a reason that
// contains the given text.
func (c *client) wantClose(code int, reason string) {
	c.t.Helper()
	for {
		c.limit()
		_, _, err := c.conn.ReadMessage()
		if err == nil {
			continue
		}
		closed, ok := errors.AsType[*websocket.CloseError](err)
		if !ok || closed.Code != code || closed.Text == "" || !strings.Contains(closed.Text, reason) {
			c.t.Fatalf("got %v, want it closed with %d %s", err, code, reason)
		}
		return
	}
}

// readUntil reads up to a message of the given name. It returns that, and the
// bytes of the match before it.
func (c *client) readUntil(name string) (stream, message string) {
	c.t.Helper()
	for {
		kind, data := c.read()
		switch {
		case kind == "binary":
			stream += data
		case kind != "text":
			c.t.Fatalf("got %s %s, want %s", kind, data, name)
		case strings.HasPrefix(data, `{"`+name+`":`):
			return stream, data
		}
	}
}

var identifier = regexp.MustCompile(`"Ok":"([0-9a-v]{13})"`)

// createMatch creates a match and returns its ID.
func (c *client) createMatch(game string) string {
	c.t.Helper()
	c.sendText(`{"GameNew":{"name":"T","game":"` + game + `","params":{"players":null,"bots":0,"timeout":null},"args":{},"password":null,"verification":null}}`)
	_, m := c.read()
	found := identifier.FindStringSubmatch(m)
	if found == nil {
		c.t.Fatalf("got %s, want an ID", m)
	}
	return found[1]
}

// joinMatch takes a seat and reads up to the update that shows it.
func (c *client) joinMatch(id, name string) {
	c.t.Helper()
	c.sendText(string(protocol.Encode(protocol.NameLobbyJoinMatch, protocol.LobbyJoinMatch{ID: id, Name: name})))
	_, m := c.readUntil(protocol.NameLobbyJoinedMatch)
	if !strings.Contains(m, `"Ok"`) {
		c.t.Fatalf("got %s, want a seat", m)
	}
	c.readUntil(protocol.NameLobbyUpdate)
}

// watch joins a running match as a spectator and reads up to the present.
func (c *client) watch(id string) {
	c.t.Helper()
	c.sendText(`{"SpectateJoin":{"id":"` + id + `"}}`)
	c.readUntil(protocol.NameSpectateSynced)
}

// startEcho starts a match of echo and returns its ID.
func (c *client) startEcho() string {
	c.t.Helper()
	id := c.createMatch("echo")
	c.joinMatch(id, "alice")
	c.readUntil(protocol.NameMatchStarted)
	c.wantBytes("hello\n")
	return id
}
