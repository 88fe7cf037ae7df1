package web

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"colosseum/host/internal/base/limit"
	"colosseum/host/internal/clients/forward"
	"colosseum/host/internal/clients/seat"
	"colosseum/host/internal/cluster/relay"
	"colosseum/internal/test/cutproxy"
	"colosseum/internal/test/poll"
	"colosseum/protocol"
)

// startElsewhere starts a match of echo on host a through another host, with resume.
func (h *clusterHost) startElsewhere() (c *client, id, ticket string) {
	h.t.Helper()
	c = h.connect()
	id, ticket = c.startResumable()
	if _, ok := h.cluster.host("a").lobby.Clocks(id); !ok {
		h.t.Fatal("got a match on another host, want it on a")
	}
	return c, id, ticket
}

// ending reads up to the end of the connection and returns how it ended.
func (c *client) ending() (kind, data string) {
	for {
		if kind, data = c.read(); kind == "close" || kind == "lost" {
			return kind, data
		}
	}
}

func TestMatchCreatedElsewhereCanBeJoinedFromAnywhereAtOnce(t *testing.T) {
	c := startCluster(t, 3, nil)
	for i, h := range []string{"a", "b", "c", "b"} {
		c.set(func() { c.place = i % 3 })
		id := c.host(h).connect().createMatch("duel")
		for _, from := range []string{"b", "c"} {
			c.host(from).connect().joinMatch(id, "from-"+from)
		}
	}
}

func TestPlayersOfOneMatchAreOnAllHosts(t *testing.T) {
	c := startCluster(t, 3, nil)
	id := c.host("c").connect().createMatch("duel")
	ann, bob := c.host("b").connect(), c.host("c").connect()
	ann.joinMatch(id, "ann")
	bob.joinMatch(id, "bob")
	for i, p := range []*client{ann, bob} {
		p.readUntil(protocol.NameMatchStarted)
		p.sendBytes([]string{"a\n", "b\n"}[i])
	}
	for _, p := range []*client{ann, bob} {
		if _, m := p.readUntil(protocol.NameMatchEnded); strings.Count(m, `"ended":"finished"`) != 2 {
			t.Errorf("got %s, want both finished", m)
		}
	}
	ann.sendText(`"HistoryMatchList"`) // the session goes on
	ann.readUntil(protocol.NameHistoryMatchList)
}

func TestRegisteredPlayerIsTheSameOnAnotherHost(t *testing.T) {
	c := startCluster(t, 2, nil)
	zoe := c.host("b").connectAs("zoe")
	id := zoe.createMatch("duel")
	zoe.joinMatch(id, "zoe")
	if info, _ := c.host("a").lobby.Info(id); info.Identities["zoe"] != "zoe" {
		t.Errorf("got identities %v, want zoe", info.Identities)
	}
	eve := c.host("b").connect()
	eve.sendText(`{"LobbyJoinMatch":{"id":"` + id + `","name":"max","password":null}}`)
	if _, m := eve.read(); !strings.Contains(m, "belongs to a registered player") {
		t.Errorf("got %s, want the name refused", m)
	}
}

func TestPlayersServeOnTheLeader(t *testing.T) {
	c := startCluster(t, 3, nil)
	zoe, max := c.host("b").connectAs("zoe"), c.host("c").connectAs("max")
	zoe.serve("zoe")
	max.serve("max")
	var m struct{ ServeMatch protocol.ServeMatch }
	_, text := zoe.readUntil(protocol.NameServeMatch)
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		t.Fatal(err)
	}
	c.host("c").awaitListed(m.ServeMatch.Info.ID)
	player := c.host("c").connectAs("zoe")
	player.joinMatch(m.ServeMatch.Info.ID, "zoe")
	c.host("a").desk.Close()
	zoe.sendText(`{"Serve":{"games":["duel"],"concurrency":0}}`) // goes on to the leader
	zoe.readUntil(protocol.NameServing)
}

