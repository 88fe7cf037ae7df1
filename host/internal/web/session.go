package web

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/gorilla/websocket"

	"colosseum/host/internal/arrival"
	"colosseum/host/internal/match"
	"colosseum/protocol"
)

// state is what a session is doing, which decides what its client may say.
type state int

const (
	shaking    state = iota // the handshake has not come yet
	idle                    // requests are answered
	subscribed              // the live lobby is sent
	joined                  // in a match that waits
	playing
	watching // a match that waits or runs
)

// session is one client's connection. Its goroutine, run, reads; whoever has
// something for the client queues it, and one of the workers writes it.
type session struct {
	server   *Server
	conn     *websocket.Conn
	frames   *frames // under conn
	log      *slog.Logger
	address  string
	arrivals *arrival.Reader // nil: the connection does not know when bytes came
	visitor  *visitor        // nil: no limits of the address apply

	// For run's goroutine alone.
	version int
	played  int    // the match that bytes came for last, as matches counts: a pointer would keep its record
	partial []byte // the player's line in it that is not complete
	bytes   int    // of the message that was read last

	writer

	mu      sync.Mutex // guards the fields below; the writer's own may be taken after it
	state   state
	id      string       // of the match, when joined, playing or watching
	match   *match.Match // when playing
	matches int          // that began
	seat    int
}

func newSession(s *Server, conn *websocket.Conn, frames *frames, address string) *session {
	sess := &session{
		server: s, conn: conn, frames: frames, arrivals: arrival.Of(frames.conn), address: address,
		log: s.log.With("client", address, "session", s.number.Add(1)),
	}
	sess.init(conn, s.limits.Backlog, s.limits.Ping, &s.load, &s.workers)
	return sess
}

// run reads until the connection ends, and leaves no trace of the session.
func (s *session) run() {
	s.log.Debug("connected")
	defer s.end()
	_ = s.conn.SetReadDeadline(time.Now().Add(s.server.limits.Handshake))
	alive := func(data string) error {
		if err := s.pay(frameHead + len(data)); err != nil {
			return err
		}
		if s.version == 0 || s.shut.Load() {
			return nil // only a handshake buys more time
		}
		s.heard()
		s.extend(s.patience())
		return nil
	}
	s.conn.SetPongHandler(alive)
	s.conn.SetPingHandler(func(data string) error {
		_ = s.conn.WriteControl(websocket.PongMessage, []byte(data), time.Now().Add(s.server.limits.Ping))
		return alive(data)
	})
	for {
		kind, r, err := s.conn.NextReader()
		if err == nil {
			err = s.receive(kind, r)
		}
		if err != nil {
			s.log.Debug("disconnected", "reason", err)
			if broken, ok := errors.AsType[protocolError](err); ok {
				if limit := broken.limit(); limit != "" {
					s.server.limit(limit)
				}
				s.close(broken.code, broken.text)
				s.drain()
			}
			return
		}
	}
}

// drain reads on, for a short while, so that the close frame is not lost with
// a connection that is reset because of bytes that nobody read.
func (s *session) drain() {
	for {
		if _, _, err := s.conn.NextReader(); err != nil {
			break
		}
	}
	s.frames.drain()
}

// protocolError is what the client did wrong; it closes the connection.
type protocolError struct {
	code int
	text string
}

func (e protocolError) Error() string { return e.text }

// limit names the limit that a client met; empty: it broke the protocol.
func (e protocolError) limit() string {
	switch {
	case e == tooMuch:
		return limitBytes
	case e == tooMuchRead:
		return limitReads
	case e == errTooManyReaders:
		return limitHostReads
	case e == errBusy:
		return limitBusy
	case e == tooLongMessage, e.code == protocol.CloseLimit:
		return limitMessage
	default:
		return ""
	}
}

var tooMuch = protocolError{protocol.CloseLimit, "too many bytes from your address: send less"}

var tooLongMessage = protocolError{websocket.CloseMessageTooBig, fmt.Sprintf("a message is longer than %d bytes", protocol.MaxMessage)}

// noText is for a text message that RFC 6455, 8.1, does not allow.
var noText = protocolError{websocket.CloseInvalidFramePayloadData, "a text message is not valid UTF-8"}

func breach(format string, args ...any) error {
	return protocolError{protocol.CloseProtocol, fmt.Sprintf(format, args...)}
}

var readBuffers = sync.Pool{New: func() any { return new([4096]byte) }}

