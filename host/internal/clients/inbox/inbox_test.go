package inbox

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/gorilla/websocket"
)

// limit is the longest message in the tests.
const limit = 1000

// First bytes of frames.
const (
	textPart   = websocket.TextMessage
	textWhole  = final | textPart
	bytesPart  = websocket.BinaryMessage
	bytesWhole = final | bytesPart
	more       = continuation
	last       = final | continuation
	closing    = final | websocket.CloseMessage
	ping       = final | websocket.PingMessage
	pong       = final | websocket.PongMessage
)

// head returns the header of a client's frame that announces length bytes.
func head(first byte, length uint64) []byte {
	b := []byte{first}
	switch {
	case length < 126:
		b = append(b, masked|byte(length))
	case length < 1<<16:
		b = binary.BigEndian.AppendUint16(append(b, masked|126), uint16(length))
	default:
		b = binary.BigEndian.AppendUint64(append(b, masked|127), length)
	}
	return append(b, mask...)
}

var mask = []byte{7, 0, 255, 128}

// frame returns a whole frame of a client.
func frame(first byte, payload string) []byte {
	b := head(first, uint64(len(payload)))
	for i := range payload {
		b = append(b, payload[i]^mask[i%len(mask)])
	}
	return b
}

// conn is a connection that can only be read.
type conn struct {
	net.Conn
	io.Reader
}

func (c conn) Read(p []byte) (int, error) { return c.Reader.Read(p) }

// readAll reads all messages of a stream, with reads of up to size bytes. It returns them and the
// pings and pongs in their order, and the error at the end.
func readAll(stream io.Reader, size int) (got []string, err error) {
	in := New(conn{Reader: stream}, limit, func(kind int, payload []byte) error {
		got = append(got, fmt.Sprintf("control %d: %s", kind, payload))
		if string(payload) == "fail" {
			return errControl
		}
		return nil
	})
	for {
		kind, err := in.Next()
		if err != nil {
			return got, err
		}
		message := []byte{}
		for p := make([]byte, size); ; {
			n, err := in.Read(p)
			message = append(message, p[:n]...)
			if err == io.EOF {
				break
			}
			if err != nil {
				return got, err
			}
		}
		got = append(got, fmt.Sprintf("message %d: %s", kind, message))
	}
}

var errControl = errors.New("of control")

