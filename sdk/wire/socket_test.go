//go:build unix

package wire

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"colosseum/internal/test/poll"
	"colosseum/sdk/driver"
	"colosseum/sdk/wire/pb"
)

// connect returns the two ends of a connection.
func connect(t *testing.T) (host *HostConn, game *GameConn) {
	t.Helper()
	own, passed, err := Sockets()
	if err != nil {
		t.Fatal(err)
	}
	fd, err := syscall.Dup(int(passed.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	_ = passed.Close()
	if host, err = HostOverSocket(own, 1<<20); err != nil {
		t.Fatal(err)
	}
	if game, err = GameOverSocket(fd); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		host.Close()
		game.Close()
	})
	return host, game
}

// full reports whether Push waits.
func (c *Conn[Out, In]) full() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.waiting) >= queueBytes
}

func TestFramesOfEachSenderCrossTheSocketInTheirOrder(t *testing.T) {
	const senders, frames = 16, 5000
	host, game := connect(t)
	var group sync.WaitGroup
	for sender := range uint64(senders) {
		group.Go(func() {
			for n := range uint64(frames) {
				if !host.Push(HostFrame{Match: sender*frames + n}) {
					t.Error("the connection is closed")
				}
			}
		})
	}
	last := make([]uint64, senders)
	for total := 0; total < senders*frames; {
		got, err := game.Read()
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range got {
			sender := f.Match / frames
			if n := f.Match%frames + 1; n != last[sender]+1 {
				t.Fatalf("frame %d of sender %d came after %d, want them in order", n, sender, last[sender])
			} else {
				last[sender] = n
			}
		}
		total += len(got)
	}
	group.Wait()
}

func TestFramesThatArePushedTogetherArriveTogetherAndInOrder(t *testing.T) {
	host, game := connect(t)
	if !host.PushNow(HostFrame{Match: 1}, HostFrame{Match: 2}, HostFrame{Match: 3}) {
		t.Fatal("the connection is closed")
	}
	got, err := game.Read()
	if err != nil || len(got) != 3 || got[0].Match != 1 || got[1].Match != 2 || got[2].Match != 3 {
		t.Errorf("got %v, error %v, want the frames of matches 1, 2 and 3 at once", got, err)
	}
}

func TestPushNowDoesNotWaitForAReceiver(t *testing.T) {
	host, game := connect(t)
	line := strings.Repeat("x", 1<<20)
	const frames = 40
	for range frames { // far more than the socket holds
		if !host.PushNow(HostFrame{Answers: []driver.Answer{{Line: line}}}) {
			t.Fatal("the connection is closed")
		}
	}
	for left := frames; left > 0; {
		got, err := game.Read()
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range got {
			if len(f.Answers) != 1 || len(f.Answers[0].Line) != len(line) {
				t.Fatalf("got a frame with %d answers, want one with the whole line", len(f.Answers))
			}
			left--
		}
	}
	poll.Until(t, "all is written", host.idle)
	host.PushNow(HostFrame{Match: 7})
	if got, err := game.Read(); err != nil || len(got) != 1 || got[0].Match != 7 {
		t.Errorf("got %v, error %v, want a frame of match 7", got, err)
	}
}

func TestPushToASocketWaitsWhileTooMuchWaits(t *testing.T) {
	host, game := connect(t)
	frame := HostFrame{Answers: []driver.Answer{{Line: strings.Repeat("x", 1<<20)}}}
	pushed := make(chan bool, 100)
	go func() { // ends when all have been pushed
		for range cap(pushed) {
			pushed <- host.Push(frame)
		}
		close(pushed)
	}()
	poll.Until(t, "too much waits", host.full)
	if n := len(pushed); n == cap(pushed) {
		t.Errorf("%d frames went in, want fewer", n)
	}
	for left := cap(pushed); left > 0; {
		got, err := game.Read()
		if err != nil {
			t.Fatal(err)
		}
		left -= len(got)
	}
	for ok := range pushed {
		if !ok {
			t.Error("Push returned false, want true")
		}
	}
}

