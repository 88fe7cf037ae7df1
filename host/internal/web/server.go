// Package web serves clients: each connection is a session that speaks the
// protocol of Code Colosseum on a WebSocket.
package web

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"
	"golang.org/x/time/rate"

	"colosseum/host/internal/catalog"
	"colosseum/host/internal/lobby"
	"colosseum/host/internal/store"
	"colosseum/protocol"
)

// Limits of connections.
type Limits struct {
	Connections int
	Handshake   time.Duration // for the client's first message
	Ping        time.Duration // a silent client is pinged so often
	Backlog     int           // bytes that may wait for a client
	Line        int           // bytes of a player's line
	Backlogs    int64         // bytes that may wait for all clients together; 0: no limit
	Reads       int           // points of requests that read, a second, of all clients together; 0: no limit
	Files       int           // connections of all kinds, since each is an open file; 0: no limit
	Address     PerAddress
	Origins     []string // pages of which hosts may connect, beside our own; "*": all
	Names       *Names   // whose refusals are counted with the limits; nil: none
}

// Games is what sessions ask of the catalog.
type Games interface {
	List() []*catalog.Offer
	Generation() uint64 // of List
}

// History is what sessions ask of the store.
type History interface {
	Get(ctx context.Context, id string) (*store.Record, error)
	List(ctx context.Context, limit int) ([]string, error)
	Generation() uint64 // of List
}

// Server is the handler of all requests of clients.
type Server struct {
	games    Games
	lobby    *lobby.Lobby
	history  History
	limits   Limits
	proxies  []netip.Prefix
	log      *slog.Logger
	upgrader websocket.Upgrader
	number   atomic.Uint64 // of the last session, for logs
	read     atomic.Uint64 // bytes
	load     load
	workers  workers
	visitors *addresses
	slots    *slots
	reads    *rate.Limiter // points that all may spend on reading; nil: any number
	lists    lists
	gate     gate
	foreign  *rate.Limiter // of log lines about pages of other hosts
	wait     sync.WaitGroup

	mu       sync.Mutex // guards the fields below
	sessions map[*session]struct{}
	limited  map[string]uint64 // what was refused or cut, by limit
	closed   bool
}

// Small buffers: messages are short, and most connections idle. Write buffers
// are shared by all.
const bufferSize = 512

// New returns a server. Close ends its sessions.
func New(games Games, l *lobby.Lobby, history History, limits Limits, proxies []netip.Prefix, log *slog.Logger) *Server {
	s := &Server{
		games: games, lobby: l, history: history, limits: limits, proxies: proxies, log: log,
		upgrader: websocket.Upgrader{
			ReadBufferSize: bufferSize, WriteBufferSize: 2 * bufferSize, WriteBufferPool: &sync.Pool{},
			HandshakeTimeout: limits.Handshake,
		},
		visitors: newAddresses(limits.Address), slots: newSlots(), reads: hostReads(limits.Reads), sessions: map[*session]struct{}{}, limited: map[string]uint64{},
		gate:    gate{open: map[net.Conn]netip.Prefix{}, each: map[netip.Prefix]int{}},
		foreign: rate.NewLimiter(rate.Every(foreignInterval), foreignBurst),
	}
	s.upgrader.CheckOrigin, s.upgrader.Error = s.fromAllowedPage, s.noUpgrade
	s.load.max, s.load.shed, s.load.epoch = limits.Backlogs, s.shed, time.Now()
	return s
}

// Or serves the clients that ask for a WebSocket, on any path, and leaves all
// other requests to pages.
func (s *Server) Or(pages http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if websocket.IsWebSocketUpgrade(r) {
			s.ServeHTTP(w, r)
		} else {
			pages.ServeHTTP(w, r)
		}
	})
}

// ServeHTTP upgrades to a WebSocket on any path.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !websocket.IsWebSocketUpgrade(r) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = w.Write([]byte("This is a Colosseum host. Programs play here: connect with coco.\n"))
		return
	}
	h := &hijacker{ResponseWriter: w}
	conn, err := s.upgrader.Upgrade(h, r, nil)
	if err != nil {
		s.Pay(r, 1) // Upgrade has answered; the next one may wait
		return
	}
	sess := newSession(s, conn, h.frames, s.address(r))
	if code, reason := s.add(sess); code != 0 {
		frame := websocket.FormatCloseMessage(code, reason)
		_ = conn.WriteControl(websocket.CloseMessage, frame, time.Now().Add(closeTimeout))
		sess.stop()
		_ = conn.Close()
		return
	}
	// A goroutine of our own: that of net/http goes, with its buffers.
	go func() { // ends with the connection
		defer s.wait.Done()
		sess.run()
		s.visitors.leave(sess.visitor)
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.sessions, sess)
	}()
}

// Close closes all sessions and returns when they have ended.
func (s *Server) Close() {
	s.mu.Lock()
	s.closed = true
	for sess := range s.sessions {
		sess.close(protocol.CloseShutdown, "the server is shutting down")
	}
	s.mu.Unlock()
	s.wait.Wait()
	s.workers.close()
}

// add takes a session in, or returns the close code and reason for it.
func (s *Server) add(sess *session) (code int, reason string) {
	visitor, refused := s.visitors.arrive(sess.address)
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		code, reason = protocol.CloseShutdown, "the server is shutting down"
	case refused == limitAddress:
		code, reason = protocol.CloseLimit, "too many connections from your address: try again later"
	case refused == limitHandshakes:
		code, reason = protocol.CloseLimit, "too many new connections from your address: try again later"
	case len(s.sessions) >= s.limits.Connections:
		code, reason, refused = protocol.CloseLimit, "too many connections: try again later", limitConnections
	}
	if code != 0 {
		if refused != "" {
			s.limited[refused]++
		}
		s.visitors.leave(visitor)
		return code, reason
	}
	sess.visitor = visitor
	s.sessions[sess] = struct{}{}
	s.wait.Add(1)
	return 0, ""
}

// shed cuts the clients for whom most waits, until what waits for the others
// is clearly below the limit.
func (s *Server) shed() {
	type heavy struct {
		sess  *session
		bytes int
	}
	var list []heavy
	s.mu.Lock()
	for sess := range s.sessions {
		list = append(list, heavy{sess: sess})
	}
	s.mu.Unlock()
	for i := range list {
		list[i].bytes = list[i].sess.waits()
	}
	sort.Slice(list, func(i, j int) bool { return list[i].bytes > list[j].bytes })
	for _, h := range list {
		if h.bytes == 0 || s.load.waiting.Load() <= s.load.max*3/4 {
			return
		}
		s.limit(limitBacklogs)
		h.sess.drop(protocol.CloseLimit, "too much waits for slow clients, and most of it for you")
	}
}

// address names the client, for logs and limits. A header that anybody can
// send is only believed from proxies that the configuration trusts.
func (s *Server) address(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		host = r.RemoteAddr // a Unix socket
	}
	if !s.trusted(host) {
		return host
	}
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(hops) - 1; i >= 0; i-- {
		hop := strings.TrimSpace(hops[i])
		if _, err := netip.ParseAddr(hop); err != nil {
			break
		}
		host = hop
		if !s.trusted(hop) {
			break
		}
	}
	return host
}

func (s *Server) trusted(host string) bool {
	addr, err := netip.ParseAddr(host)
	if err != nil {
		return false
	}
	for _, p := range s.proxies {
		if p.Contains(addr.Unmap()) {
			return true
		}
	}
	return false
}
