package web

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"golang.org/x/time/rate"

	"colosseum/host/internal/base/guess"
	"colosseum/host/internal/base/limit"
	"colosseum/host/internal/clients/hostname"
	"colosseum/host/internal/play/lobby"
	"colosseum/internal/test/poll"
	"colosseum/protocol"
)

// perAddress sets the limits of an address.
func perAddress(p limit.PerAddress) func(*Limits) { return func(l *Limits) { l.Address = p } }

func TestConnectionsBeyondALimitAreRefused(t *testing.T) {
	for _, tt := range []struct {
		limit  string
		change func(*Limits)
		reason string
	}{
		{limit.Connections, func(l *Limits) { l.Connections = 2 }, "too many connections: try again later"},
		{limit.AddressConnections, perAddress(limit.PerAddress{Connections: 2}), "too many connections from your address"},
	} {
		t.Run(tt.limit, func(t *testing.T) {
			srv := startServer(t, tt.change)
			first := srv.connect()
			srv.connect()
			srv.dial().wantClose(protocol.CloseLimit, tt.reason)
			first.close()
			srv.awaitSessions(1)
			srv.connect()
			wantLimited(t, srv.Server, tt.limit, 1)
			if got := srv.Stats(); got.Accepted != 4 || got.Connections != 2 {
				t.Errorf("got %+v, want 4 accepted connections and 2 now", got)
			}
		})
	}
}

func TestHandshakesOfOneAddressAreLimited(t *testing.T) {
	srv := startServer(t, perAddress(limit.PerAddress{Handshakes: 1}))
	const burst = 10
	for range burst {
		srv.connect().close()
	}
	want := fmt.Sprint(protocol.CloseLimit, " too many new connections from your address")
	for range burst { // on a busy machine, time for some more passes
		if kind, data := srv.dial().read(); kind == "close" && strings.HasPrefix(data, want) {
			return
		}
	}
	t.Errorf("got %d more connections, want one refused", burst)
}

func TestNewMatchesOfOneAddressAreLimited(t *testing.T) {
	srv := startServer(t, perAddress(limit.PerAddress{Matches: 3}))
	c := srv.connect()
	for range 3 {
		c.createMatch("duel")
	}
	c.sendText(`{"GameNew":{"name":"T","game":"duel","params":{"players":null,"bots":0,"timeout":null},"args":{},"password":null,"verification":null}}`)
	c.wantText(`{"GameNew":{"id":{"Err":"too many new matches from your address: try again in a minute"}}}`)
	c.sendText(`{"GameDescription":{"name":"duel"}}`)
	c.readUntil(protocol.NameGameDescription)
}

// byteRate is the limit for the bytes of an address in tests, and byteBurst is how
// many it can send at once.
const byteRate, byteBurst = 64 << 10, 128 << 10

// wantSlowedDown sends a message of the given size until the burst and the bytes of
// half a second are used, and expects that this takes about half a second.
func wantSlowedDown(t *testing.T, c *client, kind int, data []byte, size int) {
	t.Helper()
	began := time.Now()
	for range (byteBurst + byteRate/2) / size {
		if err := c.conn.WriteMessage(kind, data); err != nil {
			t.Fatal(err)
		}
	}
	c.sendText(`{"GameDescription":{"name":"duel"}}`)
	c.readUntil(protocol.NameGameDescription)
	if took := time.Since(began); took < 400*time.Millisecond {
		t.Errorf("half a second's bytes beyond the burst took %v, want 500ms", took)
	}
}

func TestBytesOfOneAddressAreSlowedDownAndThenRefused(t *testing.T) {
	t.Parallel()
	srv := startServer(t, perAddress(limit.PerAddress{Bytes: byteRate}))
	text := strings.Repeat("x", 1023) + "\n"
	wantSlowedDown(t, srv.connect(), websocket.BinaryMessage, []byte(text), len(text))
	// Together, many connections send far more.
	greedy := make([]*client, 40)
	for i := range greedy {
		greedy[i] = srv.connect()
	}
	for _, g := range greedy {
		g.sendBytes(strings.Repeat(text, 60))
	}
	poll.Until(t, "some are closed", func() bool { return srv.Stats().Limited[limit.Bytes] > 0 })
	if n := srv.Stats().Limited[limit.Bytes]; n >= uint64(len(greedy)) {
		t.Errorf("got all %d closed, want some", n)
	}
}

