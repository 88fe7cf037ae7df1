// Package metrics serves metrics for Prometheus, and whether the host is healthy
// and ready for clients. No other package uses Prometheus.
package metrics

import (
	"fmt"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"colosseum/host/internal/cluster"
)

// healthTimeout is how long the sources have to return their counters.
const healthTimeout = 5 * time.Second

// Page is the handler of /metrics, /healthz and /readyz. Requests can come before
// Started.
type Page struct {
	mux      *http.ServeMux
	registry *prometheus.Registry
	sources  atomic.Pointer[Sources] // nil: the host is starting
	stopping atomic.Bool
	checks   chan struct{} // one token per running health check; full: they hang
}

// New returns the page of a host that is starting.
func New(log *slog.Logger) *Page {
	p := &Page{mux: http.NewServeMux(), registry: prometheus.NewRegistry(), checks: make(chan struct{}, 8)}
	p.registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	p.mux.Handle("GET /metrics", promhttp.HandlerFor(p.registry, promhttp.HandlerOpts{
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelError), MaxRequestsInFlight: 4,
	}))
	p.mux.HandleFunc("GET /healthz", p.health)
	p.mux.HandleFunc("GET /readyz", p.ready)
	return p
}

// Started reports that the host takes clients. It must be called at most once.
func (p *Page) Started(s Sources) {
	p.registry.MustRegister(collector{s})
	p.sources.Store(&s)
}

// Stopping reports that the host no longer takes clients.
func (p *Page) Stopping() { p.stopping.Store(true) }

// ServeHTTP implements http.Handler.
func (p *Page) ServeHTTP(w http.ResponseWriter, r *http.Request) { p.mux.ServeHTTP(w, r) }

// health fails if a source hangs, because a lock is never released: the host must
// be restarted.
func (p *Page) health(w http.ResponseWriter, r *http.Request) {
	if s := p.sources.Load(); s != nil {
		done := make(chan struct{})
		select {
		case p.checks <- struct{}{}:
		default:
			refuse(w, "the host hangs")
			return
		}
		go func() { // ends when all sources have returned; never if one hangs
			defer func() { <-p.checks; close(done) }()
			s.Lobby.Stats()
			s.Web.Stats()
			s.Games.Stats()
			s.Records.Stats()
			s.Players.Stats()
			s.Serving.Stats()
			s.Contests.Stats()
			if s.Cluster != nil {
				s.Cluster.Stats()
			}
		}()
		select {
		case <-done:
		case <-time.After(healthTimeout):
			refuse(w, "the host hangs")
			return
		case <-r.Context().Done():
			return
		}
	}
	fmt.Fprintln(w, "ok")
}

// ready fails while a load balancer must send the host no clients: it is starting
// or stopping, no game can be played, no match can begin, or the host is cut off from the
// others and leaves the clients to one of them: two players on different hosts would not
// find each other's matches.
func (p *Page) ready(w http.ResponseWriter, _ *http.Request) {
	s := p.sources.Load()
	if s == nil {
		refuse(w, "the host is starting")
		return
	}
	if p.stopping.Load() {
		refuse(w, "the host is stopping")
		return
	}
	select {
	case <-s.Games.Ready():
	default:
		refuse(w, "games are being loaded")
		return
	}
	if s.Available != nil && !s.Available() {
		refuse(w, "the records cannot be written")
		return
	}
	if fault := s.Records.Stats().Fault; fault != "" {
		refuse(w, "the records cannot be written: "+fault)
		return
	}
	var hosts cluster.Stats
	if s.Cluster != nil {
		hosts = s.Cluster.Stats()
	}
	if hosts.Yields {
		refuse(w, "not connected to NATS: another host takes the clients (cluster.without_nats)")
		return
	}
	for _, g := range s.Games.Stats() {
		if g.Processes > 0 {
			text := "ok"
			if s.Cluster != nil && !hosts.Connected {
				text = "ok, but not connected to NATS: the matches of other hosts cannot be reached"
			}
			fmt.Fprintln(w, text)
			return
		}
	}
	refuse(w, "no game runs")
}

func refuse(w http.ResponseWriter, why string) { http.Error(w, why, http.StatusServiceUnavailable) }
