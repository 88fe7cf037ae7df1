package browser

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/gorilla/websocket"

	"colosseum/protocol"
)

// program is a player that uses the protocol instead of a browser.
type program struct {
	t    testing.TB
	conn *websocket.Conn
}

func dial(t testing.TB, h *host) *program {
	t.Helper()
	conn, _, err := new(websocket.Dialer).Dial("ws"+strings.TrimPrefix(h.url, "http"), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	p := &program{t, conn}
	p.send(protocol.NameHandshake, protocol.Handshake{Magic: protocol.Magic, Version: protocol.Version})
	p.until(protocol.NameHandshake, nil)
	return p
}

func (p *program) send(name string, body any) {
	p.t.Helper()
	if err := p.conn.WriteMessage(websocket.TextMessage, protocol.Encode(name, body)); err != nil {
		p.t.Fatal(err)
	}
}

// until reads up to a message of a name, or with "" up to the next bytes of a match.
func (p *program) until(name string, into any) {
	p.t.Helper()
	for {
		kind, message, err := p.conn.ReadMessage()
		if err != nil {
			p.t.Fatalf("got %v, want %q", err, name)
		}
		if kind == websocket.BinaryMessage {
			if name == "" {
				return
			}
			continue
		}
		got, body, err := protocol.Split(message)
		if err != nil {
			p.t.Fatal(err)
		}
		if got == name {
			if into != nil {
				if err := json.Unmarshal(body, into); err != nil {
					p.t.Fatal(err)
				}
			}
			return
		}
	}
}

// create creates a match of roshambo.
func (p *program) create(name string, rounds, bots int) string {
	p.t.Helper()
	p.send(protocol.NameGameNew, protocol.GameNew{
		Name: name, Game: "roshambo", Params: protocol.GameParams{Bots: bots}, Args: map[string]string{"rounds": fmt.Sprint(rounds), "pace": "0"},
	})
	var reply protocol.GameNewReply
	p.until(protocol.NameGameNew, &reply)
	id, err := reply.ID.Get()
	if err != nil {
		p.t.Fatal(err)
	}
	return id
}

func (p *program) join(id, name string) {
	p.t.Helper()
	p.send(protocol.NameLobbyJoinMatch, protocol.LobbyJoinMatch{ID: id, Name: name})
	p.until(protocol.NameLobbyJoinedMatch, nil)
}

// play sends lines of a match.
func (p *program) play(lines ...string) {
	p.t.Helper()
	for _, line := range lines {
		if err := p.conn.WriteMessage(websocket.BinaryMessage, []byte(line+"\n")); err != nil {
			p.t.Fatal(err)
		}
	}
}
