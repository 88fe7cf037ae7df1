package web

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
	"weak"

	"colosseum/protocol"
)

// cut passes parts through a session's lines and returns what came out.
func cut(limit int, parts ...string) (lines []string, err error) {
	s := &session{server: &Server{limits: Limits{Line: limit}}}
	for _, p := range parts {
		if err = s.lines([]byte(p), func(text string) { lines = append(lines, text) }); err != nil {
			return lines, err
		}
	}
	return lines, nil
}

func TestLinesAreCutAtLineFeedsWhereverMessagesEnd(t *testing.T) {
	tests := []struct {
		name  string
		parts []string
		want  []string
	}{
		{"one", []string{"a\n"}, []string{"a"}},
		{"two in a message", []string{"a\nb\n"}, []string{"a", "b"}},
		{"one in three messages", []string{"a", "b", "c\n"}, []string{"abc"}},
		{"end and beginning in a message", []string{"a", "b\nc", "d\n"}, []string{"ab", "cd"}},
		{"not complete", []string{"a\nb"}, []string{"a"}},
		{"CRLF", []string{"a\r\nb\r\n"}, []string{"a", "b"}},
		{"CR and LF apart", []string{"a\r", "\nb\n"}, []string{"a", "b"}},
		{"spaces around", []string{"  a b \r\n"}, []string{"a b"}},
		{"empty lines", []string{"\n", "", "\n\n"}, []string{"", "", ""}},
		{"tab and bytes that are no text", []string{"\ta\xff\x00\n"}, []string{"\ta\xff\x00"}},
		{"as long as may be", []string{"123456", "7890", "\n"}, []string{"1234567890"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got, err := cut(10, tt.parts...); err != nil || !slices.Equal(got, tt.want) {
				t.Errorf("got %q, %v, want %q", got, err, tt.want)
			}
		})
	}
}

func TestLongLineIsRefused(t *testing.T) {
	tests := []struct {
		name  string
		parts []string
		lines int // that are passed on before
	}{
		{"whole", []string{"a\n12345678901\n"}, 1},
		{"not complete", []string{"12345678901"}, 0},
		{"in parts", []string{"a\n123456", "78901"}, 1},
		{"end in the next part", []string{"1234567890", "1\n"}, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := cut(10, tt.parts...)
			if err == nil || len(got) != tt.lines || err.Error() != "a line is longer than 10 bytes" {
				t.Errorf("got %q, %v", got, err)
			}
		})
	}
}

func FuzzLines(f *testing.F) {
	f.Add([]byte("a\nb\r\n"), uint8(1), uint8(10))
	f.Add([]byte("  x \r\r\n\n"), uint8(3), uint8(10))
	f.Add([]byte("12345678901\n"), uint8(5), uint8(10))
	f.Fuzz(func(t *testing.T, input []byte, size, limit uint8) {
		size = max(size, 1)
		limit = max(limit, 1)
		var parts []string
		for part := range slices.Chunk(input, int(size)) {
			parts = append(parts, string(part))
		}
		got, err := cut(int(limit), parts...)
		// The plain way: all at once.
		var want []string
		rest, long := input, false
		for {
			line, after, whole := bytes.Cut(rest, []byte("\n"))
			if long = len(line) > int(limit); long || !whole {
				break
			}
			want, rest = append(want, string(bytes.Trim(line, " \r"))), after
		}
		if long != (err != nil) || !slices.Equal(got, want) {
			t.Errorf("%q in parts of %d, limit %d: got %q, %v, want %q, too long: %v", input, size, limit, got, err, want, long)
		}
	})
}

func TestPlayerThatSendsATooLongLineIsClosed(t *testing.T) {
	c := open(t, nil).enter()
	c.echoes()
	c.plays(strings.Repeat("x", 4096) + "\n")
	c.sees("<" + strings.Repeat("x", 4096) + ">\n")
	c.plays(strings.Repeat("x", 4097))
	if reason := c.closes(protocol.CloseLimit); reason != "a line is longer than 4096 bytes" {
		t.Errorf("the reason is %q", reason)
	}
}