func TestPlayerResumesThroughAnotherHost(t *testing.T) {
	c := startCluster(t, 3, withResume)
	p, _, ticket := c.host("b").startElsewhere()
	p.sendBytes("one\ntw")
	p.wantBytes("<one>\n")
	p.cut()
	c.host("a").awaitAway(ticket)
	p = c.host("c").connect()
	p.resume(ticket, uint64(len("hello\n<o")), 1)
	p.wantBytes("ne>\n")
	p.sendBytes("two\n")
	p.wantBytes("<two>\n")
	p.cut()
	c.host("a").awaitAway(ticket)
	p = c.host("a").connect() // the host of the match
	p.resume(ticket, uint64(len("hello\n<one>\n<two>\n")), 2)
	p.sendBytes("end\n")
	p.readUntil(protocol.NameMatchEnded)
}

func TestResumeElsewhereReplacesAConnectionThatHangs(t *testing.T) {
	c := startCluster(t, 3, withResume)
	p, _, ticket := c.host("b").startElsewhere()
	again := c.host("c").connect()
	again.resume(ticket, uint64(len("hello\n")), 0)
	p.wantClose(protocol.CloseReplaced, "another connection has taken over the seat")
	again.sendBytes("end\n")
	again.readUntil(protocol.NameMatchEnded)
}

func TestEndIsKeptIfTheConnectionBreaksElsewhere(t *testing.T) {
	c := startCluster(t, 3, withResume)
	p, _, ticket := c.host("b").startElsewhere()
	p.sendBytes("end\n")
	p.readUntil(protocol.NameMatchEnded)
	p.cut()
	c.host("a").awaitSessions(0)
	p = c.host("c").connect()
	p.resume(ticket, uint64(len("hello\n")), 1)
	p.readUntil(protocol.NameMatchEnded)
	p.sendText(`"LobbyList"`) // shows that the end has arrived
	p.readUntil(protocol.NameLobbyList)
	poll.Until(t, "the ticket is forgotten", func() bool { return !c.host("a").seats.Used(ticket) })
}

func TestPlayerThatLeavesGivesUpItsSeatElsewhere(t *testing.T) {
	c := startCluster(t, 2, withResume)
	p, id, ticket := c.host("b").startElsewhere()
	_ = p.conn.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(websocket.CloseNormalClosure, ""), time.Time{})
	poll.Until(t, "the match ends", func() bool { _, ok := c.host("a").lobby.Clocks(id); return !ok })
	if c.host("a").seats.Used(ticket) {
		t.Error("the ticket is still valid, want it given up")
	}
	p, id, _ = c.host("b").startElsewhere()
	p.sendBytes(strings.Repeat("x", 5000)) // which the host of the match refuses
	p.wantClose(protocol.CloseLimit, "a line is longer than 4096 bytes")
	poll.Until(t, "the match ends", func() bool { _, ok := c.host("a").lobby.Clocks(id); return !ok })
}

// cutAt returns a plan that cuts the first connection at one frame.
func cutAt(at cutproxy.Frame, place cutproxy.Place) cutproxy.Plan {
	return func(f cutproxy.Frame) cutproxy.Action {
		if f.Connection == at.Connection && f.Direction == at.Direction && f.Number == at.Number {
			return cutproxy.Action{Cut: place}
		}
		return cutproxy.Action{}
	}
}

func TestMatchIsTheSameAfterTheRelayIsCutAtAnyFrame(t *testing.T) {
	const rounds = 4
	want := "hello\n"
	for i := range rounds {
		want += fmt.Sprintf("<%d>\n", i)
	}
	c := startCluster(t, 3, withResume)
	for _, d := range []cutproxy.Direction{cutproxy.ToServer, cutproxy.ToClient} {
		for _, place := range []cutproxy.Place{cutproxy.Before, cutproxy.Middle, cutproxy.After} {
			for number := range 7 {
				name := fmt.Sprintf("%v frame %d %v", place, number, d)
				// The relay of GameNew is the first.
				c.through("a", cutAt(cutproxy.Frame{Connection: 1, Direction: d, Number: number}, place))
				got, err := playThroughCuts(c, rounds)
				if err != nil || got != want {
					t.Errorf("%s: got %q, %v, want %q", name, got, err, want)
				}
			}
		}
	}
}

