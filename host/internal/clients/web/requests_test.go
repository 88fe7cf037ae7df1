package web

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/gorilla/websocket"

	"colosseum/host/internal/records/record"
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
			c := startServer(t, nil).dial()
			c.sendText(tt.first)
			if tt.reply != "" {
				c.wantText(tt.reply)
			}
			if tt.closed {
				c.wantClose(protocol.CloseProtocol, "")
				return
			}
			c.sendText(`{"LobbyList":{}}`)
			c.wantText(`{"LobbyList":{"info":[]}}`)
		})
	}
	t.Run("binary", func(t *testing.T) {
		c := startServer(t, nil).dial()
		c.sendBytes(`{"Handshake":{"magic":"coco","version":2}}`)
		c.wantClose(protocol.CloseProtocol, "")
	})
}

const waiting = `{"players":%d,"bots":%d,"timeout":30,"args":{},"id":"%s","name":"T","game":"duel","running":%v,"time":T,"connected":[%s],"spectators":%d,"password":false,"verified":false}`

// info is the MatchInfo of a duel as JSON.
func info(id string, running bool, spectators int, names ...string) string {
	for i := range names {
		names[i] = `"` + names[i] + `"`
	}
	text := fmt.Sprintf(waiting, 2, 0, id, running, strings.Join(names, ","), spectators)
	if running {
		text = strings.TrimSuffix(text, "}") + `,"commitment":C}`
	}
	return text
}

func TestEveryReplyHasTheFormOfTheProtocol(t *testing.T) {
	srv := startServer(t, nil)
	c := srv.connect()
	id := c.createMatch("duel")
	srv.records.put(&record.Match{
		ID: "0123456789abc", Game: "duel", Args: map[string]string{"rounds": "2"}, Stream: []byte("go\n"), State: record.Finished,
		Seats: []record.Seat{{Name: "ServerBot$0", Bot: true}, {Name: "bob"}},
	})
	srv.records.put(&record.Match{ID: "0000000000000", State: record.Running})
	srv.records.ids = []string{"0123456789abc"}
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
			c.sendText(tt.request)
			c.wantText(tt.reply)
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
		c.sendText(`{"HistoryMatch":{"id":"` + tt.id + `"}}`)
		if kind, got := c.read(); kind != "binary" || got != tt.want {
			t.Errorf("history of %s: got %s\n%q\nwant\n%q", tt.name, kind, got, tt.want)
		}
	}
	// A busy host is not a broken record.
	srv.records.mu.Lock()
	srv.records.failure = fmt.Errorf("get: %w", context.DeadlineExceeded)
	srv.records.mu.Unlock()
	srv.records.ids = append(srv.records.ids, "0000000000001") // so that the list is not cached
	for _, request := range []string{`{"HistoryMatch":{"id":"vvvvvvvvvvvvv"}}`, `"HistoryMatchList"`} {
		other := srv.connect()
		other.sendText(request)
		if kind, got := other.read(); kind != "close" || !strings.HasPrefix(got, "4002 the host is busy") {
			t.Errorf("%s while the host is busy: got %s %q, want it closed with 4002", request, kind, got)
		}
	}
	srv.records.mu.Lock()
	srv.records.failure = errors.New("broken disk")
	srv.records.mu.Unlock()
	c.sendText(`{"HistoryMatch":{"id":"vvvvvvvvvvvvv"}}`)
	if kind, got := c.read(); kind != "binary" || got != "\x14\x00\x00\x00\x01\x00\x00\x00\x01\x00\x00\x00" {
		t.Errorf("history of a broken disk: got %s %q, want error 1", kind, got)
	}
}