func TestUnfinishedLineOfOneMatchDoesNotReachTheNext(t *testing.T) {
	c := open(t, nil).enter()
	c.echoes()
	c.plays("end\nrest of the old match")
	c.until(protocol.NameMatchEnded)
	c.echoes()
	c.plays("new\n")
	c.sees("<new>\n")
}

// A match holds all its answers and its whole stream, and clients stay connected
// for hours.
func TestMatchThatHasEndedIsForgotten(t *testing.T) {
	h := open(t, nil)
	c := h.enter()
	c.echoes()
	s := h.only()
	s.mu.Lock()
	played := weak.Make(s.match)
	s.mu.Unlock()
	c.plays("end\n")
	c.until(protocol.NameMatchEnded)
	h.log.mu.Lock()
	clear(h.log.records) // they are part of it
	h.log.mu.Unlock()
	eventually(t, "nothing holds the match", func() bool {
		runtime.GC()
		return played.Value() == nil
	})
	runtime.KeepAlive(s)
}

func TestBytesOutsideOfAMatchAreIgnored(t *testing.T) {
	c := open(t, nil).enter()
	c.plays("early\n")
	id := c.creates("echo")
	c.plays("also early\nand") // not even as the beginning of a line
	c.joins(id, "alice")
	c.until(protocol.NameMatchStarted)
	c.sees("hello\n")
	c.plays("x\n")
	c.sees("<x>\n")
}

// An answer counts from when it has arrived, not from when its message was
// announced: else a frame's header could stop the clock.
func TestAnswerIsTimedByItsLastByte(t *testing.T) {
	h := open(t, nil)
	c := h.enter()
	id := c.echoes()
	frame := []byte{0x82, 0x80 | 4, 0, 0, 0, 0} // binary, 4 bytes, masked with zeros
	raw := c.conn.NetConn()
	if _, err := raw.Write(frame); err != nil {
		t.Fatal(err)
	}
	<-time.After(300 * time.Millisecond) // the player thinks
	if _, err := raw.Write([]byte("end\n")); err != nil {
		t.Fatal(err)
	}
	c.until(protocol.NameMatchEnded)
	h.log.mu.Lock()
	defer h.log.mu.Unlock()
	if at := h.log.records[id].Answers[0].At; at < 300*time.Millisecond {
		t.Errorf("the answer was recorded at %v", at)
	}
}

func TestMessageOfMoreThan64KiBIsRefused(t *testing.T) {
	big := strings.Repeat("x", 1023) + "\n"
	tests := []struct {
		name string
		send func(c *client)
	}{
		{"text", func(c *client) { c.says(`"` + strings.Repeat("x", protocol.MaxMessage) + `"`) }},
		{"binary", func(c *client) { c.plays(strings.Repeat(big, 65)) }},
		{"in fragments", func(c *client) {
			w, err := c.conn.NextWriter(1)
			for range 100 {
				if err == nil {
					_, err = w.Write([]byte(big))
				}
			}
		}},
		{"announced", func(c *client) { // 2^62 bytes
			b := binary.BigEndian.AppendUint64([]byte{0x81, 0x80 | 127}, 1<<62)
			b = append(append(b, 0, 0, 0, 0), bytes.Repeat([]byte("x"), 100<<10)...)
			if _, err := c.conn.NetConn().Write(b); err != nil {
				c.t.Log(err) // it may be closed already
			}
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := open(t, nil).enter()
			tt.send(c)
			if reason := c.closes(1009); reason != fmt.Sprintf("a message is longer than %d bytes", protocol.MaxMessage) {
				t.Errorf("the reason is %q", reason)
			}
		})
	}
	t.Run("just not", func(t *testing.T) {
		c := open(t, func(l *Limits) { l.Line = 100 }).enter()
		c.echoes()
		c.plays("x\n" + strings.Repeat(" \n", protocol.MaxMessage/2-2) + "y\n")
		c.sees("<x>\n<>\n")
	})
}