// playThroughCuts plays a match on host a, through b and after cuts through c and b.
func playThroughCuts(c *testCluster, rounds int) (seen string, err error) {
	t := c.t
	at := 1
	p := c.hosts[at].connect()
	p.ours = true
	id := p.createMatch("echo")
	ticket := rand.Text()
	join := func() {
		p.sendText(string(protocol.Encode(protocol.NameLobbyJoinMatch, protocol.LobbyJoinMatch{ID: id, Name: "alice", Resume: true, Ticket: ticket})))
	}
	join()
	joined, sent := false, 0
	for {
		kind, m := p.read()
		switch {
		case kind == "binary":
			seen += m
		case kind == "close" && !strings.HasPrefix(m, "4003 "+forward.Reconnect), kind == "lost":
			return seen, fmt.Errorf("the connection ended with %s %s", kind, m)
		case kind == "close", strings.Contains(m, `"LobbyJoinedMatch":{"info":{"Err"`): // the first join was still under way
			if kind == "close" {
				at = 3 - at
				p = c.hosts[at].connect()
				p.ours = true
			}
			r := p.askResume(ticket, uint64(len(seen)))
			if _, err := r.Info.Get(); err != nil {
				if joined {
					return seen, err
				}
				id = p.createMatch("echo") // a waiting seat is not kept; this match has one seat, and so began or was never joined
				join()
				continue
			}
			joined, sent = true, int(r.Taken)
		case strings.HasPrefix(m, `{"LobbyJoinedMatch":{"info":{"Ok"`):
			joined = true
		case strings.HasPrefix(m, `{"MatchEnded":`):
			return seen, nil
		}
		complete := strings.Count(seen, "\n")
		for ; complete > 0 && sent < complete; sent++ {
			line := fmt.Sprintf("%d\n", sent)
			if sent == rounds {
				line = "end\n"
			}
			if p.conn.WriteMessage(websocket.BinaryMessage, []byte(line)) != nil {
				break
			}
		}
		if t.Context().Err() != nil {
			return seen, t.Context().Err()
		}
	}
}

func TestBrokenRelayClosesTheClientThatCanComeBack(t *testing.T) {
	c := startCluster(t, 3, withResume)
	var broken atomic.Bool
	c.through("a", func(cutproxy.Frame) cutproxy.Action {
		if broken.Load() {
			return cutproxy.Action{Cut: cutproxy.Before}
		}
		return cutproxy.Action{}
	})
	p, _, ticket := c.host("b").startElsewhere()
	broken.Store(true)
	p.sendBytes("lost\n")
	p.wantClose(protocol.CloseShutdown, forward.Reconnect)
	c.set(func() { delete(c.proxies, "a"); c.deaf["a"] = true })
	p = c.host("c").connect() // no host can say whether the seat still exists
	p.sendText(string(protocol.Encode(protocol.NameMatchResume, protocol.MatchResume{Ticket: ticket})))
	p.wantClose(protocol.CloseShutdown, forward.Reconnect)
	c.set(func() { c.deaf["a"] = false })
	p = c.host("c").connect()
	p.resume(ticket, uint64(len("hello\n")), 0)
	c.host("c").BreakRelays("b")
	p.sendBytes("x\n")
	p.wantBytes("<x>\n")
	c.host("c").BreakRelays("a")
	p.wantClose(protocol.CloseShutdown, forward.Reconnect)
	p = c.host("b").connect()
	p.wantRefused(rand.Text(), 0, seat.ErrTicket)
}

