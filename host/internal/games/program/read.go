package program

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// Match is the match of a program.
type Match interface {
	// Line adds a line that a seat sent at the given time. It can block. It
	// returns false once the match takes no more lines.
	Line(seat int, line string, at time.Time) bool
	// Leave reports that the seat sends no more lines.
	Leave(seat int)
	// Began reports that the program on a seat, which had to wait for its core, runs since
	// a time.
	Began(seat int, at time.Time)
}

// Play starts to pass the program's lines to a match. It must be called at most
// once, before End.
func (p *Program) Play(m Match, seat int) {
	p.turn.mu.Lock()
	p.turn.match, p.turn.seat = m, seat
	p.turn.mu.Unlock()
	p.pipes.Go(func() { // ends with the last writer of the pipe, or in End
		p.read(m, seat)
		m.Leave(seat)
		_, _ = io.Copy(io.Discard, p.arrivals) // so that a program that continues to write does not block
	})
}

// read passes lines on until stdout or the match ends. As on a server, bytes after
// the last line feed are not a line.
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
		}
		p.stop()
		if !m.Line(seat, string(bytes.TrimSpace(line)), p.arrivals.Last()) {
			return
		}
	}
}

// tailBytes is how much of a program's stderr is kept.
const tailBytes = 2 << 10

// readTail reads until an error. It returns the last tailBytes at most, in whole
// lines if possible, after a line with … if it dropped any.
func readTail(r io.Reader) string {
	var end []byte
	cut := false
	b := make([]byte, tailBytes)
	for {
		n, err := r.Read(b)
		end = append(end, b[:n]...)
		if extra := len(end) - tailBytes; extra > 0 {
			end, cut = append(end[:0], end[extra:]...), true
		}
		if err != nil {
			break
		}
	}
	text := strings.ToValidUTF8(string(end), "\uFFFD")
	if _, rest, ok := strings.Cut(text, "\n"); cut && ok && rest != "" {
		text = "…\n" + rest
	}
	return strings.TrimRight(text, "\n")
}
