package web

import (
	"io"
	"net"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gorilla/websocket"

	"colosseum/host/internal/store"
	"colosseum/protocol"
)

// slow makes a client for which neither its own system nor the host's keeps much
// until it reads.
func (h *house) slow() *client {
	c := h.enter()
	if h.network != nil { // which keep little
		return c
	}
	if err := c.conn.NetConn().(*net.TCPConn).SetReadBuffer(64 << 10); err != nil {
		h.t.Fatal(err)
	}
	if err := h.session(c).conn.NetConn().(tcpFrames).SetWriteBuffer(64 << 10); err != nil {
		h.t.Fatal(err)
	}
	return c
}

func TestPlayerThatDoesNotReadIsCutWithBoundedMemory(t *testing.T) {
	const backlog = 256 << 10
	bubble(t, func(l *Limits) { l.Backlog = backlog }, func(t *testing.T, h *house) {
		c := h.slow()
		c.echoes()
		s := h.only()
		most := 0
		for range 200 {
			c.plays("tell 100\n")
		}
		eventually(t, "it is cut", func() bool {
			s.writer.mu.Lock()
			defer s.writer.mu.Unlock()
			queued := 0
			for _, m := range s.queue {
				queued += len(m.data)
			}
			most = max(most, queued)
			return s.closing
		})
		if most > backlog+128<<10 {
			t.Errorf("%d bytes were queued", most)
		}
		if reason := c.closes(protocol.CloseTooSlow); reason != "the client does not read what is sent" {
			t.Errorf("the reason is %q", reason)
		}
		eventually(t, "the match ends", func() bool { return len(h.lobby.List()) == 0 })
	})
}

// A burst of news reaches all who watch the lobby, and they stay for hours.
func TestBurstOfMessagesLeavesNoMemoryWithItsClient(t *testing.T) {
	h := open(t, nil)
	c := h.enter()
	s := h.only()
	s.writer.mu.Lock()
	for range 1000 {
		s.queue = append(s.queue, outgoing{data: []byte("news")})
	}
	s.start()
	s.writer.mu.Unlock()
	for range 1000 {
		if _, _, err := c.conn.NextReader(); err != nil {
			t.Fatal(err)
		}
	}
	eventually(t, "all is written", func() bool { _, done := s.Written(); return done })
	s.writer.mu.Lock()
	defer s.writer.mu.Unlock()
	if kept := cap(s.queue) + cap(s.empty); kept > 2*keepQueue {
		t.Errorf("it keeps room for %d messages", kept)
	}
}

func TestSubscriberThatDoesNotReadIsCut(t *testing.T) {
	bubble(t, func(l *Limits) { l.Backlog = 16 << 10 }, func(t *testing.T, h *house) {
		feed, c := h.slow(), h.enter()
		feed.says(`{"LobbySubscribe":{}}`)
		feed.until(protocol.NameLobbySubscribed)
		s := h.session(feed)
		id := c.creates("duel")
		eventually(t, "it is cut", func() bool { // one at a time: it has closeTimeout from then to read its end
			c.joins(id, "alice")
			c.says(`{"LobbyLeaveMatch":{}}`)
			c.until(protocol.NameLobbyLeavedMatch)
			return s.shut.Load()
		})
		feed.closes(protocol.CloseTooSlow)
	})
}

// Its answer is long: thousands of short ones fill a socket with so many
// segments that the kernel drops acknowledgements too, and both ends hang.
const asksMuch = `{"GameDescription":{"name":"echo"}}`

// A client that asks and asks but reads no answer would hold its memory for
// good, while its own messages keep it alive.
func TestClientThatOnlyAsksIsCut(t *testing.T) {
	bubble(t, func(l *Limits) { l.Backlog = 16 << 10 }, func(t *testing.T, h *house) {
		c := h.slow()
		s := h.only()
		for !s.shut.Load() {
			if err := c.conn.WriteMessage(websocket.TextMessage, []byte(asksMuch)); err != nil {
				break
			}
		}
		eventually(t, "the session ends", func() bool { return h.count() == 0 })
	})
}

