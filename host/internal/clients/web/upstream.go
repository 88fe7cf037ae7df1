package web

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/gorilla/websocket"

	"colosseum/host/internal/base/trace"
	"colosseum/host/internal/clients/outbox"
	"colosseum/host/internal/cluster/relay"
	"colosseum/protocol"
)

const (
	// replyTimeout is the timeout for the reply to the request for which a relay was
	// opened.
	replyTimeout = requestTimeout + 5*time.Second
	// maxText is the longest text of another host, in bytes.
	maxText = 4 << 20
)

var errLongText = errors.New("the other host sends a text that is too long")

// upstream is the relay of a session to another host. The session's goroutine writes to
// it, and run reads. It ends when the client is idle again. After the end of a match it
// stays until the client's next request, if the client can resume: if the connection
// breaks instead, the other host keeps the end.
type upstream struct {
	session *session
	conn    *websocket.Conn
	host    string
	request string        // for which it was opened
	replied chan struct{} // closed when the client has the reply, or is being disconnected

	// The session's mu guards the fields below.
	answered  bool // replied is closed, or about to be
	resumable bool // the client has a ticket
	playing   bool // the match has started
	leaving   bool // the client leaves its waiting match, and expects an answer
	over      bool // the match has ended
}

// replyNames are the names of the replies to the requests that are relayed.
var replyNames = map[string]string{
	protocol.NameGameNew:        protocol.NameGameNew,
	protocol.NameLobbyFindMatch: protocol.NameLobbyJoinedMatch,
	protocol.NameLobbyJoinMatch: protocol.NameLobbyJoinedMatch,
	protocol.NameMatchResume:    protocol.NameMatchResumed,
	protocol.NameServe:          protocol.NameServing,
}

// relay sends a request to another host, and returns when the client has the reply or is
// being disconnected. With an error, the other host has not received the request.
func (s *session) relay(ctx context.Context, host, name string, message []byte) (err error) {
	ctx, span := s.server.tracer.Start(ctx, trace.Client, "relay")
	span.Text("to", host)
	defer func() { span.End(err) }()
	conn, err := s.server.cluster.Dial(ctx, host, relay.Client{Address: s.address, Player: s.player, Version: s.version})
	if err != nil {
		return err
	}
	u := &upstream{session: s, conn: conn, host: host, request: name, replied: make(chan struct{})}
	s.server.relays.Add(1)
	s.mu.Lock()
	s.state, s.upstream = relayed, u
	s.mu.Unlock()
	if s.out.Closing() { // the server closes, and might not have seen this relay
		u.cut()
	}
	conn.SetPingHandler(func(data string) error {
		if u.inUse() {
			s.out.Ping([]byte(data)) // so that the other host measures the lag of the client
		}
		return nil
	})
	conn.SetPongHandler(func(data string) error {
		if u.inUse() {
			s.out.Pong([]byte(data))
		}
		return nil
	})
	_ = conn.SetReadDeadline(time.Now().Add(replyTimeout))
	if err := conn.WriteMessage(websocket.TextMessage, message); err != nil {
		s.become(relayed, idle, "")
		s.mu.Lock()
		s.upstream = nil
		s.mu.Unlock()
		u.cut()
		s.server.relays.Add(-1)
		return err
	}
	s.server.wait.Add(1)
	go u.run() // ends with the relay
	<-u.replied
	return nil
}

// inUse reports whether the session still has the relay.
func (u *upstream) inUse() bool {
	u.session.mu.Lock()
	defer u.session.mu.Unlock()
	return u.session.upstream == u
}

// run passes messages to the client until the relay ends.
func (u *upstream) run() {
	s := u.session
	defer s.server.wait.Done()
	defer s.server.relays.Add(-1)
	err := u.read()
	u.cut()
	s.mu.Lock()
	used, over, answered := s.upstream == u, u.over, u.answered
	if used {
		s.upstream = nil
	}
	u.answered = true
	s.mu.Unlock()
	if code, reason := closeOf(err); used && (!over || code == protocol.CloseReplaced) {
		s.log.Debug("the relay ended", "host", u.host, "reason", err)
		s.out.Close(code, reason)
	}
	if !answered {
		close(u.replied)
	}
}

// closeOf returns the close code and the reason for a client after its relay has ended.
func closeOf(err error) (code int, reason string) {
	closed, ok := errors.AsType[*websocket.CloseError](err)
	if !ok || closed.Text == "" {
		return protocol.CloseShutdown, reconnect
	}
	switch closed.Code {
	case protocol.CloseProtocol, protocol.CloseTooSlow, protocol.CloseLimit, protocol.CloseShutdown, protocol.CloseToken, protocol.CloseReplaced,
		websocket.CloseProtocolError, websocket.CloseInvalidFramePayloadData, websocket.CloseMessageTooBig:
		return closed.Code, closed.Text
	}
	return protocol.CloseShutdown, reconnect
}

// read passes messages to the client. It drops them once the session has dropped the
// relay, and returns when it has ended.
func (u *upstream) read() error {
	for {
		kind, r, err := u.conn.NextReader()
		if err == nil && kind == websocket.BinaryMessage {
			err = u.bytes(r)
		} else if err == nil {
			err = u.text(r)
		}
		if err != nil {
			return err
		}
	}
}

