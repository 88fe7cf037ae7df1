package programs

import (
	"bufio"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"colosseum/internal/test/poll"
)

// output is what a program has written so far, by lines.
type output struct {
	Done chan struct{} // closed when the program has ended and Log is complete
	Log  []string      // guarded by mu until Done is closed

	mu      *sync.Mutex // guards the fields below
	changed *sync.Cond
	ended   bool
}

func newOutput() output {
	mu := new(sync.Mutex)
	return output{Done: make(chan struct{}), mu: mu, changed: sync.NewCond(mu)}
}

// follow reads to the end of the program. seen is called for each line, with mu locked; wait
// returns when the program has ended.
func (o *output) follow(from io.Reader, seen func(line string), wait func() error) {
	defer close(o.Done)
	for lines := bufio.NewReader(from); ; {
		line, err := lines.ReadString('\n')
		if line != "" {
			o.mu.Lock()
			o.Log = append(o.Log, strings.TrimSuffix(line, "\n"))
			seen(o.Log[len(o.Log)-1])
			o.changed.Broadcast()
			o.mu.Unlock()
		}
		if err != nil {
			break
		}
	}
	_ = wait() // its status is in the command
	o.mu.Lock()
	o.ended = true
	o.changed.Broadcast()
	o.mu.Unlock()
}

// Logged returns the lines so far.
func (o *output) Logged() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.Log)
}

// Tail returns the last lines.
func (o *output) Tail(n int) string {
	lines := o.Logged()
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}

// Telling returns the last n lines of a host's log that say more than that a match began or
// ended. With many matches, only those would be left of a log at the end of a test.
func Telling(log []string, n int) []string {
	telling := slices.DeleteFunc(slices.Clone(log), func(line string) bool { return strings.Contains(line, `level=INFO msg="match `) })
	return telling[max(0, len(telling)-n):]
}

// await waits for the nth line that matches a pattern, from mark on, and returns it.
func (o *output) await(t testing.TB, mark, n int, pattern *regexp.Regexp) (line string) {
	t.Helper()
	o.mu.Lock()
	defer o.mu.Unlock()
	next, left := mark, n
	found := func() bool {
		for ; next < len(o.Log); next++ {
			if pattern.MatchString(o.Log[next]) {
				if left--; left == 0 {
					line = o.Log[next]
					return true
				}
			}
		}
		return o.ended
	}
	tail := func() any { return "\n" + strings.Join(o.Log[max(0, len(o.Log)-50):], "\n") }
	poll.On(t, o.changed, fmt.Sprintf("%d lines match %q", n, pattern), found, tail)
	if left > 0 {
		t.Fatalf("the program has ended, want %d more lines that match %q:%v", left, pattern, tail())
	}
	return line
}

// awaitEnd waits until the program has ended.
func (o *output) awaitEnd(t testing.TB) {
	t.Helper()
	poll.Receive(t, "the program has ended", o.Done, func() any { return "\n" + o.Tail(50) })
}