func TestMessagesAreReadInAllForms(t *testing.T) {
	long := strings.Repeat("0123456789", limit/10)
	tests := []struct {
		name   string
		frames [][]byte
		want   []string
		err    string
	}{
		{"nothing", nil, nil, "unexpected EOF"},
		{"one", [][]byte{frame(bytesWhole, "rock\n")}, []string{"message 2: rock\n"}, "unexpected EOF"},
		{"texts and bytes", [][]byte{frame(textWhole, "{}"), frame(bytesWhole, "a"), frame(textWhole, "")}, []string{"message 1: {}", "message 2: a", "message 1: "}, "unexpected EOF"},
		{"lengths around those of the headers", [][]byte{frame(bytesWhole, long[:125]), frame(bytesWhole, long[:126]), frame(bytesWhole, long[:127]), frame(bytesWhole, long)},
			[]string{"message 2: " + long[:125], "message 2: " + long[:126], "message 2: " + long[:127], "message 2: " + long}, "unexpected EOF"},
		{"a short length in a long form", [][]byte{{bytesWhole, masked | 127, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 'x'}, {bytesWhole, masked | 126, 0, 0, 0, 0, 0, 0}},
			[]string{"message 2: x", "message 2: "}, "unexpected EOF"},
		{"parts", [][]byte{frame(bytesPart, "a"), frame(more, ""), frame(ping, "p"), frame(more, "b"), frame(pong, ""), frame(last, ""), frame(textPart, ""), frame(last, "c")},
			[]string{"control 9: p", "control 10: ", "message 2: ab", "message 1: c"}, "unexpected EOF"},
		{"the longest control frame", [][]byte{frame(ping, long[:125])}, []string{"control 9: " + long[:125]}, "unexpected EOF"},
		{"an error of control", [][]byte{frame(bytesPart, "a"), frame(ping, "fail"), frame(last, "b")}, []string{"control 9: fail"}, "of control"},
		{"a stream that ends in a message", [][]byte{frame(bytesWhole, "abc")[:8]}, nil, "unexpected EOF"},
		{"a stream that ends in a header", [][]byte{frame(bytesWhole, long)[:3]}, nil, "unexpected EOF"},

		{"closed", [][]byte{frame(textWhole, "a"), frame(closing, "\x03\xe8bye"), frame(textWhole, "b")}, []string{"message 1: a"}, "websocket: close 1000 (normal): bye"},
		{"closed in a message", [][]byte{frame(textPart, "a"), frame(closing, "\x0f\xa0")}, nil, "websocket: close 4000"},
		{"closed without a code", [][]byte{frame(closing, "")}, nil, "websocket: close 1005 (no status)"},
		{"closed with one byte", [][]byte{frame(closing, "\x03")}, nil, "a close frame has one byte: it has none, or a code of two"},
		{"closed with a code that must not be sent", [][]byte{frame(closing, "\x03\xed")}, nil, "bad close code 1005"},
		{"closed with an unknown code", [][]byte{frame(closing, "\x00\x01")}, nil, "bad close code 1"},
		{"closed with bytes that are no text", [][]byte{frame(closing, "\x03\xe8\xff")}, nil, "invalid utf8 payload in close frame"},

		{"too long", [][]byte{frame(textWhole, "a"), head(textWhole, limit+1)}, []string{"message 1: a"}, "a message is longer than 1000 bytes"},
		{"2^62 bytes", [][]byte{head(bytesWhole, 1<<62)}, nil, "a message is longer than 1000 bytes"},
		{"a length that is negative", [][]byte{head(bytesWhole, 1<<63|5)}, nil, "a message is longer than 1000 bytes"},
		{"the longest length", [][]byte{head(textPart, 1<<64-1)}, nil, "a message is longer than 1000 bytes"},
		{"parts that are too long together", [][]byte{frame(bytesPart, long[1:]), frame(ping, "x"), frame(more, "y"), frame(more, ""), head(last, 1)}, []string{"control 9: x"}, "a message is longer than 1000 bytes"},
		{"two messages that are long together", [][]byte{frame(bytesPart, long[1:]), frame(last, "y"), frame(textWhole, long)}, []string{"message 2: " + long[1:] + "y", "message 1: " + long}, "unexpected EOF"},

		{"without a mask", [][]byte{{bytesWhole, 2, 'x', '\n'}}, nil, "bad MASK"},
		{"a reserved bit", [][]byte{frame(textWhole|0x40, "x")}, nil, "RSV1 set"},
		{"the second reserved bit", [][]byte{frame(textWhole|0x20, "x")}, nil, "RSV2 set"},
		{"the third reserved bit", [][]byte{frame(ping|0x10, "x")}, nil, "RSV3 set"},
		{"an unknown opcode", [][]byte{frame(final|7, "")}, nil, "bad opcode 7"},
		{"an unknown opcode of a control frame", [][]byte{frame(final|11, "")}, nil, "bad opcode 11"},
		{"a part without a beginning", [][]byte{frame(textWhole, "a"), frame(last, "b")}, []string{"message 1: a"}, "continuation after FIN"},
		{"a message in a message", [][]byte{frame(textPart, "a"), frame(textWhole, "b")}, nil, "data before FIN"},
		{"a control frame in parts", [][]byte{frame(websocket.PingMessage, "a")}, nil, "FIN not set on control"},
		{"a long control frame", [][]byte{head(ping, 126)}, nil, "len > 125 for control"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			stream := bytes.Join(tt.frames, nil)
			for name, r := range map[string]io.Reader{
				"whole": bytes.NewReader(stream), "by half": iotest.HalfReader(bytes.NewReader(stream)),
				"a byte at a time": iotest.OneByteReader(bytes.NewReader(stream)), "with the error": iotest.DataErrReader(bytes.NewReader(stream)),
			} {
				for _, size := range []int{1, 7, 4096} {
					got, err := readAll(r, size)
					if !slices.Equal(got, tt.want) || err == nil || err.Error() != tt.err {
						t.Errorf("%s, in reads of %d: got %q and %v, want %q and %s", name, size, got, err, tt.want, tt.err)
					}
					r = bytes.NewReader(stream)
				}
			}
		})
	}
}

