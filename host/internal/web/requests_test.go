package web

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/gorilla/websocket"

	"colosseum/host/internal/store"
	"colosseum/protocol"
)

func TestHandshake(t *testing.T) {
	const ours = `{"Handshake":{"magic":"coco","version":2}}`
	tests := []struct {
		name, first string
		reply       string
		closed      bool
	}{
		{"version 2", `{"Handshake":{"magic":"coco","version":2}}`, ours, false},
		{"version 1", `{"Handshake":{"magic":"coco","version":1}}`, `{"Handshake":{"magic":"coco","version":1}}`, false},
		{"more fields", `{"Handshake":{"magic":"coco","version":2,"client":"x"}}`, ours, false},
		{"version 3", `{"Handshake":{"magic":"coco","version":3}}`, ours, true},
		{"version 0", `{"Handshake":{"magic":"coco","version":0}}`, ours, true},
		{"wrong magic", `{"Handshake":{"magic":"cocoa","version":2}}`, ours, true},
		{"no fields", `"Handshake"`, ours, true},
		{"another message", `{"GameList":{}}`, ours, true},
		{"unknown message", `{"Hello":{}}`, ours, true},
		{"wrong type", `{"Handshake":{"magic":"coco","version":"2"}}`, "", true},
		{"two messages", `{"Handshake":{"magic":"coco","version":2},"GameList":{}}`, "", true},
		{"not JSON", `GET / HTTP/1.1`, "", true},
		{"empty", ``, "", true},
		{"array", `[1]`, "", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := open(t, nil).dial()
			c.says(tt.first)
			if tt.reply != "" {
				c.hears(tt.reply)
			}
			if tt.closed {
				c.closes(protocol.CloseProtocol)
				return
			}
			c.says(`{"LobbyList":{}}`)
			c.hears(`{"LobbyList":{"info":[]}}`)
		})
	}
	t.Run("binary", func(t *testing.T) {
		c := open(t, nil).dial()
		c.plays(`{"Handshake":{"magic":"coco","version":2}}`)
		c.closes(protocol.CloseProtocol)
	})
}

const waiting = `{"players":%d,"bots":%d,"timeout":30,"args":{},"id":"%s","name":"T","game":"duel","running":%v,"time":T,"connected":[%s],"spectators":%d,"password":false,"verified":false}`

// info is the MatchInfo of a duel as JSON.
func info(id string, running bool, spectators int, names ...string) string {
	for i := range names {
		names[i] = `"` + names[i] + `"`
	}
	return fmt.Sprintf(waiting, 2, 0, id, running, strings.Join(names, ","), spectators)
}

