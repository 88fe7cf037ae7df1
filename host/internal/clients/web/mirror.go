package web

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"colosseum/host/internal/cluster/relay"
	"colosseum/host/internal/play/match"
	"colosseum/host/internal/records/record"
	"colosseum/protocol"
)

const (
	mirrorKeep  = 5 * time.Second // how long a mirror stays without spectators
	reportEvery = time.Second     // between two reports of the number of spectators

	// The delay before a mirror connects again doubles from the first to the last.
	firstRedial = 100 * time.Millisecond
	lastRedial  = 5 * time.Second
)

// mirrors are the matches of other hosts that clients of this host watch.
type mirrors struct {
	mu   sync.Mutex // guards the field below, and users and expiry of all mirrors; it is taken last
	byID map[string]*mirror
}

// mirror is a copy of a match of another host, for the spectators of this one. It has
// one relay to the other host, which counts them all. It calls their sessions as the
// lobby does, with mu held.
type mirror struct {
	server *Server
	id     string
	ctx    context.Context // ends with stop, when there are no spectators
	stop   context.CancelFunc
	total  *match.Total  // in which the stream counts
	ready  chan struct{} // closed when the first spectators have been admitted or refused
	change chan struct{} // the number of spectators has changed; full: one message is enough

	// Guarded by mirrors.mu.
	users  int         // sessions that watch, or wait until they do
	expiry *time.Timer // runs while there are no users; nil: there have always been some

	mu         sync.Mutex // guards the fields below; a session's and an outbox's mutex can be taken while it is held
	spectators map[*session]struct{}
	admitted   bool  // ready is closed, and err is nil
	err        error // for spectators that are refused; nil: none are
	info       protocol.MatchInfo
	counted    int // number of this host's spectators in info.Spectators
	started    bool
	over       bool
	stream     *match.Stream
	host       string // to which conn is
	conn       *websocket.Conn
}

// acquire returns the mirror of a match, until release.
func (s *Server) acquire(id string) *mirror {
	ms := &s.mirrors
	ms.mu.Lock()
	defer ms.mu.Unlock()
	m := ms.byID[id]
	if m == nil {
		ctx, stop := context.WithCancel(s.ctx)
		m = &mirror{
			server: s, id: id, ctx: ctx, stop: stop, ready: make(chan struct{}), change: make(chan struct{}, 1),
			spectators: map[*session]struct{}{}, stream: match.NewStream(), total: s.lobby.Streams(),
		}
		ms.byID[id] = m
		s.wait.Add(1)
		go m.run() // ends with the match, or some time after the last spectator has left
	}
	m.users++
	if m.expiry != nil {
		m.expiry.Stop()
	}
	return m
}

// release undoes one acquire.
func (m *mirror) release() {
	ms := &m.server.mirrors
	ms.mu.Lock()
	defer ms.mu.Unlock()
	if m.users--; m.users > 0 {
		return
	}
	m.expiry = time.AfterFunc(mirrorKeep, func() {
		ms.mu.Lock()
		defer ms.mu.Unlock()
		if m.users == 0 {
			m.removeLocked()
			m.stop()
		}
	})
}

func (m *mirror) removeLocked() {
	if ms := &m.server.mirrors; ms.byID[m.id] == m {
		delete(ms.byID, m.id)
	}
}

// watchElsewhere makes the session a spectator of a match of another host, or refuses it.
// It reports false if no other host has the match; then this one must answer.
func (s *session) watchElsewhere(ctx context.Context, id string) (done bool) {
	if s.server.cluster.Owner(ctx, id) == "" {
		if !s.mightExist(id) {
			return false
		}
		_ = s.answerWith(protocol.NameSpectateJoined, protocol.JoinedReply{Info: protocol.Refused[protocol.MatchInfo](errUnlisted)})
		return true
	}
	m := s.server.acquire(id)
	if err := m.join(ctx, s); err != nil {
		m.release()
		_ = s.answerWith(protocol.NameSpectateJoined, protocol.JoinedReply{Info: protocol.Refused[protocol.MatchInfo](err)})
	}
	return true
}

