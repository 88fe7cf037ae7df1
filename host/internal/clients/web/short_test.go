package web

import (
	"fmt"
	"strings"
	"testing"
)

// masked returns a complete frame of a client with a mask.
func masked(first byte, payload string) []byte {
	b := filled(first, payload)
	head := len(b) - len(payload)
	mask := []byte{7, 0, 255, 128}
	copy(b[head-len(mask):], mask)
	for i := range payload {
		b[head+i] ^= mask[i%len(mask)]
	}
	return b
}

func TestMessagesOfAllFormsAreHandledInOrder(t *testing.T) {
	long := strings.Repeat("x", 200)
	frames := [][]byte{
		masked(bytesWhole, "a\n"), masked(bytesWhole, ""), masked(bytesWhole, "b\nc\n"), masked(bytesWhole, "d"),
		masked(bytesPart, "e\n"), masked(pingFrame, ""), masked(bytesWhole&^bytesPart, "f\n"), // a message in two frames
		masked(bytesWhole, "g"), masked(bytesWhole, long+"\n"), masked(bytesWhole, long[:125]), masked(bytesWhole, "\n"),
		masked(textWhole, `{"LobbyList":{}}`), masked(bytesWhole, "h\n"), masked(pingFrame, "p"), masked(bytesWhole, "i\n"),
	}
	want := ""
	for _, line := range []string{"a", "b", "c", "de", "f", "g" + long, long[:125], "h", "i"} {
		want += fmt.Sprintf("<%s>\n", line)
	}
	for name, size := range map[string]int{"at once": 1 << 20, "in single bytes": 1, "in sevens": 7, "in hundreds": 100} {
		t.Run(name, func(t *testing.T) {
			srv := startServer(t, nil)
			c := srv.connect()
			c.startEcho()
			stream := []byte{}
			for _, f := range frames {
				stream = append(stream, f...)
			}
			for len(stream) > 0 {
				n := min(size, len(stream))
				c.sendRaw(stream[:n])
				stream = stream[n:]
			}
			got := ""
			for len(got) < len(want) {
				kind, data := c.read()
				if kind == "binary" {
					got += data
				} else if !strings.Contains(data, "LobbyList") {
					t.Fatalf("got %s %s, want bytes of the match", kind, data)
				}
			}
			if got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}
