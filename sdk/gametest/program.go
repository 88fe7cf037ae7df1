package gametest

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"colosseum/sdk"
)

// Program is a player that runs as a process of its own, the way coco runs it.
// Its method Answer is a Player:
//
//	p := gametest.StartProgram(t, "python3", "../../examples/parity/player.py")
//	got, err := gametest.Play(gametest.Match{Game: &game, Players: []gametest.Player{p.Answer, nil}})
//	...
//	p.Finish(got.Seats[0])
type Program struct {
	t      testing.TB
	in     *os.File // to the program
	out    *os.File // from the program
	lines  *bufio.Reader
	fed    int           // bytes of its stream that it has been given
	exited chan struct{} // closed when the process has ended
	status error         // how; set before exited is closed
}

// patience is how long a program may run; then it is killed.
const patience = 2 * time.Minute

// StartProgram starts a player that uses its standard input and output. It
// skips the test when the command is not installed.
func StartProgram(t testing.TB, command ...string) *Program {
	t.Helper()
	stdin, in := pipe(t)
	out, stdout := pipe(t)
	p := &Program{t: t, in: in, out: out, lines: bufio.NewReader(out), exited: make(chan struct{})}
	p.launch(command, stdin, stdout)
	stdin.Close()
	stdout.Close()
	return p
}

// StartProgramOnPipes starts a player that uses the named pipes COCO_PIPEIN
// and COCO_PIPEOUT of its environment. It skips the test when the command is
// not installed, or named pipes are not to be had.
func StartProgramOnPipes(t testing.TB, command ...string) *Program {
	t.Helper()
	folder := t.TempDir()
	in, out := filepath.Join(folder, "in"), filepath.Join(folder, "out")
	if err := exec.Command("mkfifo", in, out).Run(); err != nil {
		t.Skip("no named pipes here: ", err)
	}
	p := &Program{t: t, exited: make(chan struct{})}
	p.launch(command, nil, nil, "COCO_PIPEIN="+in, "COCO_PIPEOUT="+out)
	opened := make(chan struct{})
	go func() { // ends when the pipes are open
		select {
		case <-opened:
			return
		case <-p.exited:
		}
		for _, path := range []string{in, out} { // in place of the program, which never will
			if f, err := os.OpenFile(path, os.O_RDWR, 0); err == nil {
				defer f.Close()
			}
		}
		<-opened
	}()
	// Each returns when the program opens its end, so the order matters: it is
	// coco's.
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

// launch starts the process, which ends with the test at the latest.
func (p *Program) launch(command []string, stdin, stdout *os.File, env ...string) {
	p.t.Helper()
	path, err := exec.LookPath(command[0])
	if err != nil {
		p.t.Skipf("%s is not installed", command[0])
	}
	cmd := exec.Command(path, command[1:]...)
	cmd.Env = append(os.Environ(), env...)
	cmd.Stderr = p.t.Output()
	cmd.WaitDelay = time.Second // what it may have started does not keep the test
	if stdin != nil {
		cmd.Stdin, cmd.Stdout = stdin, stdout
	}
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	late := time.AfterFunc(patience, func() { cmd.Process.Kill() })
	go func() { // ends with the process
		p.status = cmd.Wait()
		late.Stop()
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

// Answer is the Player: it gives the program what is new in its stream, and
// answers with the line that it writes. The test fails when it writes none.
func (p *Program) Answer(q Question) (string, error) {
	p.feed(q.Stream)
	line, err := p.lines.ReadString('\n')
	if err != nil {
		p.t.Errorf("the program does not answer question %d: %v", q.Number, err)
		return "", sdk.ErrDisconnected
	}
	return line, nil
}

// Finish gives the program the rest of its stream, its seat's in the
// transcript, and its end. The test fails unless the program then exits by
// itself, with success and without another line.
func (p *Program) Finish(stream string) {
	p.t.Helper()
	p.feed(stream)
	p.in.Close()
	if rest, _ := io.ReadAll(p.lines); len(rest) > 0 {
		p.t.Errorf("the program still sends %q", rest)
	}
	<-p.exited
	if p.status != nil {
		p.t.Errorf("the program ends with %v (it is killed after %v)", p.status, patience)
	}
}

// feed writes what is new in the stream, without the program's own lines. A
// program that is gone is noticed when its answer is missing; at the end of a
// match it may be.
func (p *Program) feed(stream string) {
	for line := range strings.Lines(stream[p.fed:]) {
		if !strings.HasPrefix(line, ">") {
			io.WriteString(p.in, line)
		}
	}
	p.fed = len(stream)
}
