package bridge

import (
	"bufio"
	"errors"
	"io"
	"strings"
	"time"
)

// errOver reports that the match ended while the engine searched.
var errOver = errors.New("the match is over")

// stream has the lines of a match. While the engine searches, the next one is read ahead:
// the match can end after any move, and the engine cannot know that it has lost on time.
type stream struct {
	lines chan string // closed at the end of the stream
	err   error       // of reading; valid when lines is closed
	done  chan struct{}
	ahead *string // read, and not yet returned by next
	ended bool    // lines is closed
}

func readStream(r io.Reader) *stream {
	s := &stream{lines: make(chan string), done: make(chan struct{})}
	go func() { // ends with the stream, or at the first line after done is closed
		defer close(s.lines)
		scanner := bufio.NewScanner(r)
		for scanner.Scan() {
			select {
			case s.lines <- scanner.Text():
			case <-s.done:
				return
			}
		}
		s.err = scanner.Err()
	}()
	return s
}

// next returns the next line; false at the end.
func (s *stream) next() (string, bool) {
	if s.ahead != nil {
		line := *s.ahead
		s.ahead = nil
		return line, true
	}
	line, open := <-s.lines
	return line, open
}

// early returns the channel of the next line, for keep; nil if it has been read.
func (s *stream) early() <-chan string {
	if s == nil || s.ahead != nil || s.ended {
		return nil
	}
	return s.lines
}

// keep keeps a line from early for next, and reports whether the match is over by it.
func (s *stream) keep(line string, open bool) (over bool) {
	if !open {
		s.ended = true
		return false
	}
	s.ahead = &line
	return isEnd(line)
}

// isOver reports whether the match is over by the next line, for which it waits.
func (s *stream) isOver(limit time.Duration) bool {
	switch {
	case s.ahead != nil:
		return isEnd(*s.ahead)
	case s.ended:
		return false
	}
	select {
	case line, open := <-s.lines:
		return s.keep(line, open)
	case <-time.After(limit):
		return false
	}
}

// isEnd reports whether a line that is no offer of a draw ends a match.
func isEnd(text string) bool {
	return text == "RETIRE" || strings.HasPrefix(text, "WINNER ") || strings.HasPrefix(text, "DRAW ") && text != "DRAW <PROPOSED>"
}
