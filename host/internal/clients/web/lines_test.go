package web

import (
	"bytes"
	"net"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
	"weak"

	"colosseum/host/internal/base/arrival"
	"colosseum/host/internal/clients/seat"
	"colosseum/host/internal/play/match"
	"colosseum/internal/test/poll"
	"colosseum/protocol"
)

// split returns the lines of a player that sends parts.
func split(limit int, parts ...string) (lines []string, err error) {
	s := &session{maxLine: limit}
	for _, p := range parts {
		if err = s.lines([]byte(p), func(text string) { lines = append(lines, text) }); err != nil {
			return lines, err
		}
	}
	return lines, nil
}

func TestLinesEndAtLineFeedsWhereverMessagesEnd(t *testing.T) {
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
		{"other white space around", []string{"\t\v\fa\tb\u00a0\r\n", "a\u3000\n"}, []string{"a\tb", "a"}},
		{"only white space", []string{" \t\n"}, []string{""}},
		{"bytes that are not text", []string{"\xa0a\xff\x00\n"}, []string{"\xa0a\xff\x00"}},
		{"as long as allowed", []string{"123456", "7890", "\n"}, []string{"1234567890"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got, err := split(10, tt.parts...); err != nil || !slices.Equal(got, tt.want) {
				t.Errorf("got %q, %v, want %q", got, err, tt.want)
			}
		})
	}
}

