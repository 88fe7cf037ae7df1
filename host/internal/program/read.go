package program

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

// Match is where a program plays.
type Match interface {
	// Line takes a line of a seat; false: the match is over. It may block.
	Line(seat int, text string, at time.Time) bool
	// Leave says that no line of the seat will come any more.
	Leave(seat int)
}

// Play lets the program play on a seat. It is called once and does not block.
func (p *Program) Play(m Match, seat int) {
	p.pipes.Go(func() { // ends with the last writer of the pipe, or in End
		p.read(m, seat)
		m.Leave(seat)
		_, _ = io.Copy(io.Discard, p.arrivals) // who writes on is not held up by a full pipe
	})
}

// read passes lines on until there are no more, or the match is over. What
// stands after the last line feed is no line, as on a server.
func (p *Program) read(m Match, seat int) {
	r := bufio.NewReaderSize(p.arrivals, p.limits.Line+1)
	for {
		line, err := r.ReadSlice('\n')
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			p.kill(fmt.Sprintf("it wrote a line of more than %d bytes", p.limits.Line))
			return
		case err != nil:
			return
		case !m.Line(seat, string(bytes.Trim(line[:len(line)-1], " \r")), p.arrivals.Last()):
			return
		}
	}
}

// tailBytes is how much of a program's stderr is kept.
const tailBytes = 2 << 10

// tail keeps the end of what is written to it.
type tail struct {
	mu  sync.Mutex // guards the fields below
	end []byte     // at most 2*tailBytes
	cut bool       // something stood before it
}

// ReadFrom reads to the end.
func (t *tail) ReadFrom(r io.Reader) (n int64, err error) {
	b := make([]byte, tailBytes)
	for {
		got, err := r.Read(b)
		n += int64(got)
		t.add(b[:got])
		if err != nil {
			return n, err
		}
	}
}

func (t *tail) add(b []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.end)+len(b) > 2*tailBytes {
		t.end = append(t.end[:0], t.end[len(t.end)-tailBytes:]...)
		t.cut = true
	}
	t.end = append(t.end, b...)
}

// String returns about tailBytes at most, in whole lines if possible.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	end, cut := t.end, t.cut
	if len(end) > tailBytes {
		end, cut = end[len(end)-tailBytes:], true
	}
	text := strings.ToValidUTF8(string(end), "\uFFFD")
	if _, rest, ok := strings.Cut(text, "\n"); cut && ok && rest != "" {
		text = "…\n" + rest
	}
	return strings.TrimRight(text, "\n")
}
