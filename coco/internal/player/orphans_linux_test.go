package player

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"colosseum/internal/test/poll"
)

// A daemon runs for months, and each match could leave a zombie.
func TestProcessThatLeftItsGroupDoesNotStayAZombie(t *testing.T) {
	dir := t.TempDir()
	gate, file := filepath.Join(dir, "gate"), filepath.Join(dir, "id")
	if err := syscall.Mkfifo(gate, 0o600); err != nil {
		t.Fatal(err)
	}
	play := func(script string) *Player {
		p, err := Open(t.Context(), Config{Command: []string{"sh", "-c", script, "sh", gate, file}, Channel: Stdio})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	p := play(`setsid sh -c 'echo $$ > "$2.new" && mv "$2.new" "$2" && read line < "$1"' sh "$1" "$2" </dev/null >/dev/null 2>&1 &`)
	id := 0
	poll.Until(t, "the process has left the group", func() bool {
		text, err := os.ReadFile(file)
		id, _ = strconv.Atoi(strings.TrimSpace(string(text)))
		return err == nil
	})
	p.Close()
	if err := os.WriteFile(gate, []byte("go\n"), 0); err != nil { // ends the process
		t.Fatal(err)
	}
	poll.Until(t, "the process has exited", func() bool {
		text, _ := os.ReadFile(filepath.Join("/proc", strconv.Itoa(id), "stat"))
		return strings.Contains(string(text), ") Z ")
	})
	play("true").Close()
	if err := syscall.Kill(id, 0); err != syscall.ESRCH {
		t.Errorf("got %v for the process, want %v: it was reaped", err, syscall.ESRCH)
	}
}
