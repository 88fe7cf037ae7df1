package web

import (
	"bytes"
	"testing"

	"colosseum/host/internal/base/trace"
	"colosseum/internal/test/otlpserver"
)

func TestARelayedRequestIsOneTraceOfBothHosts(t *testing.T) {
	t.Parallel()
	collector := otlpserver.Start(t)
	c := startCluster(t, 2, nil)
	var tracers []*trace.Tracer
	for _, h := range c.hosts {
		tracer, err := trace.Open(collector.URL, h.name, h.log)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(tracer.Close)
		h.Server.tracer = tracer
		tracers = append(tracers, tracer)
	}
	client := c.hosts[1].connect()
	client.joinMatch(client.createMatch("duel"), "alice")
	for _, h := range c.hosts {
		h.Close() // all requests end
	}
	for _, tracer := range tracers {
		tracer.Close()
	}

	find := func(host, name string, parent []byte) otlpserver.Span {
		for _, s := range collector.Spans() {
			if s.Host == host && s.Name == name && bytes.Equal(s.ParentSpanId, parent) {
				return s
			}
		}
		t.Fatalf("got %v, want the span %s of %s with the parent %x", collector.Spans(), name, host, parent)
		return otlpserver.Span{}
	}
	for _, name := range []string{"GameNew", "LobbyJoinMatch"} {
		request := find("b", name, nil)
		sent := find("b", "relay", request.SpanId)
		owner := find("a", name, sent.SpanId)
		if !bytes.Equal(request.TraceId, sent.TraceId) || !bytes.Equal(request.TraceId, owner.TraceId) {
			t.Errorf("%s: got the traces %x, %x and %x, want one", name, request.TraceId, sent.TraceId, owner.TraceId)
		}
	}
}