func TestControlFramesCountAsBytesToo(t *testing.T) {
	t.Parallel()
	c := startServer(t, perAddress(limit.PerAddress{Bytes: byteRate})).connect()
	wantSlowedDown(t, c, websocket.PongMessage, make([]byte, 125), frameHead+125)
}

func TestClientThatFloodsWithControlFramesGetsTheReason(t *testing.T) {
	t.Parallel()
	c := startServer(t, perAddress(limit.PerAddress{Bytes: 100})).connect()
	for range 2000 { // more than the burst
		if err := c.conn.WriteMessage(websocket.PongMessage, make([]byte, 125)); err != nil {
			t.Fatal(err)
		}
	}
	c.wantClose(protocol.CloseLimit, "too many bytes")
}

func TestLargestBacklogIsClosedWhenAllTogetherAreTooLarge(t *testing.T) {
	const most = 512 << 10
	srv := startServer(t, func(l *Limits) { l.Backlog, l.Backlogs = 64<<20, most })
	greedy, modest := srv.connectSlow(), srv.connect()
	modest.startEcho()
	greedy.startEcho()
	g, m := srv.session(greedy), srv.session(modest)
	for range 200 {
		greedy.sendBytes("tell 100\n")
	}
	poll.Until(t, "the greedy one is closed", g.out.Closing)
	greedy.wantClose(protocol.CloseLimit, "slow clients")
	srv.awaitSessions(1)
	if m.out.Closing() {
		t.Error("got the modest one closing, want it to stay")
	}
	wantLimited(t, srv.Server, limit.Backlogs, 1)
	modest.sendBytes("still here\n")
	modest.wantBytes("<still here>\n")
	modest.close()
	poll.Until(t, "no backlog is counted", func() bool { return srv.sessionCount() == 0 && srv.Stats().Backlog == 0 })
}

func TestTrafficIsCounted(t *testing.T) {
	srv := startServer(t, nil)
	c := srv.connect()
	before := srv.Stats()
	c.startEcho()
	c.sendBytes("a line of 20 letters\n")
	c.wantBytes("<a line of 20 letters>\n")
	poll.Until(t, "the messages are counted", func() bool {
		now := srv.Stats()
		return now.Read-before.Read > 21 && now.Written-before.Written > 23
	})
}

func TestPagesOfOtherHostsAreRefused(t *testing.T) {
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
		{"a name with the same beginning", "http://colosseum.example.evil.example", "colosseum.example", nil, http.StatusForbidden},
		{"a sandboxed frame", "null", "colosseum.example", nil, http.StatusForbidden},
		{"a host on the list", "https://club.example", "colosseum.example", []string{"https://club.example"}, http.StatusSwitchingProtocols},
		{"the same host without TLS", "http://club.example", "colosseum.example", []string{"https://club.example"}, http.StatusForbidden},
		{"the desktop client", "tauri://localhost", "colosseum.example", nil, http.StatusSwitchingProtocols},
		{"the desktop client on Windows", "https://tauri.localhost", "colosseum.example", nil, http.StatusSwitchingProtocols},
		{"the desktop client on Windows, newer", "http://tauri.localhost", "colosseum.example", nil, http.StatusSwitchingProtocols},
		{"the desktop client in development", "http://localhost:4200", "colosseum.example", nil, http.StatusForbidden},
		{"the same when it is on the list", "http://localhost:4200", "colosseum.example", []string{"http://localhost:4200"}, http.StatusSwitchingProtocols},
		{"a name with the same end", "https://evil.tauri.localhost", "colosseum.example", nil, http.StatusForbidden},
		{"a file", "file://", "colosseum.example", nil, http.StatusForbidden},
		{"any host", "https://evil.example", "colosseum.example", []string{"*"}, http.StatusSwitchingProtocols},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			srv := startServer(t, func(l *Limits) { l.Origins = tt.allowed })
			header := http.Header{}
			if tt.origin != "" {
				header.Set("Origin", tt.origin)
			}
			if tt.host != "" {
				header.Set("Host", tt.host)
			}
			response := srv.upgrade(header)
			if response.StatusCode != tt.want {
				t.Errorf("got %s, want %d", response.Status, tt.want)
			}
		})
	}
}

