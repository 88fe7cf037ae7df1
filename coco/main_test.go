//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"colosseum/internal/test/poll"
	"colosseum/internal/test/waits"
)

// With one of these as its first argument, the test binary is coco or a program
// that plays.
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
		case "uci": // coco starts itself, as the program of an engine
			os.Args[0] = "coco"
			main()
		case asPlayer:
			play(os.Args[2])
			os.Exit(0)
		}
	}
	waits.Together()
	os.Exit(m.Run())
}

// run is a coco process.
type run struct {
	t              testing.TB
	cmd            *exec.Cmd
	stdout, stderr bytes.Buffer
	temp           string
}

// start starts coco. Arguments of the form NAME=value before the others are added
// to its environment.
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

// prepare is start without starting coco, and without its standard files.
func prepare(t testing.TB, args ...string) *run {
	t.Helper()
	r := &run{t: t, temp: t.TempDir()}
	// By default, a program built with -race sleeps for a second before it exits.
	config := t.TempDir()
	env := append(os.Environ(), "TMPDIR="+r.temp, "LC_ALL=C", "XDG_CONFIG_HOME="+config, "HOME="+config, "GORACE=atexit_sleep_ms=0")
	for len(args) > 0 && strings.Contains(args[0], "=") {
		env, args = append(env, args[0]), args[1:]
	}
	limit, cancel := context.WithTimeout(t.Context(), poll.Limit)
	t.Cleanup(cancel)
	r.cmd = exec.CommandContext(limit, os.Args[0], append([]string{asCoco}, args...)...)
	r.cmd.Env = env
	r.cmd.Cancel = func() error {
		if errors.Is(limit.Err(), context.DeadlineExceeded) {
			return r.cmd.Process.Signal(syscall.SIGQUIT) // it prints its goroutines
		}
		return r.cmd.Process.Kill()
	}
	r.cmd.WaitDelay = poll.Limit // for processes that keep its output open
	return r
}

// wantExit waits for coco, and checks its exit code and that no pipe is left. It also
// waits for processes that coco started and that keep its output open.
func (r *run) wantExit(want int) {
	r.t.Helper()
	err := r.cmd.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		r.t.Errorf("coco: got %v, want nil", err)
	}
	if left, err := os.ReadDir(r.temp); err != nil || len(left) > 0 {
		r.t.Errorf("got %v left by coco, %v, want nothing", left, err)
	}
	if code := r.cmd.ProcessState.ExitCode(); code != want {
		r.t.Errorf("got exit code %d, want %d; stdout %q, stderr %q", code, want, &r.stdout, &r.stderr)
	}
}

// coco runs coco to its end and checks the exit code.
func coco(t testing.TB, want int, args ...string) (stdout, stderr string) {
	t.Helper()
	r := start(t, "", args...)
	r.wantExit(want)
	return r.stdout.String(), r.stderr.String()
}

func wantText(t testing.TB, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got\n%q, want\n%q", what, got, want)
	}
}

func wantPart(t testing.TB, what, got, part string) {
	t.Helper()
	if !strings.Contains(got, part) {
		t.Errorf("%s: got\n%q, want in it\n%q", what, got, part)
	}
}
