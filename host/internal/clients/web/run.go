package web

import (
	"bytes"
	"errors"
	"io"
	"net"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/gorilla/websocket"

	"colosseum/host/internal/base/arrival"
	"colosseum/host/internal/base/limit"
	"colosseum/host/internal/clients/inbox"
	"colosseum/host/internal/clients/outbox"
	"colosseum/host/internal/clients/seat"
	"colosseum/protocol"
)

// frameHead is the length of the header and mask of a short frame.
const frameHead = 6

func newSession(shared *shared, conn net.Conn, address string) *session {
	s := &session{
		shared: shared, conn: conn, arrivals: arrival.Of(conn), address: address,
		number: shared.accepted.Add(1),
		out:    outbox.New(conn, shared.limits.Backlog, shared.limits.Ping, shared.budget),
		state:  shaking,
	}
	s.in = inbox.New(conn, protocol.MaxMessage, s.control)
	s.forSeats = seat.NewConn(s, s.out, s.arrivals)
	return s
}

// run reads until the connection ends, and then ends the session.
func (s *session) run() {
	s.log().Debug("connected")
	defer s.end()
	_ = s.conn.SetReadDeadline(time.Now().Add(s.shared.limits.Handshake))
	for {
		kind, err := s.in.Next()
		switch {
		case err != nil || s.out.Closing():
		case s.version == 0 && kind == websocket.BinaryMessage:
			err = breach("the first message must be a Handshake")
		default:
			err = s.receive(kind)
		}
		if err != nil {
			s.log().Debug("disconnected", "reason", err)
			s.closeFor(err)
			return
		}
	}
}

// closeFor sends the close frame for the error that ends reading, unless the connection is
// broken.
func (s *session) closeFor(err error) {
	if refused, ok := errors.AsType[*inbox.Refusal](err); ok {
		broken := protocolError{code: refused.Code, text: refused.Text}
		if refused.Code == websocket.CloseMessageTooBig {
			broken.limit = limit.Message
		}
		err = broken
	}
	if broken, ok := errors.AsType[protocolError](err); ok {
		if broken.limit != "" {
			s.shared.count(broken.limit)
		}
		s.left = true
		s.out.Close(broken.code, broken.text)
		// If unread bytes were left when the connection is closed, the system would
		// reset it, and the close frame could be lost.
		s.in.Drain()
	}
	if closed, ok := errors.AsType[*websocket.CloseError](err); ok {
		// A page that is reloaded closes with another code.
		s.left = closed.Code == websocket.CloseNormalClosure
		s.out.Answer(closed.Code)
	}
}

// control handles a ping or a pong.
func (s *session) control(kind int, payload []byte) error {
	u, active := s.relaying()
	if kind == websocket.PongMessage {
		came := time.Now()
		if s.arrivals != nil {
			came = s.arrivals.Last()
		}
		if s.forSeats.Pong(string(payload), came) {
			s.showLag()
		}
		if u != nil {
			u.Control(kind, string(payload))
		}
	} else if active {
		u.Control(kind, string(payload)) // the answer shows what the other host has handled
	} else {
		s.out.Pong(bytes.Clone(payload))
	}
	if err := s.pay(frameHead + len(payload)); err != nil {
		return err
	}
	if s.version == 0 || s.out.Closing() {
		return nil // only a handshake extends the first deadline
	}
	s.out.Heard(time.Now())
	s.out.ExtendRead(s.maxSilence())
	return nil
}

// receive reads and handles a message.
func (s *session) receive(kind int) error {
	began := time.Now()
	if s.version != 0 && (s.out.Heard(began) || kind == websocket.TextMessage) {
		s.out.ExtendRead(3 * s.shared.limits.Ping) // for the rest of the message
	}
	read := s.readBytes
	if kind == websocket.TextMessage {
		read = s.readText
	}
	n, err := read()
	if err == nil {
		err = s.pay(n)
	}
	if err == nil && s.version != 0 && (time.Since(began) > s.out.Resolution() || kind == websocket.TextMessage) {
		// While it handled the message, the session did not read, so the client was
		// not silent. And a request can change the allowed silence.
		s.out.ExtendRead(s.maxSilence())
	}
	return err
}

