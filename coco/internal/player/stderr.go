package player

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"
)

// Bounds of the end of a program's stderr that is kept.
const (
	tailBytes = 4 << 10
	tailLines = 20
)

// maxStderrLine is the longest line of stderr, in bytes, that is passed on whole.
const maxStderrLine = 4 << 10

// drainTimeout is how long coco reads stderr after the program's end. A process that the
// program has started can keep the pipe open.
const drainTimeout = 500 * time.Millisecond

// stderr copies a program's stderr to coco's own, and keeps its end.
type stderr struct {
	pipe *os.File      // from the program
	to   io.Writer     // coco's own
	done chan struct{} // closed when nothing more is read

	mu    sync.Mutex                      // guards the fields below
	tail  []byte                          // the last bytes, at most tailBytes
	cut   bool                            // bytes before tail were dropped
	lines func(line []byte, at time.Time) // nil: none
	open  []byte                          // the last line, if it has not ended; at most maxStderrLine
	early []stderrLine                    // before OnStderr, at most tailLines
}

type stderrLine struct {
	text []byte
	at   time.Time
}

// newStderr returns a stderr and the program's end of its pipe, which the caller must
// close.
func newStderr(to io.Writer) (s *stderr, theirs *os.File, err error) {
	s = &stderr{to: to, done: make(chan struct{})}
	s.pipe, theirs, err = os.Pipe()
	return s, theirs, err
}

// copy reads until the end of the pipe. It keeps the bytes before it writes them,
// because a stopped terminal blocks the write.
func (s *stderr) copy() {
	defer close(s.done)
	piece := make([]byte, 8<<10)
	for {
		n, err := s.pipe.Read(piece)
		s.keep(piece[:n], time.Now())
		s.to.Write(piece[:n]) // without a reader of coco's stderr, the program goes on
		if err != nil {
			return
		}
	}
}

func (s *stderr) keep(b []byte, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tail = append(s.tail, b...)
	if extra := len(s.tail) - tailBytes; extra > 0 {
		s.tail, s.cut = slices.Delete(s.tail, 0, extra), true
	}
	for len(b) > 0 {
		line, rest, ended := bytes.Cut(b, []byte{'\n'})
		s.open = append(s.open, line[:min(len(line), maxStderrLine-len(s.open))]...)
		if ended {
			s.lineLocked(s.open, now)
			s.open = s.open[:0]
		}
		b = rest
	}
}

func (s *stderr) lineLocked(line []byte, at time.Time) {
	if s.lines != nil {
		s.lines(line, at)
		return
	}
	if len(s.early) == tailLines {
		s.early = slices.Delete(s.early, 0, 1)
	}
	s.early = append(s.early, stderrLine{bytes.Clone(line), at})
}

// pass calls f for the lines so far, and for each line from now on.
func (s *stderr) pass(f func(line []byte, at time.Time)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lines = f
	for _, l := range s.early {
		f(l.text, l.at)
	}
	s.early = nil
}

// drain waits until everything is read, at most for drainTimeout. The last line counts
// even if it has not ended.
func (s *stderr) drain() {
	if s == nil {
		return
	}
	select {
	case <-s.done:
	case <-time.After(drainTimeout):
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.open) > 0 {
		s.lineLocked(s.open, time.Now())
		s.open = nil
	}
}

// close stops reading, after drain.
func (s *stderr) close() {
	if s == nil {
		return
	}
	s.drain()
	go s.pipe.Close() // on Windows it waits for the read, and so for the pipe's last writer
}

// lastLines returns the last lines, at most tailLines.
func (s *stderr) lastLines() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	text := strings.TrimRight(string(s.tail), "\r\n")
	if text == "" {
		return nil
	}
	lines := strings.Split(text, "\n")
	if s.cut && len(lines) > 1 {
		lines = lines[1:] // the first one lacks its beginning
	}
	return lines[max(0, len(lines)-tailLines):]
}

// OnStderr calls f for each line of the program's stderr: first for its last lines
// so far, then for each line when it is read, one at a time. Lines have no line feed
// and at most 4 KiB. f must not call the player.
func (p *Player) OnStderr(f func(line []byte, at time.Time)) {
	if p.program != nil && p.program.stderr != nil {
		p.program.stderr.pass(f)
	}
}

// Stderr returns the last lines of the program's stderr, at most 20 lines and 4 KiB.
// If the program has exited, it first waits for the rest, half a second at most.
func (p *Player) Stderr() []string {
	if p.program == nil || p.program.stderr == nil {
		return nil
	}
	select {
	case <-p.program.done:
		p.program.stderr.drain()
	default:
	}
	return p.program.stderr.lastLines()
}

// Exit describes how the program exited, like "exit status 1"; "" if it has not, or
// there is none.
func (p *Player) Exit() string {
	if p.program == nil {
		return ""
	}
	select {
	case <-p.program.done:
		return fmt.Sprint(p.program.status())
	default:
		return ""
	}
}
