package web

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"colosseum/host/internal/play/lobby"
	"colosseum/host/internal/records/record"
	"colosseum/internal/test/cutproxy"
	"colosseum/internal/test/poll"
	"colosseum/protocol"
)

// spectators returns how many spectators a host counts for a match.
func (h *clusterHost) spectators(id string) int {
	info, _ := h.lobby.Info(id)
	return info.Spectators
}

func TestSpectatorsOfAHostShareOneRelay(t *testing.T) {
	t.Parallel()
	const n = 100
	c := startCluster(t, 2, func(l *Limits) { l.Connections = 2 * n })
	player := c.host("a").connect()
	id := player.startEcho()
	player.sendBytes("before\n")
	player.wantBytes("<before>\n")
	c.host("b").awaitListed(id)
	spectators := make([]*client, n)
	for i := range spectators {
		spectators[i] = c.host("b").connect()
		spectators[i].watch(id)
	}
	if dials, sessions := c.dialed("a"), c.host("a").sessionCount(); dials != 1 || sessions != 2 {
		t.Errorf("got %d relays and %d sessions, want 1, and 1 more for the player", dials, sessions)
	}
	poll.Until(t, "all are counted", func() bool { return c.host("a").spectators(id) == n && c.host("b").spectators(id) == n })
	player.sendBytes("show 20\nend\n")
	player.readUntil(protocol.NameMatchEnded)
	want := strings.Builder{}
	for i := range 20 {
		fmt.Fprintf(&want, "%-1023d\n", i)
	}
	for _, s := range spectators {
		stream, end := s.readUntil(protocol.NameSpectateEnded)
		if stream != want.String() || !strings.Contains(end, `"said so"`) {
			t.Fatalf("got %d bytes and %s, want %d and the result", len(stream), end, want.Len())
		}
	}
	spectators[0].sendText(`"LobbyList"`)
	spectators[0].readUntil(protocol.NameLobbyList)
}

func TestSpectatorsOnAllHostsSeeADelayedMatchAtItsEnd(t *testing.T) {
	c := startCluster(t, 2, nil)
	player := c.host("a").connect()
	id := player.createMatch("whisper")
	player.joinMatch(id, "alice")
	player.sendBytes("show 3\nmore\n")
	player.readUntil(protocol.NameMatchStarted)
	player.wantBytes("hello\n<more>\n")
	c.host("b").awaitListed(id)
	var spectators []*client
	for _, host := range []string{"a", "b", "b"} {
		s := c.host(host).connect()
		s.sendText(`{"SpectateJoin":{"id":"` + id + `"}}`)
		before, _ := s.readUntil(protocol.NameSpectateSynced)
		if before != "" {
			t.Errorf("a spectator on %s gets %q before the end, want nothing", host, before)
		}
		spectators = append(spectators, s)
	}
	player.sendBytes("end\n")
	player.readUntil(protocol.NameMatchEnded)
	for _, s := range spectators {
		if stream, end := s.readUntil(protocol.NameSpectateEnded); strings.Count(stream, "\n") != 4 || !strings.Contains(end, `"said so"`) {
			t.Errorf("got %d lines and %s, want 4 and the result", strings.Count(stream, "\n"), end)
		}
	}
}

