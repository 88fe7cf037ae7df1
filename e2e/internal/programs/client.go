package programs

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"colosseum/internal/test/poll"
	"colosseum/protocol"
)

// Client is a WebSocket client that can also break the protocol. One goroutine can
// read from it while another one writes.
type Client struct {
	Conn   *websocket.Conn
	Resume bool // Join asks for a ticket
}

// Dial connects, and exchanges handshakes.
func Dial(url string) (*Client, error) {
	conn, _, err := new(websocket.Dialer).Dial(url, nil)
	if err != nil {
		return nil, err
	}
	// The usual handler gives up after a second, which a busy machine can miss.
	conn.SetPingHandler(func(text string) error {
		err := conn.WriteControl(websocket.PongMessage, []byte(text), time.Now().Add(poll.Limit))
		if errors.Is(err, websocket.ErrCloseSent) {
			return nil
		}
		return err
	})
	c := &Client{Conn: conn}
	if err := c.Send(protocol.NameHandshake, protocol.Handshake{Magic: protocol.Magic, Version: protocol.Version}); err != nil {
		return nil, err
	}
	return c, c.Expect(protocol.NameHandshake, nil)
}

// Close closes the connection without a close frame.
func (c *Client) Close() { _ = c.Conn.Close() }

// Send sends a message.
func (c *Client) Send(name string, body any) error {
	return c.Conn.WriteMessage(websocket.TextMessage, protocol.Encode(name, body))
}

// SendLine sends a line of a match.
func (c *Client) SendLine(line string) error {
	return c.Conn.WriteMessage(websocket.BinaryMessage, []byte(line+"\n"))
}

// Next returns the next message: its name and fields, or bytes of a match and no
// name. When none comes within [poll.Limit], it returns an error.
func (c *Client) Next() (name string, body []byte, err error) {
	_ = c.Conn.SetReadDeadline(time.Now().Add(poll.Limit))
	kind, message, err := c.Conn.ReadMessage()
	if err != nil || kind == websocket.BinaryMessage {
		return "", message, err
	}
	name, fields, err := protocol.Split(message)
	return name, fields, err
}

// Expect reads the next message into v. It must have the given name.
func (c *Client) Expect(name string, v any) error {
	got, body, err := c.Next()
	if err != nil {
		return err
	}
	if got != name {
		return fmt.Errorf("got %q %s, want %s", got, body, name)
	}
	if v == nil {
		return nil
	}
	return json.Unmarshal(body, v)
}

// Skip reads up to a message of the given name, decodes it into v, and returns the
// bytes of the match that came before it.
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

// Create creates a match and returns its ID.
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
	if err := c.Send(protocol.NameLobbyJoinMatch, protocol.LobbyJoinMatch{ID: id, Name: name, Resume: c.Resume}); err != nil {
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
		return nil, fmt.Errorf("got %s %s, want a record", name, body)
	}
	return protocol.DecodeHistory(body)
}

// Record is a match that has ended, as the host's API returns it.
type Record struct {
	ID, Game      string
	State, Reason string
	Ended         time.Time
	Seats         []struct {
		Name, Ended string
		Score       float64
		Version     int // of a program that was handed in
	}
}

// Record returns a match that has ended, from the host's API.
func (h *Host) Record(t testing.TB, id string) *Record {
	t.Helper()
	r := h.Records(t)[id]
	if r == nil {
		t.Fatalf("got no record of match %s, want one", id)
	}
	return r
}

// Records returns all matches that have ended, by ID, from the host's API.
func (h *Host) Records(t testing.TB) map[string]*Record {
	t.Helper()
	all := map[string]*Record{}
	for after := ""; ; {
		status, body := Get(t, h.Page("api/matches?limit=500&after="+after))
		var page struct {
			Matches []*Record
			Next    string
		}
		if err := json.Unmarshal([]byte(body), &page); status != http.StatusOK || err != nil {
			t.Fatalf("the records: got status %d, %v, want JSON:\n%s", status, err, body)
		}
		for _, m := range page.Matches {
			all[m.ID] = m
		}
		if after = page.Next; after == "" {
			return all
		}
	}
}

// Lines splits the stream of a match into lines.
type Lines struct {
	C    *Client
	rest string
}

// Next returns the next line, or ended if the match has ended.
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

// Finished reports whether a match ended without a fault or a forfeit.
func Finished(r *protocol.MatchResult) bool {
	forfeit := func(p protocol.PlayerResult) bool { return p.Ended != protocol.EndedFinished }
	return !r.Aborted && !slices.ContainsFunc(r.Players, forfeit)
}

// Roshambo returns a request for a match without pauses, with 600 s for an answer:
// no player is late unless a test intends it.
func Roshambo(rounds, bots int) protocol.GameNew {
	return protocol.GameNew{
		Game: "roshambo", Params: protocol.GameParams{Bots: bots, Timeout: new(600.0)},
		Args: map[string]string{"rounds": strconv.Itoa(rounds), "pace": "0"},
	}
}

// Roshambo plays a match of roshambo with the given moves, and returns its result
// and the lines that it received.
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
			if err := c.SendLine(move(sent)); err != nil {
				return nil, seen, err
			}
			sent++
		}
	}
}

// Dial connects to the host, until the end of the test.
func (h *Host) Dial(t testing.TB) *Client {
	t.Helper()
	c, err := Dial(h.URL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// Join creates a match and takes a seat in it.
func (h *Host) Join(t testing.TB, r protocol.GameNew, name string) (c *Client, id string) {
	t.Helper()
	c = h.Dial(t)
	id, err := c.Create(r)
	if err == nil {
		err = c.Join(id, name)
	}
	if err != nil {
		t.Fatal(err)
	}
	return c, id
}

// Answer is SendLine for a test that fails without it.
func (c *Client) Answer(t testing.TB, line string) {
	t.Helper()
	if err := c.SendLine(line); err != nil {
		t.Fatal(err)
	}
}

// AwaitEnd reads to the end of the match, and returns its result and the bytes of
// the match that came before it.
func (c *Client) AwaitEnd(t testing.TB) (protocol.MatchResult, string) {
	t.Helper()
	var ended protocol.EndedReply
	stream, err := c.Skip(protocol.NameMatchEnded, &ended)
	if err != nil || ended.Result == nil {
		t.Fatalf("got %v after %q, want the end of the match with a result", err, stream)
	}
	return *ended.Result, string(stream)
}

// AwaitGame waits until a match of a game can be created and joined.
func (h *Host) AwaitGame(t testing.TB, game string) {
	t.Helper()
	poll.Until(t, "a match of "+game+" can be joined", func() bool {
		c, err := Dial(h.URL)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		id, err := c.Create(protocol.GameNew{Game: game})
		if err == nil {
			err = c.Join(id, "bob")
		}
		if err != nil {
			t.Log(err)
		}
		return err == nil
	})
}