func TestRequestsAreRefusedIfTheirHostCannotBeReached(t *testing.T) {
	c := startCluster(t, 2, nil)
	id := c.host("a").connect().createMatch("duel")
	c.host("b").awaitListed(id)
	c.set(func() { c.deaf["a"] = true })
	p := c.host("b").connect()
	const unreachable = "the host of this match cannot be reached now: try again"
	for request, want := range map[string]string{
		`{"LobbyJoinMatch":{"id":"` + id + `","name":"x","password":null}}`: `{"LobbyJoinedMatch":{"info":{"Err":"` + unreachable + `"}}}`,
		`{"SpectateJoin":{"id":"` + id + `"}}`:                              `{"SpectateJoined":{"info":{"Err":"` + unreachable + `"}}}`,
		`{"GameNew":{"name":"T","game":"duel","params":{}}}`:                `{"GameNew":{"id":{"Err":"` + unreachable + `"}}}`,
		`{"LobbyFindMatch":{"new":{"game":"duel"},"name":"x"}}`:             `{"LobbyJoinedMatch":{"info":{"Err":"` + unreachable + `"}}}`,
	} {
		p.sendText(request)
		p.wantText(want)
	}
	q := c.host("b").connect()
	q.sendText(`{"LobbyJoinMatch":{"id":"` + id + `","name":"y","password":null,"resume":true,"ticket":"` + rand.Text() + `"}}`)
	q.wantClose(protocol.CloseShutdown, forward.Reconnect) // a client with a ticket connects again
	c.set(func() { c.deaf["a"], c.noLeader = false, true })
	p.sendText(`{"LobbyFindMatch":{"new":{"game":"duel"},"name":"x"}}`)
	p.wantText(`{"LobbyJoinedMatch":{"info":{"Err":"no host pairs players now: try again"}}}`)
	zoe := c.host("b").connectAs("zoe")
	zoe.sendText(`{"Serve":{"games":["duel"],"concurrency":1}}`)
	zoe.wantClose(protocol.CloseShutdown, forward.Reconnect)
}

func TestClientWithATicketComesBackWhileMatchesOfOtherHostsAreUnknown(t *testing.T) {
	c := startCluster(t, 2, nil)
	here := c.host("a").connect().createMatch("duel")
	join := func(id, more string) string {
		return `{"LobbyJoinMatch":{"id":"` + id + `","name":"x","password":null` + more + `}}`
	}
	const unknown = "0123456789abc"
	ticket := func() string { return `,"resume":true,"ticket":"` + rand.Text() + `"` }
	p := c.host("a").connect()
	p.sendText(join(unknown, ticket()))
	p.wantText(`{"LobbyJoinedMatch":{"info":{"Err":"Game \"` + unknown + `\" does not exists"}}}`)
	c.set(func() { c.incomplete = true })
	p.sendText(join(unknown, ""))
	p.wantText(`{"LobbyJoinedMatch":{"info":{"Err":"the matches of other hosts are not known now: try again"}}}`)
	p.ours = true
	for name, reply := range map[string]string{protocol.NameSpectateJoin: protocol.NameSpectateJoined, protocol.NameLobbyMatch: protocol.NameLobbyMatch} {
		p.sendText(`{"` + name + `":{"id":"` + unknown + `"}}`)
		p.wantText(`{"` + reply + `":{"info":{"Err":"the matches of other hosts are not known now: try again"}}}`)
		p.sendText(`{"` + name + `":{"id":"x"}}`)
		if _, m := p.read(); !strings.Contains(m, "Invalid ID") {
			t.Errorf("%s without an ID: got %s, want that it is not valid", name, m)
		}
	}
	p.sendText(join(unknown, ticket()))
	p.wantClose(protocol.CloseShutdown, forward.Reconnect)
	q := c.host("a").connect()
	q.joinMatch(here, "y") // a match of this host
}

// TestARenamedPlayerServesAgainThroughAnotherHost: the host that pairs players is not the one
// that knows the player's token.
func TestARenamedPlayerServesAgainThroughAnotherHost(t *testing.T) {
	c := startCluster(t, 2, nil)
	zoe := c.host("b").dial()
	zoe.ours = true
	zoe.sendText(`{"Handshake":{"magic":"coco","version":2,"token":"ZOE"}}`)
	zoe.readUntil(protocol.NameHandshake)
	zoe.serve("zoe")
	c.host("b").renamed.Store(new("zoey"))
	c.host("b").endLogins(t.Context())
	zoe.wantClose(protocol.CloseShutdown, "the player has another name now: connect again")
	poll.Until(t, "nobody serves", func() bool { return len(c.host("a").desk.List()) == 0 })
}

