package web

import (
	"io"
	"net"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"colosseum/host/internal/base/arrival"
	"colosseum/host/internal/records/record"
	"colosseum/internal/test/poll"
	"colosseum/protocol"
)

// connectSlow connects a client whose connection buffers little.
func (srv *testServer) connectSlow() *client {
	c := srv.connect()
	if srv.network != nil { // its pipes have small buffers
		return c
	}
	if err := c.conn.NetConn().(*net.TCPConn).SetReadBuffer(64 << 10); err != nil {
		srv.t.Fatal(err)
	}
	if err := srv.session(c).conn.(*arrival.TCPConn).SetWriteBuffer(64 << 10); err != nil {
		srv.t.Fatal(err)
	}
	return c
}

func TestPlayerThatDoesNotReadIsClosedWithBoundedMemory(t *testing.T) {
	const backlog = 256 << 10
	inBubble(t, func(l *Limits) { l.Backlog = backlog }, func(t *testing.T, srv *testServer) {
		c := srv.connectSlow()
		c.startEcho()
		s := srv.onlySession()
		most := 0
		for range 200 {
			c.sendBytes("tell 100\n")
		}
		poll.Until(t, "it is closed", func() bool {
			most = max(most, s.out.Backlog())
			return s.out.Closing()
		})
		if most > backlog {
			t.Errorf("%d bytes waited, want at most %d", most, backlog)
		}
		c.wantClose(protocol.CloseTooSlow, "the client does not read what is sent")
		poll.Until(t, "the match ends", func() bool { return len(srv.lobby.List()) == 0 })
	})
}

// longAnswer is a request with a long answer. Thousands of short answers would
// fill a socket with segments until the kernel drops acknowledgements too, and
// both ends hang.
const longAnswer = `{"GameDescription":{"name":"echo"}}`

// Its messages keep the connection of such a client alive.
func TestClientThatOnlyAsksIsClosed(t *testing.T) {
	inBubble(t, func(l *Limits) { l.Backlog = 16 << 10 }, func(t *testing.T, srv *testServer) {
		c := srv.connectSlow()
		s := srv.onlySession()
		for !s.out.Closing() {
			if err := c.conn.WriteMessage(websocket.TextMessage, []byte(longAnswer)); err != nil {
				break
			}
		}
		srv.awaitSessions(0)
	})
}

func TestClientThatAsksAndHangsUpLeavesNothing(t *testing.T) {
	srv := startServer(t, func(l *Limits) { l.Backlog = 16 << 10 })
	c := srv.connectSlow()
	s := srv.onlySession()
	// One answer blocks the socket, and the next ones wait behind it.
	sent := make(chan struct{})
	go func() { // ends with the connection
		defer close(sent)
		for c.conn.WriteMessage(websocket.TextMessage, []byte(longAnswer)) == nil {
		}
	}()
	poll.Until(t, "the session waits", func() bool { return s.out.Backlog() > srv.limits.Backlog })
	c.close()
	<-sent
	srv.awaitSessions(0)
}

func TestSpectatorCatchesUpInPartsAndIsSyncedOnce(t *testing.T) {
	srv := startServer(t, nil)
	c, eve := srv.connect(), srv.connect()
	id := c.startEcho()
	c.sendBytes("show 2500\nx\n")
	c.wantBytes("<x>\n") // all is shown
	eve.sendText(`{"SpectateJoin":{"id":"` + id + `"}}`)
	if kind, m := eve.read(); kind != "text" || !strings.Contains(m, `"running":true`) {
		t.Fatalf("got %s %s, want a running match", kind, m)
	}
	eve.wantText(`{"SpectateStarted":{}}`)
	total, synced := 0, false
	for !synced {
		kind, m := eve.read()
		switch {
		case kind == "binary" && len(m) <= 1<<20:
			total += len(m)
		case m == `{"SpectateSynced":{}}`:
			synced = true
		default:
			t.Fatalf("got %s of %d bytes, want parts of at most 1 MiB and SpectateSynced", kind, len(m))
		}
	}
	if want := 2500<<10 + len("<x>\n"); total != want {
		t.Errorf("caught up with %d bytes, want %d", total, want)
	}
	c.sendBytes("live\n")
	eve.wantBytes("<live>\n")
	c.sendBytes("end\n")
	eve.wantText(`{"SpectateEnded":{"result":{"players":[{"name":"alice","score":0,"rank":1,"ended":"finished"}],"reason":"said so"}}}`)
	eve.sendText(`{"LobbyList":{}}`)
	eve.wantText(`{"LobbyList":{"info":[]}}`)
}

