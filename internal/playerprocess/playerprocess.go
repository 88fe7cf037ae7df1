// Package playerprocess runs a player as a process for tests, the way coco runs it.
package playerprocess

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"colosseum/sdk"
)

// Process is a running player. Its methods must not run concurrently.
type Process struct {
	t       testing.TB
	in      *os.File // to the player
	out     *os.File // from the player
	lines   *bufio.Reader
	sent    int           // bytes of the stream that the player was sent
	answers int           // lines it sent
	exited  chan struct{} // closed when the process has ended
	status  error         // how it ended; set before exited is closed
}

// timeout limits how long a player runs before it is killed.
const timeout = 2 * time.Minute

// Start starts a player that uses its standard input and output. It skips the
// test if the command is not installed.
func Start(t testing.TB, command ...string) *Process {
	t.Helper()
	stdin, in := pipe(t)
	out, stdout := pipe(t)
	p := &Process{t: t, in: in, out: out, lines: bufio.NewReader(out), exited: make(chan struct{})}
	p.launch(command, stdin, stdout)
	stdin.Close()
	stdout.Close()
	return p
}

// StartOnPipes starts a player that uses the named pipes COCO_PIPEIN and
// COCO_PIPEOUT of its environment. It skips the test if the command is not
// installed or the system has no mkfifo.
func StartOnPipes(t testing.TB, command ...string) *Process {
	t.Helper()
	folder := t.TempDir()
	in, out := filepath.Join(folder, "in"), filepath.Join(folder, "out")
	if err := exec.Command("mkfifo", in, out).Run(); err != nil {
		t.Skip("no named pipes here: ", err)
	}
	p := &Process{t: t, exited: make(chan struct{})}
	p.launch(command, nil, nil, "COCO_PIPEIN="+in, "COCO_PIPEOUT="+out)
	opened := make(chan struct{})
	go func() { // ends when the pipes are open
		select {
		case <-opened:
			return
		case <-p.exited:
		}
		for _, path := range []string{in, out} { // the player never opened them: unblock the calls below
			if f, err := os.OpenFile(path, os.O_RDWR, 0); err == nil {
				defer f.Close()
			}
		}
		<-opened
	}()
	// Each call returns when the player opens its end, so the order matters:
	// it is coco's.
	var inErr, outErr error
	p.in, inErr = os.OpenFile(in, os.O_WRONLY, 0)
	p.out, outErr = os.OpenFile(out, os.O_RDONLY, 0)
	close(opened)
	if inErr != nil || outErr != nil {
		t.Fatal(inErr, outErr)
	}
	p.lines = bufio.NewReader(p.out)
	return p
}

// launch starts the process and kills it at the end of the test, if it still runs.
func (p *Process) launch(command []string, stdin, stdout *os.File, env ...string) {
	p.t.Helper()
	path, err := exec.LookPath(command[0])
	if err != nil {
		p.t.Skipf("%s is not installed", command[0])
	}
	cmd := exec.Command(path, command[1:]...)
	cmd.Env = append(os.Environ(), env...)
	// To a file, not a pipe: Wait would wait until the player's own children have closed it,
	// and no limit of time for that is right on each machine.
	stderr, err := os.CreateTemp(p.t.TempDir(), "stderr")
	if err != nil {
		p.t.Fatal(err)
	}
	cmd.Stderr = stderr
	p.t.Cleanup(func() {
		if text, err := os.ReadFile(stderr.Name()); err != nil {
			p.t.Error(err)
		} else if len(text) > 0 {
			p.t.Logf("stderr of %s:\n%s", command[0], text)
		}
		stderr.Close()
	})
	if stdin != nil {
		cmd.Stdin, cmd.Stdout = stdin, stdout
	}
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	kill := time.AfterFunc(timeout, func() { cmd.Process.Kill() })
	go func() { // ends with the process
		p.status = cmd.Wait()
		kill.Stop()
		close(p.exited)
	}()
	p.t.Cleanup(func() {
		cmd.Process.Kill()
		<-p.exited
		p.in.Close()
		p.out.Close()
	})
}

func pipe(t testing.TB) (r, w *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	return r, w
}

// Answer sends the player the new lines of its stream and returns the line that
// it writes. If the player writes none, the test fails and the error is
// [sdk.ErrDisconnected].
func (p *Process) Answer(stream string) (string, error) {
	p.send(stream)
	line, err := p.lines.ReadString('\n')
	if err != nil {
		p.t.Errorf("the program does not answer question %d: %v", p.answers, err)
		return "", sdk.ErrDisconnected
	}
	p.answers++
	return line, nil
}

// Finish sends the player the rest of its stream and closes its input. The test
// fails unless the player then exits with status 0 and writes at most one further line:
// its next move, if it does not know that the opponent's has ended the match. A host
// drops that line.
func (p *Process) Finish(stream string) {
	p.t.Helper()
	p.send(stream)
	p.in.Close()
	if rest, _ := io.ReadAll(p.lines); bytes.Count(rest, []byte{'\n'}) > 1 {
		p.t.Errorf("the program still sends %q, want at most one line after the end of the match", rest)
	}
	<-p.exited
	if p.status != nil {
		p.t.Errorf("the program ends with %v, want exit status 0 (it is killed after %v)", p.status, timeout)
	}
}

// send writes the new lines of a stream, except those that the player sent
// itself. It ignores errors: a player can exit before the last lines, and at any
// other time Answer finds that the player is gone.
func (p *Process) send(stream string) {
	for line := range strings.Lines(stream[p.sent:]) {
		if !strings.HasPrefix(line, ">") {
			io.WriteString(p.in, line)
		}
	}
	p.sent = len(stream)
}
