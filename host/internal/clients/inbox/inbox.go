// Package inbox reads the messages of clients: the frames of RFC 6455, 5, at the server's
// end of a WebSocket. The library does the handshake, and package outbox writes.
package inbox

import (
	"io"
	"net"

	"github.com/gorilla/websocket"
)

// bufferSize is small, because most connections idle, and the payload of a long message is
// read into the memory of the caller. The header and payload of a control frame fit, and a
// dozen lines that came at once.
const bufferSize = 144

// Inbox is the reading side of one connection. Its methods must be called by one goroutine.
type Inbox struct {
	conn    net.Conn
	limit   uint64 // bytes of a message
	control func(kind int, payload []byte) error

	buffer     [bufferSize]byte
	start, end int // of the bytes in buffer that are not used yet

	kind    int    // of the current message; 0: there is none
	final   bool   // the current frame is its last
	message uint64 // bytes that its frames have announced
	left    uint64 // bytes of the current frame
	mask    [4]byte
	masked  int  // bytes of the current frame that were unmasked
	closed  bool // a close frame came
}

// New returns the inbox of a connection whose messages have at most limit bytes. Next and
// Read pass pings and pongs to control, and return its error. It must not keep the payload.
func New(conn net.Conn, limit int, control func(kind int, payload []byte) error) *Inbox {
	return &Inbox{conn: conn, limit: uint64(limit), control: control}
}

// Next drops what is left of the current message and waits for the next. It returns its
// kind, websocket.TextMessage or BinaryMessage, as soon as the header of its first frame is
// read. The error is a *Refusal, a *websocket.CloseError when the client closes, or one of
// the connection or of control. After an error, only Drain can be called.
func (in *Inbox) Next() (kind int, err error) {
	if in.kind != 0 {
		if _, err := io.Copy(io.Discard, in); err != nil {
			return 0, err
		}
	}
	if err := in.nextFrame(); err != nil {
		return 0, err
	}
	return in.kind, nil
}

// Read reads the payload of the current message, and returns io.EOF together with its last
// bytes. Its other errors are those of Next.
func (in *Inbox) Read(p []byte) (n int, err error) {
	for in.left == 0 && in.kind != 0 && !in.final {
		if err := in.nextFrame(); err != nil {
			return 0, err
		}
	}
	if n, err = in.payload(p); err != nil {
		return n, err
	}
	if in.left == 0 && in.final {
		in.kind = 0
		return n, io.EOF
	}
	return n, nil
}

// Drain reads and drops bytes until a close frame has come, the connection ends, or its
// read deadline passes.
func (in *Inbox) Drain() {
	dropped := make([]byte, 512)
	for !in.closed || in.left > 0 {
		var err error
		if in.left > 0 {
			_, err = in.payload(dropped)
		} else {
			_, err = in.header()
		}
		if _, refused := err.(*Refusal); err != nil && !refused {
			return
		}
	}
}

// nextFrame reads up to the payload of the next frame of a message. It handles control
// frames on the way.
func (in *Inbox) nextFrame() error {
	for {
		opcode, err := in.header()
		if err != nil || opcode <= websocket.BinaryMessage {
			return err
		}
		payload, err := in.take(int(in.left))
		if err != nil {
			return err
		}
		in.unmask(payload)
		if opcode == websocket.CloseMessage {
			return closeError(payload)
		}
		if err := in.control(opcode, payload); err != nil {
			return err
		}
	}
}

// payload reads bytes of the current frame.
func (in *Inbox) payload(p []byte) (n int, err error) {
	p = p[:min(uint64(len(p)), in.left)]
	switch {
	case len(p) == 0:
		return 0, nil
	case in.start < in.end:
		n = copy(p, in.buffer[in.start:in.end])
		in.start += n
	default:
		if n, err = in.conn.Read(p); n == 0 && err != nil {
			return 0, unexpected(err)
		}
	}
	in.unmask(p[:n])
	return n, nil
}

// unmask decodes the next bytes of the current frame, in place.
func (in *Inbox) unmask(b []byte) {
	for i := range b {
		b[i] ^= in.mask[(in.masked+i)%len(in.mask)]
	}
	in.masked += len(b)
	in.left -= uint64(len(b))
}

// take returns the next n bytes, at most those that fit into the buffer. They are valid
// until more is read.
func (in *Inbox) take(n int) ([]byte, error) {
	if in.start == in.end || in.start+n > len(in.buffer) {
		in.end = copy(in.buffer[:], in.buffer[in.start:in.end])
		in.start = 0
	}
	for in.end-in.start < n {
		got, err := in.conn.Read(in.buffer[in.end:])
		in.end += got
		if got == 0 && err != nil {
			return nil, unexpected(err)
		}
	}
	b := in.buffer[in.start : in.start+n]
	in.start += n
	return b, nil
}

// unexpected returns an error of the connection, which has ended without a close frame if
// it is io.EOF.
func unexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