// The original client accepts messages of 64 MiB, but no frame of more than 16.
func TestLongHistoryComesInShortFrames(t *testing.T) {
	srv := startServer(t, nil)
	stream := bytes.Repeat([]byte("0123456789abcde\n"), 20<<20/16)
	want := protocol.EncodeHistory(&protocol.History{ID: "0123456789abc", Game: "duel", Stream: stream})
	srv.records.put(&record.Match{ID: "0123456789abc", Game: "duel", Stream: stream})
	c := srv.connect()
	c.sendText(`{"HistoryMatch":{"id":"0123456789abc"}}`)
	wire := bufio.NewReader(c.conn.NetConn()) // the client's library has read nothing of the answer
	var got []byte
	for final, first := false, true; !final; first = false {
		var head [2]byte
		if _, err := io.ReadFull(wire, head[:]); err != nil {
			t.Fatal(err)
		}
		final = head[0]&0x80 != 0
		if kind := head[0] & 0x0f; first != (kind == websocket.BinaryMessage) || !first && kind != 0 {
			t.Fatalf("got a frame of kind %d, want a binary one and continuations", kind)
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
			t.Fatalf("got a frame of %d bytes, want at most 16 MiB", size)
		}
		part := make([]byte, size)
		if _, err := io.ReadFull(wire, part); err != nil {
			t.Fatal(err)
		}
		got = append(got, part...)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("got %d bytes that differ from the %d of the history", len(got), len(want))
	}
}

func TestVersion1HasBareNamesAndNoHistory(t *testing.T) {
	c := startServer(t, nil).dial()
	c.sendText(`{"Handshake":{"magic":"coco","version":1}}`)
	c.wantText(`{"Handshake":{"magic":"coco","version":1}}`)
	c.sendText(`{"GameList":{}}`)
	c.wantText(`{"GameList":{"games":["duel","echo"]}}`)
	c.sendText(`"HistoryMatchList"`)
	c.wantClose(protocol.CloseProtocol, "HistoryMatchList needs version 2 of the protocol: the handshake named 1")
}

func TestForbiddenMessageClosesTheConnectionWithAReason(t *testing.T) {
	join := func(name string) string {
		return `{"LobbyJoinMatch":{"id":"ID","name":"` + name + `","password":null}}`
	}
	tests := []struct {
		name     string
		messages []string // ID stands for the ID of a waiting match
		want     string
	}{
		{"unknown", []string{`{"GameDelete":{}}`}, "unknown request GameDelete"},
		{"misspelt", []string{`{"LobbyLst":{}}`}, "unknown request LobbyLst: did you mean LobbyList?"},
		{"misspelt while subscribed", []string{`{"LobbySubscribe":{}}`, `{"LobbyUnsubscrib":{}}`}, "did you mean LobbyUnsubscribe?"},
		{"very long name", []string{`{"` + strings.Repeat("é", 1000) + `":{}}`}, "??????????"},
		{"not JSON", []string{`hello`}, "not a message: it is not JSON from byte 1 on"},
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
			srv := startServer(t, nil)
			c := srv.connect()
			id := c.createMatch("duel")
			for _, m := range tt.messages {
				c.sendText(strings.ReplaceAll(m, "ID", id))
			}
			c.wantClose(protocol.CloseProtocol, tt.want)
			c.close()
			srv.awaitSessions(0)
			if list := srv.lobby.List(); len(list) != 1 || len(list[0].Connected) != 0 || list[0].Spectators != 0 {
				t.Errorf("got the lobby %+v, want the match without players and spectators", list)
			}
		})
	}
}

