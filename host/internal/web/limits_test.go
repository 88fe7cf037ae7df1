package web

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gorilla/websocket"
	"golang.org/x/time/rate"

	"colosseum/host/internal/guess"
	"colosseum/host/internal/lobby"
	"colosseum/protocol"
)

func TestWhatCountsAsOneAddress(t *testing.T) {
	a := newAddresses(PerAddress{Connections: 1, Exempt: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("2001:db8:1::/48")}})
	tests := []struct{ name, address, key string }{
		{"IPv4", "192.0.2.1", "192.0.2.1/32"},
		{"IPv4 as IPv6", "::ffff:192.0.2.1", "192.0.2.1/32"},
		{"IPv6", "2001:db8:2:3:4:5:6:7", "2001:db8:2:3::/64"},
		{"IPv6 with a zone", "fe80::1%eth0", "fe80::/64"},
		{"exempt IPv4", "127.0.0.9", ""},
		{"exempt IPv4 as IPv6", "::ffff:127.0.0.9", ""},
		{"exempt IPv6", "2001:db8:1:7::8", ""},
		{"Unix socket", "@", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			v, refused := a.arrive(tt.address)
			got := ""
			if v != nil {
				got = v.key
			}
			if got != tt.key || refused != "" {
				t.Errorf("got %q, refused %q; want %q", got, refused, tt.key)
			}
			a.leave(v)
		})
	}
}

func TestAddressThatDoesNothingIsForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAddresses(PerAddress{Handshakes: 1})
		stays, _ := a.arrive("192.0.2.1")
		for i := range 100 {
			v, _ := a.arrive(fmt.Sprintf("198.51.100.%d", i))
			a.leave(v)
		}
		time.Sleep(forgetAfter)
		if _, refused := a.arrive("203.0.113.1"); refused != "" {
			t.Errorf("a new address was refused: %s", refused)
		}
		if len(a.known) != 2 || a.known[netip.MustParsePrefix("192.0.2.1/32")] != stays {
			t.Errorf("%d addresses are known", len(a.known))
		}
	})
}

func TestAddressMayConnectSoOften(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAddresses(PerAddress{Handshakes: 2})
		for i := range 2 * handshakeBurst {
			if _, refused := a.arrive("192.0.2.1"); refused != "" {
				t.Fatalf("connection %d: %s", i, refused)
			}
		}
		if _, refused := a.arrive("192.0.2.1"); refused != limitHandshakes {
			t.Errorf("after the burst: %q", refused)
		}
		if _, refused := a.arrive("192.0.2.2"); refused != "" {
			t.Errorf("another address: %q", refused)
		}
		time.Sleep(time.Second)
		for range 2 {
			if _, refused := a.arrive("192.0.2.1"); refused != "" {
				t.Errorf("a second later: %q", refused)
			}
		}
		if _, refused := a.arrive("192.0.2.1"); refused != limitHandshakes {
			t.Errorf("a second later, once more than the rate: %q", refused)
		}
	})
}

// perAddress makes the test's own address subject to limits.
func perAddress(p PerAddress) func(*Limits) { return func(l *Limits) { l.Address = p } }

func TestConnectionsOfOneAddressAreLimited(t *testing.T) {
	h := open(t, perAddress(PerAddress{Connections: 2}))
	first := h.enter()
	h.enter()
	if reason := h.dial().closes(protocol.CloseLimit); !strings.Contains(reason, "from your address") {
		t.Errorf("the reason is %q", reason)
	}
	first.hangUp()
	eventually(t, "there is room", func() bool { return h.count() == 1 })
	h.enter()
	if got := h.Counts(); got.Limited[limitAddress] != 1 || got.Accepted != 4 || got.Connections != 2 {
		t.Errorf("counted %+v", got)
	}
}

func TestHandshakesOfOneAddressAreLimited(t *testing.T) {
	h := open(t, perAddress(PerAddress{Handshakes: 1}))
	for range handshakeBurst {
		h.enter().hangUp()
	}
	want := fmt.Sprint(protocol.CloseLimit, " too many new connections from your address")
	for range handshakeBurst { // some more may come due meanwhile
		if kind, data := h.dial().message(); kind == "close" && strings.HasPrefix(data, want) {
			return
		}
	}
	t.Error("none was refused")
}

func TestNewMatchesOfOneAddressAreLimited(t *testing.T) {
	h := open(t, perAddress(PerAddress{Matches: 3}))
	c := h.enter()
	for range 3 {
		c.creates("duel")
	}
	c.says(`{"GameNew":{"name":"T","game":"duel","params":{"players":null,"bots":0,"timeout":null},"args":{},"password":null,"verification":null}}`)
	c.hears(`{"GameNew":{"id":{"Err":"too many new matches from your address: try again in a minute"}}}`)
	c.says(`{"GameDescription":{"name":"duel"}}`) // all else goes on
	c.until(protocol.NameGameDescription)
}