// bytes passes bytes of the match to the client.
func (u *upstream) bytes(r io.Reader) error {
	buffer := readBuffers.Get().(*[4096]byte)
	defer readBuffers.Put(buffer)
	s := u.session
	for {
		n, err := r.Read(buffer[:])
		if n > 0 {
			s.mu.Lock()
			if s.upstream == u {
				s.out.Send(buffer[:n])
			}
			s.mu.Unlock()
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// readText reads a text of another host.
func readText(r io.Reader) ([]byte, error) {
	message, err := io.ReadAll(io.LimitReader(r, maxText+1))
	if err == nil && len(message) > maxText {
		err = errLongText
	}
	return message, err
}

// text passes a text to the client, and ends the relay if the client is idle then.
func (u *upstream) text(r io.Reader) error {
	message, err := readText(r)
	if err != nil {
		return err
	}
	name, body, err := protocol.Split(message)
	if err != nil {
		return fmt.Errorf("the other host does not speak the protocol: %w", err)
	}
	s := u.session
	s.mu.Lock()
	idleAgain := s.upstream == u && u.passLocked(name, body, message)
	if idleAgain {
		s.state, s.upstream = idle, nil
	}
	replied := u.answered
	s.mu.Unlock()
	if replied && name == replyNames[u.request] {
		u.release()
	}
	if idleAgain {
		u.leave()
	}
	return nil
}

// release lets the session continue after the reply.
func (u *upstream) release() {
	select {
	case <-u.replied: // it is a later reply to Serve
	default:
		close(u.replied)
	}
}

// passLocked passes a text to the client. It reports whether the relay is over: the
// client is idle, and has received everything.
func (u *upstream) passLocked(name string, body, message []byte) (idleAgain bool) {
	s := u.session
	if !u.answered && name == replyNames[u.request] {
		u.answered = true
		_ = u.conn.SetReadDeadline(time.Time{}) // the system notices that the other host is gone
		s.out.Reply(message, false)
		var r reply
		if protocol.Decode(name, body, &r) != nil || r.refused() {
			return true
		}
		u.resumable = r.Ticket != "" || name == protocol.NameMatchResumed
		return name == protocol.NameGameNew
	}
	s.out.Push(message)
	switch name {
	case protocol.NameMatchStarted:
		u.playing, u.leaving = true, false
	case protocol.NameMatchEnded:
		u.over = true
		s.state = idle
		keep := s.server.limits.Resume
		if !u.resumable || keep <= 0 {
			return true
		}
		_ = u.conn.SetReadDeadline(time.Now().Add(keep)) // then the other host has forgotten the end
	case protocol.NameLobbyDelete:
		return !u.leaving
	case protocol.NameLobbyLeavedMatch:
		return !u.over
	}
	return false
}

// reply is what all replies to relayed requests have in common.
type reply struct {
	ID, Info, Player struct {
		Err *string `json:"Err"`
	}
	Ticket string `json:"ticket"`
}

func (r reply) refused() bool { return r.ID.Err != nil || r.Info.Err != nil || r.Player.Err != nil }

// send passes a message of the client to the other host. It waits while that host does
// not read.
func (u *upstream) send(kind int, message []byte) {
	if err := u.conn.WriteMessage(kind, message); err != nil {
		u.cut() // which ends run
	}
}

// control passes a ping or pong of the client to the other host.
func (u *upstream) control(kind int, data string) {
	if err := u.conn.WriteControl(kind, []byte(data), time.Time{}); err != nil {
		u.cut()
	}
}

// leave ends the relay with a close frame: the client leaves its match on the other host.
// Messages that still arrive are dropped.
func (u *upstream) leave() { closeRelay(u.conn) }

// closeRelay sends a close frame. The other host answers it, which ends reading.
func closeRelay(conn *websocket.Conn) {
	by := time.Now().Add(outbox.CloseTimeout)
	_ = conn.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(websocket.CloseNormalClosure, ""), by)
	_ = conn.SetReadDeadline(by)
}

// cut ends the relay without a close frame: the client can resume its seat.
func (u *upstream) cut() { cutRelay(u.conn) }

func cutRelay(conn *websocket.Conn) {
	below := conn.NetConn()
	if t, ok := below.(*tls.Conn); ok {
		below = t.NetConn() // TLS would send an alert, and wait
	}
	_ = below.Close()
}

// forward passes a text of the client to the other host. It reports false if the relay
// has ended in the meantime; then this host must answer.
func (s *session) forward(u *upstream, message []byte) (done bool) {
	name, _, _ := protocol.Split(message) // the other host refuses what is not a message
	s.mu.Lock()
	if s.upstream != u || s.state != relayed {
		done = s.state == relayed // the client is being disconnected
		s.mu.Unlock()
		return done
	}
	if name == protocol.NameLobbyLeaveMatch && !u.playing {
		u.leaving = true
	}
	s.mu.Unlock()
	u.send(websocket.TextMessage, message)
	return true
}