func TestClientThatAsksAndHangsUpLeavesNothing(t *testing.T) {
	h := open(t, func(l *Limits) { l.Backlog = 16 << 10 })
	c := h.slow()
	s := h.only()
	// One answer blocks the socket, the next ones wait behind it.
	sent := make(chan struct{})
	go func() { // ends with the connection
		defer close(sent)
		for c.conn.WriteMessage(websocket.TextMessage, []byte(asksMuch)) == nil {
		}
	}()
	eventually(t, "the session waits", func() bool {
		s.writer.mu.Lock()
		defer s.writer.mu.Unlock()
		return s.replies > s.backlog
	})
	c.hangUp()
	<-sent
	eventually(t, "the session ends", func() bool { return h.count() == 0 })
}

func TestSpectatorCatchesUpInPartsAndIsSyncedOnce(t *testing.T) {
	h := open(t, nil)
	c, eve := h.enter(), h.enter()
	id := c.echoes()
	c.plays("show 2500\nx\n")
	c.sees("<x>\n") // all is shown
	eve.says(`{"SpectateJoin":{"id":"` + id + `"}}`)
	if kind, m := eve.message(); kind != "text" || !strings.Contains(m, `"running":true`) {
		t.Fatal(kind, m)
	}
	eve.hears(`{"SpectateStarted":{}}`)
	total, synced := 0, false
	for !synced {
		kind, m := eve.message()
		switch {
		case kind == "binary" && len(m) <= 1<<20:
			total += len(m)
		case m == `{"SpectateSynced":{}}`:
			synced = true
		default:
			t.Fatalf("got %s of %d bytes", kind, len(m))
		}
	}
	if want := 2500<<10 + len("<x>\n"); total != want {
		t.Errorf("caught up with %d bytes, want %d", total, want)
	}
	c.plays("live\n")
	eve.sees("<live>\n")
	c.plays("end\n")
	eve.hears(`{"SpectateEnded":{"result":{"players":[{"name":"alice","score":0,"rank":1,"ended":"finished"}],"reason":"said so"}}}`)
	eve.says(`{"LobbyList":{}}`)
	eve.hears(`{"LobbyList":{"info":[]}}`)
}

func TestSpectatorThatLeavesGetsNothingMore(t *testing.T) {
	h := open(t, nil)
	c, eve := h.enter(), h.enter()
	id := c.echoes()
	c.plays("show 5000\nx\n")
	c.sees("<x>\n")
	for round := range 20 {
		eve.says(`{"SpectateJoin":{"id":"` + id + `"}}`)
		eve.says(`{"SpectateLeave":{}}`) // in the middle of what was missed
		stream, _ := eve.until(protocol.NameSpectateLeaved)
		if len(stream)%chunkSize != 0 && len(stream) != 5000<<10+4*(round+1) {
			t.Errorf("got %d bytes", len(stream))
		}
		c.plays("y\n")
		c.sees("<y>\n")
		eve.says(`{"GameDescription":{"name":"x"}}`)
		eve.hears(`{"GameDescription":{"description":null}}`)
	}
	if n := h.lobby.List()[0].Spectators; n != 0 {
		t.Errorf("%d spectators are left", n)
	}
}

func TestSlowSpectatorDoesNotHoldTheMatchUpAndMissesNothing(t *testing.T) {
	h := open(t, nil)
	c, eve := h.enter(), h.slow()
	id := c.echoes()
	eve.says(`{"SpectateJoin":{"id":"` + id + `"}}`)
	eve.until(protocol.NameSpectateSynced)
	for range 10 {
		c.plays("show 1000\nx\n")
		c.sees("<x>\n")
	}
	c.plays("end\n")
	c.until(protocol.NameMatchEnded)
	if stream, _ := eve.until(protocol.NameSpectateEnded); len(stream) != 10*(1000<<10+4) {
		t.Errorf("saw %d bytes", len(stream))
	}
}

func TestSpectatorThatReadsNothingIsCut(t *testing.T) {
	bubble(t, nil, func(t *testing.T, h *house) {
		c, eve := h.enter(), h.slow()
		go func() { // ends with the connection; answers pings
			for {
				if _, _, err := c.conn.NextReader(); err != nil {
					return
				}
			}
		}()
		s := h.session(eve)
		// Played by hand, for the player's messages are read above.
		c.says(`{"GameNew":{"name":"T","game":"echo"}}`)
		eventually(t, "there is a match", func() bool { return len(h.lobby.List()) == 1 })
		id := h.lobby.List()[0].ID
		c.says(`{"LobbyJoinMatch":{"id":"` + id + `","name":"alice"}}`)
		for range 10 {
			c.plays("show 3000\n")
		}
		eve.says(`{"SpectateJoin":{"id":"` + id + `"}}`)
		for ; !s.shut.Load(); time.Sleep(time.Second) { // its messages keep it alive
			if eve.conn.WriteMessage(websocket.PongMessage, nil) != nil {
				break
			}
		}
		eventually(t, "the session ends", func() bool {
			h.mu.Lock()
			defer h.mu.Unlock()
			_, there := h.sessions[s]
			return !there
		})
	})
}

