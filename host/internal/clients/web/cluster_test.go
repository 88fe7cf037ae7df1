package web

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/gorilla/websocket"

	"colosseum/host/internal/base/arrival"
	"colosseum/host/internal/cluster/relay"
	"colosseum/host/internal/play/lobby"
	"colosseum/internal/test/cutproxy"
	"colosseum/internal/test/poll"
	"colosseum/protocol"
)

// testCluster are servers in one process that list their matches for each other.
type testCluster struct {
	t     testing.TB
	hosts []*clusterHost // the first is the leader

	mu         sync.Mutex // guards the fields below
	listings   []listed
	more       *sync.Cond
	closed     bool
	place      int               // the host of new matches
	dials      map[string]int    // relays that were opened to each host
	proxies    map[string]string // URLs that lead to hosts through proxies
	deaf       map[string]bool   // hosts that answer nothing, and list nothing
	noLeader   bool
	incomplete bool // hosts do not know the matches of the others yet
	silent     bool // nobody says who has a match that is not listed
	late       bool // listings do not arrive by themselves
	published  []string
}

type listed struct {
	from *clusterHost
	lobby.Listing
}

// clusterHost is a host as the Cluster of its server.
type clusterHost struct {
	*testServer
	cluster *testCluster
	name    string
	key     *relay.Key
}

// startCluster starts n hosts on loopback sockets: a, b and so on. New matches are placed
// on a, the leader.
func startCluster(t testing.TB, n int, change func(*Limits)) *testCluster {
	t.Helper()
	c := &testCluster{t: t, dials: map[string]int{}, proxies: map[string]string{}, deaf: map[string]bool{}}
	c.more = sync.NewCond(&c.mu)
	for i := range n {
		h := &clusterHost{cluster: c, name: string(rune('a' + i))}
		h.key = relay.NewKey([]byte("the secret"), h.name, nil)
		h.testServer = newTestServer(t, change)
		h.testServer.Server.Close()
		h.Server = New(Parts{Games: testGames, Lobby: h.lobby, Desk: h.desk, History: h.records, Players: fakePlayers{&h.removed, &h.renamed}, Cluster: h}, h.limits, h.proxies, h.log)
		h.http = httptest.NewUnstartedServer(h.Server)
		h.http.Listener = arrival.Listener{Listener: h.http.Listener}
		h.http.Config.ConnState = h.ConnState
		h.http.Start()
		c.hosts = append(c.hosts, h)
	}
	for _, h := range c.hosts {
		h.lobby.Publish(func(x lobby.Listing) {
			c.mu.Lock()
			defer c.mu.Unlock()
			x.Host = h.name
			c.listings = append(c.listings, listed{h, x})
			c.more.Broadcast()
		})
	}
	go c.list() // ends with the cluster
	t.Cleanup(func() {
		for _, h := range slices.Backward(c.hosts) {
			h.close()
		}
		c.mu.Lock()
		c.closed = true
		c.more.Broadcast()
		c.mu.Unlock()
	})
	return c
}

// list passes listings on, in order.
func (c *testCluster) list() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		for (len(c.listings) == 0 || c.late) && !c.closed {
			c.more.Wait()
		}
		if c.closed {
			return
		}
		x := c.listings[0]
		c.listings = c.listings[1:]
		if c.deaf[x.from.name] {
			continue
		}
		c.mu.Unlock()
		for _, h := range c.hosts {
			if h != x.from {
				h.lobby.SetElsewhere(x.Listing)
			}
		}
		c.mu.Lock()
	}
}

func (c *testCluster) host(name string) *clusterHost { return c.hosts[name[0]-'a'] }

// set changes the cluster.
func (c *testCluster) set(change func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	change()
}

// dialed returns how many relays were opened to a host.
func (c *testCluster) dialed(name string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.dials[name]
}

func (h *clusterHost) other(name string) string {
	if name == h.name {
		return ""
	}
	return name
}