func TestSpectatorsThatLeaveAreNotCounted(t *testing.T) {
	t.Parallel()
	c := startCluster(t, 3, nil)
	id := c.host("a").connect().createMatch("duel")
	var all []*client
	for _, h := range []string{"a", "b", "b", "c"} {
		s := c.host(h).connect()
		c.host(h).awaitListed(id)
		s.sendText(`{"SpectateJoin":{"id":"` + id + `"}}`)
		s.readUntil(protocol.NameSpectateJoined)
		all = append(all, s)
	}
	poll.Until(t, "all are counted", func() bool { return c.host("c").spectators(id) == 4 })
	all[1].sendText(`{"SpectateLeave":{}}`)
	all[1].readUntil(protocol.NameSpectateLeaved)
	all[3].close()
	poll.Until(t, "two are left", func() bool { return c.host("b").spectators(id) == 2 })
	all[0].readUntil(protocol.NameLobbyUpdate)
	if n := c.dialed("a"); n != 2 {
		t.Errorf("got %d relays, want one for each of two hosts", n)
	}
	all[1].watchWaiting(id)
	if n := c.dialed("a"); n != 2 {
		t.Errorf("got %d relays, want the same ones for a spectator that comes back", n)
	}
	c.host("a").lobby.Remove(id, "it is too late")
	for _, s := range all[:3] {
		if _, m := s.readUntil(protocol.NameLobbyDelete); !strings.Contains(m, "it is too late") {
			t.Errorf("got %s, want the reason", m)
		}
	}
	all[1].sendText(`{"SpectateJoin":{"id":"` + id + `"}}`)
	all[1].wantText(`{"SpectateJoined":{"info":{"Err":"Game \"` + id + `\" does not exists"}}}`)
}

// watchWaiting joins a waiting match as a spectator.
func (c *client) watchWaiting(id string) {
	c.t.Helper()
	c.sendText(`{"SpectateJoin":{"id":"` + id + `"}}`)
	if _, m := c.readUntil(protocol.NameSpectateJoined); !strings.Contains(m, `"Ok"`) {
		c.t.Fatalf("got %s, want a place", m)
	}
}

func TestStreamIsTheSameAfterTheRelayOfSpectatorsIsCut(t *testing.T) {
	t.Parallel()
	c := startCluster(t, 2, nil)
	var mu sync.Mutex
	cut := 0
	c.through("a", func(f cutproxy.Frame) cutproxy.Action {
		mu.Lock()
		defer mu.Unlock()
		if f.Direction == cutproxy.ToClient && f.Number > 2 && cut < 9 {
			cut++
			return cutproxy.Action{Cut: cutproxy.Place(1 + cut%3)}
		}
		return cutproxy.Action{}
	})
	player, near := c.host("a").connect(), c.host("a").connect()
	id := player.startEcho()
	c.host("b").awaitListed(id)
	near.watch(id)
	far := c.host("b").connect()
	far.watch(id)
	for i := range 40 {
		player.sendBytes(fmt.Sprintf("%d\nshow %d\n", i, i%4))
		player.wantBytes(fmt.Sprintf("<%d>\n", i))
		far.wantBytes(fmt.Sprintf("<%d>\n", i))
		for j := range i % 4 {
			far.wantBytes(fmt.Sprintf("%-1023d\n", j))
		}
	}
	player.sendBytes("end\n")
	_, want := near.readUntil(protocol.NameSpectateEnded)
	rest, got := far.readUntil(protocol.NameSpectateEnded)
	if got != want || rest != "" || far.stream != "" {
		t.Errorf("got %s after %q, want %s after nothing", got, far.stream+rest, want)
	}
	if n := c.dialed("a"); n < 4 {
		t.Errorf("got %d relays, want one after each cut", n)
	}
}

func TestSpectatorsGetAnEndIfTheHostOfTheMatchIsGone(t *testing.T) {
	t.Parallel()
	c := startCluster(t, 2, nil)
	for _, running := range []bool{false, true} {
		player := c.host("a").connect()
		id := player.createMatch("duel")
		far := c.host("b").connect()
		c.host("b").awaitListed(id)
		if running {
			player.joinMatch(id, "ann")
			other := c.host("a").connect()
			other.joinMatch(id, "bob")
			player.readUntil(protocol.NameMatchStarted)
			far.watch(id)
		} else {
			far.watchWaiting(id)
		}
		c.set(func() { c.deaf["a"] = true })
		c.host("a").onlyMirrorSession().out.Close(protocol.CloseShutdown, "the host is stopping")
		info, _ := c.host("b").lobby.Info(id)
		poll.Until(t, "it connects again", func() bool { return c.dialed("a") > 1 })
		c.host("b").lobby.SetElsewhere(lobby.Listing{Host: "a", Info: info, Gone: true})
		if !running {
			_, m := far.readUntil(protocol.NameLobbyDelete)
			if !strings.Contains(m, "the connection to the host of the match was lost") {
				t.Errorf("got %s, want the reason", m)
			}
		} else if _, m := far.readUntil(protocol.NameSpectateEnded); strings.Contains(m, "aborted") || strings.Contains(m, "score") || !strings.Contains(m, "was lost: the history has how it ended") {
			t.Errorf("got %s, want that the end is not known", m)
		}
		c.set(func() { c.deaf["a"], c.dials["a"] = false, 0 })
	}
}