func TestPlayersAndSpectatorSeeAMatchFromBeginningToEnd(t *testing.T) {
	srv := startServer(t, nil)
	alice, bob, eve := srv.connect(), srv.connect(), srv.connect()
	id := alice.createMatch("duel")
	eve.sendText(`{"SpectateJoin":{"id":"` + id + `"}}`)
	eve.wantText(`{"SpectateJoined":{"info":{"Ok":`+info(id, false, 1)+`}}}`, `{"LobbyUpdate":{"info":`+info(id, false, 1)+`}}`)
	alice.sendText(`{"LobbyJoinMatch":{"id":"` + id + `","name":"alice","password":null}}`)
	alice.wantText(`{"LobbyJoinedMatch":{"info":{"Ok":`+info(id, false, 1, "alice")+`}}}`, `{"LobbyUpdate":{"info":`+info(id, false, 1, "alice")+`}}`)
	eve.wantText(`{"LobbyUpdate":{"info":` + info(id, false, 1, "alice") + `}}`)
	bob.sendText(`{"LobbyJoinMatch":{"id":"` + id + `","name":"bob"}}`)
	bob.wantText(`{"LobbyJoinedMatch":{"info":{"Ok":` + info(id, false, 1, "alice", "bob") + `}}}`)
	for _, c := range []*client{alice, bob, eve} {
		c.wantText(`{"LobbyUpdate":{"info":`+info(id, false, 1, "alice", "bob")+`}}`, `{"LobbyUpdate":{"info":`+info(id, true, 1, "alice", "bob")+`}}`)
	}
	eve.wantText(`{"SpectateStarted":{}}`, `{"SpectateSynced":{}}`)
	alice.wantText(`{"MatchStarted":{}}`)
	bob.wantText(`{"MatchStarted":{}}`)
	for _, c := range []*client{alice, bob, eve} {
		c.wantBytes("go\n")
	}
	alice.sendText(`{"LobbyLeaveMatch":{}}`) // text is ignored during the match
	alice.sendText(`nonsense`)
	alice.sendBytes("a\n")
	bob.sendBytes("b\n")
	stream, result := alice.readUntil(protocol.NameMatchEnded)
	order := []string{"alice", "bob"}
	if stream == "b\na\n" {
		order = []string{"bob", "alice"}
	}
	players := map[string]string{
		"alice": `{"name":"alice","score":1,"rank":1,"ended":"finished"}`, "bob": `{"name":"bob","score":0,"rank":2,"ended":"finished"}`,
	}
	body := `{"result":{"players":[` + players[order[0]] + `,` + players[order[1]] + `],"reason":""}}`
	if result != `{"MatchEnded":`+body+`}` {
		t.Errorf("alice got %s, want %s", result, body)
	}
	if s, result := bob.readUntil(protocol.NameMatchEnded); s != stream || result != `{"MatchEnded":`+body+`}` {
		t.Errorf("bob got %q and %s, want %q and %s", s, result, stream, body)
	}
	if s, result := eve.readUntil(protocol.NameSpectateEnded); s != stream || result != `{"SpectateEnded":`+body+`}` {
		t.Errorf("eve got %q and %s, want %q and %s", s, result, stream, body)
	}
	// All clients are idle again, and the record exists.
	for _, c := range []*client{alice, bob, eve} {
		c.sendText(`{"LobbyList":{}}`)
		c.wantText(`{"LobbyList":{"info":[]}}`)
		c.sendText(`"HistoryMatchList"`)
		c.wantText(`{"HistoryMatchList":["` + id + `"]}`)
	}
	if again := alice.createMatch("duel"); again == id {
		t.Errorf("got the ID %s twice, want a new one", again)
	}
}

func TestPlayerThatDisconnectsForfeits(t *testing.T) {
	srv := startServer(t, nil)
	alice, bob := srv.connect(), srv.connect()
	id := alice.createMatch("duel")
	alice.joinMatch(id, "alice")
	bob.joinMatch(id, "bob")
	alice.readUntil(protocol.NameMatchStarted)
	alice.wantBytes("go\n")
	bob.close()
	alice.sendBytes("a\n")
	_, result := alice.readUntil(protocol.NameMatchEnded)
	if !strings.Contains(result, `{"name":"bob","score":0,"rank":2,"ended":"forfeit: disconnected"`) || !strings.Contains(result, `"reason":"bob forfeits: disconnected"`) {
		t.Errorf("got %s, want that bob forfeits", result)
	}
}

func TestSubscriberSeesTheLobbyChange(t *testing.T) {
	srv := startServer(t, nil)
	c, feed := srv.connect(), srv.connect()
	feed.sendText(`{"LobbySubscribe":{}}`)
	feed.wantText(`{"LobbySubscribed":{"seed":[]}}`)
	id := c.createMatch("duel")
	feed.wantText(`{"LobbyNew":{"info":` + info(id, false, 0) + `}}`)
	c.joinMatch(id, "alice")
	feed.wantText(`{"LobbyUpdate":{"info":` + info(id, false, 0, "alice") + `}}`)
	c.sendText(`{"LobbyLeaveMatch":{}}`)
	c.wantText(`{"LobbyLeavedMatch":{}}`)
	feed.wantText(`{"LobbyUpdate":{"info":` + info(id, false, 0) + `}}`)
	c.joinMatch(id, "alice")
	feed.wantText(`{"LobbyUpdate":{"info":` + info(id, false, 0, "alice") + `}}`)
	c.close() // leaves too
	feed.wantText(`{"LobbyUpdate":{"info":` + info(id, false, 0) + `}}`)
	feed.sendText(`{"LobbyUnsubscribe":{}}`)
	feed.wantText(`{"LobbyUnsubscribed":{}}`)
	d := srv.connect()
	d.createMatch("duel")
	feed.sendText(`{"GameDescription":{"name":"x"}}`)
	feed.wantText(`{"GameDescription":{"description":null}}`) // nothing about the new match
}

