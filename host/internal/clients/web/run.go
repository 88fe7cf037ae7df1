package web

import (
	"errors"
	"io"
	"time"
	"unicode/utf8"

	"github.com/gorilla/websocket"

	"colosseum/host/internal/base/arrival"
	"colosseum/host/internal/clients/outbox"
	"colosseum/host/internal/clients/seat"
)

func newSession(shared *shared, conn *websocket.Conn, frames *frames, address string) *session {
	s := &session{
		shared: shared, conn: conn, frames: frames, arrivals: arrival.Of(frames.conn), address: address,
		log:   shared.log.With("client", address, "session", shared.accepted.Add(1)),
		out:   outbox.New(frames.conn, shared.limits.Backlog, shared.limits.Ping, shared.budget, &shared.workers),
		state: shaking,
	}
	s.forSeats = seat.NewConn(s, s.out, s.arrivals)
	frames.upgraded = true
	if _, plain := frames.conn.(*arrival.TCPConn); plain {
		s.arrivals.Handle(s.shortMessages)
	}
	return s
}

// run reads until the connection ends, and then ends the session.
func (s *session) run() {
	s.log.Debug("connected")
	defer s.end()
	_ = s.conn.SetReadDeadline(time.Now().Add(s.shared.limits.Handshake))
	control := func(data string) error {
		if err := s.pay(frameHead + len(data)); err != nil {
			return err
		}
		if s.version == 0 || s.out.Closing() {
			return nil // only a handshake extends the first deadline
		}
		s.out.Heard(time.Now())
		s.out.ExtendRead(s.maxSilence())
		return nil
	}
	s.conn.SetPongHandler(func(data string) error {
		came := time.Now()
		if s.arrivals != nil {
			came = s.arrivals.Last()
		}
		if s.forSeats.Pong(data, came) {
			s.showLag()
		}
		if u, _ := s.relaying(); u != nil {
			u.Control(websocket.PongMessage, data)
		}
		return control(data)
	})
	s.conn.SetPingHandler(func(data string) error {
		if u, active := s.relaying(); active {
			u.Control(websocket.PingMessage, data) // the answer shows what the other host has handled
		} else {
			s.out.Pong([]byte(data))
		}
		return control(data)
	})
	s.conn.SetCloseHandler(func(int, string) error { return nil }) // answered below
	for {
		kind, r, err := s.conn.NextReader()
		if s.frames.answer != nil {
			err = s.frames.answer
		}
		switch {
		case err != nil || s.out.Closing():
		case s.version == 0 && kind == websocket.BinaryMessage:
			err = breach("the first message must be a Handshake")
		default:
			err = s.receive(kind, func() error { return s.handle(kind, r) })
		}
		if err != nil {
			s.log.Debug("disconnected", "reason", err)
			if broken, ok := errors.AsType[protocolError](err); ok {
				if broken.limit != "" {
					s.shared.count(broken.limit)
				}
				s.left = true
				s.out.Close(broken.code, broken.text)
				s.drain()
			}
			if closed, ok := errors.AsType[*websocket.CloseError](err); ok && closed.Code != websocket.CloseAbnormalClosure {
				s.out.Answer(closed.Code)
			}
			// A page that is reloaded closes with another code.
			s.left = s.left || websocket.IsCloseError(err, websocket.CloseNormalClosure)
			return
		}
	}
}

// drain reads until the client has answered the close frame. If unread bytes
// were left when the connection is closed, the system would reset it, and the
// close frame could be lost.
func (s *session) drain() {
	var err error
	for err == nil {
		_, _, err = s.conn.NextReader()
	}
	s.frames.drain(err) // the library reads no more after an error
}

// shortMessages handles the short binary messages at the front of b, bytes from the
// connection, and returns their length. Programs send one for each turn, and the library
// would copy it twice.
func (s *session) shortMessages(b []byte) (n int, err error) {
	if s.version == 0 || !s.frames.between() {
		return 0, nil
	}
	for !s.out.Closing() {
		payload, length := shortMessage(b[n:])
		if length == 0 {
			break
		}
		n += length
		if err := s.receive(websocket.BinaryMessage, func() error {
			s.bytes = len(payload)
			return s.play(payload)
		}); err != nil {
			return n, err
		}
	}
	return n, nil
}

// receive handles a message that the client sends.
func (s *session) receive(kind int, handle func() error) error {
	began := time.Now()
	if s.version != 0 && (s.out.Heard(began) || kind == websocket.TextMessage) {
		s.out.ExtendRead(3 * s.shared.limits.Ping) // for the rest of the message
	}
	err := handle()
	if err == nil {
		err = s.pay(s.bytes)
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

// handle reads and handles one message. The session's frames bound its length.
func (s *session) handle(kind int, r io.Reader) error {
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
			if time.Since(read) > s.out.Resolution() {
				// The match had no room for the lines until now, so the session did not
				// read.
				s.out.ExtendRead(3 * s.shared.limits.Ping)
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
				return errNotUTF8
			}
			return onOtherStack(func() error { return s.request(message) })
		}
		if err != nil {
			return err
		}
	}
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
		s.played, s.partial = t, s.partial[:0]
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
