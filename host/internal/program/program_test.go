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
)

var limits = Limits{Line: 100, Backlog: 1 << 20}

// ample is the time that programs have to end which do so by themselves.
const ample = time.Hour

// desk stands in for a match.
type desk struct {
	lines chan string // 1000: more than any test writes

	mu   sync.Mutex // guards the field below
	full int        // lines that are still taken
	left chan struct{}
}

func newDesk(takes int) *desk {
	return &desk{lines: make(chan string, 1000), full: takes, left: make(chan struct{})}
}

func (d *desk) Line(_ int, text string, _ time.Time) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.full == 0 {
		return false
	}
	d.full--
	d.lines <- text
	return true
}

func (d *desk) Leave(int) { close(d.left) }

// gone waits until the program has left, and returns its lines.
func (d *desk) gone(t *testing.T) []string {
	t.Helper()
	<-d.left
	close(d.lines)
	var list []string
	for line := range d.lines {
		list = append(list, line)
	}
	return list
}

func shell(t *testing.T, script string) *Program {
	t.Helper()
	p, err := Start([]string{"sh", "-c", script}, limits)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestProgramReadsAndWritesLines(t *testing.T) {
	p := shell(t, `while read x; do echo " <$x> "; done; echo done >&2; printf 'no line feed'`)
	d := newDesk(1000)
	begin := time.Now()
	p.Play(d, 0)
	p.Send([]byte("a\nb"))
	p.Send([]byte("\n"))
	if got := <-d.lines; got != "<a>" {
		t.Errorf("got %q", got)
	}
	if got := <-d.lines; got != "<b>" {
		t.Errorf("got %q", got)
	}
	if since, done := p.Written(); !done || since.Before(begin) || since.After(time.Now()) {
		t.Errorf("written: %v since %v", done, since)
	}
	exit := p.End(ample)
	if want := (Exit{Status: "exit status 0", OK: true, Stderr: "done"}); exit != want {
		t.Errorf("ended as %+v, want %+v", exit, want)
	}
	if rest := d.gone(t); len(rest) > 0 {
		t.Errorf("what had no line feed came as %q", rest)
	}
}

func TestProgramThatFailsIsReported(t *testing.T) {
	p := shell(t, `echo last words >&2; exit 3`)
	d := newDesk(1000)
	p.Play(d, 0)
	d.gone(t)
	p.Send([]byte("nobody reads this\n"))
	if exit := p.End(ample); exit.OK || exit.Status != "exit status 3" || exit.Stderr != "last words" || exit.Fault != "" {
		t.Errorf("ended as %+v", exit)
	}
}

func TestLastLinesBeforeTheEndStillCount(t *testing.T) {
	p := shell(t, `seq 500; kill -9 $$`)
	d := newDesk(1000)
	p.Play(d, 0)
	if got := d.gone(t); len(got) != 500 || got[499] != "500" {
		t.Errorf("%d lines", len(got))
	}
	if exit := p.End(ample); exit.Status != "signal: killed" || exit.OK {
		t.Errorf("ended as %+v", exit)
	}
}

func TestProgramThatBreaksALimitIsEnded(t *testing.T) {
	tests := []struct {
		name, script string
		send         int
		want         string
	}{
		{"endless line", `while :; do printf xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; done`, 0, "it wrote a line of more than 100 bytes"},
		{"unread input", `sleep 1000`, 2 << 20, "it left 1048576 bytes unread"},
		{"deaf to the end", `trap '' TERM; while :; do sleep 1000; done`, 0, "it did not end within 3s of the end of its input"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := shell(t, tt.script)
			d := newDesk(1000)
			p.Play(d, 0)
			if tt.want[:8] == "it wrote" {
				d.gone(t)
			}
			for range tt.send / 1024 {
				p.Send(slices.Repeat([]byte("a line\n."), 128))
			}
			if exit := p.End(Farewell); exit.Fault != tt.want || exit.OK {
				t.Errorf("ended as %+v, want fault %q", exit, tt.want)
			}
			ends(p.cmd.Process.Pid)
		})
	}
}

func TestProgramThatWritesOnAfterTheMatchMayEnd(t *testing.T) {
	p := shell(t, `seq 100000; exit 0`)
	d := newDesk(1)
	p.Play(d, 0)
	d.gone(t)
	if exit := p.End(ample); !exit.OK {
		t.Errorf("ended as %+v", exit)
	}
}

func TestWhatAProgramHasStartedEndsWithIt(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pid")
	p := shell(t, fmt.Sprintf(`sleep 1000 & echo $! > %s; echo ready`, file))
	d := newDesk(1000)
	p.Play(d, 0)
	if got := d.gone(t); !slices.Equal(got, []string{"ready"}) { // although sleep holds the pipe
		t.Errorf("lines %q", got)
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
	ends(pid)
}

// ends waits until a process that was killed has gone, which may take a moment,
// and nobody tells when that is over.
func ends(pid int) {
	for {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil || strings.Contains(string(stat), ") Z ") {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

func TestProgramThatIsNotThereIsExplained(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("bot", nil, 0o755); err != nil {
		t.Fatal(err)
	}
	_, err := Start([]string{"bot"}, limits)
	if want := `start the program bot: exec: "bot": executable file not found in $PATH; for the file of this folder write ./bot`; err == nil || err.Error() != want {
		t.Errorf("error %v", err)
	}
}
