//go:build unix

package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// The test binary is also coco and the programs that play: its first argument
// says which.
const (
	asCoco   = "-as-coco"
	asPlayer = "-as-player"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case asCoco:
			os.Args = append([]string{"coco"}, os.Args[2:]...)
			main()
		case asPlayer:
			play(os.Args[2])
			os.Exit(0)
		}
	}
	os.Exit(m.Run())
}

// run is a coco that was started.
type run struct {
	t              testing.TB
	cmd            *exec.Cmd
	stdout, stderr bytes.Buffer
	temp           string
}

// start starts coco. More of the environment can be given as NAME=value before
// the arguments.
func start(t testing.TB, stdin string, args ...string) *run {
	t.Helper()
	r := prepare(t, args...)
	r.cmd.Stdin = strings.NewReader(stdin)
	r.cmd.Stdout, r.cmd.Stderr = &r.stdout, &r.stderr
	if err := r.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return r
}

func prepare(t testing.TB, args ...string) *run {
	t.Helper()
	r := &run{t: t, temp: t.TempDir()}
	// With -race a process would wait for a second before it exits.
	env := append(os.Environ(), "TMPDIR="+r.temp, "GORACE=atexit_sleep_ms=0")
	for len(args) > 0 && strings.Contains(args[0], "=") {
		env, args = append(env, args[0]), args[1:]
	}
	r.cmd = exec.CommandContext(t.Context(), os.Args[0], append([]string{asCoco}, args...)...)
	r.cmd.Env = env
	return r
}

// end waits for coco and returns its exit code. It fails the test if a process
// that coco has started still holds its output, or if a pipe is left.
func (r *run) end() int {
	r.t.Helper()
	err := r.cmd.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		r.t.Errorf("coco: %v", err)
	}
	if left, err := os.ReadDir(r.temp); err != nil || len(left) > 0 {
		r.t.Errorf("coco left %v, %v", left, err)
	}
	return r.cmd.ProcessState.ExitCode()
}

// coco runs coco to its end and checks the exit code.
func coco(t testing.TB, want int, args ...string) (stdout, stderr string) {
	t.Helper()
	r := start(t, "", args...)
	if code := r.end(); code != want {
		t.Errorf("exit code %d, want %d; stdout %q, stderr %q", code, want, &r.stdout, &r.stderr)
	}
	return r.stdout.String(), r.stderr.String()
}

func wantText(t testing.TB, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s is\n%q, want\n%q", what, got, want)
	}
}

func wantPart(t testing.TB, what, got, part string) {
	t.Helper()
	if !strings.Contains(got, part) {
		t.Errorf("%s is\n%q, want in it\n%q", what, got, part)
	}
}