func TestExpiredMatchLeavesTheConnectionUsable(t *testing.T) {
	srv := startServer(t, nil)
	c, eve := srv.connect(), srv.connect()
	id := c.createMatch("duel")
	c.joinMatch(id, "alice")
	eve.sendText(`{"SpectateJoin":{"id":"` + id + `"}}`)
	eve.readUntil(protocol.NameLobbyUpdate)
	c.readUntil(protocol.NameLobbyUpdate)
	srv.session(c).seat.Expired(id, "") // as the lobby does
	srv.session(eve).Expired(id, "")
	for _, c := range []*client{c, eve} {
		c.wantText(`{"LobbyDelete":{"id":"` + id + `"}}`)
		c.sendText(`"HistoryMatchList"`)
		c.wantText(`{"HistoryMatchList":[]}`)
	}
}

// One player leaves while another joins: it either leaves or plays.
func TestLeavingRacesWithTheStart(t *testing.T) {
	srv := startServer(t, nil)
	alice, bob := srv.connect(), srv.connect()
	started := 0
	for range 100 {
		id := alice.createMatch("duel")
		alice.joinMatch(id, "alice")
		var wait sync.WaitGroup
		wait.Go(func() { alice.sendText(`{"LobbyLeaveMatch":{}}`) })
		bob.joinMatch(id, "bob")
		wait.Wait()
		for {
			kind, m := alice.read()
			if kind != "text" {
				t.Fatalf("got %s %s, want a text", kind, m)
			}
			if m == `{"LobbyLeavedMatch":{}}` {
				bob.sendText(`{"LobbyLeaveMatch":{}}`)
				bob.readUntil(protocol.NameLobbyLeavedMatch)
				break
			}
			if m == `{"MatchStarted":{}}` {
				started++
				alice.sendBytes("a\n")
				bob.sendBytes("b\n")
				alice.readUntil(protocol.NameMatchEnded)
				bob.readUntil(protocol.NameMatchEnded)
				// A request that comes after the end is answered.
				alice.sendText(`{"GameDescription":{"name":"x"}}`)
				alice.readUntil(protocol.NameGameDescription)
				break
			}
		}
	}
	t.Logf("%d of 100 matches started", started)
}

func TestSpectatorLeavingRacesWithTheEnd(t *testing.T) {
	srv := startServer(t, nil)
	alice, eve := srv.connect(), srv.connect()
	for range 100 {
		id := alice.startEcho()
		eve.watch(id)
		alice.sendBytes("end\n")
		eve.sendText(`{"SpectateLeave":{}}`)
		eve.readUntil(protocol.NameSpectateLeaved) // perhaps after SpectateEnded
		eve.sendText(`{"GameDescription":{"name":"x"}}`)
		eve.wantText(`{"GameDescription":{"description":null}}`) // nothing comes after the answer
		alice.readUntil(protocol.NameMatchEnded)
	}
}

func TestLateEndOfAStreamDoesNotAffectTheNextMatch(t *testing.T) {
	srv := startServer(t, nil)
	alice, eve := srv.connect(), srv.connect()
	first := alice.startEcho()
	eve.watch(first)
	eve.sendText(`{"SpectateLeave":{}}`)
	eve.readUntil(protocol.NameSpectateLeaved)
	bob := srv.connect()
	second := bob.createMatch("duel")
	eve.sendText(`{"SpectateJoin":{"id":"` + second + `"}}`)
	eve.readUntil(protocol.NameLobbyUpdate)
	srv.session(eve).streamEnded(first, protocol.MatchResult{}) // as the outbox calls it, but later
	eve.sendText(`{"SpectateLeave":{}}`)
	eve.wantText(`{"SpectateLeaved":{}}`)
	if n := srv.lobby.List()[1].Spectators; n != 0 {
		t.Errorf("got %d spectators, want 0", n)
	}
}
