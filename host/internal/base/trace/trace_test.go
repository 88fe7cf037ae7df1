package trace

import (
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	otlp "go.opentelemetry.io/proto/otlp/trace/v1"

	"colosseum/internal/test/otlpserver"
)

func openAs(t *testing.T, c *otlpserver.Server, host string) *Tracer {
	tracer, err := Open(c.URL, host, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(tracer.Close)
	return tracer
}

func TestARequestOverTwoHostsIsOneTrace(t *testing.T) {
	c := otlpserver.Start(t)
	near, owner := openAs(t, c, "ares"), openAs(t, c, "bellona")

	served := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, span := owner.Start(owner.Continue(r.Context(), r.Header.Get("traceparent")), Server, "LobbyJoinMatch")
		span.Text("match", "7")
		span.Int("seats", 2)
		span.End(errors.New("wrong password: swordfish"))
	}))
	defer served.Close()
	ctx, request := near.Start(t.Context(), Server, "LobbyJoinMatch")
	relayed, relay := near.Start(ctx, Client, "relay")
	r, err := http.NewRequestWithContext(relayed, http.MethodGet, served.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("traceparent", Parent(relayed))
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()
	relay.End(nil)
	request.End(nil)
	near.Close()
	owner.Close()

	spans := c.Spans()
	if len(spans) != 3 || spans[0].Host != "ares" || spans[1].Host != "ares" || spans[2].Host != "bellona" {
		t.Fatalf("got %v, want two spans of ares and one of bellona", spans)
	}
	sent, root, remote := spans[0], spans[1], spans[2]
	if len(root.ParentSpanId) != 0 {
		t.Errorf("got parent %x of the request, want none", root.ParentSpanId)
	}
	for _, x := range []struct {
		name          string
		child, parent otlpserver.Span
	}{{"the relay", sent, root}, {"the request on the owner", remote, sent}} {
		if string(x.child.TraceId) != string(x.parent.TraceId) || string(x.child.ParentSpanId) != string(x.parent.SpanId) {
			t.Errorf("%s: got trace %x and parent %x, want %x and %x", x.name, x.child.TraceId, x.child.ParentSpanId, x.parent.TraceId, x.parent.SpanId)
		}
		if x.child.StartTimeUnixNano < x.parent.StartTimeUnixNano || x.child.EndTimeUnixNano > x.parent.EndTimeUnixNano {
			t.Errorf("%s: got %d to %d, want inside of %d to %d", x.name, x.child.StartTimeUnixNano, x.child.EndTimeUnixNano, x.parent.StartTimeUnixNano, x.parent.EndTimeUnixNano)
		}
	}
	if got := remote.String(); strings.Contains(got, "swordfish") {
		t.Errorf("got %s, want no text of the error", got)
	}
	if got := remote.GetStatus(); got.GetCode() != otlp.Status_STATUS_CODE_ERROR || got.GetMessage() != "" {
		t.Errorf("got status %v, want an error without its text", got)
	}
	if got := remote.GetAttributes(); len(got) != 2 || got[0].GetValue().GetStringValue() != "7" || got[1].GetValue().GetIntValue() != 2 {
		t.Errorf("got attributes %v, want match 7 and seats 2", got)
	}
	if sent.GetKind() != otlp.Span_SPAN_KIND_CLIENT || remote.GetKind() != otlp.Span_SPAN_KIND_SERVER {
		t.Errorf("got kinds %v and %v, want client and server", sent.GetKind(), remote.GetKind())
	}
}

func TestNoTracerAllocatesNothing(t *testing.T) {
	tracer, err := Open("", "ares", nil)
	if tracer != nil || err != nil {
		t.Fatalf("got %v, %v without an endpoint, want nil, nil", tracer, err)
	}
	ctx, name := t.Context(), "7"
	allocs := testing.AllocsPerRun(100, func() {
		inner, span := tracer.Start(tracer.Continue(ctx, "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"), Server, "LobbyList")
		span.Text("match", name)
		span.Int("seats", 1000)
		if inner != ctx || Parent(inner) != "" {
			t.Error("got another context, want the same")
		}
		span.End(nil)
	})
	tracer.Close()
	if allocs != 0 {
		t.Errorf("got %v allocations, want 0", allocs)
	}
}

func TestOnlyAValidParentIsContinued(t *testing.T) {
	c := otlpserver.Start(t)
	tracer := openAs(t, c, "ares")
	const valid = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	for name, row := range map[string]struct{ parent, want string }{
		"valid":           {valid, valid},
		"not sampled":     {valid[:53] + "00", valid[:53] + "00"},
		"empty":           {"", ""},
		"too long":        {valid + "0", ""},
		"no trace":        {"00-00000000000000000000000000000000-b7ad6b7169203331-01", ""},
		"no span":         {"00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01", ""},
		"not hexadecimal": {"00-0af7651916cd43dd8448eb211c80319z-b7ad6b7169203331-01", ""},
	} {
		if got := Parent(tracer.Continue(t.Context(), row.parent)); got != row.want {
			t.Errorf("%s: got %q, want %q", name, got, row.want)
		}
	}
}
