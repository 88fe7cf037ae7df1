package web

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/gorilla/websocket"

	"colosseum/host/internal/base/limit"
	"colosseum/protocol"
)

// First bytes of frames. Fin marks the last frame of a message.
const (
	fin        = 0x80
	textPart   = websocket.TextMessage
	textWhole  = fin | textPart
	bytesPart  = websocket.BinaryMessage
	bytesWhole = fin | bytesPart
	closeFrame = fin | websocket.CloseMessage
	pingFrame  = fin | websocket.PingMessage
)

// frame returns a client's frame that announces length bytes of payload. Its mask
// is zero.
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

// filled returns a complete frame.
func filled(first byte, payload string) []byte { return frame(first, uint64(len(payload)), payload) }

// longMessage is the reason for a client whose message is too long.
var longMessage = fmt.Sprintf("a message is longer than %d bytes", protocol.MaxMessage)

// sendRaw sends frames without the client's library.
func (c *client) sendRaw(frames ...[]byte) {
	c.t.Helper()
	if _, err := c.conn.NetConn().Write(bytes.Join(frames, nil)); err != nil {
		c.t.Fatal(err)
	}
}

func TestFrameThatIsTooLongIsRefusedBeforeItsPayload(t *testing.T) {
	for name, head := range map[string][]byte{
		"one byte too many": frame(textWhole, protocol.MaxMessage+1, ""),
		"2^62 bytes":        frame(textWhole, 1<<62, ""),
		"binary":            frame(bytesWhole, protocol.MaxMessage+1, ""),
		"in fragments":      append(filled(bytesPart, strings.Repeat("x", 1000)), frame(0, protocol.MaxMessage, "")...),
	} {
		t.Run(name, func(t *testing.T) {
			srv := startServer(t, nil)
			c := srv.connect()
			c.sendRaw(head)
			c.wantClose(websocket.CloseMessageTooBig, longMessage)
			wantLimited(t, srv.Server, limit.Message, 1)
		})
	}
}

func TestRefusalEndsWithTheAnswerOfTheClient(t *testing.T) {
	srv := startServer(t, nil)
	c := srv.connect()
	c.sendRaw(frame(textWhole, protocol.MaxMessage+1, ""), bytes.Repeat([]byte("x"), protocol.MaxMessage+1))
	c.wantClose(websocket.CloseMessageTooBig, "") // the library answers it
	srv.awaitSessions(0)
}

func TestTextThatIsNotUTF8IsRefused(t *testing.T) {
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
		{"not JSON", greeting, [][]byte{filled(textWhole, "\xfe\xff")}},
		{"cut short", greeting, [][]byte{filled(textWhole, describe("\xf0\x9f\x98"))}},
		{"in a later fragment", greeting, [][]byte{filled(textPart, `{"GameDescription":{"name":"`), filled(0, "\x80"), filled(fin, `"}}`)}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			srv := startServer(t, nil)
			c := srv.dial()
			if tt.before != "" {
				c.sendText(tt.before)
				c.wantText(tt.before)
			}
			c.sendRaw(tt.frames...)
			c.wantClose(websocket.CloseInvalidFramePayloadData, errNotUTF8.text)
			if got := srv.Stats().Limited; len(got) != 0 {
				t.Errorf("counted %v, want nothing", got)
			}
		})
	}
	t.Run("in a match", func(t *testing.T) {
		c := startServer(t, nil).connect()
		c.startEcho()
		c.sendRaw(filled(textWhole, "\xff"))
		c.wantClose(websocket.CloseInvalidFramePayloadData, "")
	})
	t.Run("a letter in two fragments", func(t *testing.T) {
		c := startServer(t, nil).connect()
		c.sendRaw(filled(textPart, `{"GameDescription":{"name":"caf`+"\xc3"), filled(pingFrame, ""), filled(0, ""), filled(fin, "\xa9"+`"}}`))
		c.wantText(`{"GameDescription":{"description":null}}`)
	})
	t.Run("any bytes of a match", func(t *testing.T) {
		c := startServer(t, nil).connect()
		c.startEcho()
		c.sendBytes("\xff\xfe\n")
		c.wantBytes("<\xff\xfe>\n")
	})
}

func TestCloseFramesAreAnsweredAsRFC6455Says(t *testing.T) {
	tests := []struct {
		name    string
		payload string
		want    int
	}{
		{"without a code", "", websocket.CloseNoStatusReceived},
		{"one byte", "\x03", websocket.CloseProtocolError},
		{"a code", "\x03\xe8", websocket.CloseNormalClosure},
		{"a code that must not be sent", "\x03\xed", websocket.CloseProtocolError},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			srv := startServer(t, nil)
			c := srv.connect()
			c.sendRaw(filled(closeFrame, tt.payload))
			_, _, err := c.conn.ReadMessage()
			closed, ok := errors.AsType[*websocket.CloseError](err)
			if !ok || closed.Code != tt.want {
				t.Errorf("got %v, want it closed with %d", err, tt.want)
			}
			c.close()
			srv.awaitSessions(0)
		})
	}
}

// Programs send their request and leave.
func TestRepliesComeBeforeTheAnswerToACloseFrame(t *testing.T) {
	inBubble(t, nil, func(t *testing.T, srv *testServer) {
		c := srv.connect()
		request := filled(textWhole, `{"GameDescription":{"name":"duel"}}`)
		c.sendRaw(request, request, request, filled(closeFrame, "\x03\xe8bye"))
		synctest.Wait()
		for range 3 {
			c.wantText(`{"GameDescription":{"description":"# duel\n"}}`)
		}
		if kind, text := c.read(); kind != "close" || text != "1000 " {
			t.Errorf("then got %s %s, want the close frame back", kind, text)
		}
	})
}

// A close frame must not get into the middle of a message that is being written.
func TestOnlyTheOutboxWritesToAConnection(t *testing.T) {
	for name, tt := range map[string]struct {
		frame []byte
		code  string
	}{
		"a reserved bit":    {filled(textWhole|0x40, "x"), "1002 RSV1 set"},
		"a bad close code":  {filled(closeFrame, "\x00\x01"), "1002 bad close code 1"},
		"a close frame":     {filled(closeFrame, "\x03\xe9"), "1001 "},
		"without a code":    {filled(closeFrame, ""), "1005 "},
		"an unknown opcode": {filled(fin|7, ""), "1002 bad opcode 7"},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, nil, func(t *testing.T, srv *testServer) {
				c := srv.connect()
				s := srv.onlySession()
				c.ours = true                         // the original client gets such a message only as an answer
				message := strings.Repeat("x", 2<<20) // more than the connection has room for
				s.out.Reply([]byte(message), true)
				synctest.Wait()
				c.sendRaw(tt.frame)
				synctest.Wait()
				if kind, text := c.read(); kind != "binary" || text != message {
					t.Errorf("got %s of %d bytes, want the message that was being written", kind, len(text))
				}
				if kind, text := c.read(); kind != "close" || text != tt.code {
					t.Errorf("then got %s %q, want close %q", kind, text, tt.code)
				}
			})
		})
	}
}