// join adds a spectator. The error is for the client.
func (m *mirror) join(ctx context.Context, s *session) error {
	m.mu.Lock()
	if m.err == nil {
		m.spectators[s] = struct{}{}
	}
	if m.admitted && m.err == nil {
		m.admitLocked(s)
		if !m.started { // as the lobby does
			s.Update(protocol.Encode(protocol.NameLobbyUpdate, protocol.LobbyEvent{Info: m.infoLocked()}))
		}
	}
	m.mu.Unlock()
	m.changed()
	select {
	case <-m.ready:
	case <-ctx.Done():
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	err := m.err
	if _, in := m.spectators[s]; in && err == nil && !m.admitted {
		err = errUnreachable
	}
	if err != nil {
		delete(m.spectators, s)
	}
	return err
}

// admitLocked shows a spectator the match.
func (m *mirror) admitLocked(s *session) {
	s.mu.Lock()
	s.mirror = m
	s.mu.Unlock()
	if m.started {
		s.Watching(m.infoLocked(), m.stream)
	} else {
		s.Watching(m.infoLocked(), nil)
	}
}

// infoLocked returns the match with the number of spectators that will soon be
// reported.
func (m *mirror) infoLocked() protocol.MatchInfo {
	info := m.info
	info.Spectators += len(m.spectators) - m.counted
	return info
}

// leave removes a spectator.
func (m *mirror) leave(s *session) {
	m.mu.Lock()
	_, in := m.spectators[s]
	delete(m.spectators, s)
	m.mu.Unlock()
	if in {
		m.changed()
		m.release()
	}
}

// changed makes report send the number of spectators.
func (m *mirror) changed() {
	select {
	case m.change <- struct{}{}:
	default:
	}
}

// unspectate makes the session stop watching a match, on any host.
func (s *session) unspectate(id string) {
	s.mu.Lock()
	m := s.mirror
	s.mirror = nil
	s.mu.Unlock()
	if m != nil {
		m.leave(s)
	} else {
		s.server.lobby.Unspectate(s, id)
	}
	s.out.Unfollow()
}

// Errors that end a connection of a mirror.
var (
	errMirrorOver = errors.New("the match has ended")
	errLongStream = errors.New("the other host sends a stream that is too long")
	errNoOwner    = errors.New("no host lists the match")
)

// run follows the match until it ends or nobody watches it.
func (m *mirror) run() {
	s := m.server
	defer s.wait.Done()
	defer m.stop()
	delay := firstRedial
	for {
		had := m.stream.Len()
		err := m.follow()
		if errors.Is(err, errMirrorOver) || m.ctx.Err() != nil {
			break
		}
		s.log.Warn("lost the connection to the host of a match that is watched", "match", m.id, "error", err)
		if !m.isAdmitted() {
			break
		}
		if !m.listed() {
			break
		}
		if m.stream.Len() > had {
			delay = firstRedial
		}
		select {
		case <-m.ctx.Done():
		case <-time.After(delay):
		}
		delay = min(2*delay, lastRedial)
	}
	m.total.Release(m)
	rec := m.recorded()
	s.mirrors.mu.Lock()
	m.removeLocked()
	s.mirrors.mu.Unlock()
	m.mu.Lock()
	defer m.mu.Unlock()
	m.finishLocked(rec)
}

func (m *mirror) isAdmitted() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.admitted
}

func (m *mirror) setRelay(host string, conn *websocket.Conn) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.host, m.conn = host, conn
}

// breakRelay ends the relay to a host that is dead.
func (m *mirror) breakRelay(host string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.conn != nil && m.host == host {
		cutRelay(m.conn)
	}
}

// all returns all mirrors.
func (ms *mirrors) all() []*mirror {
	ms.mu.Lock()
	defer ms.mu.Unlock()
	return slices.Collect(maps.Values(ms.byID))
}

// listed reports whether another host has the match.
func (m *mirror) listed() bool {
	if x, ok := m.server.lobby.Elsewhere(m.id); ok {
		return !x.Gone
	}
	ctx, cancel := context.WithTimeout(m.ctx, requestTimeout)
	defer cancel()
	return m.server.cluster.Owner(ctx, m.id) != ""
}

// finishLocked ends the match for its spectators, unless its host has done so, as in its
// record; nil: it is not known how it ended.
func (m *mirror) finishLocked(rec *record.Match) {
	if !m.admitted && m.err == nil {
		m.refuseLocked(errUnreachable)
	}
	if m.over || !m.admitted {
		return
	}
	const reason = "the connection to the host of the match was lost"
	if !m.started {
		m.expireLocked(reason)
		return
	}
	m.over = true
	if rec == nil {
		m.stream.End(protocol.MatchResult{Players: []protocol.PlayerResult{}, Reason: reason + ": the history has how it ended"})
		return
	}
	_ = m.grow(0, rec.Stream) // the rest; a record is never too long
	m.stream.End(resultOf(rec))
}

// expireLocked reports that the waiting match is gone.
func (m *mirror) expireLocked(reason string) {
	m.over, m.err = true, fmt.Errorf("Game %q does not exists", m.id)
	for s := range m.spectators {
		s.Expired(m.id, reason)
	}
}

// refuseLocked refuses the spectators that wait.
func (m *mirror) refuseLocked(err error) {
	m.err = err
	close(m.ready)
}