func TestBytesOfOneAddressAreSlowedDownAndThenCut(t *testing.T) {
	const rate = 64 << 10
	h := open(t, perAddress(PerAddress{Bytes: rate}))
	c := h.enter()
	begin := time.Now()
	text := strings.Repeat("x", 1023) + "\n"
	for range (minBurst + rate/2) / len(text) { // outside a match, bytes are ignored
		c.plays(text)
	}
	c.says(`{"GameDescription":{"name":"duel"}}`)
	c.until(protocol.NameGameDescription)
	if took := time.Since(begin); took < 400*time.Millisecond {
		t.Errorf("half a second's bytes beyond the burst took %v", took)
	}
	// All that the address may send is used up by many connections.
	greedy := make([]*client, 40)
	for i := range greedy {
		greedy[i] = h.enter()
	}
	for _, g := range greedy {
		g.plays(strings.Repeat(text, 60))
	}
	eventually(t, "some are cut", func() bool { return h.Counts().Limited[limitBytes] > 0 })
	if n := h.Counts().Limited[limitBytes]; n >= uint64(len(greedy)) {
		t.Errorf("all %d were cut", n)
	}
}

func TestControlFramesCountAsBytesToo(t *testing.T) {
	const rate = 64 << 10
	h := open(t, perAddress(PerAddress{Bytes: rate}))
	c := h.enter()
	begin := time.Now()
	for range (minBurst + rate/2) / (frameHead + 125) {
		if err := c.conn.WriteMessage(websocket.PongMessage, make([]byte, 125)); err != nil {
			t.Fatal(err)
		}
	}
	c.says(`{"GameDescription":{"name":"duel"}}`)
	c.until(protocol.NameGameDescription)
	if took := time.Since(begin); took < 400*time.Millisecond {
		t.Errorf("half a second's bytes beyond the burst took %v", took)
	}
}

func TestWhoHasMostWaitingIsCutWhenAllTogetherIsTooMuch(t *testing.T) {
	const most = 512 << 10
	h := open(t, func(l *Limits) { l.Backlog, l.Backlogs = 64<<20, most })
	greedy, modest := h.slow(), h.enter()
	modest.echoes()
	greedy.echoes()
	g, m := h.session(greedy), h.session(modest)
	for range 200 {
		greedy.plays("tell 100\n")
	}
	eventually(t, "the greedy one is cut", g.shut.Load)
	if reason := greedy.closes(protocol.CloseLimit); !strings.Contains(reason, "slow clients") {
		t.Errorf("the reason is %q", reason)
	}
	eventually(t, "the greedy one is gone", func() bool { return h.count() == 1 })
	if m.shut.Load() {
		t.Error("the modest one was cut too")
	}
	if n := h.Counts().Limited[limitBacklogs]; n != 1 {
		t.Errorf("%d were cut", n)
	}
	modest.plays("still here\n")
	modest.sees("<still here>\n")
	modest.hangUp()
	eventually(t, "nothing is left on the books", func() bool { return h.count() == 0 && h.Counts().Backlog == 0 })
}

func TestTrafficIsCounted(t *testing.T) {
	h := open(t, nil)
	c := h.enter()
	before := h.Counts()
	c.echoes()
	c.plays("a line of 20 letters\n")
	c.sees("<a line of 20 letters>\n")
	eventually(t, "what was written is counted", func() bool {
		now := h.Counts()
		return now.Read-before.Read > 21 && now.Written-before.Written > 23
	})
}

func TestPagesOfOtherHostsMayNotConnect(t *testing.T) {
	tests := []struct {
		name, origin, host string
		allowed            []string
		want               int
	}{
		{"a program", "", "", nil, http.StatusSwitchingProtocols},
		{"our own page", "http://colosseum.example", "colosseum.example", nil, http.StatusSwitchingProtocols},
		{"our own page behind TLS", "https://Colosseum.example:8443", "colosseum.example:8443", nil, http.StatusSwitchingProtocols},
		{"another host", "https://evil.example", "colosseum.example", nil, http.StatusForbidden},
		{"another port", "http://colosseum.example:81", "colosseum.example:80", nil, http.StatusForbidden},
		{"a name that begins alike", "http://colosseum.example.evil.example", "colosseum.example", nil, http.StatusForbidden},
		{"a sandboxed frame", "null", "colosseum.example", nil, http.StatusForbidden},
		{"a host on the list", "https://club.example", "colosseum.example", []string{"https://club.example"}, http.StatusSwitchingProtocols},
		{"the same host without TLS", "http://club.example", "colosseum.example", []string{"https://club.example"}, http.StatusForbidden},
		{"the desktop client", "tauri://localhost", "colosseum.example", nil, http.StatusSwitchingProtocols},
		{"the desktop client on Windows", "https://tauri.localhost", "colosseum.example", nil, http.StatusSwitchingProtocols},
		{"the desktop client on Windows, newer", "http://tauri.localhost", "colosseum.example", nil, http.StatusSwitchingProtocols},
		{"the desktop client in development", "http://localhost:4200", "colosseum.example", nil, http.StatusForbidden},
		{"the same when it is on the list", "http://localhost:4200", "colosseum.example", []string{"http://localhost:4200"}, http.StatusSwitchingProtocols},
		{"a name that ends alike", "https://evil.tauri.localhost", "colosseum.example", nil, http.StatusForbidden},
		{"a file", "file://", "colosseum.example", nil, http.StatusForbidden},
		{"everybody", "https://evil.example", "colosseum.example", []string{"*"}, http.StatusSwitchingProtocols},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := open(t, func(l *Limits) { l.Origins = tt.allowed })
			header := http.Header{}
			if tt.origin != "" {
				header.Set("Origin", tt.origin)
			}
			if tt.host != "" {
				header.Set("Host", tt.host)
			}
			conn, response, err := websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(h.http.URL, "http"), header)
			if response == nil {
				t.Fatal(err)
			}
			_ = response.Body.Close()
			if conn != nil {
				_ = conn.Close()
			}
			if response.StatusCode != tt.want {
				t.Errorf("the answer is %s, want %d", response.Status, tt.want)
			}
		})
	}
}

