package web

import (
	"bufio"
	"encoding/binary"
	"net"
	"net/http"

	"github.com/gorilla/websocket"

	"colosseum/host/internal/arrival"
	"colosseum/protocol"
)

// frames reads a client's bytes for the WebSocket library, and looks at the
// headers of the frames in them. It refuses what the library would take: a
// message that its headers announce as too long, of which nothing more is read,
// and a close frame of one byte, which RFC 6455, 5.5.1, does not allow.
type frames struct {
	conn net.Conn

	header  [10]byte // what has come of a frame's, without the mask
	have    int
	skip    uint64 // bytes until the next header
	message uint64 // bytes that the headers of a message have announced so far
	refused error  // a protocolError; nothing is read any more
	closed  bool   // a close frame has come since
}

var oneByteClose = protocolError{websocket.CloseProtocolError, "a close frame has one byte: it has none, or a code of two"}

// read reads what is not refused, and then returns the refusal.
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

// drain reads on after a refusal, until the client has answered the close frame
// or is gone, or the read deadline passes.
func (f *frames) drain() {
	buffer := readBuffers.Get().(*[4096]byte)
	defer readBuffers.Put(buffer)
	for f.refused != nil && !f.closed {
		n, err := f.conn.Read(buffer[:])
		f.scan(buffer[:n])
		if err != nil {
			return
		}
	}
}

// scan follows the frames in b and returns how many of its bytes may be passed
// on: all, or those before the byte that makes a refused header complete.
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
		if f.refused != nil {
			f.closed = f.closed || opcode == websocket.CloseMessage
		} else if f.refused = f.check(opcode, length); f.refused != nil {
			good = i - 1
		}
	}
	return good
}

// length returns the bytes of a frame's payload, when its header has come so far.
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
		// No frame has 2^62 bytes; more would only be trouble to add to.
		return min(binary.BigEndian.Uint64(f.header[2:]), 1<<62), f.have == 10
	}
}

// check says what is wrong with a frame.
func (f *frames) check(opcode int, length uint64) error {
	const continuation = 0
	switch opcode {
	case websocket.TextMessage, websocket.BinaryMessage:
		f.message = length
	case continuation:
		f.message += length
	case websocket.CloseMessage:
		if length == 1 {
			return oneByteClose
		}
		return nil
	default:
		return nil
	}
	if f.message > protocol.MaxMessage {
		return tooLongMessage
	}
	return nil
}

// hijacker puts frames between a connection and the library that upgrades it.
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
	if tcp, ok := conn.(*arrival.TCPConn); ok {
		return tcpFrames{tcp, h.frames}, rw, nil
	}
	return anyFrames{conn, h.frames}, rw, nil
}

// tcpFrames is a connection of TCP, which keeps the way of that to write the
// header and the body of a long message at once.
type tcpFrames struct {
	*arrival.TCPConn
	frames *frames
}

func (c tcpFrames) Read(p []byte) (int, error) { return c.frames.read(p) }

// anyFrames is a connection of another kind.
type anyFrames struct {
	net.Conn
	frames *frames
}

func (c anyFrames) Read(p []byte) (int, error) { return c.frames.read(p) }