func TestSpectatorThatLeavesGetsNothingMore(t *testing.T) {
	srv := startServer(t, nil)
	c, eve := srv.connect(), srv.connect()
	id := c.startEcho()
	c.sendBytes("show 5000\nx\n")
	c.wantBytes("<x>\n")
	for round := range 20 {
		eve.sendText(`{"SpectateJoin":{"id":"` + id + `"}}`)
		eve.sendText(`{"SpectateLeave":{}}`) // while it catches up
		stream, _ := eve.readUntil(protocol.NameSpectateLeaved)
		if all := 5000<<10 + 4*(round+1); len(stream)%(64<<10) != 0 && len(stream) != all {
			t.Errorf("got %d bytes, want whole parts of 64 KiB or all %d", len(stream), all)
		}
		c.sendBytes("y\n")
		c.wantBytes("<y>\n")
		eve.sendText(`{"GameDescription":{"name":"x"}}`)
		eve.wantText(`{"GameDescription":{"description":null}}`)
	}
	if n := srv.lobby.List()[0].Spectators; n != 0 {
		t.Errorf("got %d spectators, want 0", n)
	}
}

func TestSlowSpectatorMissesNothingAndDelaysNoMatch(t *testing.T) {
	t.Parallel()
	srv := startServer(t, nil)
	c, eve := srv.connect(), srv.connectSlow()
	id := c.startEcho()
	eve.watch(id)
	for range 10 {
		c.sendBytes("show 1000\nx\n")
		c.wantBytes("<x>\n")
	}
	c.sendBytes("end\n")
	c.readUntil(protocol.NameMatchEnded)
	if stream, _ := eve.readUntil(protocol.NameSpectateEnded); len(stream) != 10*(1000<<10+4) {
		t.Errorf("got %d bytes, want %d", len(stream), 10*(1000<<10+4))
	}
}

func TestSpectatorThatReadsNothingIsClosed(t *testing.T) {
	inBubble(t, nil, func(t *testing.T, srv *testServer) {
		c, eve := srv.connect(), srv.connectSlow()
		go func() { // ends with the connection; answers pings
			for {
				if _, _, err := c.conn.NextReader(); err != nil {
					return
				}
			}
		}()
		s := srv.session(eve)
		// The goroutine above reads the player's messages.
		c.sendText(`{"GameNew":{"name":"T","game":"echo"}}`)
		poll.Until(t, "there is a match", func() bool { return len(srv.lobby.List()) == 1 })
		id := srv.lobby.List()[0].ID
		c.sendText(`{"LobbyJoinMatch":{"id":"` + id + `","name":"alice"}}`)
		for range 10 {
			c.sendBytes("show 3000\n")
		}
		eve.sendText(`{"SpectateJoin":{"id":"` + id + `"}}`)
		for ; !s.out.Closing(); time.Sleep(time.Second) { // its messages keep it alive
			if eve.conn.WriteMessage(websocket.PongMessage, nil) != nil {
				break
			}
		}
		poll.Until(t, "the session ends", func() bool {
			srv.mu.Lock()
			defer srv.mu.Unlock()
			_, there := srv.sessions[s]
			return !there
		})
	})
}

// A long answer over a slow line takes longer than a client can be stuck.
func TestSlowReaderOfALongAnswerIsNotClosed(t *testing.T) {
	inBubble(t, nil, func(t *testing.T, srv *testServer) {
		const id, size = "0123456789abc", 32 << 20
		srv.records.put(&record.Match{ID: id, Game: "duel", Stream: make([]byte, size)})
		c := srv.connectSlow()
		c.sendText(`{"HistoryMatch":{"id":"` + id + `"}}`)
		_, answer, err := c.conn.NextReader()
		if err != nil {
			t.Fatal(err)
		}
		for got := int64(0); got < size; {
			n, err := io.CopyN(io.Discard, answer, 1<<20)
			if err != nil {
				t.Fatalf("got %v after %d bytes, want all %d", err, got+n, size)
			}
			got += n
			time.Sleep(10 * time.Second)
		}
	})
}

// A game that is asked when no time is left would seem stalled, and be restarted.
func TestSlowReaderHasAllTheTimeForItsNextRequest(t *testing.T) {
	srv := startServer(t, func(l *Limits) { l.Backlog = 16 << 10 })
	const id = "0123456789abc"
	srv.records.put(&record.Match{ID: id, Game: "duel", Stream: make([]byte, 8<<20)})
	c := srv.connectSlow()
	c.sendText(`{"HistoryMatch":{"id":"` + id + `"}}`)
	c.sendText(`{"HistoryMatch":{"id":"cba9876543210"}}`)
	poll.Until(t, "the next request waits", func() bool {
		stacks := make([]byte, 1<<20)
		return strings.Contains(string(stacks[:runtime.Stack(stacks, true)]), ".(*Outbox).WaitForReplies(")
	})
	read := time.Now()
	c.read()
	c.read()
	srv.records.mu.Lock()
	defer srv.records.mu.Unlock()
	if got := srv.records.deadline.Sub(read); got < requestTimeout {
		t.Errorf("the request had %v after the client read, want %v", got, requestTimeout)
	}
}

