package e2e

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

// client is a WebSocket client that speaks the protocol by hand, for what no
// well-behaved client does, and for many at once.
type client struct {
	conn *websocket.Conn
}

func dial(url string) (*client, error) {
	conn, _, err := websocket.DefaultDialer.Dial(url, nil)
	if err != nil {
		return nil, err
	}
	c := &client{conn}
	if err := c.send(protocol.NameHandshake, protocol.Handshake{Magic: protocol.Magic, Version: protocol.Version}); err != nil {
		return nil, err
	}
	return c, c.expect(protocol.NameHandshake, nil)
}

func (c *client) close() { _ = c.conn.Close() }

func (c *client) send(name string, body any) error {
	return c.conn.WriteMessage(websocket.TextMessage, protocol.Encode(name, body))
}

// next returns the next message: its name and fields, or its bytes with no name.
func (c *client) next() (name string, body []byte, err error) {
	if err := c.conn.SetReadDeadline(time.Now().Add(patience)); err != nil {
		return "", nil, err
	}
	kind, message, err := c.conn.ReadMessage()
	if err != nil || kind == websocket.BinaryMessage {
		return "", message, err
	}
	name, fields, err := protocol.Split(message)
	return name, fields, err
}

// expect reads a message of the given name into v.
func (c *client) expect(name string, v any) error {
	got, body, err := c.next()
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

// skip reads until a message of the given name, and returns the bytes of the
// match that came before it.
func (c *client) skip(name string, v any) (stream []byte, err error) {
	for {
		got, body, err := c.next()
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

func (c *client) create(r protocol.GameNew) (string, error) {
	if r.Name == "" {
		r.Name = "test"
	}
	if err := c.send(protocol.NameGameNew, r); err != nil {
		return "", err
	}
	var reply protocol.GameNewReply
	if err := c.expect(protocol.NameGameNew, &reply); err != nil {
		return "", err
	}
	return reply.ID.Get()
}

func (c *client) join(id, name string) error {
	if err := c.send(protocol.NameLobbyJoinMatch, protocol.LobbyJoinMatch{ID: id, Name: name}); err != nil {
		return err
	}
	var reply protocol.JoinedReply
	if err := c.expect(protocol.NameLobbyJoinedMatch, &reply); err != nil {
		return err
	}
	_, err := reply.Info.Get()
	return err
}

// history returns the record of a match that has ended.
func (c *client) history(id string) (*protocol.History, error) {
	if err := c.send(protocol.NameHistoryMatch, protocol.MatchID{ID: id}); err != nil {
		return nil, err
	}
	name, body, err := c.next()
	if err != nil {
		return nil, err
	}
	if name != "" {
		return nil, fmt.Errorf("got %s %s instead of a record", name, body)
	}
	return protocol.DecodeHistory(body)
}

// record is what the host's API tells of a match that has ended.
type record struct {
	ID             string
	State, Reason  string
	Started, Ended time.Time
	Seats          []struct {
		Name, Ended string
		Score       float64
	}
}

// record asks the API for a match that has ended.
func (h *host) record(t testing.TB, id string) *record {
	t.Helper()
	r := h.records(t)[id]
	if r == nil {
		t.Fatalf("match %s has no record", id)
	}
	return r
}

// records asks the API for all matches that have ended, without their streams.
func (h *host) records(t testing.TB) map[string]*record {
	t.Helper()
	client := http.Client{Timeout: patience, Transport: &http.Transport{DisableKeepAlives: true}}
	all := map[string]*record{}
	for after := ""; ; {
		r, err := client.Get("http" + strings.TrimPrefix(h.url, "ws") + "api/matches?limit=500&after=" + after)
		if err != nil {
			t.Fatal(err)
		}
		var page struct {
			Matches []*record
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

// lines reads lines of a match across messages.
type lines struct {
	c    *client
	rest string
}

// next returns the next line; ended is not nil when the match has ended.
func (l *lines) next() (line string, ended *protocol.EndedReply, err error) {
	for {
		if line, rest, ok := strings.Cut(l.rest, "\n"); ok {
			l.rest = rest
			return line, nil, nil
		}
		name, body, err := l.c.next()
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

// roshambo plays a whole match of roshambo with the given moves.
func (c *client) roshambo(move func(round int) string) (*protocol.MatchResult, []string, error) {
	l := &lines{c: c}
	var seen []string
	for sent := 0; ; {
		line, ended, err := l.next()
		if err != nil {
			return nil, seen, err
		}
		if ended != nil {
			return ended.Result, seen, nil
		}
		seen = append(seen, line)
		if len(seen) >= 3 {
			if err := c.conn.WriteMessage(websocket.BinaryMessage, []byte(move(sent)+"\n")); err != nil {
				return nil, seen, err
			}
			sent++
		}
	}
}
