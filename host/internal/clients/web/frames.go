package web

import (
	"bufio"
	"encoding/binary"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"colosseum/protocol"
)

// frames reads a client's bytes for the WebSocket library and checks the headers
// of the frames in them. It refuses two kinds that the library accepts: frames
// that announce a message of more than protocol.MaxMessage bytes, and a close
// frame of one byte, which RFC 6455, 5.5.1, does not allow.
type frames struct {
	conn net.Conn

	header  [10]byte // the bytes of a frame's header that were read so far, without the mask
	have    int      // number of bytes in header
	skip    uint64   // bytes until the next header
	message uint64   // bytes that the headers of the current message have announced
	open    bool     // that message continues in another frame
	refused error    // a protocolError; read returns it
	closed  bool     // a close frame came

	upgraded bool  // the request for a WebSocket is answered
	answer   error // a protocolError: why the library wanted to close the connection; nil: it did not
}

// read reads bytes that are not refused, and then returns the refusal.
func (f *frames) read(p []byte) (int, error) {
	if f.refused != nil {
		return 0, f.refused
	}
	n, err := f.conn.Read(p)
	good := f.scan(p[:n])
	switch {
	case f.refused == nil:
		return n, err
	case good > 0:
		return good, nil
	default:
		return 0, f.refused
	}
}

// write writes the answer to the request for a WebSocket. Then the outbox alone writes: the
// library would write close frames from the goroutine that reads, and so perhaps into the
// middle of another frame. Why it wanted to is kept instead.
func (f *frames) write(p []byte) (int, error) {
	if !f.upgraded {
		return f.conn.Write(p)
	}
	const head = 2 // bytes of the header of a control frame
	if len(p) >= head+2 && int(p[0]&0x0f) == websocket.CloseMessage {
		f.answer = protocolError{code: int(binary.BigEndian.Uint16(p[head:])), text: string(p[head+2:])}
	}
	return len(p), nil
}

// between reports whether all bytes so far are whole messages, so that the library has
// read all of them when it reads on.
func (f *frames) between() bool {
	return f.have == 0 && f.skip == 0 && !f.open && f.refused == nil
}

// shortMessage returns the payload of the message at the front of b, in place, and the
// length of its frame, if it is a binary message of less than 126 bytes in one frame.
// Otherwise n is 0.
func shortMessage(b []byte) (payload []byte, n int) {
	const final, masked, head, longest = 0x80, 0x80, frameHead, 125
	if len(b) < head || b[0] != final|websocket.BinaryMessage || b[1]&masked == 0 {
		return nil, 0
	}
	length := int(b[1] &^ masked)
	if length > longest || len(b) < head+length {
		return nil, 0
	}
	payload = b[head : head+length]
	for i := range payload {
		payload[i] ^= b[2+i%4]
	}
	return payload, head + length
}

// drain reads and drops bytes after a refusal, until the client has answered
// the close frame, the connection ends, or the read deadline passes.
func (f *frames) drain(refused error) {
	buffer := readBuffers.Get().(*[4096]byte)
	defer readBuffers.Put(buffer)
	for f.refused = refused; !f.closed; {
		n, err := f.conn.Read(buffer[:])
		f.scan(buffer[:n])
		if err != nil {
			return
		}
	}
}

// scan parses the frames in b and returns how many of its bytes are not refused:
// all, or those before the byte that completes a refused header.
func (f *frames) scan(b []byte) (good int) {
	good = len(b)
	for i := 0; i < len(b); {
		if f.skip > 0 {
			n := min(f.skip, uint64(len(b)-i))
			f.skip -= n
			i += int(n)
			continue
		}
		f.header[f.have] = b[i]
		f.have++
		i++
		length, complete := f.length()
		if !complete {
			continue
		}
		f.have = 0
		f.skip = length
		if masked := f.header[1]&0x80 != 0; masked {
			f.skip += 4
		}
		opcode := int(f.header[0] & 0x0f)
		if f.refused == nil {
			if f.refused = f.check(opcode, length); f.refused != nil {
				good = i - 1
				continue
			}
		}
		f.closed = f.closed || opcode == websocket.CloseMessage
	}
	return good
}

// length returns the length of a frame's payload, once that part of its header
// is complete.
func (f *frames) length() (n uint64, complete bool) {
	if f.have < 2 {
		return 0, false
	}
	switch n := f.header[1] & 0x7f; n {
	default:
		return uint64(n), true
	case 126:
		return uint64(binary.BigEndian.Uint16(f.header[2:])), f.have == 4
	case 127:
		// The bound prevents an overflow in sums.
		return min(binary.BigEndian.Uint64(f.header[2:]), 1<<62), f.have == 10
	}
}

// check returns why a frame is refused, or nil.
func (f *frames) check(opcode int, length uint64) error {
	const continuation, final = 0, 0x80
	if opcode <= websocket.BinaryMessage {
		f.open = f.header[0]&final == 0
	}
	switch opcode {
	case websocket.TextMessage, websocket.BinaryMessage:
		f.message = length
	case continuation:
		f.message += length
	case websocket.CloseMessage:
		if length == 1 {
			return errOneByteClose
		}
		return nil
	default:
		return nil
	}
	if f.message > protocol.MaxMessage {
		return errLongMessage
	}
	return nil
}

// hijacker puts frames between a connection and the WebSocket library.
type hijacker struct {
	http.ResponseWriter
	frames *frames
}

func (h *hijacker) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, rw, err := http.NewResponseController(h.ResponseWriter).Hijack()
	if err != nil {
		return nil, nil, err
	}
	h.frames = &frames{conn: conn}
	return libraryConn{conn, h.frames}, rw, nil
}

// libraryConn is the connection as the WebSocket library has it: it reads frames that were
// checked, and writes nothing after the upgrade.
type libraryConn struct {
	net.Conn
	frames *frames
}

func (c libraryConn) Read(p []byte) (int, error)  { return c.frames.read(p) }
func (c libraryConn) Write(p []byte) (int, error) { return c.frames.write(p) }

// SetWriteDeadline implements net.Conn. Each write of the library would end the deadline of
// the outbox.
func (c libraryConn) SetWriteDeadline(t time.Time) error {
	if c.frames.upgraded {
		return nil
	}
	return c.Conn.SetWriteDeadline(t)
}

// frameHead is the length of the header and mask of a client's short frame.
const frameHead = 6

var readBuffers = sync.Pool{New: func() any { return new([4096]byte) }}
