package engine

import (
	"bytes"
	"log/slog"
	"strings"
	"sync"
	"time"
)

// Limits on a child's output in the host's log.
const (
	maxLogLine     = 4 << 10 // bytes; the rest of the line is dropped
	linesPerSecond = 100     // further lines are only counted
	tailLines      = 30      // kept for the error when the start fails
)

// childLog writes a child's output, line by line, to the host's log. The last lines
// before the child is ready are logged when it is; if it never is, they are in the
// error. All methods can be called concurrently.
type childLog struct {
	log *slog.Logger

	mu      sync.Mutex // guards the fields below
	ready   bool
	partial []byte
	tail    []string
	second  time.Time // when the current second began
	logged  int       // lines in it
	dropped int
	crash   crash
}

// Write takes pieces of the child's output from go-plugin.
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
			c.addLocked(strings.ToValidUTF8(string(c.partial), "\uFFFD"))
			c.partial = c.partial[:0]
		}
	}
	return len(b), nil
}

func (c *childLog) addLocked(text string) {
	c.crash.line(text)
	if len(c.tail) == tailLines {
		c.tail = append(c.tail[:0], c.tail[1:]...)
	}
	c.tail = append(c.tail, text)
	if !c.ready {
		return
	}
	if now := time.Now(); now.Sub(c.second) >= time.Second {
		if c.dropped > 0 {
			c.log.Warn("the game writes too much: dropped lines", "lines", c.dropped)
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

// setReady logs the last lines so far, and from now on each line at once.
func (c *childLog) setReady() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ready = true
	for _, line := range c.tail {
		c.log.Info(line)
	}
}

// reason returns why the child has ended itself, if its output says so; else "".
func (c *childLog) reason() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.crash.reason()
}

// last returns the last lines of the output.
func (c *childLog) last() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return strings.Join(c.tail, "\n")
}
