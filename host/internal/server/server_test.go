package server

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"colosseum/host/internal/base/config"
	"colosseum/host/internal/contests/players"
	"colosseum/host/internal/records/record"
	"colosseum/internal/test/poll"
	"colosseum/protocol"
)

// source returns the configuration of a host without games, in new folders.
func source(t *testing.T, listen string) config.Source {
	data, games := filepath.Join(t.TempDir(), "data"), t.TempDir()
	return config.Source{Override: func(c *config.Config) {
		c.Listen, c.Operations.Listen, c.Data, c.Plugins.Folders = listen, "127.0.0.1:0", data, []string{games}
	}}
}

// checkGoroutines waits at the end of a test until all its goroutines have ended.
func checkGoroutines(t *testing.T) {
	hup := make(chan os.Signal, 1)
	signal.Notify(hup, syscall.SIGHUP) // starts the goroutine of os/signal, which never ends
	signal.Stop(hup)
	before := runtime.NumGoroutine()
	t.Cleanup(func() {
		for runtime.NumGoroutine() > before {
			runtime.Gosched()
		}
	})
}

func TestServerServesUntilItsContextEndsAndLeavesOnlyItsData(t *testing.T) {
	checkGoroutines(t)
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	from := source(t, "127.0.0.1:0")
	s, err := Open(t.Context(), from, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- s.Run(ctx) }() // ends with cancel
	conn, _, err := websocket.DefaultDialer.Dial(s.Address(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_ = conn.SetReadDeadline(time.Now().Add(poll.Limit))
	for _, step := range []struct{ send, want string }{
		{`{"Handshake":{"magic":"coco","version":2}}`, `{"Handshake":{"magic":"coco","version":2`},
		{`{"GameList":{}}`, `{"GameList":{"games":[]}}`},
	} {
		if err := conn.WriteMessage(websocket.TextMessage, []byte(step.send)); err != nil {
			t.Fatal(err)
		}
		if _, got, err := conn.ReadMessage(); err != nil || !strings.HasPrefix(string(got), step.want) {
			t.Errorf("the reply to %s is %s, %v, want %s", step.send, got, err, step.want)
		}
	}
	cancel()
	if _, _, err := conn.ReadMessage(); !websocket.IsCloseError(err, protocol.CloseShutdown) {
		t.Errorf("the connection ended with %v, want code %d", err, protocol.CloseShutdown)
	}
	if err := poll.Receive(t, "Run returns", done); err != nil {
		t.Errorf("Run returned %v, want nil", err)
	}
	s.Close()
	for folder, want := range map[string][]string{temp: nil, s.config.Data: {"colosseum.db", "colosseum.db.lock", "plugins.json", passwordFile}} {
		for i, name := range want {
			want[i] = filepath.Join(folder, name)
		}
		if got, err := filepath.Glob(filepath.Join(folder, "*")); err != nil || !slices.Equal(got, want) {
			t.Errorf("got the files %q, %v, want %q", got, err, want)
		}
	}
}

func TestConnectionWhoseRequestStopsInTheMiddleIsClosed(t *testing.T) {
	from := source(t, "127.0.0.1:0")
	s, err := Open(t.Context(), config.Source{Override: func(c *config.Config) {
		from.Override(c)
		c.Clients.HandshakeTimeout = 200 * time.Millisecond
	}}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- s.Run(ctx) }() // ends with cancel
	defer func() { cancel(); poll.Receive(t, "Run returns", done) }()
	for _, request := range []string{
		"POST /api/session HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{",
		"POST /api/session HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n",
		"GET / HTTP/1.1\r\nHost: other.example\r\nContent-Length: 100\r\n\r\n",
		"GET / HTTP/1.1\r\nHost:",
	} {
		conn, err := net.Dial("tcp", s.listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		_ = conn.SetReadDeadline(time.Now().Add(poll.Limit))
		if _, err := io.WriteString(conn, request); err != nil {
			t.Fatal(err)
		}
		t.Logf("waiting for the end of %q", request)
		_, _ = io.Copy(io.Discard, conn)
	}
}

func TestServerThatCannotListenLeavesNothingOpen(t *testing.T) {
	checkGoroutines(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	taken := source(t, l.Addr().String())
	if _, err := Open(t.Context(), taken, slog.New(slog.DiscardHandler)); !errors.Is(err, syscall.EADDRINUSE) || !strings.HasPrefix(err.Error(), "listen on 127.0.0.1:") {
		t.Errorf("Open returned %v, want %v", err, syscall.EADDRINUSE)
	}
	free := config.Source{Override: func(c *config.Config) { taken.Override(c); c.Listen = "127.0.0.1:0" }}
	s, err := Open(t.Context(), free, slog.New(slog.DiscardHandler)) // fails if the records are still locked
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
}

func TestAReloadChangesWhoCanRegister(t *testing.T) {
	from, changed := source(t, "127.0.0.1:0"), false
	log := new(bytes.Buffer)
	s, err := Open(t.Context(), config.Source{Override: func(c *config.Config) {
		from.Override(c)
		if changed {
			c.Players = config.Players{Registration: "closed", RegistrationsPerHour: 1, Reserved: []string{"chess"}, OIDC: c.Players.OIDC}
		}
	}}, slog.New(slog.NewTextHandler(log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if got := s.players.Registration(); got != players.Open {
		t.Errorf("before: got %q, want %q", got, players.Open)
	}
	changed = true
	if err := s.reloader.reload(); err != nil {
		t.Fatal(err)
	}
	if got := s.players.Registration(); got != players.Closed {
		t.Errorf("after: got %q, want %q", got, players.Closed)
	}
	if got, err := s.players.Owner(t.Context(), "Chess"); got != "Chess" || err != nil {
		t.Errorf("the owner of a name that is now reserved: got %q, %v, want it", got, err)
	}
	if strings.Contains(log.String(), "takes effect at the next start") {
		t.Errorf("got log %s, want no setting that waits for the next start", log)
	}
}

func TestServerRemovesOldRecords(t *testing.T) {
	from := source(t, "127.0.0.1:0")
	from.Override = func(set func(*config.Config)) func(*config.Config) {
		return func(c *config.Config) {
			set(c)
			c.Records.Keep = config.Period(24 * time.Hour)
		}
	}(from.Override)
	s, err := Open(t.Context(), from, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	year := time.Now().Add(-365 * 24 * time.Hour)
	for _, r := range []*record.Match{{ID: "old", Ended: year}, {ID: "verified", Ended: year, Verified: true}, {ID: "new", Ended: time.Now()}} {
		r.State = record.Finished
		if err := s.records.Finish(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- s.Run(ctx) }() // ends with cancel
	poll.Until(t, "a record is removed", func() bool { return s.records.Stats().Removed > 0 })
	cancel()
	if err := poll.Receive(t, "Run returns", done); err != nil {
		t.Error(err)
	}
	if ids, err := s.records.List(t.Context(), 10); err != nil || !slices.Equal(ids, []string{"new", "verified"}) {
		t.Errorf("got the matches %q, %v, want the new one and the verified one", ids, err)
	}
}
