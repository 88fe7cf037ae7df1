//go:build unix

package player

import (
	"bytes"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"colosseum/internal/test/poll"
)

// kept returns a stderr that has read what write writes, and what it copied.
func kept(t *testing.T, write func(w *os.File)) (s *stderr, copied string) {
	t.Helper()
	var to bytes.Buffer
	s, w, err := newStderr(&to)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.pipe.Close() })
	go s.copy() // ends with the last writer
	write(w)
	w.Close()
	<-s.done
	return s, to.String()
}

func TestEndOfStderrIsKept(t *testing.T) {
	numbers := func(n int) (lines []string) {
		for i := range n {
			lines = append(lines, strings.Repeat("x", 50)+string(rune('a'+i%26)))
		}
		return lines
	}
	tests := []struct {
		name, text string
		want       []string
	}{
		{"nothing", "", nil},
		{"a line", "one\n", []string{"one"}},
		{"without line feed", "one\ntwo", []string{"one", "two"}},
		{"many lines", strings.Join(numbers(1000), "\n") + "\n", numbers(1000)[980:]},
		{"a long line", "begin" + strings.Repeat("y", 1<<20), []string{strings.Repeat("y", tailBytes)}},
		{"only line feeds", strings.Repeat("\n", 10000), nil},
		{"control characters", "\x00\xff\x1b[2J\n", []string{"\x00\xff\x1b[2J"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, copied := kept(t, func(w *os.File) { w.WriteString(tt.text) })
			if copied != tt.text {
				t.Errorf("got %d bytes on coco's stderr, want the %d that were written", len(copied), len(tt.text))
			}
			if got := s.lastLines(); !slices.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestLinesOfStderrArePassedOn(t *testing.T) {
	s, _ := kept(t, func(w *os.File) { w.WriteString("one\n\n" + strings.Repeat("x", 10_000) + "\nopen") })
	var got []string
	s.pass(func(line []byte, _ time.Time) { got = append(got, string(line)) })
	s.drain()
	s.drain()
	want := []string{"one", "", strings.Repeat("x", maxStderrLine), "open"}
	if !slices.Equal(got, want) {
		t.Errorf("got %.100q, want %.100q", got, want)
	}
}

// blockedWriter is a terminal that is stopped.
type blockedWriter struct{ release chan struct{} }

func (w blockedWriter) Write(b []byte) (int, error) {
	<-w.release
	return len(b), nil
}

func TestStoppedTerminalDoesNotKeepCocoWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := blockedWriter{make(chan struct{})}
		r, theirs, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		theirs.WriteString("last\nwords")
		theirs.Close()
		s := &stderr{pipe: r, to: w, done: make(chan struct{})}
		var passed []string
		s.pass(func(line []byte, _ time.Time) { passed = append(passed, string(line)) })
		var copying sync.WaitGroup
		copying.Go(s.copy)
		before := time.Now()
		s.drain()
		if took := time.Since(before); took != drainTimeout {
			t.Errorf("waited for %v, want %v", took, drainTimeout)
		}
		if got, want := s.lastLines(), []string{"last", "words"}; !slices.Equal(got, want) || !slices.Equal(passed, want) {
			t.Errorf("got %q, and %q for the log, want what was read before the terminal stopped", got, passed)
		}
		close(w.release)
		copying.Wait()
		r.Close()
	})
}

func TestGrandchildThatHoldsStderrDoesNotKeepCocoWaiting(t *testing.T) {
	if _, err := exec.LookPath("setsid"); err != nil {
		t.Skip("setsid is not installed")
	}
	// The grandchild leaves the group. It ends with its input.
	p := open(t, Config{Command: []string{"sh", "-c", "echo last words >&2; exec 3<&0; setsid sh -c 'echo up; exec cat >&2' <&3 & exit 3"}, Channel: Stdio})
	word := make([]byte, 3)
	if _, err := p.Out.Read(word); err != nil {
		t.Fatal(err)
	}
	poll.Receive(t, "the program is gone", p.Gone())
	if got := p.Stderr(); !slices.Equal(got, []string{"last words"}) {
		t.Errorf("got %q, want the program's last words", got)
	}
	if got := p.Exit(); got != "exit status 3" {
		t.Errorf("got %q, want exit status 3", got)
	}
	select {
	case <-p.program.stderr.done:
		t.Error("the end of stderr was reached, want it held open by the grandchild")
	default:
	}
}