// maxIdleSilence is how long an idle client can be silent. After its handshake,
// the original client reads nothing, not even a ping, until a program has opened
// its pipes. Then it asks for a seat.
const maxIdleSilence = 30 * time.Minute

// maxSilence returns how long the client can be silent now.
func (s *session) maxSilence() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state == idle {
		return maxIdleSilence
	}
	return 3 * s.shared.limits.Ping
}

var readBuffers = sync.Pool{New: func() any { return new([4096]byte) }}

// readBytes reads and handles a message of a player's program, of n bytes.
func (s *session) readBytes() (n int, err error) {
	buffer := readBuffers.Get().(*[4096]byte)
	defer readBuffers.Put(buffer)
	for {
		part, err := s.in.Read(buffer[:])
		n += part
		read := time.Now()
		if err := s.play(buffer[:part]); err != nil {
			return n, err
		}
		if time.Since(read) > s.out.Resolution() {
			// The match had no room for the lines until now, so the session did not
			// read.
			s.out.ExtendRead(3 * s.shared.limits.Ping)
		}
		if err == io.EOF {
			return n, nil
		}
		if err != nil {
			return n, err
		}
	}
}

// readText reads and handles a request of n bytes, or another text.
func (s *session) readText() (n int, err error) {
	buffer := readBuffers.Get().(*[4096]byte)
	defer readBuffers.Put(buffer)
	message := buffer[:0]
	for {
		if len(message) == cap(message) {
			message = append(message, 0)[:len(message)]
		}
		part, err := s.in.Read(message[len(message):cap(message)])
		message = message[:len(message)+part]
		if err == io.EOF {
			break
		}
		if err != nil {
			return len(message), err
		}
	}
	if !utf8.Valid(message) {
		return len(message), errNotUTF8
	}
	return len(message), onOtherStack(func() error { return s.request(message) })
}

// pay counts bytes that were read. If the client's address sends too many, it
// waits, and so delays the next read. For a relay, the host of the client does that.
func (s *session) pay(n int) error {
	s.shared.read.Add(uint64(n))
	if s.byRelay {
		return nil
	}
	wait, ok := s.from.TakeBytes(n, maxPause)
	if !ok {
		return errTooManyBytes
	}
	time.Sleep(wait)
	return nil
}

// onOtherStack runs f on another goroutine and waits for it. Parsing and answering
// need 8 KiB of stack instead of 4, which the session's goroutine would keep until
// the connection ends.
func onOtherStack(f func() error) error {
	done := make(chan error)
	go func() { done <- f() }() // ends with f
	return <-done
}

// play passes bytes of the player's program to its match. Without a match they
// are ignored.
func (s *session) play(b []byte) error {
	came := time.Now() // for all of b; its message can have begun long before
	if s.arrivals != nil {
		came = s.arrivals.Last()
	}
	s.mu.Lock()
	t, state, u := s.seat, s.state, s.upstream
	s.mu.Unlock()
	if state == relayed && u != nil && len(b) > 0 {
		u.Bytes(b)
	}
	if state != playing {
		return nil
	}
	if t != s.played {
		s.played, s.partial, s.maxLine = t, nil, max(s.shared.limits.Line, t.MaxLine())
	}
	return s.lines(b, func(line string) { t.Line(s.forSeats, line, came) })
}

// end leaves the lobby or the match, and closes the connection.
func (s *session) end() {
	s.mu.Lock()
	state, id, t, ended, u := s.state, s.id, s.seat, s.ended, s.upstream
	s.upstream = nil
	s.mu.Unlock()
	switch state {
	case subscribed:
		s.shared.lobby.Unsubscribe(s)
	case offered:
		s.shared.desk.Leave(s, s.player)
	case watching:
		s.unspectate(id)
	case watchingMany:
		s.keepBoards(nil)
	}
	if u != nil {
		u.End(s.left)
	}
	if t != nil {
		t.Disconnected(s.forSeats, s.left)
	}
	if ended != nil {
		ended.Disconnected(s.forSeats, s.left)
	}
	if s.out.Closing() {
		s.out.WaitForEnd()
	}
	s.out.Stop()
	_ = s.conn.Close()
}