func (h *clusterHost) Place(string) string {
	h.cluster.mu.Lock()
	defer h.cluster.mu.Unlock()
	return h.other(h.cluster.hosts[h.cluster.place].name)
}

func (h *clusterHost) Owner(_ context.Context, id string) (string, error) {
	h.cluster.mu.Lock()
	silent, listings := h.cluster.silent, slices.Clone(h.cluster.listings)
	h.cluster.mu.Unlock()
	x, ok := h.lobby.Elsewhere(id)
	if silent && !ok {
		return "", errors.New("NATS does not answer")
	}
	for _, l := range listings { // those that are late
		if l.Info.ID == id && l.from != h {
			h.lobby.SetElsewhere(l.Listing)
			x, ok = l.Listing, true
		}
	}
	switch {
	case !ok || x.Gone:
		return "", nil
	}
	return x.Host, nil
}

func (h *clusterHost) Complete() bool {
	h.cluster.mu.Lock()
	defer h.cluster.mu.Unlock()
	return !h.cluster.incomplete
}

func (h *clusterHost) Leader() (string, bool) {
	h.cluster.mu.Lock()
	defer h.cluster.mu.Unlock()
	return h.other("a"), !h.cluster.noLeader
}

func (h *clusterHost) Holder(_ context.Context, hash [sha256.Size]byte) (string, bool, error) {
	var unsure error
	for _, o := range h.cluster.hosts {
		h.cluster.mu.Lock()
		deaf := h.cluster.deaf[o.name]
		h.cluster.mu.Unlock()
		switch {
		case deaf:
			unsure = errors.New("no answer")
		case o != h && o.HasTicket(hash):
			return o.name, true, nil
		}
	}
	return "", false, unsure
}