// follow copies the match over one relay until that ends.
func (m *mirror) follow() error {
	s := m.server
	ctx, cancel := context.WithTimeout(m.ctx, requestTimeout)
	defer cancel()
	host := s.cluster.Owner(ctx, m.id)
	if host == "" {
		return errNoOwner
	}
	conn, err := s.cluster.Dial(ctx, host, relay.Client{Version: protocol.Version, Spectators: true})
	if err != nil {
		return err
	}
	s.relays.Add(1)
	defer s.relays.Add(-1)
	defer cutRelay(conn)
	m.setRelay(host, conn)
	defer m.setRelay("", nil)
	if err := conn.WriteMessage(websocket.TextMessage, protocol.Encode(protocol.NameSpectateJoin, protocol.MatchID{ID: m.id})); err != nil {
		return err
	}
	ended := make(chan struct{})
	var reporting sync.WaitGroup
	reporting.Go(func() { m.report(conn, ended) }) // ends with the relay
	defer reporting.Wait()
	defer close(ended)
	stop := context.AfterFunc(m.ctx, func() { closeRelay(conn) })
	defer stop()
	_ = conn.SetReadDeadline(time.Now().Add(replyTimeout))
	buffer := make([]byte, 32<<10)
	offset := 0 // in the stream
	for {
		kind, r, err := conn.NextReader()
		if err != nil {
			return err
		}
		if kind == websocket.BinaryMessage {
			for err == nil {
				var n int
				n, err = r.Read(buffer)
				if grown := m.grow(offset, buffer[:n]); grown != nil {
					return grown
				}
				offset += n
			}
			continue // an error comes again
		}
		message, err := readText(r)
		if err != nil {
			return err
		}
		if err := m.text(conn, message); err != nil {
			return err
		}
	}
}

// grow adds bytes at an offset to the stream, unless it has them.
func (m *mirror) grow(offset int, b []byte) error {
	have := m.stream.Len()
	switch {
	case offset+len(b) > match.MaxStream:
		return errLongStream
	case offset+len(b) > have:
		m.stream.Append(b[have-offset:])
		m.total.Add(m, offset+len(b)-have)
	}
	return nil
}

// Drop implements match.Holder. The spectators are sent to the history.
func (m *mirror) Drop() {
	m.server.log.Warn("stopped the copy of a match of another host: the matches of this host and its copies show too much in all, and this one the most; see limits.streams_mb", "match", m.id)
	m.stop()
}

// report sends the number of spectators when it has changed.
func (m *mirror) report(conn *websocket.Conn, ended <-chan struct{}) {
	sent := 1 // with SpectateJoin
	for {
		m.mu.Lock()
		n := len(m.spectators)
		ready := m.admitted
		if ready && n != sent {
			m.info.Spectators += n - m.counted // until the other host confirms it
			m.counted = n
		}
		m.mu.Unlock()
		if ready && n != sent {
			sent = n
			_ = conn.SetWriteDeadline(time.Now().Add(requestTimeout))
			if conn.WriteMessage(websocket.TextMessage, protocol.Encode(relay.NameSpectators, relay.Spectators{Count: n})) != nil {
				return // reading fails too
			}
			select {
			case <-time.After(reportEvery):
			case <-ended:
				return
			}
		}
		select {
		case <-m.change:
		case <-ended:
			return
		}
	}
}

// text handles a text of the other host.
func (m *mirror) text(conn *websocket.Conn, message []byte) error {
	name, body, err := protocol.Split(message)
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.over {
		return errMirrorOver
	}
	switch name {
	case protocol.NameSpectateJoined:
		var r protocol.JoinedReply
		if err := protocol.Decode(name, body, &r); err != nil {
			return err
		}
		_ = conn.SetReadDeadline(time.Time{}) // the system notices that the other host is gone
		info, refused := r.Info.Get()
		switch {
		case refused != nil && !m.admitted:
			m.refuseLocked(refused)
			return errMirrorOver
		case refused != nil:
			return errMirrorOver // the match is gone; run ends it for the spectators
		}
		m.info, m.counted = info, 1
		if !m.admitted && !info.Running {
			m.admitAllLocked()
		}
		m.changed()
	case protocol.NameLobbyUpdate:
		var r protocol.LobbyEvent
		if err := protocol.Decode(name, body, &r); err != nil {
			return err
		}
		m.info = r.Info
		for s := range m.spectators {
			if m.admitted {
				s.Update(message)
			}
		}
	case protocol.NameSpectateStarted:
		if m.started {
			return nil
		}
		m.started = true
		for s := range m.spectators {
			if m.admitted {
				s.Playing(m.stream)
			}
		}
	case protocol.NameSpectateSynced:
		if !m.admitted {
			m.admitAllLocked()
		}
	case protocol.NameSpectateEnded:
		var r protocol.EndedReply
		if err := protocol.Decode(name, body, &r); err != nil || r.Result == nil {
			return errMirrorOver
		}
		m.over = true
		m.stream.End(*r.Result)
		return errMirrorOver
	case protocol.NameLobbyDelete:
		var r protocol.LobbyDelete
		if err := protocol.Decode(name, body, &r); err != nil {
			return err
		}
		m.expireLocked(r.Reason)
		return errMirrorOver
	}
	return nil
}

// admitAllLocked admits the spectators that wait.
func (m *mirror) admitAllLocked() {
	m.admitted = true
	for s := range m.spectators {
		m.admitLocked(s)
	}
	close(m.ready)
}
