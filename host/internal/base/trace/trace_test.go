package trace

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	otlp "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protojson"
)

// collector is an OTLP collector that keeps the spans in memory. It reads them with the
// types of OpenTelemetry, and refuses fields that these do not have.
type collector struct {
	*httptest.Server

	mu    sync.Mutex              // guards the fields below
	spans map[string][]*otlp.Span // by host
}

func newCollector(t *testing.T) *collector {
	c := &collector{spans: map[string][]*otlp.Span{}}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
			return
		}
		if got, want := r.Method+" "+r.URL.Path+" "+r.Header.Get("Content-Type"), "POST /v1/traces application/json"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		c.add(t, body)
	}))
	t.Cleanup(c.Server.Close)
	return c
}

func (c *collector) add(t *testing.T, body []byte) {
	data, err := decodeOTLP(body)
	if err != nil {
		t.Errorf("got %s: %v, want OTLP", body, err)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range data.GetResourceSpans() {
		host := ""
		for _, a := range r.GetResource().GetAttributes() {
			if a.GetKey() == "service.instance.id" {
				host = a.GetValue().GetStringValue()
			}
		}
		for _, s := range r.GetScopeSpans() {
			c.spans[host] = append(c.spans[host], s.GetSpans()...)
		}
	}
}

// decodeOTLP reads OTLP in JSON. It differs from JSON of protobuf in the IDs.
func decodeOTLP(body []byte) (*otlp.TracesData, error) {
	var tree any
	if err := json.Unmarshal(body, &tree); err != nil {
		return nil, err
	}
	var ids func(any) error
	ids = func(x any) error {
		switch x := x.(type) {
		case []any:
			for _, y := range x {
				if err := ids(y); err != nil {
					return err
				}
			}
		case map[string]any:
			for key, y := range x {
				if !slices.Contains([]string{"traceId", "spanId", "parentSpanId"}, key) {
					if err := ids(y); err != nil {
						return err
					}
					continue
				}
				id, err := hex.DecodeString(y.(string))
				if err != nil {
					return err
				}
				x[key] = base64.StdEncoding.EncodeToString(id)
			}
		}
		return nil
	}
	if err := ids(tree); err != nil {
		return nil, err
	}
	body, err := json.Marshal(tree)
	if err != nil {
		return nil, err
	}
	data := &otlp.TracesData{}
	return data, protojson.Unmarshal(body, data)
}

func (c *collector) open(t *testing.T, host string) *Tracer {
	tracer, err := Open(c.URL, host, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(tracer.Close)
	return tracer
}

func TestARequestOverTwoHostsIsOneTrace(t *testing.T) {
	c := newCollector(t)
	near, owner := c.open(t, "ares"), c.open(t, "bellona")

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

	a, b := c.spans["ares"], c.spans["bellona"]
	if len(a) != 2 || len(b) != 1 {
		t.Fatalf("got %d spans of ares and %d of bellona, want 2 and 1", len(a), len(b))
	}
	sent, root, remote := a[0], a[1], b[0]
	if len(root.ParentSpanId) != 0 {
		t.Errorf("got parent %x of the request, want none", root.ParentSpanId)
	}
	for _, x := range []struct {
		name          string
		child, parent *otlp.Span
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
		span.Since(time.Time{})
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
	c := newCollector(t)
	tracer := c.open(t, "ares")
	const valid = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	for name, row := range map[string]struct{ parent, want string }{
		"valid":           {valid, valid},
		"not sampled":     {valid[:53] + "00", valid},
		"empty":           {"", ""},
		"too long":        {valid + "0", ""},
		"other version":   {"01" + valid[2:], ""},
		"no trace":        {"00-00000000000000000000000000000000-b7ad6b7169203331-01", ""},
		"no span":         {"00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01", ""},
		"not hexadecimal": {"00-0af7651916cd43dd8448eb211c80319z-b7ad6b7169203331-01", ""},
	} {
		if got := Parent(tracer.Continue(t.Context(), row.parent)); got != row.want {
			t.Errorf("%s: got %q, want %q", name, got, row.want)
		}
	}
}

func FuzzParent(f *testing.F) {
	f.Add("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
	f.Add("")
	f.Fuzz(func(t *testing.T, text string) {
		p, ok := parse(text)
		if !ok {
			return
		}
		again, ok := parse(Parent(context.WithValue(t.Context(), current{}, p)))
		if !ok || again != p {
			t.Errorf("got %v from %q, want %v", again, text, p)
		}
	})
}