// TestSpectatorsGetTheRecordedEndOfAMatchWhoseHostHasStopped has a host that records the
// end, and stops before its message to the other host has left it.
func TestSpectatorsGetTheRecordedEndOfAMatchWhoseHostHasStopped(t *testing.T) {
	c := startCluster(t, 2, nil)
	a, b := c.host("a"), c.host("b")
	player := a.connect()
	id := player.startEcho()
	far := b.connect()
	b.awaitListed(id)
	far.watch(id)
	player.sendBytes("before\n")
	far.wantBytes("<before>\n")
	poll.Until(t, "its last listing has arrived", func() bool { return b.spectators(id) == 1 })
	b.records.put(&record.Match{ID: id, State: record.Running})
	info, _ := b.lobby.Info(id)
	c.set(func() { c.deaf["a"] = true })
	b.lobby.SetElsewhere(lobby.Listing{Host: "a", Info: info, Gone: true})
	a.onlyMirrorSession().out.Close(protocol.CloseShutdown, "the host is stopping")
	player.sendBytes("show 1\nend\n")
	_, want := player.readUntil(protocol.NameMatchEnded)
	rec, err := a.records.Get(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	b.records.put(rec)
	far.wantBytes(fmt.Sprintf("%-1023d\n", 0))
	_, got := far.readUntil(protocol.NameSpectateEnded)
	if got = strings.Replace(got, protocol.NameSpectateEnded, protocol.NameMatchEnded, 1); got != want {
		t.Errorf("got %s, want the end that the player has got: %s", got, want)
	}
}

func TestSpectatorsGetAnEndIfTheHostOfTheMatchHangs(t *testing.T) {
	c := startCluster(t, 3, nil)
	id := c.host("a").connect().startEcho()
	far := c.host("b").connect()
	c.host("b").awaitListed(id)
	far.watch(id)
	poll.Until(t, "its last listing has arrived", func() bool { return c.host("b").spectators(id) == 1 })
	c.set(func() { c.deaf["a"] = true })
	info, _ := c.host("b").lobby.Info(id)
	c.host("b").lobby.SetElsewhere(lobby.Listing{Host: "a", Info: info, Gone: true})
	c.host("b").BreakRelays("c")
	if n := c.host("b").Stats().Relays; n != 1 {
		t.Errorf("after another host was fenced: got %d relays, want 1", n)
	}
	c.host("b").BreakRelays("a")
	far.readUntil(protocol.NameSpectateEnded)
}

// onlyMirrorSession returns the session of another host's spectators.
func (h *clusterHost) onlyMirrorSession() *session {
	for _, s := range h.all() {
		if s.forMirror {
			return s
		}
	}
	h.t.Fatal("got no session of spectators, want one")
	return nil
}

func TestClientsCannotCountAsManySpectators(t *testing.T) {
	c := startCluster(t, 1, nil)
	p := c.host("a").connect()
	p.watch(c.host("a").connect().startEcho())
	p.sendText(`{"RelaySpectators":{"count":1000}}`)
	p.wantClose(protocol.CloseProtocol, "unknown request RelaySpectators")
}