// TestMatchIsFoundBeforeItsListingArrives asks a host for matches of another one that no
// listing has told it of.
func TestMatchIsFoundBeforeItsListingArrives(t *testing.T) {
	c := startCluster(t, 2, nil)
	c.set(func() { c.late = true })
	a := c.host("a").connect()
	for name, reply := range map[string]string{
		protocol.NameLobbyMatch: protocol.NameLobbyMatch, protocol.NameSpectateJoin: protocol.NameSpectateJoined, protocol.NameLobbyJoinMatch: protocol.NameLobbyJoinedMatch,
	} {
		id := a.createMatch("duel")
		p := c.host("b").connect()
		p.ours = true
		request := `{"` + name + `":{"id":"` + id + `","name":"x","password":null}}`
		if name != protocol.NameLobbyJoinMatch {
			request = `{"` + name + `":{"id":"` + id + `"}}`
		}
		c.set(func() { c.silent = true })
		p.sendText(request)
		p.wantText(`{"` + reply + `":{"info":{"Err":"the matches of other hosts are not known now: try again"}}}`)
		c.set(func() { c.silent = false })
		p.sendText(request)
		if _, m := p.readUntil(reply); !strings.Contains(m, `"Ok"`) || !strings.Contains(m, id) {
			t.Errorf("%s: got %s, want match %s", name, m, id)
		}
	}
}

func TestLagIsMeasuredUpToTheClient(t *testing.T) {
	c := startCluster(t, 2, nil)
	p := c.host("b").connect()
	pings := make(chan string, 100)
	p.conn.SetPingHandler(func(data string) error {
		pings <- data
		return nil
	})
	id := p.createMatch("duel")
	p.joinMatch(id, "alice")
	read := make(chan struct{})
	go func() { // ends with the connection
		defer close(read)
		_, _, _ = p.conn.ReadMessage()
	}()
	data := poll.Receive(t, "the client is pinged", pings)
	c.host("a").awaitSessions(1) // the relay of GameNew has ended
	owner := c.host("a").onlySession()
	owner.mu.Lock()
	taken := owner.seat
	owner.mu.Unlock()
	shown := func() (ms int64, ok bool) {
		info, _ := c.host("a").lobby.Info(id)
		ms, ok = info.Lag["alice"]
		return ms, ok
	}
	poll.Until(t, "the age of the ping counts", func() bool { return taken.Lag() >= 10*time.Millisecond })
	if ms, ok := shown(); ok {
		t.Errorf("got a lag of %d ms before the answer, want none: something answers for the client", ms)
	}
	_ = p.conn.WriteControl(websocket.PongMessage, []byte(data), time.Time{})
	poll.Until(t, "the lag is measured", func() bool { ms, _ := shown(); return ms >= 10 })
	p.close()
	<-read
}

// A pong shows that everything before the ping was handled.
func TestPingOfTheClientIsAnsweredByTheHostOfTheMatch(t *testing.T) {
	c := startCluster(t, 2, nil)
	p := c.host("b").connect()
	p.startEcho()
	began := time.Now()
	p.sendBytes("pause 0\npause 200\n" + strings.Repeat("x\n", 200)) // from now on, and more than 64 lines ahead
	pong := make(chan time.Duration, 1)
	p.conn.SetPongHandler(func(data string) error {
		if data == "!" {
			pong <- time.Since(began)
		}
		return nil
	})
	_ = p.conn.WriteControl(websocket.PingMessage, []byte("!"), time.Time{})
	read := make(chan struct{})
	go func() { // ends with the connection
		defer close(read)
		for {
			if _, _, err := p.conn.ReadMessage(); err != nil {
				return
			}
		}
	}()
	defer func() {
		p.close()
		<-read
	}()
	if got := poll.Receive(t, "the pong comes", pong); got < 200*time.Millisecond {
		t.Errorf("got the answer after %v, want it after the pause of 200 ms, in which the match takes no lines", got)
	}
}