// receive handles one message.
func (s *session) receive(kind int, r io.Reader) error {
	if s.shut.Load() {
		return nil
	}
	if s.version == 0 && kind == websocket.BinaryMessage {
		return breach("the first message must be a Handshake")
	}
	began := time.Now()
	if s.version != 0 && (s.heardAt(began) || kind == websocket.TextMessage) {
		s.extend(3 * s.server.limits.Ping) // a message that has begun must end
	}
	err := s.take(kind, r)
	if err == nil {
		err = s.pay(s.bytes)
	}
	if err == nil && s.version != 0 && (time.Since(began) > s.grain || kind == websocket.TextMessage) {
		// We did not read meanwhile, so the silence was not the client's. And
		// what it asked for may have changed how long it may be silent.
		s.extend(s.patience())
	}
	return err
}

// restTime is how long a client may be silent that takes part in nothing. The
// original one shakes hands, and then reads nothing, not even a ping, until
// somebody has opened its pipes: only then does it ask for a seat.
const restTime = 30 * time.Minute

// patience is how long the client may be silent now.
func (s *session) patience() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state == idle {
		return restTime
	}
	return 3 * s.server.limits.Ping
}

// take reads one message and does what it says. Frames bounds its length.
func (s *session) take(kind int, r io.Reader) error {
	buffer := readBuffers.Get().(*[4096]byte)
	defer readBuffers.Put(buffer)
	if kind == websocket.BinaryMessage {
		for total := 0; ; {
			n, err := r.Read(buffer[:])
			total += n
			read := time.Now()
			if err := s.play(buffer[:n]); err != nil {
				return err
			}
			if time.Since(read) > s.grain {
				// The match took the lines in no sooner: the rest of the message
				// may have come meanwhile, and we did not look.
				s.extend(3 * s.server.limits.Ping)
			}
			if err == io.EOF {
				s.bytes = total
				return nil
			}
			if err != nil {
				return err
			}
		}
	}
	message := buffer[:0]
	for {
		if len(message) == cap(message) {
			message = append(message, 0)[:len(message)]
		}
		n, err := r.Read(message[len(message):cap(message)])
		message = message[:len(message)+n]
		if err == io.EOF {
			s.bytes = len(message)
			if !utf8.Valid(message) {
				return noText
			}
			return s.aside(func() error { return s.request(message) })
		}
		if err != nil {
			return err
		}
	}
}

// maxPause is how long a client may be kept from being read because its address
// sends more than it may.
const maxPause = time.Second

// frameHead is what a short frame of a client has besides its data, in bytes.
const frameHead = 6

// pay counts bytes that were read. When the client's address sends more than
// it may, the next are read later; when many clients of it wait so already,
// the client is cut.
func (s *session) pay(n int) error {
	s.server.read.Add(uint64(n))
	if s.visitor == nil || s.visitor.bytes == nil {
		return nil
	}
	turn := s.visitor.bytes.ReserveN(time.Now(), n)
	wait := turn.Delay()
	switch {
	case wait == 0:
		return nil
	case wait > maxPause:
		turn.Cancel()
		return tooMuch
	}
	time.Sleep(wait)
	return nil
}

// aside runs a function on a goroutine of its own and waits for it. Parsing and
// answering needs a deep stack, which the session's goroutine would keep for
// as long as the connection lives: 8 KiB instead of 4.
func (s *session) aside(f func() error) error {
	done := make(chan error)
	go func() { done <- f() }() // ends with f
	return <-done
}

// play takes bytes of the player's program. Outside a match they are ignored.
func (s *session) play(b []byte) error {
	came := time.Now() // all of b; its message may have begun long ago
	if s.arrivals != nil {
		came = s.arrivals.Last()
	}
	s.mu.Lock()
	m, number, seat := s.match, s.matches, s.seat
	s.mu.Unlock()
	if m == nil {
		return nil
	}
	if number != s.played {
		s.played, s.partial = number, s.partial[:0]
	}
	return s.lines(b, func(text string) { m.Line(seat, text, came) })
}

// end takes the session out of whatever it was doing.
func (s *session) end() {
	s.mu.Lock()
	state, id := s.state, s.id
	s.mu.Unlock()
	switch state {
	case subscribed:
		s.server.lobby.Unsubscribe(s)
	case joined:
		s.server.lobby.Leave(s, id)
	case watching:
		s.server.lobby.Unspectate(s, id)
		s.unfollow()
	}
	// The match may have begun since the state was read.
	s.mu.Lock()
	m, seat := s.match, s.seat
	s.mu.Unlock()
	if m != nil {
		m.Leave(seat)
	}
	s.stop()
	_ = s.conn.Close()
}

// close sends a close frame and cuts the connection, which ends run. It may
// be called from anywhere and does not block.
func (s *session) close(code int, reason string) { s.cut(code, reason) }

// become changes the state, when it is still the one given.
func (s *session) become(from, to state, id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state != from {
		return false
	}
	s.state, s.id = to, id
	return true
}