// A long answer takes a slow line longer than a client may be stuck.
func TestSlowReaderOfALongAnswerIsNotCut(t *testing.T) {
	bubble(t, nil, func(t *testing.T, h *house) {
		const id, size = "0123456789abc", 32 << 20
		h.log.mu.Lock()
		h.log.records[id] = &store.Record{ID: id, Game: "duel", Stream: make([]byte, size)}
		h.log.mu.Unlock()
		c := h.slow()
		c.says(`{"HistoryMatch":{"id":"` + id + `"}}`)
		_, answer, err := c.conn.NextReader()
		if err != nil {
			t.Fatal(err)
		}
		for got := int64(0); got < size; {
			n, err := io.CopyN(io.Discard, answer, 1<<20)
			if err != nil {
				t.Fatalf("after %d bytes: %v", got+n, err)
			}
			got += n
			time.Sleep(10 * time.Second) // slowly is the point
		}
	})
}

// A game that was asked with no time left would be taken for one that is silent,
// and get a new process.
func TestSlowReaderHasAllTheTimeForItsNextRequest(t *testing.T) {
	h := open(t, func(l *Limits) { l.Backlog = 16 << 10 })
	const id = "0123456789abc"
	h.log.mu.Lock()
	h.log.records[id] = &store.Record{ID: id, Game: "duel", Stream: make([]byte, 8<<20)}
	h.log.mu.Unlock()
	c := h.slow()
	c.says(`{"HistoryMatch":{"id":"` + id + `"}}`)
	c.says(`{"HistoryMatch":{"id":"cba9876543210"}}`)
	eventually(t, "the next request waits", func() bool {
		stacks := make([]byte, 1<<20)
		return strings.Contains(string(stacks[:runtime.Stack(stacks, true)]), ".(*writer).settle(")
	})
	read := time.Now()
	c.message()
	c.message()
	h.log.mu.Lock()
	defer h.log.mu.Unlock()
	if h.log.due.Before(read.Add(requestTimeout)) {
		t.Errorf("it had %v from when it was read", h.log.due.Sub(read))
	}
}

// A player may write many answers ahead. Its connection is not read then, and
// that silence is not the player's.
func TestPlayerFarAheadIsNotTakenForDead(t *testing.T) {
	bubble(t, nil, func(t *testing.T, h *house) {
		c := h.enter()
		c.echoes()
		// What it writes is more than the seat keeps, in one message and in several.
		c.plays(strings.Repeat("rest 30000\n", 7) + strings.Repeat("x\n", 2000))
		c.plays(strings.Repeat("rest 30000\n", 7))
		for range 200 {
			c.plays("y\n")
		}
		c.sees(strings.Repeat("<x>\n", 2000) + strings.Repeat("<y>\n", 200))
		c.plays("end\n")
		if _, m := c.until(protocol.NameMatchEnded); !strings.Contains(m, "said so") {
			t.Error(m)
		}
	})
}

func TestSilentClientIsPingedAndADeadOneIsDropped(t *testing.T) {
	bubble(t, nil, func(t *testing.T, h *house) {
		dead, alive := h.enter(), h.enter()
		dead.joins(dead.creates("duel"), "dead")
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
		eventually(t, "the dead one is dropped", func() bool { return h.count() == 1 })
		for range 6 { // beyond three times the interval
			<-pings
		}
		if h.session(alive).shut.Load() {
			t.Error("the one that answers was dropped")
		}
		_ = dead
	})
}

// The original client with two pipes reads nothing, and so answers no ping,
// between its handshake and its request for a seat.
func TestClientThatWaitsForItsProgramIsNotTakenForDead(t *testing.T) {
	bubble(t, nil, func(t *testing.T, h *house) {
		id := h.enter().creates("duel")
		c := h.enter()
		pings := 0
		c.conn.SetPingHandler(func(string) error {
			if pings++; pings == 10 { // beyond three times the interval
				c.says(`{"LobbyJoinMatch":{"id":"` + id + `","name":"alice","password":null}}`)
			}
			return nil
		})
		c.until(protocol.NameLobbyJoinedMatch)
	})
}

