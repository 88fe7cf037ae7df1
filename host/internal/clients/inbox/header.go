package inbox

import (
	"encoding/binary"
	"fmt"
	"unicode/utf8"

	"github.com/gorilla/websocket"
)

const (
	final      = 0x80 // in the first byte of the last frame of a message
	masked     = 0x80 // in the second byte
	maxControl = 125  // bytes of the payload of a control frame

	continuation = 0 // the opcode of a message's frames after its first
)

// Refusal is the error for what a client must not send. Code and Text are for the close
// frame that answers it.
type Refusal struct {
	Code int
	Text string
}

func (r *Refusal) Error() string { return r.Text }

func refuse(format string, args ...any) error {
	return &Refusal{websocket.CloseProtocolError, fmt.Sprintf(format, args...)}
}

// header reads the header of a frame: RFC 6455, 5.2. It refuses a frame before its payload
// comes; Drain can then read on behind it.
func (in *Inbox) header() (opcode int, err error) {
	b, err := in.take(2)
	if err != nil {
		return 0, err
	}
	first, second := b[0], b[1]
	length := uint64(second &^ masked)
	switch length {
	case 126:
		if b, err = in.take(2); err != nil {
			return 0, err
		}
		length = uint64(binary.BigEndian.Uint16(b))
	case 127:
		if b, err = in.take(8); err != nil {
			return 0, err
		}
		length = min(binary.BigEndian.Uint64(b), 1<<62) // sums can't overflow
	}
	opcode = int(first & 0x0f)
	in.left, in.masked, in.closed = length, 0, in.closed || opcode == websocket.CloseMessage
	if err := in.check(first, opcode, length, second&masked != 0); err != nil {
		if second&masked != 0 {
			in.left += uint64(len(in.mask))
		}
		return 0, err
	}
	if b, err = in.take(len(in.mask)); err != nil {
		return 0, err
	}
	copy(in.mask[:], b)
	return opcode, nil
}

// check returns why a frame is refused, or nil.
func (in *Inbox) check(first byte, opcode int, length uint64, isMasked bool) error {
	for bit, name := range []string{"RSV1", "RSV2", "RSV3"} { // for extensions, of which there are none
		if first&(0x40>>bit) != 0 {
			return refuse("%s set", name)
		}
	}
	switch {
	case !isMasked:
		return refuse("bad MASK")
	case opcode > websocket.BinaryMessage && opcode < websocket.CloseMessage || opcode > websocket.PongMessage:
		return refuse("bad opcode %d", opcode)
	case opcode > websocket.BinaryMessage:
		return checkControl(first, opcode, length)
	case opcode == continuation && in.kind == 0:
		return refuse("continuation after FIN")
	case opcode != continuation && in.kind != 0:
		return refuse("data before FIN")
	case opcode != continuation:
		in.kind, in.message = opcode, 0
	}
	in.final = first&final != 0
	if in.message += length; in.message > in.limit {
		return &Refusal{websocket.CloseMessageTooBig, fmt.Sprintf("a message is longer than %d bytes", in.limit)}
	}
	return nil
}

func checkControl(first byte, opcode int, length uint64) error {
	switch {
	case length > maxControl:
		return refuse("len > %d for control", maxControl)
	case first&final == 0:
		return refuse("FIN not set on control")
	case opcode == websocket.CloseMessage && length == 1: // RFC 6455, 5.5.1
		return refuse("a close frame has one byte: it has none, or a code of two")
	}
	return nil
}

// closeError returns the error for a close frame with this payload.
func closeError(payload []byte) error {
	if len(payload) == 0 {
		return &websocket.CloseError{Code: websocket.CloseNoStatusReceived}
	}
	code, text := int(binary.BigEndian.Uint16(payload)), string(payload[2:])
	switch {
	case !allowed(code):
		return refuse("bad close code %d", code)
	case !utf8.ValidString(text):
		return refuse("invalid utf8 payload in close frame")
	}
	return &websocket.CloseError{Code: code, Text: text}
}

// allowed reports whether a close frame can have a code: RFC 6455, 7.4, and the registry of
// IANA. Those from 3000 are for applications.
func allowed(code int) bool {
	return code >= websocket.CloseNormalClosure && code <= websocket.CloseUnsupportedData ||
		code >= websocket.CloseInvalidFramePayloadData && code < websocket.CloseTLSHandshake || code >= 3000 && code <= 4999
}