func TestRestOfAMessageIsSkipped(t *testing.T) {
	stream := bytes.Join([][]byte{frame(bytesPart, strings.Repeat("x", 600)), frame(ping, "p"), frame(last, "y"), frame(textWhole, "next")}, nil)
	pings := 0
	in := New(conn{Reader: bytes.NewReader(stream)}, limit, func(int, []byte) error { pings++; return nil })
	if kind, err := in.Next(); kind != websocket.BinaryMessage || err != nil {
		t.Fatalf("got kind %d, error %v", kind, err)
	}
	in.Read(make([]byte, 3))
	kind, err := in.Next()
	text, _ := io.ReadAll(in)
	if kind != websocket.TextMessage || err != nil || string(text) != "next" || pings != 1 {
		t.Errorf("then got kind %d, error %v, text %q, %d pings", kind, err, text, pings)
	}
	if n, err := in.Read(make([]byte, 3)); n != 0 || err != io.EOF {
		t.Errorf("behind its end got %d bytes, error %v", n, err)
	}
}

func TestDrainReadsUntilTheCloseFrame(t *testing.T) {
	others := bytes.Join([][]byte{frame(textPart, "a"), frame(ping, "p"), frame(bytesWhole, "b"), frame(closing, "\x03\xe8")}, nil)
	for name, stream := range map[string][]byte{
		"after a long message":         slices.Concat(head(textWhole, limit+1), bytes.Repeat([]byte("x"), limit+1), others),
		"after a message, not read":    slices.Concat(frame(bytesWhole, strings.Repeat("x", 900)), others),
		"after one without a mask":     slices.Concat([]byte{bytesWhole, 2, closing, 0}, others),
		"after a reserved bit":         slices.Concat(frame(bytesWhole|0x40, "\x8f\x7f"), others),
		"after an unknown opcode":      slices.Concat(frame(final|7, "\x8f\x7f"), others),
		"after a long ping":            slices.Concat(head(ping, 300), bytes.Repeat([]byte("x"), 300), others),
		"after a bad close frame":      frame(closing, "\x00\x01"),
		"after a close frame of 1":     frame(closing, "\x03"),
		"after a close frame":          frame(closing, "\x03\xe8"),
		"after a close frame of 5,000": slices.Concat(head(closing, 5000), bytes.Repeat([]byte("x"), 5000)),
	} {
		t.Run(name, func(t *testing.T) {
			r := iotest.OneByteReader(io.MultiReader(bytes.NewReader(stream), strings.NewReader("behind")))
			in := New(conn{Reader: r}, limit, func(int, []byte) error { return nil })
			_, _ = in.Next()
			in.Drain()
			if rest, _ := io.ReadAll(r); string(rest) != "behind" {
				t.Errorf("it left %q", rest)
			}
		})
	}
}

// FuzzInbox checks that reads of any size get the same messages and error, and that Drain
// ends.
func FuzzInbox(f *testing.F) {
	f.Add(bytes.Join([][]byte{frame(textWhole, "hello"), frame(closing, "\x03\xe8")}, nil), uint8(3))
	f.Add(append(head(textWhole, limit+1), "xx"...), uint8(1))
	f.Add(append(head(bytesWhole, 1<<63), "xx"...), uint8(7))
	f.Add(bytes.Join([][]byte{frame(bytesPart, strings.Repeat("x", 300)), frame(ping, "p"), frame(last, "y"), frame(closing, "x")}, nil), uint8(200))
	f.Fuzz(func(t *testing.T, stream []byte, size uint8) {
		one, first := readAll(bytes.NewReader(stream), 4096)
		two, second := readAll(iotest.OneByteReader(bytes.NewReader(stream)), int(size)+1)
		if !slices.Equal(one, two) || first.Error() != second.Error() {
			t.Errorf("got %q and %v in pieces, want %q and %v", two, second, one, first)
		}
		in := New(conn{Reader: bytes.NewReader(stream)}, limit, func(int, []byte) error { return nil })
		_, _ = in.Next()
		in.Drain()
	})
}
