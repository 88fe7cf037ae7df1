package forward

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"colosseum/host/internal/play/lobby"
	"colosseum/host/internal/play/match"
	"colosseum/protocol"
)

// mirrorKeep is how long a mirror stays without spectators.
const mirrorKeep = 5 * time.Second

// mirrors are the matches of other hosts that clients of this host watch.
type mirrors struct {
	mu   sync.Mutex // guards the field below, and users and expiry of all mirrors; it is taken last
	byID map[string]*Mirror
}

// Mirror is a copy of a match of another host, for the spectators of this one. It has
// one relay to the other host, which counts them all. It calls them as the lobby does, with
// mu held, so no lock of a session can be held when its methods are called.
type Mirror struct {
	hosts  *Hosts
	id     string
	ctx    context.Context // ends with stop, when there are no spectators
	stop   context.CancelFunc
	total  *match.Total // in which the stream counts
	begin  sync.Once    // run
	stream *match.Stream
	ready  chan struct{} // closed when the first spectators have been admitted or refused
	change chan struct{} // the number of spectators has changed; full: one message is enough

	// Guarded by mirrors.mu.
	users  int         // spectators, also those that wait until they are admitted
	expiry *time.Timer // runs while there are no users; nil: there have always been some

	mu         sync.Mutex // guards the fields below; the mutexes of a session and an outbox can be taken while it is held
	spectators map[lobby.Spectator]struct{}
	admitted   bool  // ready is closed, and err is nil
	err        error // for spectators that are refused; nil: none are
	info       protocol.MatchInfo
	counted    int // number of this host's spectators in info.Spectators
	started    bool
	over       bool
	host       string // to which conn is
	conn       *websocket.Conn
}

// Mirror returns the mirror of a match for one spectator, which must call Join.
func (h *Hosts) Mirror(id string) *Mirror {
	ms := &h.mirrors
	ms.mu.Lock()
	defer ms.mu.Unlock()
	m := ms.byID[id]
	if m == nil {
		ctx, stop := context.WithCancel(h.ctx)
		m = &Mirror{
			hosts: h, id: id, ctx: ctx, stop: stop, ready: make(chan struct{}), change: make(chan struct{}, 1),
			spectators: map[lobby.Spectator]struct{}{}, stream: match.NewStream(), total: h.lobby.Streams(),
		}
		ms.byID[id] = m
		h.wait.Add(1)
	}
	m.users++
	if m.expiry != nil {
		m.expiry.Stop()
	}
	return m
}

// release undoes one call of Mirror.
func (m *Mirror) release() {
	ms := &m.hosts.mirrors
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

// removeLocked makes the next spectator have another mirror. The lock that must be held is
// that of the mirrors.
func (m *Mirror) removeLocked() {
	if ms := &m.hosts.mirrors; ms.byID[m.id] == m {
		delete(ms.byID, m.id)
	}
}

// Join adds a spectator, and waits until it is admitted. The error is for the client; then
// the spectator must not call Leave.
func (m *Mirror) Join(ctx context.Context, s lobby.Spectator) error {
	err := m.join(ctx, s)
	if err != nil {
		m.release()
	}
	return err
}

func (m *Mirror) join(ctx context.Context, s lobby.Spectator) error {
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
	// Not before the first spectator is there, or report would take it back.
	m.begin.Do(func() { go m.run() }) // ends with the match, or some time after the last spectator has left
	m.changed()
	select {
	case <-m.ready:
	case <-ctx.Done():
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, in := m.spectators[s]; in && m.admitted {
		return nil // also if the match has ended since then, as the spectator has seen
	}
	delete(m.spectators, s)
	if m.err == nil {
		return ErrUnreachable
	}
	return m.err
}

// admitLocked shows a spectator the match.
func (m *Mirror) admitLocked(s lobby.Spectator) {
	if m.started {
		s.Watching(m.infoLocked(), m.stream)
	} else {
		s.Watching(m.infoLocked(), nil)
	}
}

// infoLocked returns the match with the number of spectators that will soon be
// reported.
func (m *Mirror) infoLocked() protocol.MatchInfo {
	info := m.info
	info.Spectators += len(m.spectators) - m.counted
	return info
}

// Leave removes a spectator, if the match has not ended for it.
func (m *Mirror) Leave(s lobby.Spectator) {
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
func (m *Mirror) changed() {
	select {
	case m.change <- struct{}{}:
	default:
	}
}

// admitAllLocked admits the spectators that wait.
func (m *Mirror) admitAllLocked() {
	m.admitted = true
	for s := range m.spectators {
		m.admitLocked(s)
	}
	close(m.ready)
}

// refuseLocked refuses the spectators that wait.
func (m *Mirror) refuseLocked(err error) {
	m.err = err
	close(m.ready)
}

func (m *Mirror) isAdmitted() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.admitted
}

func (m *Mirror) setRelay(host string, conn *websocket.Conn) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.host, m.conn = host, conn
}

// breakRelay ends the relay to a host that is dead.
func (m *Mirror) breakRelay(host string) {
	m.mu.Lock()
	conn := m.conn
	if m.host != host {
		conn = nil
	}
	m.mu.Unlock()
	if conn != nil {
		cutRelay(conn)
	}
}

// all returns all mirrors.
func (ms *mirrors) all() []*Mirror {
	ms.mu.Lock()
	defer ms.mu.Unlock()
	return slices.Collect(maps.Values(ms.byID))
}