func TestClientThatFloodsIsStopped(t *testing.T) {
	t.Parallel()
	c := startCluster(t, 2, nil)
	p := c.host("b").connectSlow()
	id := p.createMatch("duel")
	p.joinMatch(id, "flood")
	silent := c.host("a").connect() // the match waits for it
	silent.joinMatch(id, "silent")
	p.readUntil(protocol.NameMatchStarted)
	sent := 0
	line := []byte(strings.Repeat("a\n", 2000))
	for {
		_ = p.conn.SetWriteDeadline(time.Now().Add(500 * time.Millisecond))
		if p.conn.WriteMessage(websocket.BinaryMessage, line) != nil {
			break
		}
		if sent += len(line); sent > 64<<20 {
			t.Fatalf("sent %d bytes, want to be stopped before", sent)
		}
	}
	if read := c.host("b").Stats().Read; read > 32<<20 {
		t.Errorf("the near host has read %d bytes, want it to wait", read)
	}
	p.close()
}

func TestSlowClientOfAnotherHostIsClosed(t *testing.T) {
	c := startCluster(t, 2, func(l *Limits) { l.Backlog = 256 << 10 })
	p := c.host("b").connectSlow()
	p.startEcho()
	for range 100 {
		p.sendBytes("tell 100\n")
	}
	poll.Until(t, "it is closed", func() bool { // by either host: a burst can exceed the backlog of the relay first
		return c.host("a").Stats().Limited[limit.SlowClient]+c.host("b").Stats().Limited[limit.SlowClient] > 0
	})
	p.wantClose(protocol.CloseTooSlow, "the client does not read what is sent")
	c.host("a").awaitSessions(0)
}

// handshake opens a WebSocket on the path of relays.
func (h *clusterHost) handshake(head http.Header) (status int, err error) {
	conn, response, err := websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(h.http.URL, "http")+relay.Path, head)
	if err == nil {
		_ = conn.Close()
	}
	if response == nil {
		return 0, err
	}
	return response.StatusCode, err
}

func TestPathOfRelaysNeedsTheSecret(t *testing.T) {
	c := startCluster(t, 3, nil)
	b := c.host("b")
	if status, err := b.handshake(nil); status != http.StatusForbidden || err == nil {
		t.Errorf("without a header: got %d, %v, want 403", status, err)
	}
	response, err := http.Get(b.http.URL + relay.Path)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	if response.StatusCode != http.StatusForbidden || response.ContentLength != 0 {
		t.Errorf("without a WebSocket: got %s with %d bytes, want 403 and nothing else", response.Status, response.ContentLength)
	}
	url := "ws" + strings.TrimPrefix(b.http.URL, "http")
	for name, tt := range map[string]struct {
		secret, to string
		version    int
		ok         bool
	}{
		"right": {"the secret", "b", 2, true}, "another secret": {"a secret", "b", 2, false}, "for another host": {"the secret", "c", 2, false}, "an unknown version": {"the secret", "b", 99, false},
	} {
		conn, err := relay.NewKey([]byte(tt.secret), "x", nil).Dial(t.Context(), tt.to, url, relay.Client{Version: tt.version})
		if (err == nil) != tt.ok {
			t.Errorf("%s: got %v, want accepted: %v", name, err, tt.ok)
		}
		if err == nil {
			_ = conn.Close()
		}
	}
	lone := startServer(t, nil) // alone, the path is like any other
	conn, _, err := websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(lone.http.URL, "http")+relay.Path, nil)
	if err != nil {
		t.Fatal(err)
	}
	_ = conn.Close()
}

