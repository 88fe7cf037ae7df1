// Package otlpserver is a collector of OpenTelemetry for tests.
package otlpserver

import (
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	otlp "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// Server is a collector that keeps the spans in memory. Its URL is the endpoint.
type Server struct {
	*httptest.Server

	mu    sync.Mutex // guards the field below
	spans []Span
}

// Span is a span, and the service.instance.id of the host that sent it.
type Span struct {
	Host string
	*otlp.Span
}

// Start starts a collector, which ends with the test.
func Start(t testing.TB) *Server {
	s := &Server{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost || r.URL.Path != "/v1/traces" {
			t.Errorf("the collector got %s %s, want POST /v1/traces", r.Method, r.URL.Path)
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
			return
		}
		spans, err := Decode(body)
		if err != nil {
			t.Errorf("the collector got %q: %v", body, err)
			return
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.spans = append(s.spans, spans...)
	}))
	t.Cleanup(s.Server.Close)
	return s
}

// Spans returns all spans that have come.
func (s *Server) Spans() []Span {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.spans
}

// Decode reads the body of a request in OTLP.
func Decode(body []byte) (spans []Span, err error) {
	data := &otlp.TracesData{}
	if err := proto.Unmarshal(body, data); err != nil {
		return nil, err
	}
	for _, r := range data.GetResourceSpans() {
		host := ""
		for _, a := range r.GetResource().GetAttributes() {
			if a.GetKey() == "service.instance.id" {
				host = a.GetValue().GetStringValue()
			}
		}
		for _, scope := range r.GetScopeSpans() {
			for _, span := range scope.GetSpans() {
				spans = append(spans, Span{host, span})
			}
		}
	}
	return spans, nil
}