// A game can send its last frame and end while the host writes to it.
func TestConnectionThatFailsKeepsWhatTheOtherSideHasSent(t *testing.T) {
	host, game := connect(t)
	game.Push(GameFrame{Match: 7, Frame: &driver.Frame{}})
	poll.Until(t, "all is written", game.idle)
	game.Close()
	poll.Until(t, "the connection has failed", func() bool { return !host.PushNow(HostFrame{}) })
	if got, err := host.Read(); err != nil || len(got) != 1 || got[0].Match != 7 {
		t.Errorf("got %v, %v, want the frame of match 7", got, err)
	}
	if got, err := host.Read(); err != io.EOF {
		t.Errorf("then got %v, %v, want the end", got, err)
	}
}

func TestConnectionOverASocketIsClosed(t *testing.T) {
	for name, end := range map[string]func(host *HostConn, game *GameConn){
		"by its owner":           func(host *HostConn, _ *GameConn) { host.Close() },
		"by the end of its peer": func(_ *HostConn, game *GameConn) { game.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			host, game := connect(t)
			refused := make(chan bool)
			go func() { // ends when the connection is closed
				for host.Push(HostFrame{Answers: []driver.Answer{{Line: strings.Repeat("x", 1<<20)}}}) {
				}
				close(refused)
			}()
			poll.Until(t, "too much waits", host.full)
			end(host, game)
			<-refused
			if host.PushNow(HostFrame{}) || host.Len() != 0 {
				t.Errorf("a frame went into a closed connection, or %d wait; want none", host.Len())
			}
		})
	}
}

// receive returns a connection that receives bytes in pieces of a size.
func receive(sent []byte, size, longest int) *HostConn {
	return newHostConn(&overSocket{in: newReader(pieces{bytes.NewReader(sent), size}, longest, &pb.GameFrame{})})
}

func TestReaderReturnsWhatHasArrived(t *testing.T) {
	all := framed(gameFrames...)
	for _, size := range []int{1, 3, 7, len(all)} {
		c := receive(all, size, 1<<10)
		var matches []uint64
		for {
			frames, err := c.Read()
			if err != nil {
				if err != io.EOF {
					t.Errorf("pieces of %d bytes: it ends with %v, want %v", size, err, io.EOF)
				}
				break
			}
			for _, f := range frames {
				matches = append(matches, f.Match)
			}
		}
		if want := []uint64{0, 1 << 32, 0, 0, 3}; !slices.Equal(matches, want) {
			t.Errorf("pieces of %d bytes: got frames of the matches %v, want %v", size, matches, want)
		}
	}
}

// pieces returns at most size bytes at once.
type pieces struct {
	io.Reader
	size int
}

func (p pieces) Read(b []byte) (int, error) { return p.Reader.Read(b[:min(p.size, len(b))]) }

func TestReaderRefusesBrokenFrames(t *testing.T) {
	long := framed(GameFrame{Frame: &driver.Frame{Texts: []driver.Text{{Lines: make([]byte, 200<<10)}}}})
	for name, tt := range map[string]struct {
		sent string
		want error
	}{
		"nothing":                    {"", io.EOF},
		"the middle of a length":     {"\x01\x00", io.ErrUnexpectedEOF},
		"the middle of a frame":      {"\x02\x00\x00\x00\x08", io.ErrUnexpectedEOF},
		"a frame that is too long":   {"\xff\xff\xff\xff", ErrTooLong},
		"one that is a bit too long": {string(long), ErrTooLong},
		"no message":                 {"\x01\x00\x00\x00\x08", errInvalid},
	} {
		t.Run(name, func(t *testing.T) {
			if frames, err := receive([]byte(tt.sent), readSize, 100<<10).Read(); !errors.Is(err, tt.want) {
				t.Errorf("got %v, error %v, want %v", frames, err, tt.want)
			}
		})
	}
	if frames, err := receive(long, len(long), len(long)).Read(); err != nil || len(frames) != 1 {
		t.Errorf("a frame longer than the buffer: got %d frames, error %v, want one", len(frames), err)
	}
}
