//go:build unix

package operations

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"colosseum/e2e/internal/programs"
)

// goRun returns a command that runs a program of the source tree. The caches of the go
// command are the usual ones, because it does not run without a folder for them.
func goRun(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	caches, err := exec.Command("go", "env", "GOCACHE", "GOMODCACHE").Output()
	folders := strings.Split(strings.TrimSpace(string(caches)), "\n")
	if err != nil || len(folders) != 2 {
		t.Fatalf("go env: got %q, %v, want two folders", caches, err)
	}
	cmd := exec.Command("go", append([]string{"run"}, args...)...)
	cmd.Dir = programs.Root
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, "HOME=") || strings.HasPrefix(v, "XDG_") || strings.HasPrefix(v, "LC_") || strings.HasPrefix(v, "COLOSSEUM_")
	})
	cmd.Env = append(cmd.Env, "LANG=it_IT.UTF-8", "GOCACHE="+folders[0], "GOMODCACHE="+folders[1])
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // for Ctrl-C, which reaches the program that go runs
	return cmd
}

// interrupt sends a signal to a command of goRun and to the program that it runs.
func interrupt(cmd *exec.Cmd, sig syscall.Signal) { _ = syscall.Kill(-cmd.Process.Pid, sig) }

// TestCommandsOfTheReadmeStartAllGamesAndPlayAMatch runs the first commands of the README as
// somebody who has just installed Go: from the source tree, in Italian, without a home folder.
func TestCommandsOfTheReadmeStartAllGamesAndPlayAMatch(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cmd := goRun(t, "./host", "--listen", "127.0.0.1:0", "--data", filepath.Join(dir, "data"))
	host := programs.StartDaemon(t, cmd)
	t.Cleanup(func() { interrupt(cmd, syscall.SIGKILL) })
	line := host.Await(t, 1, "msg=listening")
	url := regexp.MustCompile(`address=(\S+)`).FindStringSubmatch(line)[1]
	ready := host.Await(t, 1, "games are ready")
	plugins, err := filepath.Glob("../../plugins/*/rules.md")
	if err != nil {
		t.Fatal(err)
	}
	games := len(plugins) + 1 // damath is a game of the plugin dama
	if !strings.Contains(ready, `"all games are ready"`) || !strings.Contains(ready, fmt.Sprintf("games=%d ", games)) {
		t.Errorf("got %s, want that all %d games are ready:\n%s", ready, games, host.Tail(30))
	}
	if err := os.WriteFile(filepath.Join(dir, "bot.sh"), []byte(programs.RoshamboScript), 0o600); err != nil {
		t.Fatal(err)
	}
	match := goRun(t, "./coco", "-s", url, "new", "roshambo", "-b", "1", "-a", "rounds=5", "-a", "pace=0", "--", "sh", filepath.Join(dir, "bot.sh"))
	if player := programs.StartDaemon(t, match); player.Stop(nil) != 0 || !strings.Contains(player.Tail(30), "Game ended") {
		t.Errorf("coco new: got exit code %d, want 0 and the end of the match:\n%s", match.ProcessState.ExitCode(), player.Tail(30))
	}
	interrupt(cmd, syscall.SIGINT)
	host.Stop(nil) // the status is that of go run, which has been interrupted as well
	if end := host.Tail(1); !strings.Contains(end, `level=INFO msg="shutting down"`) {
		t.Errorf("Ctrl-C: got the last line %s, want that the host shuts down:\n%s", end, host.Tail(30))
	}
}

func TestHostInAFolderThatCanNotBeWrittenSaysWhatToDo(t *testing.T) {
	t.Parallel()
	if os.Getuid() == 0 {
		t.Skip("root can write everywhere: run this test as another user")
	}
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	cmd := programs.Tool(t, t.TempDir(), "--listen", "127.0.0.1:0")
	cmd.Dir = dir
	host := programs.StartDaemon(t, cmd)
	if code := host.Stop(nil); code == 0 || !strings.Contains(host.Tail(5), "--data") {
		t.Errorf("got exit code %d, want an error that names --data:\n%s", code, host.Tail(30))
	}
}
