package programs

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"testing"
)

// Daemon is a program that runs until it is stopped, such as coco serve.
type Daemon struct {
	Cmd  *exec.Cmd
	Done chan struct{} // closed when it has ended and Log is complete

	mu      sync.Mutex // guards the fields below while it runs
	changed *sync.Cond
	Log     []string // the lines that it has written
	ended   bool
}

// StartDaemon starts a program. It is killed at the end of the test.
func StartDaemon(t testing.TB, cmd *exec.Cmd) *Daemon {
	t.Helper()
	d := &Daemon{Cmd: cmd, Done: make(chan struct{})}
	d.changed = sync.NewCond(&d.mu)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = cmd.Stdout
	EndWithParent(cmd)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go d.follow(out) // ends with the program
	t.Cleanup(func() { d.Stop(os.Kill) })
	return d
}

func (d *Daemon) follow(out io.Reader) {
	defer close(d.Done)
	for lines := bufio.NewScanner(out); lines.Scan(); {
		d.mu.Lock()
		d.Log = append(d.Log, lines.Text())
		d.changed.Broadcast()
		d.mu.Unlock()
	}
	_ = d.Cmd.Wait()
	d.mu.Lock()
	d.ended = true
	d.changed.Broadcast()
	d.mu.Unlock()
}

// Await waits until the log has n lines that contain a text, and returns the last one.
func (d *Daemon) Await(t testing.TB, n int, text string) string {
	t.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	for seen := 0; ; d.changed.Wait() {
		for ; seen < len(d.Log); seen++ {
			if strings.Contains(d.Log[seen], text) {
				if n--; n == 0 {
					return d.Log[seen]
				}
			}
		}
		if d.ended {
			t.Fatalf("%s ended, want %d more lines with %q; log:\n%s", d.Cmd, n, text, strings.Join(d.Log, "\n"))
		}
	}
}

// Tail returns the last lines of the log.
func (d *Daemon) Tail(n int) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return strings.Join(d.Log[max(0, len(d.Log)-n):], "\n")
}

// Count returns the number of lines of the log that match a pattern.
func (d *Daemon) Count(pattern string) (n int) {
	r := regexp.MustCompile(pattern)
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, line := range d.Log {
		if r.MatchString(line) {
			n++
		}
	}
	return n
}

// Stop sends a signal, unless it is nil, waits for the end, and returns the exit code.
func (d *Daemon) Stop(sig os.Signal) int {
	if sig != nil {
		_ = d.Cmd.Process.Signal(sig) // it can have ended
	}
	<-d.Done
	return d.Cmd.ProcessState.ExitCode()
}
