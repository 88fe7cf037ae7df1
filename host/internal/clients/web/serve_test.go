package web

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"colosseum/host/internal/base/limit"
	"colosseum/internal/test/poll"
	"colosseum/protocol"
)

// connectOurs connects a client that knows our messages.
func (srv *testServer) connectOurs() *client {
	srv.t.Helper()
	c := srv.connect()
	c.ours = true
	return c
}

// connectAs connects a client with a registered player.
func (srv *testServer) connectAs(player string) *client {
	srv.t.Helper()
	c := srv.connectOurs()
	s := srv.session(c)
	s.mu.Lock() // with the lock, the session's goroutine sees it
	defer s.mu.Unlock()
	s.player = player
	return c
}

// serve offers the client's player for a match of the duel.
func (c *client) serve(player string) {
	c.t.Helper()
	c.sendText(`{"Serve":{"games":["duel"],"concurrency":1}}`)
	c.wantText(`{"Serving":{"player":{"Ok":"` + player + `"}}}`)
}

// readMatch reads a ServeMatch.
func (c *client) readMatch() protocol.ServeMatch {
	c.t.Helper()
	_, text := c.readUntil(protocol.NameServeMatch)
	var m struct{ ServeMatch protocol.ServeMatch }
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		c.t.Fatal(err)
	}
	return m.ServeMatch
}

func TestPlayersThatServeArePairedAndPlayOnOtherConnections(t *testing.T) {
	srv := startServer(t, nil)
	ann, bob := srv.connectAs("ann"), srv.connectAs("bob")
	ann.serve("ann")
	bob.serve("bob")
	m := ann.readMatch()
	if id := bob.readMatch().Info.ID; id != m.Info.ID || m.Seconds <= 0 || m.Seconds > 15 {
		t.Errorf("got the matches %q and %q with %v s to join, want one match and 15 s", m.Info.ID, id, m.Seconds)
	}
	stranger := srv.connect()
	stranger.sendText(`{"LobbyJoinMatch":{"id":"` + m.Info.ID + `","name":"eve","password":null}}`)
	stranger.wantText(`{"LobbyJoinedMatch":{"info":{"Err":"the seats left in game \"` + m.Info.ID + `\" are kept for ann and bob: join another match"}}}`)
	first, second := srv.connectAs("ann"), srv.connectAs("bob")
	first.joinMatch(m.Info.ID, "ann")
	second.joinMatch(m.Info.ID, "bob")
	first.readUntil(protocol.NameMatchStarted)
}

func TestServeIsRefusedWithAReason(t *testing.T) {
	srv := startServer(t, nil)
	tests := []struct {
		name, request, want string
		c                   *client
	}{
		{"without a player", `{"Serve":{"games":["duel"],"concurrency":1}}`, "only registered players can serve: coco register NAME", srv.connectOurs()},
		{"an unknown game", `{"Serve":{"games":["chess"],"concurrency":1}}`, `unknown game \"chess\": coco list shows the games`, srv.connectAs("ann")},
	}
	for _, tt := range tests {
		tt.c.sendText(tt.request)
		tt.c.wantText(`{"Serving":{"player":{"Err":"` + tt.want + `"}}}`)
		tt.c.sendText(`{"LobbyList":{}}`) // the client can do something else
		tt.c.wantText(`{"LobbyList":{"info":[]}}`)
	}
}

func TestConnectionThatServesDoesNothingElse(t *testing.T) {
	srv := startServer(t, nil)
	ann := srv.connectAs("ann")
	ann.serve("ann")
	ann.serve("ann") // a change of its offer
	ann.sendText(`{"LobbyList":{}}`)
	ann.wantClose(protocol.CloseProtocol, "LobbyList is not allowed now")
	poll.Until(t, "ann no longer serves", func() bool { return len(srv.desk.List()) == 0 })
}

func TestLaterServingConnectionClosesTheEarlierOne(t *testing.T) {
	srv := startServer(t, nil)
	first, second := srv.connectAs("ann"), srv.connectAs("ann")
	first.serve("ann")
	second.sendText(`{"Serve":{"games":["duel"],"concurrency":1}}`)
	second.wantText(`{"Serving":{"player":{"Ok":"ann"},"replaced":["duel"]}}`)
	first.wantClose(protocol.CloseReplaced, "the player serves on another connection")
	srv.awaitSessions(1)
	if list := srv.desk.List(); len(list) != 1 {
		t.Errorf("got %v, want ann", list)
	}
}

func TestClientsThatFindMeet(t *testing.T) {
	srv := startServer(t, nil)
	clients := []*client{srv.connect(), srv.connect()}
	for i, c := range clients {
		c.sendText(fmt.Sprintf(`{"LobbyFindMatch":{"new":{"name":"T","game":"duel","params":{}},"name":"p%d"}}`, i))
		if _, m := c.readUntil(protocol.NameLobbyJoinedMatch); !strings.Contains(m, `"Ok"`) {
			t.Errorf("got %s, want a seat", m)
		}
	}
	for _, c := range clients {
		c.readUntil(protocol.NameMatchStarted)
	}
}

func TestClientThatFindsCanResume(t *testing.T) {
	srv := startServer(t, func(l *Limits) { l.Resume = time.Minute })
	c := srv.connectOurs()
	c.sendText(`{"LobbyFindMatch":{"new":{"name":"T","game":"duel"},"name":"ann","resume":true}}`)
	if _, m := c.readUntil(protocol.NameLobbyJoinedMatch); !strings.Contains(m, `"ticket":"`) {
		t.Errorf("got %s, want a ticket", m)
	}
	c.sendText(`{"LobbyLeaveMatch":{}}`)
	c.readUntil(protocol.NameLobbyLeavedMatch)
	if n := len(srv.lobby.List()); n != 0 {
		t.Errorf("got %d matches after the only client has left, want 0", n)
	}
}

