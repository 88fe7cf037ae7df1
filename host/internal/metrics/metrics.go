// Package metrics tells those who run a host how it is: numbers for
// Prometheus, and whether it lives and takes clients. It is the one package
// that knows Prometheus.
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
)

// patience is how long a host that lives may take to tell what it counted.
const patience = 5 * time.Second

// Page is the handler of /metrics, /healthz and /readyz. It answers from the
// start of the host on.
type Page struct {
	mux      *http.ServeMux
	registry *prometheus.Registry
	sources  atomic.Pointer[Sources] // nil: the host is starting
	stopping atomic.Bool
	checks   chan struct{} // one token a health check; full: those before hang, and so would this one
}

// New returns a page of a host that is starting.
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

// Started says that the host takes clients, and who counts from now on. It is
// called once.
func (p *Page) Started(s Sources) {
	p.registry.MustRegister(collector{s})
	p.sources.Store(&s)
}

// Stopping says that the host takes no new clients any more.
func (p *Page) Stopping() { p.stopping.Store(true) }

// ServeHTTP implements http.Handler.
func (p *Page) ServeHTTP(w http.ResponseWriter, r *http.Request) { p.mux.ServeHTTP(w, r) }

// health tells whether the host lives: whoever keeps it running should start
// it again when it does not. It does not live when those who count hold a lock
// for good.
func (p *Page) health(w http.ResponseWriter, r *http.Request) {
	if s := p.sources.Load(); s != nil {
		done := make(chan struct{})
		select {
		case p.checks <- struct{}{}:
		default:
			refuse(w, "the host hangs")
			return
		}
		go func() { // ends when all have answered, in a host that lives
			defer func() { <-p.checks; close(done) }()
			s.Lobby.Counts()
			s.Web.Stats()
			s.Games.Counts()
			s.Records.Counts()
		}()
		timer := time.NewTimer(patience)
		defer timer.Stop()
		select {
		case <-done:
		case <-timer.C:
			refuse(w, "the host hangs")
			return
		case <-r.Context().Done():
			return
		}
	}
	fmt.Fprintln(w, "ok")
}

// ready tells whether the host takes clients and has loaded its games: a
// balancer should send it none when it has not.
func (p *Page) ready(w http.ResponseWriter, _ *http.Request) {
	s := p.sources.Load()
	switch {
	case s == nil:
		refuse(w, "the host is starting")
		return
	case p.stopping.Load():
		refuse(w, "the host is stopping")
		return
	}
	select {
	case <-s.Games.Ready():
	default:
		refuse(w, "games are being loaded")
		return
	}
	for _, g := range s.Games.Counts() {
		if g.Processes > 0 {
			fmt.Fprintln(w, "ok")
			return
		}
	}
	refuse(w, "no game runs")
}

func refuse(w http.ResponseWriter, why string) { http.Error(w, why, http.StatusServiceUnavailable) }
