package engine

import (
	"bytes"
	"log/slog"
	"strings"
	"sync"
	"time"
)

// Limits on what a child's output may do to the host's log.
const (
	maxLogLine     = 4 << 10 // bytes; the rest of the line is dropped
	linesPerSecond = 100     // more are counted, not logged
	tailLines      = 30      // kept for the error text when the child fails
)

// childLog writes a child's output, line by line, into the host's log. What the
// child wrote before it was ready is logged when it is: if it never is, the
// error has it.
type childLog struct {
	log *slog.Logger

	mu      sync.Mutex // guards the fields below
	ready   bool
	partial []byte
	tail    []string
	second  time.Time // when the current second began
	logged  int       // lines in it
	dropped int
}

// Write is called by go-plugin with pieces of the child's output.
func (c *childLog) Write(b []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for rest := b; len(rest) > 0; {
		line, after, whole := bytes.Cut(rest, []byte{'\n'})
		rest = after
		if room := maxLogLine - len(c.partial); len(line) > room {
			line = line[:room]
		}
		c.partial = append(c.partial, line...)
		if whole {
			c.line(strings.ToValidUTF8(string(c.partial), "\uFFFD"))
			c.partial = c.partial[:0]
		}
	}
	return len(b), nil
}

func (c *childLog) line(text string) {
	if len(c.tail) == tailLines {
		c.tail = append(c.tail[:0], c.tail[1:]...)
	}
	c.tail = append(c.tail, text)
	if !c.ready {
		return
	}
	if now := time.Now(); now.Sub(c.second) >= time.Second {
		if c.dropped > 0 {
			c.log.Warn("the game writes too much: lines were dropped", "lines", c.dropped)
		}
		c.second, c.logged, c.dropped = now, 0, 0
	}
	if c.logged >= linesPerSecond {
		c.dropped++
		return
	}
	c.logged++
	c.log.Info(text)
}

// begin says that the child is ready.
func (c *childLog) begin() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ready = true
	for _, line := range c.tail {
		c.log.Info(line)
	}
}

// last returns the end of the output, for an error text.
func (c *childLog) last() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return strings.Join(c.tail, "\n")
}