func TestWrongPasswordsOfOneAddressAreLimited(t *testing.T) {
	srv := startServer(t, perAddress(limit.PerAddress{}))
	srv.lobby.SetLimits(lobby.Limits{Matches: 10, Expiry: time.Hour, Stall: time.Hour, Guesses: guess.Limits{Address: 1}})
	c := srv.connect()
	c.sendText(`{"GameNew":{"name":"T","game":"duel","params":{"players":null,"bots":0,"timeout":null},"args":{},"password":"sesame","verification":null}}`)
	_, m := c.read()
	text := `{"LobbyJoinMatch":{"id":"` + identifier.FindStringSubmatch(m)[1] + `","name":"bob","password":"simsim"}}`
	c.sendText(text)
	c.wantText(`{"LobbyJoinedMatch":{"info":{"Err":"Wrong password"}}}`)
	for range 100 { // on a busy machine, time for some more tries passes
		c = srv.connect()
		c.sendText(text)
		if _, m := c.read(); m == `{"LobbyJoinedMatch":{"info":{"Err":"too many wrong passwords from your address: try again in a minute"}}}` {
			return
		}
	}
	t.Error("got 100 more tries, want one refused")
}

func TestRefusedPageGetsTheSettingThatAllowsIt(t *testing.T) {
	var log logLines
	srv := startServer(t, nil)
	srv.Server.log = slog.New(slog.NewTextHandler(&log, nil))
	srv.foreign = rate.NewLimiter(0, foreignBurst)
	tests := []struct{ origin, want string }{
		{"http://localhost:1420", `Pages of http://localhost:1420 may not connect to this host unless "http://localhost:1420" is in the setting origins of its configuration.`},
		{"null", `Pages with the header Origin: "null" may not connect to this host unless "*" is in the setting origins of its configuration.`},
		{"https://evil.example/<script>", `Pages with the header Origin: "https://evil.example/<script>" may not`},
		{"https://" + strings.Repeat("x", 5000) + ".example", `Pages of https://` + strings.Repeat("x", maxOrigin-len("https://")) + " may not"},
	}
	for _, tt := range tests {
		response := srv.upgrade(http.Header{"Origin": {tt.origin}})
		body, _ := io.ReadAll(response.Body) // the library keeps 1 KiB
		if response.StatusCode != http.StatusForbidden || !strings.HasPrefix(string(body), tt.want) {
			t.Errorf("%.50s: got %s, %s, want 403 and %s", tt.origin, response.Status, body, tt.want)
		}
		if kind := response.Header.Get("Content-Type"); kind != "text/plain; charset=utf-8" || response.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%.50s: got the type %s, want plain text that is not sniffed", tt.origin, kind)
		}
	}
	want := `level=WARN msg="refused a page of another host: to allow it, add its origin to the setting origins" origin=http://localhost:1420 client=127.0.0.1`
	if first, _, _ := strings.Cut(log.String(), "\n"); !strings.HasSuffix(first, want) {
		t.Errorf("logged %s, want %s", first, want)
	}
	for range 3 * foreignBurst {
		srv.upgrade(http.Header{"Origin": {"http://localhost:1420"}})
	}
	if n := strings.Count(log.String(), "\n"); n != foreignBurst {
		t.Errorf("logged %d lines, want %d", n, foreignBurst)
	}
	wantLimited(t, srv.Server, limit.Origin, uint64(len(tests)+3*foreignBurst))
}

func TestRefusedNamesAreCounted(t *testing.T) {
	n := hostname.New(nil, nil, slog.New(slog.DiscardHandler))
	n.Guard(http.NotFoundHandler()).ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "http://evil.example/", nil))
	wantLimited(t, New(Parts{}, Limits{Names: n}, nil, nil), limit.Name, 1)
}

// logLines is the output of a log.
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

// upgrade asks for a WebSocket and returns the response.
func (srv *testServer) upgrade(header http.Header) *http.Response {
	conn, response, err := websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(srv.http.URL, "http"), header)
	if response == nil {
		srv.t.Fatal(err)
	}
	if conn != nil {
		_ = conn.Close()
	}
	return response
}
