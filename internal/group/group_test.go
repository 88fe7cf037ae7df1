package group

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"colosseum/internal/test/poll"
)

// The test binary is also the program that it starts, which starts a child and waits.
// The child prints a line and waits.
func TestMain(m *testing.M) {
	switch os.Getenv("GROUP_TEST") {
	case "parent":
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), "GROUP_TEST=child")
		child.Stdin, child.Stdout = os.Stdin, os.Stdout
		if err := child.Start(); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		_, _ = io.Copy(io.Discard, os.Stdin)
	case "child":
		fmt.Println("the child runs")
		_, _ = io.Copy(io.Discard, os.Stdin)
	default:
		os.Exit(m.Run())
	}
}

// startFamily starts a program with a child. Its output ends when both have ended.
func startFamily(t *testing.T) (*exec.Cmd, *Group, *bufio.Reader) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "GROUP_TEST=parent")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = in.Close() })
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = read.Close() })
	_ = read.SetReadDeadline(time.Now().Add(poll.Limit)) // some systems have none for pipes
	cmd.Stdout = write
	g, err := Start(cmd, 1<<30)
	_ = write.Close()
	if err != nil {
		t.Fatal(err)
	}
	out := bufio.NewReader(read)
	if line, err := out.ReadString('\n'); strings.TrimSpace(line) != "the child runs" {
		t.Fatalf("got %q, %v, want the child's line", line, err)
	}
	return cmd, g, out
}

func TestDescendantsEndWithTheGroup(t *testing.T) {
	for name, end := range map[string]func(*exec.Cmd, *Group){
		"when it is killed":        func(_ *exec.Cmd, g *Group) { g.Kill() },
		"when it is asked to end":  func(_ *exec.Cmd, g *Group) { g.Terminate() },
		"when its program is gone": func(cmd *exec.Cmd, g *Group) { _ = cmd.Process.Kill(); _ = cmd.Wait(); g.End() },
	} {
		t.Run(name, func(t *testing.T) {
			cmd, g, out := startFamily(t)
			end(cmd, g)
			if rest, err := io.ReadAll(out); len(rest) > 0 || err != nil { // ends with the child
				t.Errorf("got %q, %v, want no more output", rest, err)
			}
			_ = cmd.Wait()
			if cmd.ProcessState == nil || cmd.ProcessState.Success() {
				t.Errorf("it ended with %v, want a failure", cmd.ProcessState)
			}
			g.End()
			g.Kill() // does nothing
		})
	}
}

func TestProgramThatDoesNotExistIsAnError(t *testing.T) {
	if g, err := Start(exec.Command("no-such-program"), 0); err == nil {
		g.Kill()
		t.Error("got no error, want one")
	}
}

func TestWorkOfAGroupIsThatOfAllItsProcesses(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells the CPU time of a group")
	}
	cmd := exec.Command("sh", "-c", "sh -c 'i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done'; echo done; read line")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	g, err := Start(cmd, 0)
	if err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "done\n" {
		t.Errorf("got %q, %v, want that it has worked", line, err)
	}
	if work := g.Work(); work < 10*time.Millisecond {
		t.Errorf("got %v of work, want that of the child that has ended", work)
	}
	_ = in.Close()
	_ = cmd.Wait()
	g.End()
}
