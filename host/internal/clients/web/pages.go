package web

import (
	"net/http"
	"strings"
	"time"

	"colosseum/host/internal/base/limit"
)

// Pay takes the points of an HTTP request. If there are too few, it waits for at
// most a second. It returns 0 if the request can be answered, or else after how
// long the client can try again; busy reports that the limit of all addresses
// together is reached.
func (s *shared) Pay(r *http.Request, points int) (retry time.Duration, busy bool) {
	wait, refused := s.readers.Take(s.addresses.Get(s.proxies.client(r)), points, maxPause)
	if refused != "" {
		s.count(refused)
		retry, busy = wait, refused == limit.HostReads
	}
	if wait > 0 { // also when refused, so that a client that tries again at once costs little
		pause := time.NewTimer(min(wait, maxPause))
		defer pause.Stop()
		select {
		case <-pause.C:
		case <-r.Context().Done():
		}
	}
	return retry, busy
}

// Charge takes the points for the length of an answer. It returns how long the
// client would have had to wait for them.
func (s *shared) Charge(r *http.Request, bytes int) (wait time.Duration) {
	if bytes < limit.PointBytes {
		return 0
	}
	return s.readers.Charge(s.addresses.Get(s.proxies.client(r)), bytes)
}

// Client returns the address of an HTTP request as limits count it, which is empty if
// none apply. It also reports whether the client's connection is encrypted, at least
// up to a trusted proxy.
func (s *shared) Client(r *http.Request) (address string, encrypted bool) {
	from := s.addresses.Get(s.proxies.client(r))
	return from.Key(), r.TLS != nil || s.proxies.passed(r) && strings.EqualFold(r.Header.Get("X-Forwarded-Proto"), "https")
}