// The connection of a player that writes far ahead is not read, and so seems
// silent.
func TestPlayerFarAheadIsNotDropped(t *testing.T) {
	inBubble(t, nil, func(t *testing.T, srv *testServer) {
		c := srv.connect()
		c.startEcho()
		// More lines than a seat holds, in one message and in several.
		c.sendBytes(strings.Repeat("pause 30000\n", 7) + strings.Repeat("x\n", 2000))
		c.sendBytes(strings.Repeat("pause 30000\n", 7))
		for range 200 {
			c.sendBytes("y\n")
		}
		c.wantBytes(strings.Repeat("<x>\n", 2000) + strings.Repeat("<y>\n", 200))
		c.sendBytes("end\n")
		if _, m := c.readUntil(protocol.NameMatchEnded); !strings.Contains(m, "said so") {
			t.Errorf("got %s, want the end that the player asked for", m)
		}
	})
}

func TestClientThatAnswersNoPingIsDropped(t *testing.T) {
	inBubble(t, nil, func(t *testing.T, srv *testServer) {
		dead, alive := srv.connect(), srv.connect()
		dead.joinMatch(dead.createMatch("duel"), "dead")
		pings := make(chan struct{}, 1000)
		answer := alive.conn.PingHandler()
		alive.conn.SetPingHandler(func(data string) error {
			pings <- struct{}{}
			return answer(data)
		})
		go func() { // ends with the connection
			for {
				if _, _, err := alive.conn.NextReader(); err != nil {
					return
				}
			}
		}()
		srv.awaitSessions(1)
		for range 6 { // beyond three times the interval
			<-pings
		}
		if srv.session(alive).out.Closing() {
			t.Error("got the client that answers closing, want it to stay")
		}
	})
}

// The original client with two pipes reads nothing, and so answers no ping,
// between its handshake and its request for a seat.
func TestClientThatWaitsForItsProgramIsNotDropped(t *testing.T) {
	inBubble(t, nil, func(t *testing.T, srv *testServer) {
		id := srv.connect().createMatch("duel")
		c := srv.connect()
		pings := 0
		c.conn.SetPingHandler(func(string) error {
			if pings++; pings == 10 { // beyond three times the interval
				c.sendText(`{"LobbyJoinMatch":{"id":"` + id + `","name":"alice","password":null}}`)
			}
			return nil
		})
		c.readUntil(protocol.NameLobbyJoinedMatch)
	})
}

func TestClientThatNeverEndsItsMessageIsDropped(t *testing.T) {
	inBubble(t, nil, func(t *testing.T, srv *testServer) {
		c := srv.connect()
		message, err := c.conn.NextWriter(websocket.TextMessage)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := message.Write(make([]byte, 10000)); err != nil { // more than the client's library buffers
			t.Fatal(err)
		}
		srv.awaitSessions(0)
	})
}

func TestConnectionWithoutHandshakeIsClosed(t *testing.T) {
	inBubble(t, nil, func(t *testing.T, srv *testServer) {
		silent, pinging := srv.dial(), srv.dial()
		done := make(chan struct{})
		go func() { // pings extend no deadline; ends with the connection
			defer close(done)
			for pinging.conn.WriteMessage(websocket.PingMessage, nil) == nil {
				time.Sleep(time.Second)
			}
		}()
		srv.awaitSessions(0)
		silent.read()
		<-done
	})
}

func TestShutdownClosesEveryClientWithItsCode(t *testing.T) {
	t.Parallel()
	inBubble(t, nil, func(t *testing.T, srv *testServer) {
		fresh, idle, feed, waits, plays, eve, stuck := srv.dial(), srv.connect(), srv.connect(), srv.connect(), srv.connect(), srv.connect(), srv.connectSlow()
		feed.sendText(`{"LobbySubscribe":{}}`)
		feed.readUntil(protocol.NameLobbySubscribed)
		waits.joinMatch(waits.createMatch("duel"), "alice")
		id := plays.startEcho()
		eve.watch(id)
		stuck.watch(id)
		for range 6 {
			plays.sendBytes("show 3000\nx\n")
			plays.wantBytes("<x>\n")
		}
		done := make(chan struct{})
		go func() { // ends within CloseTimeout
			defer close(done)
			srv.close()
		}()
		for _, c := range []*client{fresh, idle, feed, waits, plays, eve} {
			c.wantClose(protocol.CloseShutdown, "the server is shutting down")
		}
		<-done
		if srv.sessionCount() != 0 {
			t.Errorf("got %d sessions, want 0", srv.sessionCount())
		}
	})
}
