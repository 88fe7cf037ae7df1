//go:build unix

package main

import (
	"bufio"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"

	"colosseum/protocol"
)

// output is the standard output of a running coco.
type output struct {
	r      *run
	reader *bufio.Reader
}

// lines starts coco and returns its output.
func (r *run) lines() *output {
	r.t.Helper()
	stdout, err := r.cmd.StdoutPipe()
	if err != nil {
		r.t.Fatal(err)
	}
	r.cmd.Stderr = &r.stderr
	if err := r.cmd.Start(); err != nil {
		r.t.Fatal(err)
	}
	return &output{r, bufio.NewReader(stdout)}
}

func (o *output) next() string {
	o.r.t.Helper()
	line, err := o.reader.ReadString('\n')
	if err != nil {
		o.r.t.Fatalf("got %q, %v, want a line of coco", line, err)
	}
	return line[:len(line)-1]
}

func (o *output) rest() string {
	rest, _ := io.ReadAll(o.reader)
	return string(rest)
}

func TestSignalEndsTheConnectionAndTheProgram(t *testing.T) {
	t.Parallel()
	signals := []struct {
		name   string
		signal os.Signal
		code   int
	}{{"interrupt", os.Interrupt, 130}, {"terminate", syscall.SIGTERM, 143}, {"hangup", syscall.SIGHUP, 129}}
	places := []struct {
		name    string
		args    []string
		server  func(c *client, reached chan<- bool)
		line    string // the last that coco prints before the signal
		leaving string
	}{
		{
			name: "waiting", args: player("echo"), line: "> Game has 0 spectators and 1/2 (0 bots) connected player: [\"alice\"]", leaving: `{"LobbyLeaveMatch":{}}`,
			server: func(c *client, reached chan<- bool) { c.join(); reached <- true },
		},
		{
			name: "playing", args: player("echo"),
			server: func(c *client, reached chan<- bool) {
				c.begin()
				c.stream("one\n")
				c.expect("got one\n")
				reached <- true
			},
		},
		{
			name: "playing with a program that ignores SIGTERM", args: player("stubborn"),
			server: func(c *client, reached chan<- bool) { c.begin(); c.expect("here\n"); reached <- true },
		},
		{
			name: "playing with a program that has such a child", args: player("parent"),
			server: func(c *client, reached chan<- bool) { c.begin(); c.expect("here\n"); reached <- true },
		},
		{
			name: "playing with a program that does not read", args: player("stubborn"),
			server: func(c *client, reached chan<- bool) {
				c.begin()
				c.expect("here\n")
				for range 10 {
					c.stream(string(make([]byte, 32<<10))) // more than a pipe holds
				}
				reached <- true
			},
		},
		{
			name: "playing by pipe", args: append([]string{"-c", "pipe"}, player("pipe-echo")...),
			server: func(c *client, reached chan<- bool) { c.begin(); c.stream("x\n"); c.expect("got x\n"); reached <- true },
		},
		{
			name:   "playing by the terminal",
			server: func(c *client, reached chan<- bool) { c.begin(); reached <- true },
		},
		{
			name: "watching", args: append([]string{"-s"}, player("sum")...), line: "> Game started", leaving: `{"SpectateLeave":{}}`,
			server: func(c *client, reached chan<- bool) {
				c.receive(protocol.NameSpectateJoin)
				c.send(protocol.NameSpectateJoined, protocol.JoinedReply{Info: protocol.Ok(info())})
				c.send(protocol.NameSpectateStarted, nil)
				reached <- true
			},
		},
		{
			name:   "joining",
			server: func(c *client, reached chan<- bool) { c.receiveText(); reached <- true },
		},
	}
	for _, place := range places {
		for i, s := range signals {
			if i > 0 && place.name != "waiting" {
				continue // one signal is enough: coco handles all in the same way
			}
			t.Run(s.name+" while "+place.name, func(t *testing.T) {
				t.Parallel()
				reached := make(chan bool, 1)
				f := serve(t, func(c *client) {
					place.server(c, reached)
					got := c.awaitClose()
					if place.leaving != "" && (len(got) != 1 || got[0] != place.leaving) {
						t.Errorf("got messages %q, want %q", got, place.leaving)
					}
				})
				r := prepare(t, append([]string{"-s", f.url, "connect", matchID}, place.args...)...)
				stdin, err := r.cmd.StdinPipe() // stays open, like a terminal
				if err != nil {
					t.Fatal(err)
				}
				defer stdin.Close()
				lines := r.lines()
				for place.line != "" && lines.next() != place.line {
				}
				select {
				case <-reached:
				case <-f.done:
				}
				r.cmd.Process.Signal(s.signal)
				lines.rest()
				r.wantExit(s.code)
				f.wait()
			})
		}
	}
}

func TestSignalWhileThePipesAreNotOpen(t *testing.T) {
	t.Parallel()
	for name, args := range map[string][]string{"with a program": player("stubborn"), "without": nil} {
		t.Run(name, func(t *testing.T) {
			f := serve(t, func(c *client) { c.awaitClose() })
			r := prepare(t, append([]string{"-s", f.url, "connect", matchID, "-c", "pipe"}, args...)...)
			lines := r.lines()
			for !strings.HasPrefix(lines.next(), "> Waiting until") {
			}
			r.cmd.Process.Signal(os.Interrupt)
			lines.rest()
			r.wantExit(130)
		})
	}
}