func (h *clusterHost) Published(ctx context.Context, id string) {
	c := h.cluster
	c.mu.Lock()
	late := c.late
	c.mu.Unlock()
	for _, o := range c.hosts {
		for o != h && !late && ctx.Err() == nil {
			if _, ok := o.lobby.Elsewhere(id); ok {
				break
			}
			runtime.Gosched()
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.published = append(c.published, id)
}

func (h *clusterHost) Dial(ctx context.Context, host string, c relay.Client) (*websocket.Conn, error) {
	h.cluster.mu.Lock()
	h.cluster.dials[host]++
	url, deaf := h.cluster.proxies[host], h.cluster.deaf[host]
	h.cluster.mu.Unlock()
	if deaf {
		return nil, errors.New("no answer")
	}
	return h.key.Dial(ctx, host, cmp.Or(url, "ws"+strings.TrimPrefix(h.cluster.host(host).http.URL, "http")), c)
}

func (h *clusterHost) Verify(r *http.Request) (relay.Client, error) { return h.key.Verify(r) }

// through leads the relays to a host through a proxy.
func (c *testCluster) through(name string, plan cutproxy.Plan) *cutproxy.Proxy {
	c.t.Helper()
	p, url := cutproxy.Listen(c.t, "ws"+strings.TrimPrefix(c.host(name).http.URL, "http"), plan)
	c.set(func() { c.proxies[name] = url })
	return p
}

// awaitListed waits until a host lists a match of another one.
func (h *clusterHost) awaitListed(id string) {
	h.t.Helper()
	poll.Until(h.t, "the match is listed", func() bool { _, ok := h.lobby.Info(id); return ok })
}

// script plays a script of the original client's messages, and returns all answers.
func script(h *clusterHost) string {
	var all strings.Builder
	c := h.connect()
	read := func(names ...string) {
		for _, name := range names {
			for {
				kind, data := c.read()
				data = anyTime.ReplaceAllString(data, `"time":T`)
				data = anyCommit.ReplaceAllString(data, `"commitment":C`)
				if kind == "binary" { // split anywhere
					fmt.Fprint(&all, data)
					continue
				}
				fmt.Fprintf(&all, "%s\n", data)
				if kind == "close" || kind == "lost" || strings.HasPrefix(data, `{"`+name+`":`) {
					break
				}
			}
		}
	}
	create := func(game string) string {
		c.sendText(`{"GameNew":{"name":"T","game":"` + game + `","params":{"players":null,"bots":0,"timeout":null},"args":{},"password":"pw","verification":null}}`)
		_, m := c.read()
		found := identifier.FindStringSubmatch(m)
		if found == nil {
			h.t.Fatalf("got %s, want an ID", m)
		}
		return found[1]
	}
	join := func(id, password string) {
		c.sendText(`{"LobbyJoinMatch":{"id":"` + id + `","name":"alice","password":"` + password + `"}}`)
		read("LobbyJoinedMatch")
	}
	c.sendText(`{"GameNew":{"name":"","game":"duel","params":{"players":null,"bots":0,"timeout":null},"args":{},"password":null,"verification":null}}`)
	read("GameNew")
	duel := create("duel")
	join(duel, "wrong")
	join(duel, "pw")
	read("LobbyUpdate")
	c.sendText(`{"LobbyLeaveMatch":{}}`)
	read("LobbyLeavedMatch")
	join(duel, "pw")
	read("LobbyUpdate")
	h.cluster.hosts[0].lobby.Remove(duel, "it is too late")
	read("LobbyDelete")
	join(duel, "pw")
	echo := create("echo")
	join(echo, "pw")
	read("LobbyUpdate", "LobbyUpdate", "MatchStarted")
	c.sendText(`{"ignored":`)
	c.sendBytes("one\ntwo\nth")
	c.sendBytes("ree\ntell 9\nend\n")
	read("MatchEnded")
	poll.Until(h.t, "the end of the match is listed on this host", func() bool { return len(h.lobby.List()) == 0 })
	c.sendText(`"LobbyList"`)
	read("LobbyList")
	spectated := create("duel")
	c.sendText(`{"SpectateJoin":{"id":"` + spectated + `"}}`)
	read("SpectateJoined", "LobbyUpdate")
	h.cluster.hosts[0].lobby.Remove(spectated, "")
	read("LobbyDelete")
	solo := create("echo")
	c.sendText(`{"SpectateJoin":{"id":"` + solo + `"}}`)
	read("SpectateJoined", "LobbyUpdate")
	player := h.cluster.hosts[0].connect()
	player.sendText(`{"LobbyJoinMatch":{"id":"` + solo + `","name":"bob","password":"pw"}}`)
	player.sendBytes("show 3\nmore\nend\n")
	read("SpectateStarted", "SpectateSynced")
	player.readUntil("MatchStarted")
	player.sendBytes("show 3\nmore\nend\n")
	player.readUntil("MatchEnded")
	read("SpectateEnded")
	c.sendText(`{"LobbyJoinMatch":7}`)
	read("close")
	text := all.String()
	for i, id := range []string{duel, echo, spectated, solo} {
		text = strings.ReplaceAll(text, id, fmt.Sprintf("ID%d", i))
	}
	return text
}

func TestOriginalClientSeesNoDifferenceOnAnotherHost(t *testing.T) {
	want := script(startCluster(t, 1, nil).hosts[0])
	c := startCluster(t, 2, nil)
	got := script(c.hosts[1])
	if got != want {
		t.Errorf("got through a relay:\n%s\nwant as on the match's own host:\n%s", got, want)
	}
	if n := c.dialed("a"); n < 8 {
		t.Errorf("got %d relays, want most requests relayed", n)
	}
	poll.Until(t, "all relays end", func() bool {
		return c.hosts[1].Stats().Relays == 0 && c.hosts[0].Stats().FromHosts == 0
	})
}

// breached is a message that the protocol forbids while the client waits for players.
func TestBreachesOnAnotherHostCloseTheClient(t *testing.T) {
	c := startCluster(t, 2, nil)
	client := c.hosts[1].connect()
	client.joinMatch(client.createMatch("duel"), "alice")
	client.sendText(`"GameList"`)
	client.wantClose(protocol.CloseProtocol, "GameList is not allowed now")
	c.hosts[0].awaitSessions(0)
}