func TestFindIsRefusedWithAReason(t *testing.T) {
	srv := startServer(t, nil)
	c := srv.connect()
	c.sendText(`{"LobbyFindMatch":{"new":{"name":"T","game":"chess"},"name":"ann"}}`)
	c.wantText(`{"LobbyJoinedMatch":{"info":{"Err":"Game not found"}}}`)
	c.sendText(`{"LobbyFindMatch":{"new":{"name":"T","game":"duel"},"name":"zoe"}}`)
	if _, m := c.readUntil(protocol.NameLobbyJoinedMatch); !strings.Contains(m, "belongs to a registered player") {
		t.Errorf("the name of another player: got %s, want it refused", m)
	}
}

func TestLimitOfNewMatchesAppliesToFindAndChallenge(t *testing.T) {
	srv := startServer(t, perAddress(limit.PerAddress{Matches: 1}))
	c := srv.connect()
	c.createMatch("duel")
	c.sendText(`{"LobbyFindMatch":{"new":{"name":"T","game":"duel"},"name":"ann"}}`)
	c.wantText(`{"LobbyJoinedMatch":{"info":{"Err":"` + errTooManyNewMatches.Error() + `"}}}`)
	c.sendText(`{"GameNew":{"name":"T","game":"duel","opponents":["bob"]}}`)
	c.wantText(`{"GameNew":{"id":{"Err":"` + errTooManyNewMatches.Error() + `"}}}`)
}

func TestChangesOfAnOfferCostPoints(t *testing.T) {
	srv := startServer(t, perAddress(limit.PerAddress{Reads: 1}))
	ann := srv.connectAs("ann")
	ann.serve("ann")
	for range 5 { // a debt of more than requestTimeout
		srv.readers.Charge(srv.addresses.Get("127.0.0.1"), burst*limit.PointBytes)
	}
	ann.sendText(`{"Serve":{"games":["duel"],"concurrency":1}}`)
	ann.wantClose(protocol.CloseLimit, "too many requests from your address")
}

func TestChallengeReachesItsPlayer(t *testing.T) {
	srv := startServer(t, nil)
	bob, c := srv.connectAs("bob"), srv.connect()
	bob.serve("bob")
	c.sendText(`{"GameNew":{"name":"T","game":"duel","opponents":["BOB"]}}`)
	_, text := c.read()
	if id := bob.readMatch().Info.ID; !strings.Contains(text, id) {
		t.Errorf("got %s, want the match %s", text, id)
	}
	c.sendText(`{"GameNew":{"name":"T","game":"duel","opponents":["zoe"]}}`)
	c.wantText(`{"GameNew":{"id":{"Err":"zoe plays no duel now: it is not served with coco serve"}}}`)
}

func TestOneMatchOfTheLobbyCanBeRead(t *testing.T) {
	srv := startServer(t, nil)
	c := srv.connectOurs()
	id := c.createMatch("duel")
	c.sendText(`{"LobbyMatch":{"id":"` + id + `"}}`)
	c.wantText(`{"LobbyMatch":{"info":{"Ok":` + info(id, false, 0) + `}}}`)
	c.sendText(`{"LobbyMatch":{"id":"0123456789abc"}}`)
	c.wantText(`{"LobbyMatch":{"info":{"Err":"Game \"0123456789abc\" does not exists"}}}`)
}

// Players that serve can wait for days, so their connections cost little more than
// idle ones. The bound is ten times what was measured.
func TestConnectionThatServesCostsLittleMemory(t *testing.T) {
	const clients = 200 // each has two of the 1,024 files that a process can open by default
	srv := startServer(t, func(l *Limits) { l.Connections = 2 * clients })
	heap := func() int64 {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapInuse + m.StackInuse)
	}
	all := make([]*client, clients)
	before := heap()
	for i := range all {
		all[i] = srv.connectAs(fmt.Sprint("p", i))
	}
	idle := heap()
	for i, c := range all {
		c.sendText(`{"Serve":{"games":["duel"],"concurrency":4,"challenges":true}}`)
		c.wantText(fmt.Sprintf(`{"Serving":{"player":{"Ok":"p%d"}}}`, i))
	}
	serving := heap()
	t.Logf("idle: %d bytes for each connection with its client, serving: %d more", (idle-before)/clients, (serving-idle)/clients)
	if more := (serving - idle) / clients; more > 20<<10 {
		t.Errorf("a connection that serves uses %d bytes more than an idle one, want at most 20 KiB", more)
	}
}

func TestPlayerThatCanResumeComesAgainWhenNothingCanBeRecordedNow(t *testing.T) {
	srv := startServer(t, withResume)
	var unavailable atomic.Bool
	srv.lobby.NeedRecords(func() bool { return !unavailable.Load() })
	plain, other := srv.connect(), srv.connect()
	id := plain.createMatch("duel")
	unavailable.Store(true)
	for name, request := range map[string]any{
		protocol.NameLobbyJoinMatch: protocol.LobbyJoinMatch{ID: id, Name: "alice"},
		protocol.NameLobbyFindMatch: protocol.LobbyFindMatch{Name: "alice", New: protocol.GameNew{Name: "T", Game: "duel"}},
	} {
		plain.sendText(string(protocol.Encode(name, request)))
		plain.wantText(`{"LobbyJoinedMatch":{"info":{"Err":"the host cannot write its records now: try again later"}}}`)
	}
	other.sendText(string(protocol.Encode(protocol.NameLobbyJoinMatch, protocol.LobbyJoinMatch{ID: id, Name: "bob", Resume: true})))
	other.wantClose(protocol.CloseShutdown, "connect again")
	unavailable.Store(false)
	plain.joinMatch(id, "alice")
}
