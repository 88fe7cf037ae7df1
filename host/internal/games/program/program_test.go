package program

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"colosseum/internal/test/poll"
)

var limits = Limits{Line: 100, Backlog: 1 << 20}

// ample is the grace of programs that end by themselves.
const ample = poll.Limit

// fakeMatch is a match that takes a number of lines.
type fakeMatch struct {
	lines chan string // 1000: more than any test writes
	left  chan struct{}
	began chan struct{} // 10: more than any test has

	mu   sync.Mutex // guards the field below
	free int        // lines that it still takes
}

func newMatch(takes int) *fakeMatch {
	return &fakeMatch{lines: make(chan string, 1000), free: takes, left: make(chan struct{}), began: make(chan struct{}, 10)}
}

func (m *fakeMatch) Line(_ int, line string, _ time.Time) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.free == 0 {
		return false
	}
	m.free--
	m.lines <- line
	return true
}

func (m *fakeMatch) Leave(int) { close(m.left) }

func (m *fakeMatch) Began(int, time.Time) { m.began <- struct{}{} }

// wait waits until the program has left, and returns its lines.
func (m *fakeMatch) wait(t *testing.T) []string {
	t.Helper()
	poll.Receive(t, "the program has left the match", m.left)
	close(m.lines)
	var list []string
	for line := range m.lines {
		list = append(list, line)
	}
	return list
}

func shell(t *testing.T, script string) *Program {
	t.Helper()
	p, err := Start(Command{Args: []string{"sh", "-c", script}}, limits)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestProgramReadsAndWritesLines(t *testing.T) {
	p := shell(t, `while read x; do echo " <$x> "; done; echo done >&2; printf 'no line feed'`)
	m := newMatch(1000)
	begin := time.Now()
	p.Play(m, 0)
	p.Send([]byte("a\nb"))
	p.Send([]byte("\n"))
	for _, want := range []string{"<a>", "<b>"} {
		if got := poll.Receive(t, "the program has written "+want, m.lines); got != want {
			t.Errorf("got the line %q, want %q", got, want)
		}
	}
	if since, done := p.Written(); !done || since.Before(begin) || since.After(time.Now()) {
		t.Errorf("Written returned %v, %v, want a time after %v and true", since, done, begin)
	}
	exit := p.End(ample)
	if want := (Exit{Status: "exit status 0", OK: true, Stderr: "done"}); exit != want {
		t.Errorf("ended as %+v, want %+v", exit, want)
	}
	if rest := m.wait(t); len(rest) > 0 {
		t.Errorf("got %q after the last line feed, want nothing", rest)
	}
}

func TestProgramThatFailsIsReported(t *testing.T) {
	p := shell(t, `echo last words >&2; exit 3`)
	m := newMatch(1000)
	p.Play(m, 0)
	m.wait(t)
	p.Send([]byte("nobody reads this\n"))
	if got, want := p.End(ample), (Exit{Status: "exit status 3", Stderr: "last words"}); got != want {
		t.Errorf("ended as %+v, want %+v", got, want)
	}
}

func TestLastLinesBeforeTheEndArePassedOn(t *testing.T) {
	p := shell(t, `seq 500; kill -9 $$`)
	m := newMatch(1000)
	p.Play(m, 0)
	if got := m.wait(t); len(got) != 500 || got[499] != "500" {
		t.Errorf("got %d lines, want 1 to 500", len(got))
	}
	if exit := p.End(ample); exit.Status != "signal: killed" || exit.OK {
		t.Errorf("ended as %+v, want signal: killed", exit)
	}
}

func TestProgramThatBreaksALimitIsKilled(t *testing.T) {
	tests := []struct {
		name, script string
		send         int
		want         string
	}{
		{"endless line", `while :; do printf xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; done`, 0, "it wrote a line of more than 100 bytes"},
		{"unread input", `sleep 1000`, 2 << 20, "it left 1048576 bytes unread"},
		{"no reaction to the end", `trap '' TERM; echo ready; while :; do sleep 1000; done`, 0, "it did not end within 1ms of the end of its input"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := shell(t, tt.script)
			m := newMatch(1000)
			p.Play(m, 0)
			switch tt.name {
			case "endless line":
				m.wait(t)
			case "no reaction to the end":
				poll.Receive(t, "the program ignores the signal", m.lines)
			}
			for range tt.send / 1024 {
				p.Send(slices.Repeat([]byte("a line\n."), 128))
			}
			if exit := p.End(time.Millisecond); exit.Fault != tt.want || exit.OK {
				t.Errorf("ended as %+v, want fault %q", exit, tt.want)
			}
			ends(t, p.cmd.Process.Pid)
		})
	}
}

func TestProgramThatWritesAfterTheMatchCanEnd(t *testing.T) {
	p := shell(t, `seq 100000; exit 0`)
	m := newMatch(1)
	p.Play(m, 0)
	m.wait(t)
	if exit := p.End(ample); !exit.OK {
		t.Errorf("ended as %+v, want success", exit)
	}
}

func TestChildrenOfAProgramEndWithIt(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pid")
	p := shell(t, fmt.Sprintf(`sleep 1000 & echo $! > %s; echo ready`, file))
	m := newMatch(1000)
	p.Play(m, 0)
	if got := m.wait(t); !slices.Equal(got, []string{"ready"}) { // although sleep holds the pipe
		t.Errorf("got the lines %q, want ready", got)
	}
	p.End(ample)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	ends(t, pid)
}

// ends waits until a killed process has ended. It has to poll: the process is not
// a child of the test.
func ends(t *testing.T, pid int) {
	t.Helper()
	poll.Until(t, fmt.Sprintf("process %d has ended", pid), func() bool {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		return err != nil || strings.Contains(string(stat), ") Z ")
	})
}

func TestProgramThatIsNotThereIsExplained(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("bot", nil, 0o755); err != nil {
		t.Fatal(err)
	}
	_, err := Start(Command{Args: []string{"bot"}}, limits)
	if want := `start the program bot: exec: "bot": executable file not found in $PATH; for the file in this folder write ./bot`; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}