func TestLongLineIsRefused(t *testing.T) {
	tests := []struct {
		name  string
		parts []string
		lines int // passed on before the refusal
	}{
		{"whole", []string{"a\n12345678901\n"}, 1},
		{"not complete", []string{"12345678901"}, 0},
		{"in parts", []string{"a\n123456", "78901"}, 1},
		{"end in the next part", []string{"1234567890", "1\n"}, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := split(10, tt.parts...)
			if err == nil || len(got) != tt.lines || err.Error() != "a line is longer than 10 bytes" {
				t.Errorf("got %q, %v, want %d lines and an error", got, err, tt.lines)
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
		got, err := split(int(limit), parts...)
		// Splitting all of the input at once is simpler.
		var want []string
		rest, long := input, false
		for {
			line, after, whole := bytes.Cut(rest, []byte("\n"))
			if long = len(line) > int(limit); long || !whole {
				break
			}
			want, rest = append(want, string(bytes.TrimSpace(line))), after
		}
		if long != (err != nil) || !slices.Equal(got, want) {
			t.Errorf("%q in parts of %d, limit %d: got %q, %v, want %q, too long: %v", input, size, limit, got, err, want, long)
		}
	})
}

func TestPlayerThatSendsALongLineIsClosed(t *testing.T) {
	c := startServer(t, nil).connect()
	c.startEcho()
	c.sendBytes(strings.Repeat("x", 4096) + "\n")
	c.wantBytes("<" + strings.Repeat("x", 4096) + ">\n")
	c.sendBytes(strings.Repeat("x", 4097))
	c.wantClose(protocol.CloseLimit, "a line is longer than 4096 bytes")
}

func TestIncompleteLineDoesNotReachTheNextMatch(t *testing.T) {
	c := startServer(t, nil).connect()
	c.startEcho()
	c.sendBytes("end\nrest of the old match")
	c.readUntil(protocol.NameMatchEnded)
	c.startEcho()
	c.sendBytes("new\n")
	c.wantBytes("<new>\n")
}

// startedSeat is a seat that notes its match.
type startedSeat struct {
	*seat.Seat
	match weak.Pointer[match.Match]
}

func (t *startedSeat) Started(m *match.Match, number int) {
	t.match = weak.Make(m)
	t.Seat.Started(m, number)
}

// A match has much memory, and clients stay connected for hours.
func TestMatchThatHasEndedIsForgotten(t *testing.T) {
	srv := startServer(t, nil)
	c := srv.connect()
	id := c.createMatch("echo")
	s := srv.onlySession()
	taken, err := srv.seats.New(s.forSeats, "", false, "")
	if err != nil {
		t.Fatal(err)
	}
	noting := &startedSeat{Seat: taken}
	if err := srv.lobby.Join(noting, s.client(), protocol.LobbyJoinMatch{ID: id, Name: "alice"}); err != nil {
		t.Fatal(err)
	}
	c.readUntil(protocol.NameMatchStarted)
	c.wantBytes("hello\n")
	played := noting.match
	c.sendBytes("end\n")
	c.readUntil(protocol.NameMatchEnded)
	srv.records.mu.Lock()
	clear(srv.records.byID) // records share memory with the match
	srv.records.mu.Unlock()
	poll.Until(t, "the match is collected", func() bool {
		runtime.GC()
		return played.Value() == nil
	})
	runtime.KeepAlive(s)
}

func TestBytesOutsideOfAMatchAreIgnored(t *testing.T) {
	c := startServer(t, nil).connect()
	c.sendBytes("early\n")
	id := c.createMatch("echo")
	c.sendBytes("also early\nand") // not the beginning of a line either
	c.joinMatch(id, "alice")
	c.readUntil(protocol.NameMatchStarted)
	c.wantBytes("hello\n")
	c.sendBytes("x\n")
	c.wantBytes("<x>\n")
}

// Otherwise a player could stop its clock with the header of a frame.
func TestAnswerIsTimedByItsLastByte(t *testing.T) {
	t.Parallel()
	srv := startServer(t, nil)
	c := srv.connect()
	id := c.startEcho()
	frame := []byte{0x82, 0x80 | 4, 0, 0, 0, 0} // binary, 4 bytes, masked with zeros
	raw := c.conn.NetConn()
	if _, err := raw.Write(frame); err != nil {
		t.Fatal(err)
	}
	<-time.After(300 * time.Millisecond)
	if _, err := raw.Write([]byte("end\n")); err != nil {
		t.Fatal(err)
	}
	c.readUntil(protocol.NameMatchEnded)
	srv.records.mu.Lock()
	defer srv.records.mu.Unlock()
	if at := srv.records.byID[id].Answers[0].At; at < 300*time.Millisecond {
		t.Errorf("the answer is recorded at %v, want at least 300ms", at)
	}
}

func TestMessageOf64KiBIsAccepted(t *testing.T) {
	c := startServer(t, func(l *Limits) { l.Line = 100 }).connect()
	c.startEcho()
	c.sendBytes("x\n" + strings.Repeat(" \n", protocol.MaxMessage/2-2) + "y\n")
	c.wantBytes("<x>\n<>\n")
}

// awaitStamps waits until the system records when bytes arrive: it begins shortly
// after the first socket has asked for that, and ends with the last one.
func awaitStamps(t *testing.T) {
	t.Helper()
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := arrival.Listener{Listener: inner}
	defer l.Close()
	client, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	server, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	r := arrival.Of(server)
	for recorded := false; !recorded; {
		if _, err := client.Write([]byte("x")); err != nil {
			t.Fatal(err)
		}
		for !r.Unread(time.Now()) {
		}
		came := time.Now()
		if _, err := server.Read(make([]byte, 1)); err != nil {
			t.Fatal(err)
		}
		recorded = r.Last().Before(came)
	}
}

func TestAnswerOfABusyHostHasTheTimeAtWhichItCame(t *testing.T) {
	awaitStamps(t)
	srv := startServer(t, nil)
	c := srv.connect()
	id := c.startEcho()
	s := srv.onlySession()
	// An answer before the question counts from the question, which the match begins
	// after it has sent the text.
	poll.Until(t, "the match waits for an answer", func() bool { clocks, _ := srv.lobby.Clocks(id); return len(clocks) == 1 && clocks[0].Asked })
	poll.Until(t, "the session waits for a message", func() bool { return !s.seat.Unread(time.Now()) })
	s.mu.Lock() // the session needs it to pass on a line
	c.sendBytes("late\n")
	for !s.seat.Unread(time.Now()) {
	}
	came := time.Now()
	for !time.Now().After(came.Add(100 * time.Millisecond)) {
		if !s.seat.Unread(came) {
			t.Fatal("got no unread line, want the one that was not handled")
		}
	}
	s.mu.Unlock()
	c.wantBytes("<late>\n")
	c.sendBytes("end\n")
	c.readUntil("MatchEnded")
	rec, err := srv.records.Get(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	// The record has whole milliseconds.
	if got, limit := rec.Answers[0].At, came.Sub(rec.Started); got > limit {
		t.Errorf("the answer is recorded at %v, want at most %v", got, limit)
	}
}
