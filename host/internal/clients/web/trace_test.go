package web

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"colosseum/host/internal/base/trace"
)

// sentSpan is what a collector of traces gets.
type sentSpan struct {
	Host, Name                    string
	TraceID, SpanID, ParentSpanID string
}

func TestARelayedRequestIsOneTraceOfBothHosts(t *testing.T) {
	var mu sync.Mutex
	var spans []sentSpan
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var body struct {
			ResourceSpans []struct {
				Resource struct {
					Attributes []struct {
						Value struct{ StringValue string }
					}
				}
				ScopeSpans []struct{ Spans []sentSpan }
			}
		}
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			t.Error(err)
			return
		}
		mu.Lock()
		defer mu.Unlock()
		for _, r := range body.ResourceSpans {
			for _, s := range r.ScopeSpans[0].Spans {
				s.Host = r.Resource.Attributes[1].Value.StringValue
				spans = append(spans, s)
			}
		}
	}))
	t.Cleanup(collector.Close)
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

	mu.Lock()
	defer mu.Unlock()
	find := func(host, name, parent string) sentSpan {
		for _, s := range spans {
			if s.Host == host && s.Name == name && s.ParentSpanID == parent {
				return s
			}
		}
		t.Errorf("got %+v, want the span %s of %s with the parent %q", spans, name, host, parent)
		return sentSpan{}
	}
	for _, name := range []string{"GameNew", "LobbyJoinMatch"} {
		request := find("b", name, "")
		sent := find("b", "relay", request.SpanID)
		owner := find("a", name, sent.SpanID)
		if request.TraceID != sent.TraceID || request.TraceID != owner.TraceID {
			t.Errorf("%s: got the traces %s, %s and %s, want one", name, request.TraceID, sent.TraceID, owner.TraceID)
		}
	}
}
