package trace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// maxQueue is the number of ended spans that wait to be sent; further ones are
	// dropped. With 500 bytes each they use 2 MiB.
	maxQueue = 4096

	// maxBatch is the number of spans in one request to the collector, except the last.
	maxBatch = 512

	// maxWait is how long an ended span waits for others.
	maxWait = time.Second

	sendTimeout  = 5 * time.Second // of one request to the collector
	closeTimeout = 2 * time.Second
	warnEvery    = time.Minute
)

// Tracer sends spans. A nil *Tracer is off: Start, Continue and Close do nothing. Its
// methods can be called concurrently.
type Tracer struct {
	url     string
	name    string
	log     *slog.Logger
	client  *http.Client
	queue   chan *Span // full: a span is dropped, so that no request waits for a collector
	dropped atomic.Uint64

	closing chan struct{}
	closed  chan struct{}
	cancel  context.CancelFunc // of what is being sent
	once    sync.Once          // for Close

	// For run's goroutine alone.
	warned time.Time
}

// Open returns a Tracer that sends to a collector of OpenTelemetry by OTLP over HTTP, in
// JSON, for the host with the given name; if it is empty, the host is alone. The endpoint
// is a URL without /v1/traces. If it is empty, Open returns nil: there are no traces. The
// collector need not run. Close must be called.
func Open(endpoint, name string, log *slog.Logger) (*Tracer, error) {
	if endpoint == "" {
		return nil, nil
	}
	u, err := url.Parse(endpoint)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, errors.New("tracing.endpoint must be like http://localhost:4318")
	}
	if !strings.HasSuffix(u.Path, "/v1/traces") {
		u = u.JoinPath("v1", "traces")
	}
	ctx, cancel := context.WithCancel(context.Background())
	t := &Tracer{
		url: u.String(), name: name, log: log,
		client: &http.Client{
			Transport:     &http.Transport{Proxy: http.ProxyFromEnvironment, MaxConnsPerHost: 1, IdleConnTimeout: time.Minute},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
			Timeout:       sendTimeout,
		},
		queue:   make(chan *Span, maxQueue),
		closing: make(chan struct{}), closed: make(chan struct{}), cancel: cancel,
	}
	go t.run(ctx) // ends with Close
	return t, nil
}

// Close sends what is queued, in at most 2 s. Spans that end later are dropped.
func (t *Tracer) Close() {
	if t == nil {
		return
	}
	t.once.Do(func() {
		defer t.client.CloseIdleConnections()
		defer t.cancel()
		close(t.closing)
		late := time.AfterFunc(closeTimeout, t.cancel)
		defer late.Stop()
		<-t.closed
	})
}

// add queues a span that has ended.
func (t *Tracer) add(s *Span) {
	select {
	case t.queue <- s:
	default:
		t.dropped.Add(1)
	}
}

// run sends spans in batches until Close, and then the rest.
func (t *Tracer) run(ctx context.Context) {
	defer close(t.closed)
	tick := time.NewTicker(maxWait)
	defer tick.Stop()
	batch := make([]*Span, 0, maxBatch)
	for {
		select {
		case s := <-t.queue:
			if batch = append(batch, s); len(batch) < maxBatch {
				continue
			}
		case <-tick.C:
		case <-t.closing:
			for range len(t.queue) {
				batch = append(batch, <-t.queue)
			}
			t.send(ctx, batch)
			return
		}
		t.send(ctx, batch)
		clear(batch)
		batch = batch[:0]
	}
}

// send sends a batch. If that fails, it is dropped: a collector that is away must cost
// neither memory nor time.
func (t *Tracer) send(ctx context.Context, batch []*Span) {
	if len(batch) == 0 {
		return
	}
	err := t.post(ctx, encode(t.name, batch))
	if err != nil {
		t.dropped.Add(uint64(len(batch)))
	}
	dropped := t.dropped.Load()
	if dropped == 0 || time.Since(t.warned) < warnEvery {
		return
	}
	t.dropped.Add(-dropped)
	t.warned = time.Now()
	if err == nil {
		err = errors.New("the collector is too slow")
	}
	t.log.Warn("could not send traces", "spans", dropped, "error", err)
}

// post sends one request. Its errors do not have the URL, which can contain a secret.
func (t *Tracer) post(ctx context.Context, body []byte) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, t.url, bytes.NewReader(body))
	if err != nil {
		return errors.New("tracing.endpoint is not a URL")
	}
	r.Header.Set("Content-Type", "application/json")
	answer, err := t.client.Do(r)
	if broken, ok := errors.AsType[*url.Error](err); ok {
		return broken.Err
	}
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	_, _ = io.CopyN(io.Discard, answer.Body, 64<<10) // so that the connection can be used again
	if answer.StatusCode/100 != 2 {
		return fmt.Errorf("the collector answers %d", answer.StatusCode)
	}
	return nil
}