func TestWrongPasswordsOfOneAddressAreLimited(t *testing.T) {
	h := open(t, perAddress(PerAddress{}))
	h.lobby.SetLimits(lobby.Limits{Matches: 10, Expiry: time.Hour, Stall: time.Hour, Guesses: guess.Limits{Address: 1}})
	c := h.enter()
	c.says(`{"GameNew":{"name":"T","game":"duel","params":{"players":null,"bots":0,"timeout":null},"args":{},"password":"sesame","verification":null}}`)
	_, m := c.message()
	text := `{"LobbyJoinMatch":{"id":"` + identifier.FindStringSubmatch(m)[1] + `","name":"bob","password":"simsim"}}`
	c.says(text)
	c.hears(`{"LobbyJoinedMatch":{"info":{"Err":"Wrong password"}}}`)
	for range 100 { // one may come due meanwhile
		c = h.enter() // another connection is the same address
		c.says(text)
		if _, m := c.message(); m == `{"LobbyJoinedMatch":{"info":{"Err":"too many wrong passwords from your address: try again in a minute"}}}` {
			return
		}
	}
	t.Error("none was refused")
}

func TestRefusedPageReadsWhichSettingAllowsIt(t *testing.T) {
	var log logLines
	h := open(t, nil)
	h.Server.log = slog.New(slog.NewTextHandler(&log, nil))
	h.foreign = rate.NewLimiter(0, foreignBurst)
	tests := []struct{ origin, want string }{
		{"http://localhost:1420", `Pages of http://localhost:1420 may not connect to this host, unless the setting origins of its configuration has "http://localhost:1420".`},
		{"null", `Pages of which the browser only says Origin: "null" may not connect to this host, unless the setting origins of its configuration has "*".`},
		{"https://evil.example/<script>", `Pages of which the browser only says Origin: "https://evil.example/<script>" may not`},
		{"https://" + strings.Repeat("x", 5000) + ".example", `Pages of https://` + strings.Repeat("x", maxOrigin-len("https://")) + " may not"},
	}
	ask := func(origin string) *http.Response {
		_, response, err := websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(h.http.URL, "http"), http.Header{"Origin": {origin}})
		if response == nil {
			t.Fatal(err)
		}
		return response
	}
	for _, tt := range tests {
		response := ask(tt.origin)
		body, _ := io.ReadAll(response.Body) // what the library keeps: 1 KiB
		if response.StatusCode != http.StatusForbidden || !strings.HasPrefix(string(body), tt.want) {
			t.Errorf("%.50s: %s, %s, want 403 and %s", tt.origin, response.Status, body, tt.want)
		}
		if kind := response.Header.Get("Content-Type"); kind != "text/plain; charset=utf-8" || response.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%.50s: the answer is %s", tt.origin, kind)
		}
	}
	want := `level=WARN msg="a page of another host may not connect, unless the setting origins has it" origin=http://localhost:1420 client=127.0.0.1`
	if first, _, _ := strings.Cut(log.String(), "\n"); !strings.HasSuffix(first, want) {
		t.Errorf("the log says %s, want %s", first, want)
	}
	for range 3 * foreignBurst {
		ask("http://localhost:1420")
	}
	if n := strings.Count(log.String(), "\n"); n != foreignBurst {
		t.Errorf("%d lines were logged, want %d", n, foreignBurst)
	}
	if n := h.Counts().Limited[limitOrigin]; n != uint64(len(tests)+3*foreignBurst) {
		t.Errorf("%d were counted, want all %d", n, len(tests)+3*foreignBurst)
	}
}

// logLines keeps what is logged.
type logLines struct {
	mu   sync.Mutex // guards text
	text strings.Builder
}

func (l *logLines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *logLines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}
