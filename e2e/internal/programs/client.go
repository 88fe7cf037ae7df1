package programs

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"colosseum/protocol"
)

// Client is a WebSocket client that speaks the protocol by hand, for what no
// well-behaved client does, and for many at once.
type Client struct {
	Conn *websocket.Conn
}

// ample is the most time for an answer that the protocol allows: no player of
// a test is late unless the test says so.
var ample = 600.0

// Dial connects and shakes hands.
func Dial(url string) (*Client, error) {
	conn, _, err := new(websocket.Dialer).Dial(url, nil)
	if err != nil {
		return nil, err
	}
	c := &Client{conn}
	if err := c.Send(protocol.NameHandshake, protocol.Handshake{Magic: protocol.Magic, Version: protocol.Version}); err != nil {
		return nil, err
	}
	return c, c.Expect(protocol.NameHandshake, nil)
}

// Close ends the connection without a word.
func (c *Client) Close() { _ = c.Conn.Close() }

// Send sends a message.
func (c *Client) Send(name string, body any) error {
	return c.Conn.WriteMessage(websocket.TextMessage, protocol.Encode(name, body))
}

// Next returns the next message: its name and fields, or its bytes with no name.
func (c *Client) Next() (name string, body []byte, err error) {
	kind, message, err := c.Conn.ReadMessage()
	if err != nil || kind == websocket.BinaryMessage {
		return "", message, err
	}
	name, fields, err := protocol.Split(message)
	return name, fields, err
}

// Expect reads a message of the given name into v.
func (c *Client) Expect(name string, v any) error {
	got, body, err := c.Next()
	if err != nil {
		return err
	}
	if got != name {
		return fmt.Errorf("got %q %s instead of %s", got, body, name)
	}
	if v == nil {
		return nil
	}
	return json.Unmarshal(body, v)
}

// Skip reads until a message of the given name, and returns the bytes of the
// match that came before it.
func (c *Client) Skip(name string, v any) (stream []byte, err error) {
	for {
		got, body, err := c.Next()
		switch {
		case err != nil:
			return stream, err
		case got == "":
			stream = append(stream, body...)
		case got == name:
			if v == nil {
				return stream, nil
			}
			return stream, json.Unmarshal(body, v)
		}
	}
}

// Create opens a match and returns its ID.
func (c *Client) Create(r protocol.GameNew) (string, error) {
	if r.Name == "" {
		r.Name = "test"
	}
	if err := c.Send(protocol.NameGameNew, r); err != nil {
		return "", err
	}
	var reply protocol.GameNewReply
	if err := c.Expect(protocol.NameGameNew, &reply); err != nil {
		return "", err
	}
	return reply.ID.Get()
}

// Join takes a seat in a match.
func (c *Client) Join(id, name string) error {
	if err := c.Send(protocol.NameLobbyJoinMatch, protocol.LobbyJoinMatch{ID: id, Name: name}); err != nil {
		return err
	}
	var reply protocol.JoinedReply
	if err := c.Expect(protocol.NameLobbyJoinedMatch, &reply); err != nil {
		return err
	}
	_, err := reply.Info.Get()
	return err
}

// History returns the record of a match that has ended.
func (c *Client) History(id string) (*protocol.History, error) {
	if err := c.Send(protocol.NameHistoryMatch, protocol.MatchID{ID: id}); err != nil {
		return nil, err
	}
	name, body, err := c.Next()
	if err != nil {
		return nil, err
	}
	if name != "" {
		return nil, fmt.Errorf("got %s %s instead of a record", name, body)
	}
	return protocol.DecodeHistory(body)
}

// Record is what the host's API tells of a match that has ended.
type Record struct {
	ID             string
	State, Reason  string
	Started, Ended time.Time
	Seats          []struct {
		Name, Ended string
		Score       float64
	}
}

// Record asks the API for a match that has ended.
func (h *Host) Record(t testing.TB, id string) *Record {
	t.Helper()
	r := h.Records(t)[id]
	if r == nil {
		t.Fatalf("match %s has no record", id)
	}
	return r
}

// Records asks the API for all matches that have ended, without their streams.
func (h *Host) Records(t testing.TB) map[string]*Record {
	t.Helper()
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	all := map[string]*Record{}
	for after := ""; ; {
		r, err := client.Get("http" + strings.TrimPrefix(h.URL, "ws") + "api/matches?limit=500&after=" + after)
		if err != nil {
			t.Fatal(err)
		}
		var page struct {
			Matches []*Record
			Next    string
		}
		err = json.NewDecoder(r.Body).Decode(&page)
		_ = r.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range page.Matches {
			all[m.ID] = m
		}
		if after = page.Next; after == "" {
			return all
		}
	}
}

// Lines reads lines of a match across messages.
type Lines struct {
	C    *Client
	rest string
}

// Next returns the next line; ended is not nil when the match has ended.
func (l *Lines) Next() (line string, ended *protocol.EndedReply, err error) {
	for {
		if line, rest, ok := strings.Cut(l.rest, "\n"); ok {
			l.rest = rest
			return line, nil, nil
		}
		name, body, err := l.C.Next()
		switch {
		case err != nil:
			return "", nil, err
		case name == "":
			l.rest += string(body)
		case name == protocol.NameMatchEnded:
			ended = &protocol.EndedReply{}
			return "", ended, json.Unmarshal(body, ended)
		}
	}
}

// Roshambo plays a whole match of roshambo with the given moves.
func (c *Client) Roshambo(move func(round int) string) (*protocol.MatchResult, []string, error) {
	l := &Lines{C: c}
	var seen []string
	for sent := 0; ; {
		line, ended, err := l.Next()
		if err != nil {
			return nil, seen, err
		}
		if ended != nil {
			return ended.Result, seen, nil
		}
		seen = append(seen, line)
		if len(seen) >= 3 {
			if err := c.Conn.WriteMessage(websocket.BinaryMessage, []byte(move(sent)+"\n")); err != nil {
				return nil, seen, err
			}
			sent++
		}
	}
}

// Enter connects and shakes hands.
func (h *Host) Enter(t testing.TB) *Client {
	t.Helper()
	c, err := Dial(h.URL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// Serves waits until a match of a game can be created and joined.
func (h *Host) Serves(t testing.TB, game string) {
	t.Helper()
	var refused error
	for {
		c, err := Dial(h.URL)
		if err != nil {
			t.Fatalf("%v; the last refusal was %v", err, refused)
		}
		id, err := c.Create(protocol.GameNew{Game: game})
		if err == nil {
			err = c.Join(id, "bob")
		}
		c.Close()
		if err == nil {
			return
		}
		refused = err
		time.Sleep(10 * time.Millisecond) // the refusal is all there is to see
	}
}
