package e2e

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestTools runs testdata/tools/*.txtar: the commands of host that need no
// server. The commands of the scripts are those of TestScripts. $PLUGINS is the
// folder of the built games, and the file host.yaml names it.
func TestTools(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "tools"),
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("PATH", bin+string(filepath.ListSeparator)+env.Getenv("PATH"))
			env.Setenv("GORACE", os.Getenv("GORACE"))
			env.Setenv("PLUGINS", plugins)
			env.Setenv("XDG_CACHE_HOME", filepath.Join(env.WorkDir, ".cache"))
			env.Values[hostKey{}] = &running{}
			return os.WriteFile(filepath.Join(env.WorkDir, "host.yaml"), []byte("plugins: {folders: ["+plugins+"]}\n"), 0o644)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"host": cmdHost, "stop": cmdStop, "match": cmdMatch, "await": cmdAwait, "ended": cmdEnded, "slay": cmdSlay, "idlers": cmdIdlers,
		},
	})
}

// cmdIdlers fails when a program that the script has started is left: they
// write their process numbers, one a line, into a file.
func cmdIdlers(ts *testscript.TestScript, _ bool, args []string) {
	for _, pid := range strings.Fields(ts.ReadFile(args[0])) {
		n, err := strconv.Atoi(pid)
		ts.Check(err)
		if alive(n) {
			ts.Fatalf("process %d is left", n)
		}
	}
}

// tool is a command of host in a test that is no script. Games that it builds
// go into a folder of the test; the compiler keeps its own cache.
func tool(t *testing.T, dir string, args ...string) *exec.Cmd {
	t.Helper()
	cache, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(filepath.Join(bin, "host"), args...)
	cmd.Env = append(os.Environ(), "XDG_CACHE_HOME="+dir, "GOCACHE="+strings.TrimSpace(string(cache)))
	return cmd
}

func TestInterruptedSeriesLeavesNoProcess(t *testing.T) {
	dir := t.TempDir()
	pids := filepath.Join(dir, "pids")
	// Programs that never answer, ignore the end of their input, and have a
	// child; both of a match write their numbers.
	script := fmt.Sprintf(`sleep 1000 & printf '%%d\n%%d\n' $$ $! >> %s; echo up >&2; wait`, pids)
	program := []string{"--", "sh", "-c", script}
	cmd := tool(t, dir, append(append([]string{"play", filepath.Join(plugins, "roshambo"), "-n", "100", "--parallel", "2"}, program...), program...)...)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	late := time.AfterFunc(patience, func() { _ = cmd.Process.Kill() })
	defer late.Stop()
	lines := bufio.NewScanner(stderr)
	lines.Scan() // the game is ready
	game := ready.FindStringSubmatch(lines.Text())
	if game == nil {
		t.Fatalf("got %q", lines.Text())
	}
	// Two matches at the same time: eight numbers in all.
	for written := 0; written < 8; {
		text, err := os.ReadFile(pids)
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		written = len(strings.Fields(string(text)))
		time.Sleep(time.Millisecond) // a file can only be polled
	}
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	var last string
	for lines.Scan() {
		last = lines.Text()
	}
	if err := cmd.Wait(); err == nil || last != "host: interrupted after 0 of 100 matches" {
		t.Errorf("ended with %v, last line %q", err, last)
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
		for limit := time.Now().Add(patience); alive(n); time.Sleep(time.Millisecond) {
			if time.Now().After(limit) {
				t.Errorf("process %d is left", n)
				_ = syscall.Kill(n, syscall.SIGKILL)
				break
			}
		}
	}
}

func TestNewGameIsPlayedAtOnce(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds a game")
	}
	dir := t.TempDir()
	games := filepath.Join(dir, "games")
	if err := os.Mkdir(games, 0o755); err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(dir, "host.yaml")
	if err := os.WriteFile(config, []byte("plugins: {folders: ["+games+"]}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	script := filepath.Join(dir, "script.yaml")
	if err := os.WriteFile(script, []byte("plugins: {folders: ["+games+"], mode: script}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	player := []string{"--", "python3", filepath.Join(games, "nine-stones", "player.py")}
	if _, err := exec.LookPath("python3"); err != nil {
		player = []string{"--", "sh", "-c", "while read x; do :; done"} // it is late; the game runs all the same
	}
	for _, step := range []struct {
		args []string
		want string
	}{
		{[]string{"new", "nine-stones", "--dir", games}, "go vet . && go test ."},
		{append([]string{"play", filepath.Join(games, "nine-stones"), "-b", "1", "-n", "2", "-t", "20", "--out", dir, "--seed", "3"}, player...), "2 matches in"},
		{[]string{"--config", config, "verify", filepath.Join(dir, "nine-stones-3-1.json")}, "is verified"},
		{[]string{"--config", config, "check"}, "ok       nine-stones (Nine stones)"},
		// The same folder runs interpreted, and referees in the same way.
		{[]string{"--config", script, "check"}, "ok       nine-stones (Nine stones)"},
		{[]string{"--config", script, "verify", filepath.Join(dir, "nine-stones-3-1.json")}, "is verified"},
	} {
		out, err := tool(t, dir, step.args...).CombinedOutput()
		if err != nil || !strings.Contains(string(out), step.want) {
			t.Fatalf("host %s: %v\n%s\nwant %q", strings.Join(step.args, " "), err, out, step.want)
		}
	}
}
