package web

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/gorilla/websocket"

	"colosseum/protocol"
)

// Kinds of frames, by their first byte: fin has the mark of a message's last.
const (
	fin        = 0x80
	textPart   = websocket.TextMessage
	textWhole  = fin | textPart
	bytesPart  = websocket.BinaryMessage
	bytesWhole = fin | bytesPart
	closeFrame = fin | websocket.CloseMessage
	pingFrame  = fin | websocket.PingMessage
)

// frame returns a frame of a client that announces length bytes, and what is
// given of them. Its mask is zero.
func frame(first byte, length uint64, payload string) []byte {
	b := []byte{first}
	switch {
	case length < 126:
		b = append(b, 0x80|byte(length))
	case length < 1<<16:
		b = binary.BigEndian.AppendUint16(append(b, 0x80|126), uint16(length))
	default:
		b = binary.BigEndian.AppendUint64(append(b, 0x80|127), length)
	}
	return append(append(b, 0, 0, 0, 0), payload...)
}

func filled(first byte, payload string) []byte { return frame(first, uint64(len(payload)), payload) }

// raw sends bytes past the library of the client.
func (c *client) raw(frames ...[]byte) {
	c.t.Helper()
	if _, err := c.conn.NetConn().Write(bytes.Join(frames, nil)); err != nil {
		c.t.Fatal(err)
	}
}

// reading is a connection of which only the reading side is there.
type reading struct {
	net.Conn
	io.Reader
}

func (r reading) Read(p []byte) (int, error) { return r.Reader.Read(p) }

func TestFramesAreRefusedAtTheirHeaderHoweverTheyCome(t *testing.T) {
	const most = protocol.MaxMessage
	long := strings.Repeat("x", most)
	tests := []struct {
		name   string
		frames [][]byte // that pass
		last   []byte   // what may pass of the next, but for the byte that completes its header
		want   error
	}{
		{"fine ones", [][]byte{filled(textWhole, "hello"), filled(pingFrame, "x"), filled(bytesWhole, long), filled(closeFrame, "\x03\xe8bye")}, nil, nil},
		{"an empty close frame", [][]byte{filled(closeFrame, "")}, nil, nil},
		{"a long text", [][]byte{filled(textWhole, "hello")}, frame(textWhole, most+1, ""), tooLongMessage},
		{"a message of many bytes", nil, frame(bytesWhole, 1<<62, ""), tooLongMessage},
		{"a length that is negative", nil, frame(bytesWhole, 1<<63|5, ""), tooLongMessage},
		{"the longest length", nil, frame(textPart, 1<<64-1, ""), tooLongMessage},
		{"long in fragments", [][]byte{filled(bytesPart, long[1:]), filled(pingFrame, "x"), filled(0, "y"), filled(0, "")}, frame(fin, 1, ""), tooLongMessage},
		{"two messages that are long together", [][]byte{filled(bytesPart, long[1:]), filled(fin, "y"), filled(textWhole, long)}, nil, nil},
		{"a close frame of one byte", [][]byte{filled(textWhole, "hello")}, frame(closeFrame, 1, ""), oneByteClose},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			want := bytes.Join(tt.frames, nil)
			rest := []byte(nil)
			if tt.want != nil {
				head := len(tt.last) - 5 // less the mask and the byte before it
				want, rest = append(want, tt.last[:head]...), tt.last[head:]
			}
			all := append(bytes.Clone(want), rest...)
			for name, r := range map[string]io.Reader{
				"whole": bytes.NewReader(all), "by half": iotest.HalfReader(bytes.NewReader(all)), "a byte at a time": iotest.OneByteReader(bytes.NewReader(all)),
			} {
				f := &frames{conn: reading{Reader: r}}
				got, err := io.ReadAll(readerFunc(f.read))
				if !errors.Is(err, tt.want) || !bytes.Equal(got, want) {
					t.Errorf("%s: %d bytes passed, error %v, want %d and %v", name, len(got), err, len(want), tt.want)
				}
			}
		})
	}
}

type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

func TestFrameThatIsTooLongIsRefusedBeforeItsPayload(t *testing.T) {
	for name, head := range map[string][]byte{
		"one byte too many": frame(textWhole, protocol.MaxMessage+1, ""),
		"2^62 bytes":        frame(textWhole, 1<<62, ""),
		"binary":            frame(bytesWhole, protocol.MaxMessage+1, ""),
		"in fragments":      append(filled(bytesPart, strings.Repeat("x", 1000)), frame(0, protocol.MaxMessage, "")...),
	} {
		t.Run(name, func(t *testing.T) {
			h := open(t, nil)
			c := h.enter()
			c.raw(head)
			if reason := c.closes(websocket.CloseMessageTooBig); reason != tooLongMessage.text {
				t.Errorf("the reason is %q, want %q", reason, tooLongMessage.text)
			}
			if n := h.Counts().Limited[limitMessage]; n != 1 {
				t.Errorf("counted %d times, want once", n)
			}
		})
	}
}