func TestEveryReplyHasTheFormOfTheProtocol(t *testing.T) {
	h := open(t, nil)
	c := h.enter()
	id := c.creates("duel")
	h.log.records["0123456789abc"] = &store.Record{
		ID: "0123456789abc", Game: "duel", Args: map[string]string{"rounds": "2"}, Stream: []byte("go\n"), State: store.Finished,
		Seats: []store.Seat{{Name: "ServerBot$0", Bot: true}, {Name: "bob"}},
	}
	h.log.records["0000000000000"] = &store.Record{ID: "0000000000000", State: store.Running}
	h.log.ids = []string{"0123456789abc"}
	tests := []struct{ name, request, reply string }{
		{
			"GameList", `{"GameList":{}}`,
			`{"GameList":{"games":[{"name":"duel","args":{"rounds":{"description":"number of rounds: a whole number from 1 to 99 (default 10)","regex":"^(\\+?0*([1-9][0-9]?))$"}},"title":"A duel"},` +
				`{"name":"echo","args":{},"title":"Says what you say","unavailable":"it is on holiday"}]}}`,
		},
		{"bare string", `"LobbyList"`, `{"LobbyList":{"info":[` + info(id, false, 0) + `]}}`},
		{"GameDescription", `{"GameDescription":{"name":"duel"}}`, `{"GameDescription":{"description":"# duel\n"}}`},
		{"GameDescription of no game", `{"GameDescription":{"name":"chess"}}`, `{"GameDescription":{"description":null}}`},
		{
			"GameNew refused", `{"GameNew":{"name":"","game":"duel","params":{"players":null,"bots":0,"timeout":null},"args":{}}}`,
			`{"GameNew":{"id":{"Err":"\"\" is not a valid game name: use 1 to 24 printable ASCII characters"}}}`,
		},
		{
			"GameNew with a wrong verification", `{"GameNew":{"name":"T","game":"duel","params":{"players":2,"bots":0,"timeout":30.0},"args":{},"password":null,"verification":"hunter2"}}`,
			`{"GameNew":{"id":{"Err":"\"***\" is the wrong verification password"}}}`,
		},
		{"GameNew with missing fields", `{"GameNew":{"game":"chess"}}`, `{"GameNew":{"id":{"Err":"Game not found"}}}`},
		{"LobbyList", `{"LobbyList":{}}`, `{"LobbyList":{"info":[` + info(id, false, 0) + `]}}`},
		{
			"LobbyJoinMatch refused", `{"LobbyJoinMatch":{"id":"` + id + `","name":"al ice","password":null}}`,
			`{"LobbyJoinedMatch":{"info":{"Err":"\"al ice\" is not a valid username: use 1 to 16 printable ASCII characters without spaces and $"}}}`,
		},
		{"SpectateJoin refused", `{"SpectateJoin":{"id":"0123456789abc"}}`, `{"SpectateJoined":{"info":{"Err":"Game \"0123456789abc\" does not exists"}}}`},
		{"SpectateJoin of no ID", `{"SpectateJoin":{"id":"x"}}`, `{"SpectateJoined":{"info":{"Err":"Invalid ID: \"x\" is not 13 characters of 0-9 and a-v"}}}`},
		{"LobbyLeaveMatch outside", `{"LobbyLeaveMatch":{}}`, `{"LobbyLeavedMatch":{}}`},
		{"SpectateLeave outside", `{"SpectateLeave":{}}`, `{"SpectateLeaved":{}}`},
		{"HistoryMatchList", `"HistoryMatchList"`, `{"HistoryMatchList":["0123456789abc"]}`},
		{"LobbySubscribe", `{"LobbySubscribe":{}}`, `{"LobbySubscribed":{"seed":[` + info(id, false, 0) + `]}}`},
		{"LobbyUnsubscribe", `{"LobbyUnsubscribe":{}}`, `{"LobbyUnsubscribed":{}}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c.t = t
			c.says(tt.request)
			c.hears(tt.reply)
		})
	}
	c.t = t

	str := func(s string) string { return string([]byte{byte(len(s)), 0, 0, 0, 0, 0, 0, 0}) + s }
	one := "\x01\x00\x00\x00\x00\x00\x00\x00"
	histories := []struct{ name, id, want string }{
		{
			"a match", "0123456789abc", "\x14\x00\x00\x00\x00\x00\x00\x00" + str("0123456789abc") + str("duel") + one + str("rounds") + str("2") +
				one + str("bob") + "\x01\x00\x00\x00" + str("go\n"),
		},
		{"no match", "vvvvvvvvvvvvv", "\x14\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00"},
		{"a match that runs", "0000000000000", "\x14\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00"},
		{"no ID", "../../etc/passwd", "\x14\x00\x00\x00\x01\x00\x00\x00\x02\x00\x00\x00"},
	}
	for _, tt := range histories {
		c.says(`{"HistoryMatch":{"id":"` + tt.id + `"}}`)
		if kind, got := c.message(); kind != "binary" || got != tt.want {
			t.Errorf("history of %s: %s\n%q\nwant\n%q", tt.name, kind, got, tt.want)
		}
	}
	h.log.mu.Lock()
	h.log.failure = errors.New("disk on fire")
	h.log.mu.Unlock()
	c.says(`{"HistoryMatch":{"id":"vvvvvvvvvvvvv"}}`)
	if kind, got := c.message(); kind != "binary" || got != "\x14\x00\x00\x00\x01\x00\x00\x00\x01\x00\x00\x00" {
		t.Errorf("history that can't be read: %s %q", kind, got)
	}
}

// The original client takes messages of 64 MiB, but no frame of more than 16.
func TestLongHistoryComesInShortFrames(t *testing.T) {
	h := open(t, nil)
	stream := bytes.Repeat([]byte("0123456789abcde\n"), 20<<20/16)
	want := protocol.EncodeHistory(&protocol.History{ID: "0123456789abc", Game: "duel", Stream: stream})
	h.log.mu.Lock()
	h.log.records["0123456789abc"] = &store.Record{ID: "0123456789abc", Game: "duel", Stream: stream}
	h.log.mu.Unlock()
	c := h.enter()
	c.says(`{"HistoryMatch":{"id":"0123456789abc"}}`)
	wire := bufio.NewReader(c.conn.NetConn()) // nothing of the answer has been read yet
	var got []byte
	for final, first := false, true; !final; first = false {
		var head [2]byte
		if _, err := io.ReadFull(wire, head[:]); err != nil {
			t.Fatal(err)
		}
		final = head[0]&0x80 != 0
		if kind := head[0] & 0x0f; first != (kind == websocket.BinaryMessage) || !first && kind != 0 {
			t.Fatalf("a frame of kind %d", kind)
		}
		size := uint64(head[1])
		switch size {
		case 126:
			var n uint16
			_ = binary.Read(wire, binary.BigEndian, &n)
			size = uint64(n)
		case 127:
			_ = binary.Read(wire, binary.BigEndian, &size)
		}
		if size > 16<<20 {
			t.Fatalf("a frame of %d bytes", size)
		}
		part := make([]byte, size)
		if _, err := io.ReadFull(wire, part); err != nil {
			t.Fatal(err)
		}
		got = append(got, part...)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("got %d bytes, want others, %d", len(got), len(want))
	}
}

func TestVersion1HasBareNamesAndNoHistory(t *testing.T) {
	c := open(t, nil).dial()
	c.says(`{"Handshake":{"magic":"coco","version":1}}`)
	c.hears(`{"Handshake":{"magic":"coco","version":1}}`)
	c.says(`{"GameList":{}}`)
	c.hears(`{"GameList":{"games":["duel","echo"]}}`)
	c.says(`"HistoryMatchList"`)
	c.closes(protocol.CloseProtocol)
}

func TestMessageThatIsNotAllowedClosesTheConnectionWithAReason(t *testing.T) {
	join := func(name string) string {
		return `{"LobbyJoinMatch":{"id":"ID","name":"` + name + `","password":null}}`
	}
	tests := []struct {
		name     string
		messages []string // ID stands for that of a match that waits
		want     string
	}{
		{"unknown", []string{`{"GameDelete":{}}`}, "GameDelete is not allowed now"},
		{"very long name", []string{`{"` + strings.Repeat("é", 1000) + `":{}}`}, "??????????"},
		{"not JSON", []string{`hello`}, "not a message: it is no JSON from byte 1 on"},
		{"a reply", []string{`{"LobbyJoinedMatch":{}}`}, "LobbyJoinedMatch is not allowed now"},
		{"second handshake", []string{`{"Handshake":{"magic":"coco","version":2}}`}, "Handshake is not allowed now"},
		{"unsubscribe without subscribe", []string{`{"LobbyUnsubscribe":{}}`}, "LobbyUnsubscribe is not allowed now"},
		{"subscribe twice", []string{`{"LobbySubscribe":{}}`, `{"LobbySubscribe":{}}`}, "LobbySubscribe is not allowed now"},
		{"list while subscribed", []string{`{"LobbySubscribe":{}}`, `{"LobbyList":{}}`}, "LobbyList is not allowed now"},
		{"join twice", []string{join("a"), join("b")}, "LobbyJoinMatch is not allowed now"},
		{"new while joined", []string{join("a"), `{"GameNew":{}}`}, "GameNew is not allowed now"},
		{"watch while joined", []string{join("a"), `{"SpectateJoin":{"id":"ID"}}`}, "SpectateJoin is not allowed now"},
		{"stop watching while joined", []string{join("a"), `{"SpectateLeave":{}}`}, "SpectateLeave is not allowed now"},
		{"join while watching", []string{`{"SpectateJoin":{"id":"ID"}}`, join("a")}, "LobbyJoinMatch is not allowed now"},
		{"leave the match while watching", []string{`{"SpectateJoin":{"id":"ID"}}`, `{"LobbyLeaveMatch":{}}`}, "LobbyLeaveMatch is not allowed now"},
		{"wrong type in GameNew", []string{`{"GameNew":{"params":{"players":"two"}}}`}, "GameNew: params.players can't take a string"},
		{"wrong type of an argument", []string{`{"GameNew":{"args":{"rounds":5}}}`}, "GameNew: args can't take a number"},
		{"wrong type in LobbyJoinMatch", []string{`{"LobbyJoinMatch":{"password":{"a":1}}}`}, "LobbyJoinMatch: password can't take an object"},
		{"wrong type in SpectateJoin", []string{`{"SpectateJoin":{"id":7}}`}, "SpectateJoin: id can't take a number"},
		{"wrong type in GameDescription", []string{`{"GameDescription":[]}`}, "GameDescription: it is an array, not an object"},
		{"wrong type in HistoryMatch", []string{`{"HistoryMatch":{"id":null,"id":{}}}`}, "HistoryMatch: id can't take an object"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := open(t, nil)
			c := h.enter()
			id := c.creates("duel")
			for _, m := range tt.messages {
				c.says(strings.ReplaceAll(m, "ID", id))
			}
			if reason := c.closes(protocol.CloseProtocol); !strings.HasPrefix(reason, tt.want) {
				t.Errorf("the reason is %q, want %q", reason, tt.want)
			}
			c.hangUp()
			eventually(t, "the session ends", func() bool { return h.count() == 0 })
			if list := h.lobby.List(); len(list) != 1 || len(list[0].Connected) != 0 || list[0].Spectators != 0 {
				t.Errorf("left in the lobby: %+v", list)
			}
		})
	}
}

func TestPlayersAndSpectatorSeeAMatchFromBeginningToEnd(t *testing.T) {
	h := open(t, nil)
	alice, bob, eve := h.enter(), h.enter(), h.enter()
	id := alice.creates("duel")
	eve.says(`{"SpectateJoin":{"id":"` + id + `"}}`)
	eve.hears(`{"SpectateJoined":{"info":{"Ok":`+info(id, false, 1)+`}}}`, `{"LobbyUpdate":{"info":`+info(id, false, 1)+`}}`)
	alice.says(`{"LobbyJoinMatch":{"id":"` + id + `","name":"alice","password":null}}`)
	alice.hears(`{"LobbyJoinedMatch":{"info":{"Ok":`+info(id, false, 1, "alice")+`}}}`, `{"LobbyUpdate":{"info":`+info(id, false, 1, "alice")+`}}`)
	eve.hears(`{"LobbyUpdate":{"info":` + info(id, false, 1, "alice") + `}}`)
	bob.says(`{"LobbyJoinMatch":{"id":"` + id + `","name":"bob"}}`)
	bob.hears(`{"LobbyJoinedMatch":{"info":{"Ok":` + info(id, false, 1, "alice", "bob") + `}}}`)
	for _, c := range []*client{alice, bob, eve} {
		c.hears(`{"LobbyUpdate":{"info":`+info(id, false, 1, "alice", "bob")+`}}`, `{"LobbyUpdate":{"info":`+info(id, true, 1, "alice", "bob")+`}}`)
	}
	eve.hears(`{"SpectateStarted":{}}`, `{"SpectateSynced":{}}`)
	alice.hears(`{"MatchStarted":{}}`)
	bob.hears(`{"MatchStarted":{}}`)
	for _, c := range []*client{alice, bob, eve} {
		c.sees("go\n")
	}
	alice.says(`{"LobbyLeaveMatch":{}}`) // text is ignored during the match
	alice.says(`nonsense`)
	alice.plays("a\n")
	bob.plays("b\n")
	stream, result := alice.until(protocol.NameMatchEnded)
	order := []string{"alice", "bob"}
	if stream == "b\na\n" {
		order = []string{"bob", "alice"}
	}
	players := map[string]string{
		"alice": `{"name":"alice","score":1,"rank":1,"ended":"finished"}`, "bob": `{"name":"bob","score":0,"rank":2,"ended":"finished"}`,
	}
	body := `{"result":{"players":[` + players[order[0]] + `,` + players[order[1]] + `],"reason":""}}`
	if result != `{"MatchEnded":`+body+`}` {
		t.Errorf("alice was told %s, want %s", result, body)
	}
	if s, result := bob.until(protocol.NameMatchEnded); s != stream || result != `{"MatchEnded":`+body+`}` {
		t.Errorf("bob saw %q and was told %s", s, result)
	}
	if s, result := eve.until(protocol.NameSpectateEnded); s != stream || result != `{"SpectateEnded":`+body+`}` {
		t.Errorf("eve saw %q and was told %s", s, result)
	}
	// All are back where they were, and the record is there.
	for _, c := range []*client{alice, bob, eve} {
		c.says(`{"LobbyList":{}}`)
		c.hears(`{"LobbyList":{"info":[]}}`)
		c.says(`"HistoryMatchList"`)
		c.hears(`{"HistoryMatchList":["` + id + `"]}`)
	}
	if again := alice.creates("duel"); again == id {
		t.Errorf("the ID %s was given twice", again)
	}
}

func TestPlayerWhoIsGoneForfeits(t *testing.T) {
	h := open(t, nil)
	alice, bob := h.enter(), h.enter()
	id := alice.creates("duel")
	alice.joins(id, "alice")
	bob.joins(id, "bob")
	alice.until(protocol.NameMatchStarted)
	alice.sees("go\n")
	bob.hangUp()
	alice.plays("a\n")
	_, result := alice.until(protocol.NameMatchEnded)
	if !strings.Contains(result, `{"name":"bob","score":0,"rank":2,"ended":"forfeit: disconnected"}`) || !strings.Contains(result, `"reason":"bob forfeits: disconnected"`) {
		t.Error(result)
	}
}

func TestSubscriberSeesTheLobbyChange(t *testing.T) {
	h := open(t, nil)
	c, feed := h.enter(), h.enter()
	feed.says(`{"LobbySubscribe":{}}`)
	feed.hears(`{"LobbySubscribed":{"seed":[]}}`)
	id := c.creates("duel")
	feed.hears(`{"LobbyNew":{"info":` + info(id, false, 0) + `}}`)
	c.joins(id, "alice")
	feed.hears(`{"LobbyUpdate":{"info":` + info(id, false, 0, "alice") + `}}`)
	c.says(`{"LobbyLeaveMatch":{}}`)
	c.hears(`{"LobbyLeavedMatch":{}}`)
	feed.hears(`{"LobbyUpdate":{"info":` + info(id, false, 0) + `}}`)
	c.joins(id, "alice")
	feed.hears(`{"LobbyUpdate":{"info":` + info(id, false, 0, "alice") + `}}`)
	c.hangUp() // leaves too
	feed.hears(`{"LobbyUpdate":{"info":` + info(id, false, 0) + `}}`)
	feed.says(`{"LobbyUnsubscribe":{}}`)
	feed.hears(`{"LobbyUnsubscribed":{}}`)
	d := h.enter()
	d.creates("duel")
	feed.says(`{"GameDescription":{"name":"x"}}`)
	feed.hears(`{"GameDescription":{"description":null}}`) // and nothing before it
}

func TestExpiryIsToldAndTheConnectionGoesOn(t *testing.T) {
	h := open(t, nil)
	c, eve := h.enter(), h.enter()
	id := c.creates("duel")
	c.joins(id, "alice")
	eve.says(`{"SpectateJoin":{"id":"` + id + `"}}`)
	eve.until(protocol.NameLobbyUpdate)
	c.until(protocol.NameLobbyUpdate)
	for _, s := range []*session{h.session(c), h.session(eve)} {
		s.Expired(id, "") // as the lobby does
	}
	for _, who := range []*client{c, eve} {
		who.hears(`{"LobbyDelete":{"id":"` + id + `"}}`)
		who.says(`"HistoryMatchList"`)
		who.hears(`{"HistoryMatchList":[]}`)
	}
}

// session returns the session of a client.
func (h *house) session(c *client) *session {
	h.mu.Lock()
	defer h.mu.Unlock()
	for s := range h.sessions {
		if s.conn.RemoteAddr().String() == c.conn.LocalAddr().String() {
			return s
		}
	}
	h.t.Fatal("the client has no session")
	return nil
}

// TestLeavingRacesWithTheStart lets one player leave while another joins. The
// one who leaves is either out or in the match, and its connection goes on.
func TestLeavingRacesWithTheStart(t *testing.T) {
	h := open(t, nil)
	alice, bob := h.enter(), h.enter()
	started := 0
	for range 100 {
		id := alice.creates("duel")
		alice.joins(id, "alice")
		var wait sync.WaitGroup
		wait.Go(func() { alice.says(`{"LobbyLeaveMatch":{}}`) })
		bob.joins(id, "bob")
		wait.Wait()
		for {
			kind, m := alice.message()
			if kind != "text" {
				t.Fatal(kind, m)
			}
			if m == `{"LobbyLeavedMatch":{}}` {
				bob.says(`{"LobbyLeaveMatch":{}}`)
				bob.until(protocol.NameLobbyLeavedMatch)
				break
			}
			if m == `{"MatchStarted":{}}` {
				started++
				alice.plays("a\n")
				bob.plays("b\n")
				alice.until(protocol.NameMatchEnded)
				bob.until(protocol.NameMatchEnded)
				// The request may have come after the end: then it is answered.
				alice.says(`{"GameDescription":{"name":"x"}}`)
				alice.until(protocol.NameGameDescription)
				break
			}
		}
	}
	t.Logf("%d of 100 matches started", started)
}

func TestSpectatorLeavingRacesWithTheEnd(t *testing.T) {
	h := open(t, nil)
	alice, eve := h.enter(), h.enter()
	for range 100 {
		id := alice.echoes()
		eve.says(`{"SpectateJoin":{"id":"` + id + `"}}`)
		eve.until(protocol.NameSpectateSynced)
		alice.plays("end\n")
		eve.says(`{"SpectateLeave":{}}`)
		eve.until(protocol.NameSpectateLeaved) // perhaps after SpectateEnded
		eve.says(`{"GameDescription":{"name":"x"}}`)
		eve.hears(`{"GameDescription":{"description":null}}`) // nothing comes after the answer
		alice.until(protocol.NameMatchEnded)
	}
}

func TestEndOfOneMatchDoesNotEndTheWatchingOfTheNext(t *testing.T) {
	h := open(t, nil)
	alice, eve := h.enter(), h.enter()
	first := alice.echoes()
	eve.says(`{"SpectateJoin":{"id":"` + first + `"}}`)
	eve.until(protocol.NameSpectateSynced)
	s := h.session(eve)
	s.writer.mu.Lock()
	ended := s.follow.ended // as the writer calls it, but later
	s.writer.mu.Unlock()
	eve.says(`{"SpectateLeave":{}}`)
	eve.until(protocol.NameSpectateLeaved)
	bob := h.enter()
	second := bob.creates("duel")
	eve.says(`{"SpectateJoin":{"id":"` + second + `"}}`)
	eve.until(protocol.NameLobbyUpdate)
	ended(protocol.MatchResult{})
	eve.says(`{"SpectateLeave":{}}`)
	eve.hears(`{"SpectateLeaved":{}}`)
	if n := h.lobby.List()[1].Spectators; n != 0 {
		t.Errorf("%d spectators are left", n)
	}
}
