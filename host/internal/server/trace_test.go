package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"colosseum/host/internal/base/config"
	"colosseum/host/internal/base/trace"
	"colosseum/host/internal/records/record"
	"colosseum/internal/test/otlpserver"
	"colosseum/internal/test/poll"
)

// texts returns spans as text.
func texts(spans []otlpserver.Span) string {
	var b strings.Builder
	for _, s := range spans {
		fmt.Fprintf(&b, "%s %s %d %v %v\n", s.Kind, s.Name, s.StartTimeUnixNano, s.Attributes, s.Status)
	}
	return b.String()
}

func TestRequestsOfClientsAreTracedWithoutTheirContent(t *testing.T) {
	collector := otlpserver.Start(t)
	from := source(t, "127.0.0.1:0")
	s, err := Open(t.Context(), config.Source{Override: func(c *config.Config) {
		from.Override(c)
		c.Tracing.Endpoint = collector.URL
	}}, slog.New(slog.DiscardHandler))
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
	for _, send := range []string{`{"Handshake":{"magic":"coco","version":2}}`, `{"GameDescription":{"name":"SECRET"}}`, `{"SECRET":{}}`} {
		if err := conn.WriteMessage(websocket.TextMessage, []byte(send)); err != nil {
			t.Fatal(err)
		}
		_, _, _ = conn.ReadMessage() // the last one ends the connection
	}
	cancel()
	if err := poll.Receive(t, "Run returns", done); err != nil {
		t.Error(err)
	}
	s.Close()
	body := texts(collector.Spans())
	for _, want := range []string{"SPAN_KIND_SERVER GameDescription ", "SPAN_KIND_SERVER unknown "} {
		if !strings.Contains(body, want) {
			t.Errorf("got %s, want %s", body, want)
		}
	}
	for _, secret := range []string{"SECRET", "127.0.0.1"} {
		if strings.Contains(body, secret) {
			t.Errorf("got %s, want no %s", body, secret)
		}
	}
}

func TestTheNameForOtherHostsIsTakenFromTheAddress(t *testing.T) {
	for advertise, want := range map[string]string{"": "", "ws://10.0.0.1:8088": "10.0.0.1", "wss://ares.internal:8088": "ares.internal", "wss://ares.internal": "ares.internal"} {
		if got := advertised(&config.Config{Cluster: config.Cluster{Advertise: advertise}}); got != want {
			t.Errorf("%s: got %q, want %q", advertise, got, want)
		}
	}
}

type failingRecorder struct{}

func (failingRecorder) Begin(*record.Match) {}
func (failingRecorder) Finish(context.Context, *record.Match) error {
	return errors.New("disk full")
}

func TestAMatchAndItsCommitAreOneTrace(t *testing.T) {
	collector := otlpserver.Start(t)
	tracer, err := trace.Open(collector.URL, "ares", slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	r := &record.Match{
		ID: "17", Name: "SECRET", Game: "dama", State: record.Finished, Started: time.Unix(1000, 0),
		Seats: []record.Seat{{Name: "SECRET"}, {Name: "SECRET"}},
	}
	if err := traced(failingRecorder{}, tracer).Finish(t.Context(), r); err == nil || err.Error() != "disk full" {
		t.Errorf("got %v, want disk full", err)
	}
	tracer.Close()
	body := texts(collector.Spans())
	for _, want := range []string{"INTERNAL match 1000000000000 ", "INTERNAL commit ", `"seats"`, "int_value:2", `"game"`, `"dama"`, "STATUS_CODE_ERROR"} {
		if !strings.Contains(body, want) {
			t.Errorf("got %s, want %s", body, want)
		}
	}
	if strings.Contains(body, "SECRET") || strings.Contains(body, "disk full") {
		t.Errorf("got %s, want no names and no error", body)
	}
	if got := traced(failingRecorder{}, nil); got != (failingRecorder{}) {
		t.Errorf("got %v without traces, want the recorder itself", got)
	}
}
