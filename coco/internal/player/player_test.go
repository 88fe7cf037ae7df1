//go:build unix

package player

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"colosseum/internal/terminal"
)

func open(t *testing.T, cfg Config) *Player {
	t.Helper()
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	cfg.Print = terminal.NewPrinter(null)
	p, err := Open(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

func TestPlayerThatNeverReadsFails(t *testing.T) {
	p := open(t, Config{Command: []string{"sleep", "60"}, Channel: Stdio})
	p.stuckTimeout = 20 * time.Millisecond
	var failed *Failed
	if err := p.Write(make([]byte, 1<<20)); !errors.As(err, &failed) {
		t.Errorf("got %v, want a Failed", err)
	}
}

func TestPlayerThatHasClosedItsInputCanContinue(t *testing.T) {
	p := open(t, Config{Command: []string{"sh", "-c", "exec <&-; echo ready; sleep 60"}, Channel: Stdio})
	word := make([]byte, 6)
	if _, err := p.Out.Read(word); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if err := p.Write([]byte("x\n")); err != nil {
			t.Errorf("got %v, want no error", err)
		}
	}
	select {
	case <-p.Gone():
		t.Error("Gone is closed, want it open")
	default:
	}
}

func TestCloseLeavesNothing(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	p := open(t, Config{Command: []string{"sh", "-c", `exec 3<"$COCO_PIPEIN" 4>"$COCO_PIPEOUT"; cat <&3 >&4`}, Channel: Pipe})
	pid := p.program.cmd.Process.Pid
	p.Close()
	p.Close() // a second call does nothing
	if groupAlive(pid) {
		t.Errorf("process group %d is alive, want none", pid)
	}
	if left, err := os.ReadDir(os.TempDir()); err != nil || len(left) > 0 {
		t.Errorf("got %v left, %v, want nothing", left, err)
	}
}

func TestFileThatTheSystemCannotStartIsExplained(t *testing.T) {
	tests := []struct {
		name, text string
		mode       os.FileMode
		want       string
	}{
		{"not executable", "#!/bin/sh\n", 0o644, "; name what runs it before it, like python3 FILE, or make it executable: "},
		{"without a first line", "print(1)\n", 0o755, "; name what runs it before it, like python3 FILE, or make it executable: "},
		{"of a missing interpreter", "#!/no/such/interpreter\n", 0o755, "; the file exists, but not the interpreter that its first line (#!) names"},
	}
	for _, tt := range tests {
		file := filepath.Join(t.TempDir(), "bot.py")
		if err := os.WriteFile(file, []byte(tt.text), tt.mode); err != nil {
			t.Fatal(err)
		}
		_, err := Open(context.Background(), Config{Command: []string{file}, Channel: Stdio})
		if want := strings.ReplaceAll(tt.want, "FILE", file); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q in it", tt.name, err, want)
		}
	}
}

func TestMissingPathToAFileOfThisFolderIsExplained(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("bot", []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	_, err := Open(context.Background(), Config{Command: []string{"bot"}, Channel: Stdio})
	if want := `cannot start the program: exec: "bot": executable file not found in $PATH; for the file of this folder write ./bot`; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
