package server

import (
	"io"
	"log/slog"
	"net/http"

	"colosseum/host/internal/clients/site"
	"colosseum/host/internal/cluster/relay"
)

// handler returns what answers requests: that of clients and pages, or of a runner.
func (s *Server) handler(pages site.Parts, log *slog.Logger) http.Handler {
	if s.config.Runner {
		return relaysOnly(s.sessions.Or(http.NotFoundHandler()))
	}
	return s.sessions.Or(site.New(pages, log))
}

// relaysOnly answers only the other hosts of the cluster, for clients that watch or play a
// match of this one.
func relaysOnly(relays http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == relay.Path {
			relays.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.WriteHeader(http.StatusForbidden)
		_, _ = io.WriteString(w, "this host only runs programs that were handed in: connect to another host of the cluster\n") // fails if the client has gone
	})
}
