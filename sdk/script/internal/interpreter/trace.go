package interpreter

import (
	"bytes"
	"runtime"
	"strings"
	"sync"
)

// trace collects the lines that the interpreter writes when a panic passes through
// functions of the script: one for each function, the innermost first.
type trace struct {
	mu    sync.Mutex          // guards the field below
	lines map[string][]string // by goroutine
}

const maxTrace = 16 // lines kept of one panic

func (t *trace) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	g := goroutine()
	if len(t.lines[g]) < maxTrace {
		t.lines[g] = append(t.lines[g], strings.TrimSpace(string(p)))
	}
	return len(p), nil
}

// take returns the lines of this goroutine, once.
func (t *trace) take() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	g := goroutine()
	lines := t.lines[g]
	delete(t.lines, g)
	return lines
}

// goroutine names the goroutine that calls it. Many matches write to one trace,
// each in its own goroutine.
func goroutine() string {
	buf := make([]byte, 64)
	name, _, _ := bytes.Cut(buf[:runtime.Stack(buf, false)], []byte(" ["))
	return string(name)
}