func TestClientThatNeverEndsItsMessageIsDropped(t *testing.T) {
	bubble(t, nil, func(t *testing.T, h *house) {
		c := h.enter()
		message, err := c.conn.NextWriter(websocket.TextMessage)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := message.Write(make([]byte, 10000)); err != nil { // more than is kept for one frame
			t.Fatal(err)
		}
		eventually(t, "it is dropped", func() bool { return h.count() == 0 })
	})
}

func TestConnectionWithoutHandshakeIsClosed(t *testing.T) {
	bubble(t, nil, func(t *testing.T, h *house) {
		silent, pinging := h.dial(), h.dial()
		done := make(chan struct{})
		go func() { // pings buy no time; ends with the connection
			defer close(done)
			for pinging.conn.WriteMessage(websocket.PingMessage, nil) == nil {
				time.Sleep(time.Second)
			}
		}()
		eventually(t, "both are closed", func() bool { return h.count() == 0 })
		silent.message()
		<-done
	})
}

func TestShutdownClosesEveryClientWithItsCode(t *testing.T) {
	bubble(t, nil, func(t *testing.T, h *house) {
		fresh, idle, feed, waits, plays, eve, stuck := h.dial(), h.enter(), h.enter(), h.enter(), h.enter(), h.enter(), h.slow()
		feed.says(`{"LobbySubscribe":{}}`)
		feed.until(protocol.NameLobbySubscribed)
		waits.joins(waits.creates("duel"), "alice")
		id := plays.echoes()
		eve.says(`{"SpectateJoin":{"id":"` + id + `"}}`)
		eve.until(protocol.NameSpectateSynced)
		stuck.says(`{"SpectateJoin":{"id":"` + id + `"}}`)
		stuck.until(protocol.NameSpectateSynced)
		for range 6 {
			plays.plays("show 3000\nx\n")
			plays.sees("<x>\n")
		}
		done := make(chan struct{})
		go func() { // ends within closeTimeout
			defer close(done)
			h.close()
		}()
		for _, c := range []*client{fresh, idle, feed, waits, plays, eve} {
			if reason := c.closes(protocol.CloseShutdown); reason != "the server is shutting down" {
				t.Errorf("the reason is %q", reason)
			}
		}
		<-done
		if h.count() != 0 {
			t.Errorf("%d sessions are left", h.count())
		}
	})
}

// A host that is busy writes the close frame late. That is no delay of the
// client, which is told all the same.
func TestCloseFrameOfABusyHostIsNotLost(t *testing.T) {
	bubble(t, nil, func(t *testing.T, h *house) {
		c := h.enter()
		synctest.Wait()
		late := make(chan *writer, 1)
		h.workers.mu.Lock()
		h.workers.idle = append(h.workers.idle, late) // gets the next work
		h.workers.mu.Unlock()
		go func() { // ends when it has written
			w := <-late
			time.Sleep(3 * closeTimeout)
			w.flush()
		}()
		go h.close() // ends with its sessions
		c.closes(protocol.CloseShutdown)
	})
}

// A client may take a message of what waits for it now and then, and so keep
// its connection, and the host, from ending.
func TestClientThatReadsSlowlyDoesNotHoldTheEndUp(t *testing.T) {
	bubble(t, nil, func(t *testing.T, h *house) {
		c := h.enter()
		s := h.only()
		for range 100 {
			s.push(make([]byte, pipeSize))
		}
		synctest.Wait()
		begin := time.Now()
		go h.close() // ends with its sessions
		for {
			time.Sleep(closeTimeout / 2)
			if _, err := io.CopyN(io.Discard, c.conn.NetConn(), pipeSize); err != nil {
				break
			}
		}
		if took := time.Since(begin); took > 4*closeTimeout {
			t.Errorf("the connection ended after %v", took)
		}
	})
}

func TestConnectionBeyondTheLimitIsRefused(t *testing.T) {
	h := open(t, func(l *Limits) { l.Connections = 2 })
	first := h.enter()
	h.enter()
	for range 3 {
		c := h.dial()
		c.closes(protocol.CloseLimit)
	}
	first.hangUp()
	eventually(t, "there is room", func() bool { return h.count() == 1 })
	h.enter()
}