func TestRelaysDoNotCountAsConnectionsOfTheirAddress(t *testing.T) {
	c := startCluster(t, 2, func(l *Limits) { l.Address = limit.PerAddress{Connections: 3, Handshakes: 1, Matches: 4} })
	p := c.host("b").connect()
	id := p.createMatch("duel")
	for range 20 { // twice the burst of new connections
		p.joinMatch(id, "alice")
		p.sendText(`{"LobbyLeaveMatch":{}}`)
		p.readUntil(protocol.NameLobbyLeavedMatch)
	}
	for range 3 {
		p.createMatch("duel")
	}
	p.sendText(`{"GameNew":{"name":"T","game":"duel","params":{}}}`) // counts where the match is
	p.wantText(`{"GameNew":{"id":{"Err":"` + errTooManyNewMatches.Error() + `"}}}`)
	// Connections that have sent nothing yet.
	var open []net.Conn
	defer func() {
		for _, conn := range open {
			_ = conn.Close()
		}
	}()
	for range 10 {
		conn, err := net.Dial("tcp", c.host("a").http.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		open = append(open, conn)
	}
	p.joinMatch(id, "alice")
}

func TestDrainedHostKeepsOnlyPlayersThatCannotMove(t *testing.T) {
	c := startCluster(t, 2, withResume)
	a, b := c.host("a"), c.host("b")
	idle, plays, waits, watches := b.connect(), b.connect(), b.connect(), b.connect()
	c.set(func() { c.place = 1 })
	id := plays.startEcho() // on b
	waits.joinMatch(waits.createMatch("duel"), "alice")
	watches.watch(id)
	byMirror := a.connect()
	byMirror.watch(id)
	c.set(func() { c.place = 0 })
	resumable, _, ticket := b.startElsewhere()
	stays := b.connect()
	stays.startEcho()
	b.Drain()
	for name, p := range map[string]*client{"idle": idle, "waits": waits, "watches": watches, "resumable": resumable} {
		if kind, data := p.ending(); kind != "close" || !strings.HasPrefix(data, "4003 ") {
			t.Errorf("%s: got %s %s, want it closed with 4003", name, kind, data)
		}
	}
	if n := b.Relays(); n != 1 {
		t.Errorf("got %d clients that cannot move, want 1", n)
	}
	a.connect().resume(ticket, uint64(len("hello\n")), 0)
	for _, p := range []*client{plays, stays} {
		p.sendBytes("x\nend\n")
		p.wantBytes("<x>\n")
		p.readUntil(protocol.NameMatchEnded)
	}
	byMirror.wantBytes("<x>\n")
	byMirror.readUntil(protocol.NameSpectateEnded)
}

// used returns what the clients of this host have used of their address's limits.
func (h *clusterHost) used() (u limit.Usage) {
	for _, u = range h.Addresses().Usage() {
	}
	return u
}

func TestRelayedBytesCountOnce(t *testing.T) {
	c := startCluster(t, 2, perAddress(limit.PerAddress{Bytes: byteRate}))
	p := c.host("b").connect()
	p.startEcho()
	data := strings.Repeat("x", 4000) + "\n"
	for range 2 { // bytes are counted at the latest before the next ones are read
		p.sendBytes(data)
		p.wantBytes("<" + strings.TrimSpace(data) + ">\n")
	}
	var near, far int64
	poll.Until(t, "the host of the client has counted them", func() bool {
		near += c.host("b").used().Bytes
		far += c.host("a").used().Bytes
		return near >= int64(2*len(data))
	})
	if far != 0 {
		t.Errorf("got %d bytes counted by the host of the match too, want none", far)
	}
}

func TestQuestionsToOtherHostsForNothingAreLimited(t *testing.T) {
	const guesses, rate = 3, 5
	c := startCluster(t, 2, func(l *Limits) { l.Guesses, l.Address = guesses, limit.PerAddress{Reads: rate} })
	p := c.host("b").connect()
	for i := range guesses + 4 {
		p.askResume(rand.Text(), 0)
		if got, want := c.host("b").used().Reads, int64(max(0, min(1, i-guesses+1))*questionPoints); got != want {
			t.Errorf("wrong ticket %d: got %d points, want %d", i+1, got, want)
		}
	}
	p.sendText(`{"LobbyJoinMatch":{"id":"0123456789abc","name":"x","password":null}}`)
	p.readUntil(protocol.NameLobbyJoinedMatch)
	if got := c.host("b").used().Reads; got != questionPoints {
		t.Errorf("the ID of no match: got %d points, want %d", got, questionPoints)
	}
	id := c.host("b").connect().createMatch("duel")
	p.joinMatch(id, "x")
	if got := c.host("b").used().Reads; got != 0 {
		t.Errorf("the ID of a match: got %d points, want none", got)
	}
}