func TestRefusalEndsWithTheAnswerOfTheClient(t *testing.T) {
	h := open(t, nil)
	c := h.enter()
	sess := h.only()
	c.raw(frame(textWhole, protocol.MaxMessage+1, ""), bytes.Repeat([]byte("x"), protocol.MaxMessage+1))
	c.closes(websocket.CloseMessageTooBig) // and the library answers
	eventually(t, "the session ends", func() bool { return h.count() == 0 })
	if !sess.frames.closed {
		t.Error("the session ended without the answer")
	}
}

func TestTextThatIsNoUTF8IsRefused(t *testing.T) {
	greeting := `{"Handshake":{"magic":"coco","version":2}}`
	describe := func(name string) string { return `{"GameDescription":{"name":"` + name + `"}}` }
	tests := []struct {
		name   string
		before string
		frames [][]byte
	}{
		{"as the first message", "", [][]byte{filled(textWhole, "\xff")}},
		{"in a string", greeting, [][]byte{filled(textWhole, describe("\xc3\x28"))}},
		{"in a key", greeting, [][]byte{filled(textWhole, "{\"\xed\xa0\x80\":{}}")}},
		{"no JSON at all", greeting, [][]byte{filled(textWhole, "\xfe\xff")}},
		{"cut short", greeting, [][]byte{filled(textWhole, describe("\xf0\x9f\x98"))}},
		{"in a later fragment", greeting, [][]byte{filled(textPart, `{"GameDescription":{"name":"`), filled(0, "\x80"), filled(fin, `"}}`)}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := open(t, nil)
			c := h.dial()
			if tt.before != "" {
				c.says(tt.before)
				c.hears(tt.before)
			}
			c.raw(tt.frames...)
			if reason := c.closes(websocket.CloseInvalidFramePayloadData); reason != noText.text {
				t.Errorf("the reason is %q, want %q", reason, noText.text)
			}
			if n := len(h.Counts().Limited); n != 0 {
				t.Errorf("%d limits were counted, want none", n)
			}
		})
	}
	t.Run("in a match", func(t *testing.T) {
		c := open(t, nil).enter()
		c.echoes()
		c.raw(filled(textWhole, "\xff"))
		c.closes(websocket.CloseInvalidFramePayloadData)
	})
	t.Run("a letter in two fragments is fine", func(t *testing.T) {
		c := open(t, nil).enter()
		c.raw(filled(textPart, `{"GameDescription":{"name":"caf`+"\xc3"), filled(pingFrame, ""), filled(0, ""), filled(fin, "\xa9"+`"}}`))
		c.hears(`{"GameDescription":{"description":null}}`)
	})
	t.Run("bytes of a match may be anything", func(t *testing.T) {
		c := open(t, nil).enter()
		c.echoes()
		c.plays("\xff\xfe\n")
		c.sees("<\xff\xfe>\n")
	})
}

func TestCloseFramesAreAnsweredAsTheRFCWants(t *testing.T) {
	tests := []struct {
		name    string
		payload string
		want    int
	}{
		{"without a code", "", websocket.CloseNoStatusReceived},
		{"one byte", "\x03", websocket.CloseProtocolError},
		{"a code", "\x03\xe8", websocket.CloseNormalClosure},
		{"a code that nobody may send", "\x03\xed", websocket.CloseProtocolError},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := open(t, nil)
			c := h.enter()
			c.raw(filled(closeFrame, tt.payload))
			_, _, err := c.conn.ReadMessage()
			closed, ok := errors.AsType[*websocket.CloseError](err)
			if !ok || closed.Code != tt.want {
				t.Errorf("got %v, want it closed with %d", err, tt.want)
			}
			c.hangUp()
			eventually(t, "the session ends", func() bool { return h.count() == 0 })
		})
	}
}

// FuzzFrames checks that what passes is what the library takes, whatever comes
// and however it is cut.
func FuzzFrames(f *testing.F) {
	f.Add(bytes.Join([][]byte{filled(textWhole, "hello"), filled(closeFrame, "\x03\xe8")}, nil), uint8(3))
	f.Add(frame(textWhole, protocol.MaxMessage+1, "xx"), uint8(1))
	f.Add(frame(bytesWhole, 1<<63, "xx"), uint8(7))
	f.Add(append(filled(bytesPart, strings.Repeat("x", 300)), filled(closeFrame, "x")...), uint8(200))
	f.Fuzz(func(t *testing.T, stream []byte, step uint8) {
		read := func(cut int) ([]byte, error) {
			fr := &frames{conn: reading{Reader: bytes.NewReader(stream)}}
			var got []byte
			p := make([]byte, cut)
			for {
				n, err := fr.read(p)
				got = append(got, p[:n]...)
				if err != nil {
					fr.drain()
					return got, err
				}
			}
		}
		one, first := read(len(stream) + 1)
		two, second := read(int(step) + 1)
		if !bytes.Equal(one, two) || !errors.Is(second, first) {
			t.Errorf("at once %d bytes and %v, in pieces of %d %d bytes and %v", len(one), first, int(step)+1, len(two), second)
		}
		if !bytes.HasPrefix(stream, one) || first == io.EOF && len(one) < len(stream) {
			t.Errorf("%d of %d bytes passed, and %v", len(one), len(stream), first)
		}
	})
}
