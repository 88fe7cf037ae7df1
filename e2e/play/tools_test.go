package play

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"colosseum/e2e/internal/programs"
	"colosseum/internal/test/poll"
)

func TestInterruptedSeriesLeavesNoProcess(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	pids := filepath.Join(dir, "pids")
	// Programs that never answer, ignore the end of their input, and have a child.
	// They write both process IDs.
	script := fmt.Sprintf(`sleep 1000 & printf '%%d\n%%d\n' $$ $! >> %s; echo up >&2; wait`, pids)
	program := []string{"--", "sh", "-c", script}
	cmd := programs.Tool(t, dir, append(append([]string{"play", filepath.Join(programs.Plugins, "roshambo"), "-n", "100", "--parallel", "2", "-t", "600"}, program...), program...)...)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(stderr)
	lines.Scan() // the game is ready
	game := programs.Ready.FindStringSubmatch(lines.Text())
	if game == nil {
		t.Fatalf("got %q, want that the game is ready", lines.Text())
	}
	// Each match lets one of its programs run, and on a machine with one core one match.
	poll.Until(t, "a program and its child have started", func() bool {
		text, err := os.ReadFile(pids)
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		return len(strings.Fields(string(text))) >= 2
	})
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	var last string
	for lines.Scan() {
		last = lines.Text()
	}
	if err := cmd.Wait(); err == nil || last != "host: interrupted after 0 of 100 matches" {
		t.Errorf("got %v and the last line %q, want an error and that 0 of 100 matches were played", err, last)
	}
	text, err := os.ReadFile(pids)
	if err != nil {
		t.Fatal(err)
	}
	for _, pid := range append(strings.Fields(string(text)), game[2]) {
		n, err := strconv.Atoi(pid)
		if err != nil {
			t.Fatal(err)
		}
		programs.AwaitExit(t, n)
	}
}
