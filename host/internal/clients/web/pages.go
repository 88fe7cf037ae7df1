package web

import (
	"errors"
	"net"
	"net/http"
	"strings"
	"time"

	"colosseum/host/internal/base/limit"
)

// Pay takes the points of an HTTP request. If there are too few, it waits for at
// most a second. It returns 0 if the request can be answered, or else after how
// long the client can try again; busy reports that the limit of all addresses
// together is reached.
func (s *Server) Pay(r *http.Request, points int) (retry time.Duration, busy bool) {
	wait, refused := s.readers.Take(s.addresses.Get(s.address(r)), points, maxPause)
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
func (s *Server) Charge(r *http.Request, bytes int) (wait time.Duration) {
	if bytes < limit.PointBytes {
		return 0
	}
	return s.readers.Charge(s.addresses.Get(s.address(r)), bytes)
}

// Follow counts an HTTP answer that goes on until its client leaves as one of the
// connections of its client, until done is called. The error is for the client.
func (s *Server) Follow(r *http.Request) (done func(), err error) {
	from, refused := s.addresses.Connect(s.address(r))
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		err = errors.New("the host is shutting down")
	case refused != "":
		err = errors.New("too many connections from your address: try again later")
	case len(s.sessions)+s.followers >= s.limits.Connections:
		refused, err = limit.Connections, errors.New("too many connections: try again later")
	}
	if err != nil {
		if refused != "" {
			s.count(refused)
		}
		s.addresses.Disconnect(from)
		return nil, err
	}
	s.followers++
	return func() {
		s.addresses.Disconnect(from)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.followers--
	}, nil
}

// Client returns the address of an HTTP request as limits count it, which is empty if
// none apply. It also reports whether the client's connection is encrypted, at least
// up to a trusted proxy.
func (s *Server) Client(r *http.Request) (address string, encrypted bool) {
	from := s.addresses.Get(s.address(r))
	return from.Key(), r.TLS != nil || s.behindProxy(r) && strings.EqualFold(r.Header.Get("X-Forwarded-Proto"), "https")
}

// behindProxy reports whether a request comes through a trusted proxy, or through a
// Unix socket, to which only proxies connect.
func (s *Server) behindProxy(r *http.Request) bool {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	return err != nil || s.trusted(host)
}
