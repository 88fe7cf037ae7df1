package programs

import (
	"os"
	"os/exec"
	"regexp"
	"testing"
)

// Daemon is a program that runs until it is stopped, such as coco serve.
type Daemon struct {
	Cmd *exec.Cmd
	t   testing.TB
	output
}

// StartDaemon starts a program. It is killed at the end of the test.
func StartDaemon(t testing.TB, cmd *exec.Cmd) *Daemon {
	t.Helper()
	DependOnSources(t)
	d := &Daemon{Cmd: cmd, t: t, output: newOutput()}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = cmd.Stdout
	EndWithParent(cmd)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go d.follow(out, func(string) {}, cmd.Wait) // ends with the program
	t.Cleanup(func() { d.Stop(os.Kill) })
	return d
}

// Await waits until the log has n lines that contain a text, and returns the last one.
func (d *Daemon) Await(t testing.TB, n int, text string) string {
	t.Helper()
	return d.await(t, 0, n, regexp.MustCompile(regexp.QuoteMeta(text)))
}

// Count returns the number of lines of the log that match a pattern.
func (d *Daemon) Count(pattern string) (n int) {
	r := regexp.MustCompile(pattern)
	for _, line := range d.Logged() {
		if r.MatchString(line) {
			n++
		}
	}
	return n
}

// Stop sends a signal, unless it is nil, waits for the end, and returns the exit code.
func (d *Daemon) Stop(sig os.Signal) int {
	d.t.Helper()
	if sig != nil {
		_ = d.Cmd.Process.Signal(sig) // it can have ended
	}
	d.awaitEnd(d.t)
	return d.Cmd.ProcessState.ExitCode()
}

// RoshamboScript is a player of roshambo, for sh.
const RoshamboScript = `
read -r me; read -r opponent; read -r rounds
while [ "$rounds" -gt 0 ]; do
	echo ROCK
	read -r hand || exit 0
	[ "$hand" = RETIRE ] && exit 0
	rounds=$((rounds - 1))
done
`
