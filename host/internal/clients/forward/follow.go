package forward

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"colosseum/host/internal/cluster/relay"
	"colosseum/host/internal/play/match"
	"colosseum/protocol"
)

const (
	reportEvery = time.Second // between two reports of the number of spectators

	// The delay before a mirror connects again doubles from the first to the last.
	firstRedial = 100 * time.Millisecond
	lastRedial  = 5 * time.Second
)

// Errors that end a connection of a mirror.
var (
	errMirrorOver = errors.New("the match has ended")
	errLongStream = errors.New("the other host sends a stream that is too long")
	errNoOwner    = errors.New("no host lists the match")
)

// run follows the match until it ends or nobody watches it.
func (m *Mirror) run() {
	h := m.hosts
	defer h.wait.Done()
	defer m.stop()
	delay := firstRedial
	for {
		had := m.stream.Len()
		err := m.follow()
		if errors.Is(err, errMirrorOver) || m.ctx.Err() != nil {
			break
		}
		h.log.Warn("lost the connection to the host of a match that is watched", "match", m.id, "error", err)
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
	h.mirrors.mu.Lock()
	m.removeLocked()
	h.mirrors.mu.Unlock()
	m.mu.Lock()
	defer m.mu.Unlock()
	m.finishLocked(rec)
}

// listed reports whether another host has the match.
func (m *Mirror) listed() bool {
	if x, ok := m.hosts.lobby.Elsewhere(m.id); ok {
		return !x.Gone
	}
	ctx, cancel := context.WithTimeout(m.ctx, m.hosts.timeout)
	defer cancel()
	host, _ := m.hosts.cluster.Owner(ctx, m.id) // with an error, no host can be asked either
	return host != ""
}

// follow copies the match over one relay until that ends.
func (m *Mirror) follow() error {
	h := m.hosts
	ctx, cancel := context.WithTimeout(m.ctx, m.hosts.timeout)
	defer cancel()
	host, err := h.cluster.Owner(ctx, m.id)
	if err != nil {
		return err
	}
	if host == "" {
		return errNoOwner
	}
	conn, err := h.cluster.Dial(ctx, host, relay.Client{Version: protocol.Version, Spectators: true})
	if err != nil {
		return err
	}
	h.relays.Add(1)
	defer h.relays.Add(-1)
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
	_ = conn.SetReadDeadline(time.Now().Add(h.replyTimeout()))
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
func (m *Mirror) grow(offset int, b []byte) error {
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
func (m *Mirror) Drop() {
	m.hosts.log.Warn("stopped the copy of a match of another host: the matches of this host and its copies show too much in all, and this one the most; see limits.streams_mb", "match", m.id)
	m.stop()
}

// report sends the number of spectators when it has changed.
func (m *Mirror) report(conn *websocket.Conn, ended <-chan struct{}) {
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
			_ = conn.SetWriteDeadline(time.Now().Add(m.hosts.timeout))
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
func (m *Mirror) text(conn *websocket.Conn, message []byte) error {
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
