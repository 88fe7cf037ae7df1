package tutorial

import (
	"bytes"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"colosseum/internal/group"
	"colosseum/internal/test/poll"
)

// outputOf runs a command and returns what it prints. One that does not end within
// [poll.Limit] is asked for its goroutines and killed, and the test fails with its output.
func outputOf(t *testing.T, cmd *exec.Cmd) (string, error) {
	t.Helper()
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.WaitDelay = poll.Limit // a program that it left behind keeps its output open
	g, err := group.Start(cmd, 0)
	if err != nil {
		t.Fatal(err)
	}
	limit := time.AfterFunc(poll.Limit, func() {
		_ = cmd.Process.Signal(syscall.SIGQUIT) // a program in Go prints its goroutines
		time.AfterFunc(5*time.Second, g.Kill)
	})
	err = cmd.Wait()
	ended := limit.Stop()
	g.End()
	if !ended {
		t.Fatalf("%s did not end within %v; it printed\n%s", cmd, poll.Limit, &out)
	}
	return out.String(), err
}
