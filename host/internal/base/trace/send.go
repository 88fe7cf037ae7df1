package trace

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	"go.opentelemetry.io/otel/sdk/trace"
	api "go.opentelemetry.io/otel/trace"
)

const (
	// maxQueue is the number of ended spans that wait to be sent; further ones are
	// dropped, so that no request waits for a collector.
	maxQueue = 4096

	// maxBatch is the number of spans in one request to the collector.
	maxBatch = 512

	// maxWait is how long an ended span waits for others.
	maxWait = time.Second

	maxText      = 64              // characters of an attribute
	sendTimeout  = 5 * time.Second // of one request to the collector
	closeTimeout = 2 * time.Second
	warnEvery    = time.Minute
)

var (
	errClosed  = errors.New("the tracer is closed")
	errRefused = errors.New("the collector does not take all of them")
)

// Tracer makes spans and sends them to a collector. A nil *Tracer makes none. Its
// methods can be called from any goroutine.
type Tracer struct {
	tracer   api.Tracer
	provider *trace.TracerProvider
	sending  *collector
}

// Open returns a tracer that sends spans to the collector at an endpoint, an HTTP URL, as
// those of a host with a name, which can be empty. If endpoint is empty, it returns nil.
// Errors and log messages do not show the endpoint, because it can contain a password.
func Open(endpoint, name string, log *slog.Logger) (*Tracer, error) {
	if endpoint == "" {
		return nil, nil
	}
	u, err := url.Parse(endpoint)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, errors.New("tracing.endpoint must be like http://localhost:4318")
	}
	if !strings.HasSuffix(u.Path, "/v1/traces") {
		u.Path = strings.TrimSuffix(u.Path, "/") + "/v1/traces"
	}
	c := &collector{url: u, log: log, transport: &http.Transport{Proxy: http.ProxyFromEnvironment, MaxConnsPerHost: 1, IdleConnTimeout: time.Minute}}
	c.SpanExporter, err = otlptracehttp.New(context.Background(),
		otlptracehttp.WithEndpointURL("http://collector/v1/traces"), // the transport has the real one
		otlptracehttp.WithHTTPClient(&http.Client{Transport: c, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, Timeout: sendTimeout}),
		otlptracehttp.WithRetry(otlptracehttp.RetryConfig{}), // a collector that is away for long must not fill the queue
	)
	if err != nil {
		return nil, fmt.Errorf("tracing: %w", err)
	}
	attributes := []attribute.KeyValue{attribute.String("service.name", "colosseum")}
	if name != "" {
		attributes = append(attributes, attribute.String("service.instance.id", name))
	}
	limits := trace.NewSpanLimits()
	limits.AttributeValueLengthLimit = maxText
	provider := trace.NewTracerProvider(
		trace.WithBatcher(c, trace.WithMaxQueueSize(maxQueue), trace.WithMaxExportBatchSize(maxBatch), trace.WithBatchTimeout(maxWait), trace.WithExportTimeout(sendTimeout)),
		trace.WithResource(resource.NewSchemaless(attributes...)),
		trace.WithRawSpanLimits(limits),
		trace.WithSampler(trace.AlwaysSample()),
	)
	return &Tracer{tracer: provider.Tracer("colosseum/host"), provider: provider, sending: c}, nil
}

// Close sends what is queued, in at most 2 s, and stops. Later spans are dropped.
func (t *Tracer) Close() {
	if t == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	_ = t.provider.Shutdown(ctx) // what could not be sent has been logged
	t.sending.closed.Store(true)
	(&http.Client{Transport: t.sending.transport}).CloseIdleConnections()
}

// collector sends spans to a collector. It replaces the errors of the library, which show
// where they were sent to.
type collector struct {
	trace.SpanExporter
	url       *url.URL
	log       *slog.Logger
	transport http.RoundTripper
	closed    atomic.Bool           // what is still queued is dropped
	failure   atomic.Pointer[error] // of the last request; nil: none

	// The library calls ExportSpans for one batch after the other.
	unsent int
	warned time.Time
}

// ExportSpans sends spans, and logs at most once a minute that some could not be sent.
func (c *collector) ExportSpans(ctx context.Context, spans []trace.ReadOnlySpan) error {
	c.failure.Store(nil)
	if err := c.SpanExporter.ExportSpans(ctx, spans); err == nil || c.closed.Load() {
		return nil
	}
	c.unsent += len(spans)
	if time.Since(c.warned) < warnEvery {
		return nil
	}
	err := errRefused
	if failure := c.failure.Load(); failure != nil {
		err = *failure
	}
	c.log.Warn("could not send traces", "spans", c.unsent, "error", err)
	c.unsent, c.warned = 0, time.Now()
	return nil
}

// RoundTrip sends a request to the collector's URL.
func (c *collector) RoundTrip(r *http.Request) (*http.Response, error) {
	if c.closed.Load() {
		return nil, errClosed
	}
	r = r.Clone(r.Context())
	r.URL, r.Host = c.url, c.url.Host
	if c.url.User != nil {
		password, _ := c.url.User.Password()
		r.SetBasicAuth(c.url.User.Username(), password)
	}
	answer, err := c.transport.RoundTrip(r)
	switch {
	case err != nil:
		c.failure.Store(&err)
	case answer.StatusCode/100 != 2:
		c.failure.Store(new(fmt.Errorf("the collector answers %d", answer.StatusCode)))
	}
	return answer, err
}
