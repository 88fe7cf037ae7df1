//go:build unix

package wire

import (
	"bytes"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"colosseum/internal/test/poll"
)

// connect returns a writer to a socket and the other end.
func connect(t *testing.T) (w *Writer[*HostFrame], host, game *os.File) {
	t.Helper()
	host, passed, err := Sockets()
	if err != nil {
		t.Fatal(err)
	}
	fd, err := syscall.Dup(int(passed.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	_ = passed.Close()
	if game, err = OpenSocket(fd); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = host.Close()
		_ = game.Close()
	})
	return NewWriter[*HostFrame](host), host, game
}

// idle reports whether all that was pushed has been written.
func (w *Writer[F]) idle() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return !w.writing
}

func TestFramesOfEachSenderCrossTheSocketInTheirOrder(t *testing.T) {
	const senders, frames = 16, 5000
	w, _, game := connect(t)
	var group sync.WaitGroup
	for sender := range uint64(senders) {
		group.Go(func() {
			for n := range uint64(frames) {
				if !w.Push(&HostFrame{Match: sender*frames + n}) {
					t.Error("the writer is closed")
				}
			}
		})
	}
	last := make([]uint64, senders)
	in := NewHostReader(game, 1<<20)
	for total := 0; total < senders*frames; {
		got, err := in.Read()
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

func TestPushNowDoesNotWaitForAReceiver(t *testing.T) {
	w, _, game := connect(t)
	line := make([]byte, 1<<20)
	const frames = 40
	for range frames { // far more than the socket holds
		if !w.PushNow(&HostFrame{Answers: []*Answer{{Line: line}}}) {
			t.Fatal("the writer is closed")
		}
	}
	in := NewHostReader(game, 2<<20)
	for left := frames; left > 0; {
		got, err := in.Read()
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
	poll.Until(t, "all is written", w.idle)
	w.PushNow(&HostFrame{Match: 7})
	if got, err := in.Read(); err != nil || len(got) != 1 || got[0].Match != 7 {
		t.Errorf("got %v, error %v, want a frame of match 7", got, err)
	}
}

func TestPushToASocketWaitsWhileTooMuchWaits(t *testing.T) {
	w, _, game := connect(t)
	frame := &HostFrame{Answers: []*Answer{{Line: make([]byte, 1<<20)}}}
	pushed := make(chan bool, 100)
	go func() { // ends when all have been pushed
		for range cap(pushed) {
			pushed <- w.Push(frame)
		}
		close(pushed)
	}()
	poll.Until(t, "the writer is full", func() bool {
		w.mu.Lock()
		defer w.mu.Unlock()
		return len(w.waiting) >= queueBytes
	})
	if n := len(pushed); n == cap(pushed) {
		t.Errorf("%d frames went in, want fewer", n)
	}
	in := NewHostReader(game, 2<<20)
	for left := cap(pushed); left > 0; {
		got, err := in.Read()
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
func TestWriterThatFailsKeepsWhatTheOtherSideHasSent(t *testing.T) {
	w, host, game := connect(t)
	if _, err := game.Write(appendFrame(nil, &GameFrame{Match: 7})); err != nil {
		t.Fatal(err)
	}
	_ = game.Close()
	poll.Until(t, "the writer has failed", func() bool { return !w.PushNow(&HostFrame{}) })
	in := NewGameReader(host, 1<<20)
	if got, err := in.Read(); err != nil || len(got) != 1 || got[0].Match != 7 {
		t.Errorf("got %v, %v, want the frame of match 7", got, err)
	}
	if got, err := in.Read(); err != io.EOF {
		t.Errorf("then got %v, %v, want the end", got, err)
	}
}

func TestWriterIsClosed(t *testing.T) {
	for name, end := range map[string]func(w *Writer[*HostFrame], host, game *os.File){
		"by its owner":           func(w *Writer[*HostFrame], host, _ *os.File) { w.Close(); _ = host.Close() },
		"by the end of its peer": func(_ *Writer[*HostFrame], _, game *os.File) { _ = game.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			w, host, game := connect(t)
			refused := make(chan bool)
			go func() { // ends when the writer is closed
				for w.Push(&HostFrame{Answers: []*Answer{{Line: make([]byte, 1<<20)}}}) {
				}
				close(refused)
			}()
			poll.Until(t, "the writer is full", func() bool {
				w.mu.Lock()
				defer w.mu.Unlock()
				return len(w.waiting) >= queueBytes
			})
			end(w, host, game)
			<-refused
			if w.PushNow(&HostFrame{}) || w.Len() != 0 {
				t.Errorf("a frame went into a closed writer, or %d wait; want none", w.Len())
			}
		})
	}
}

func TestReaderReturnsWhatHasArrived(t *testing.T) {
	var all []byte
	for _, f := range gameFrames {
		all = appendFrame(all, f)
	}
	for _, size := range []int{1, 3, 7, len(all)} {
		r := NewGameReader(pieces{bytes.NewReader(all), size}, 1<<10)
		var matches []uint64
		for {
			frames, err := r.Read()
			if err != nil {
				if err != io.EOF {
					t.Errorf("pieces of %d bytes: the reader ends with %v, want %v", size, err, io.EOF)
				}
				break
			}
			for _, f := range frames {
				matches = append(matches, f.Match)
			}
		}
		if want := []uint64{0, 1 << 32, 0, 3}; !slices.Equal(matches, want) {
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
	long := appendFrame(nil, &GameFrame{Texts: []*Text{{Lines: make([]byte, 200<<10)}}})
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
			if frames, err := NewGameReader(strings.NewReader(tt.sent), 100<<10).Read(); !errors.Is(err, tt.want) {
				t.Errorf("got %v, error %v, want %v", frames, err, tt.want)
			}
		})
	}
	if frames, err := NewGameReader(bytes.NewReader(long), len(long)).Read(); err != nil || len(frames) != 1 {
		t.Errorf("a frame longer than the buffer: got %d frames, error %v, want one", len(frames), err)
	}
}
