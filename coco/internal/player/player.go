// Package player is our end of a match's stream: a program that coco starts,
// whoever opens two named pipes, or coco's own standard input and output.
package player

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"colosseum/internal/terminal"

	"golang.org/x/term"
)

// The channels between coco and a player.
const (
	Stdio = "stdio"
	Pipe  = "pipe"
)

// stuck is how long a player may leave its input unread while the pipe to it
// is full (64 KiB on Linux).
const stuck = time.Minute

// Config describes a player.
type Config struct {
	Command  []string // a program and its arguments; none: there is no program
	Spectate bool     // it only reads
	Channel  string
	Print    *terminal.Printer
}

// Failed says that the player's program, or whoever stands in for it, did not
// do its part.
type Failed struct{ Text string }

func (e *Failed) Error() string { return e.Text }

// Player is one end of a stream.
type Player struct {
	// Out gives what the player says; nil for a spectator. After the program's
	// exit it ends once all is read.
	Out io.Reader

	in, out *os.File          // ours to close, unless they are coco's own
	clean   *terminal.Cleaner // for in, when it is a terminal; or nil
	program *Program          // nil: there is none
	pipes   *pipes            // nil: the channel is stdio

	patience time.Duration // with unread input

	lose sync.Once
	lost chan struct{} // closed when nobody reads what the server sends
}

// Open starts the program, if there is one, and returns when both sides can
// talk. The player must be closed.
func Open(ctx context.Context, cfg Config) (*Player, error) {
	p := &Player{patience: stuck, lost: make(chan struct{})}
	var err error
	switch {
	case cfg.Channel == Pipe:
		err = p.openPipes(ctx, cfg)
	case len(cfg.Command) > 0:
		err = p.openProgram(cfg)
	default:
		p.in = os.Stdout
		if term.IsTerminal(int(p.in.Fd())) {
			p.clean = &terminal.Cleaner{}
		}
		if !cfg.Spectate {
			p.Out = os.Stdin
		}
	}
	if err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}

// openProgram connects a program's standard input and output.
func (p *Player) openProgram(cfg Config) error {
	stdin, in, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("cannot make a pipe: %w", err)
	}
	defer stdin.Close()
	p.in = in
	stdout := os.Stdout
	if !cfg.Spectate {
		if p.out, stdout, err = os.Pipe(); err != nil {
			return fmt.Errorf("cannot make a pipe: %w", err)
		}
		defer stdout.Close()
		p.Out = p.out
	}
	p.program, err = startProgram(cfg.Command, nil, stdin, stdout, true)
	return err
}

// openPipes makes two named pipes and waits until the player has opened them.
func (p *Player) openPipes(ctx context.Context, cfg Config) error {
	var err error
	if p.pipes, err = makePipes(cfg.Spectate); err != nil {
		return err
	}
	them, those := "the program opens the pipes", "some program opens the pipes"
	if cfg.Spectate {
		them, those = "the program opens the pipe", "some program opens the pipe"
	}
	if len(cfg.Command) == 0 {
		cfg.Print.Line("Input (stdin-like) pipe: %s", p.pipes.in)
		if !cfg.Spectate {
			cfg.Print.Line("Output (stdout-like) pipe: %s", p.pipes.out)
		}
		cfg.Print.Line("Waiting until %s", those)
	} else {
		env := []string{"COCO_PIPEIN=" + p.pipes.in}
		if !cfg.Spectate {
			env = append(env, "COCO_PIPEOUT="+p.pipes.out)
		}
		// A program that may talk to the terminal stays in coco's process
		// group: the terminal stops readers of any other group.
		alone := !term.IsTerminal(int(os.Stdin.Fd()))
		if p.program, err = startProgram(cfg.Command, env, os.Stdin, os.Stdout, alone); err != nil {
			return err
		}
		cfg.Print.Line("Waiting until %s", them)
		var stop context.CancelCauseFunc
		ctx, stop = context.WithCancelCause(ctx)
		defer stop(nil)
		go func() { // until the program exits, or the pipes are open
			select {
			case <-p.program.done:
				stop(&Failed{"the program ended before it opened the pipes: " + p.program.status()})
			case <-ctx.Done():
			}
		}()
	}
	if p.in, p.out, err = p.pipes.open(ctx); err != nil {
		return err
	}
	if !cfg.Spectate {
		p.Out = p.out
	}
	if p.program != nil {
		go func() { // until the program exits
			<-p.program.done
			p.pipes.endOutput()
		}()
	}
	return nil
}

// Write gives bytes of the server to the player. What a player no longer wants
// to read is dropped: it may have made its last move. The error is a Failed.
func (p *Player) Write(b []byte) error {
	select {
	case <-p.lost:
		return nil
	default:
	}
	if p.clean != nil {
		b = p.clean.Clean(b)
	}
	p.in.SetWriteDeadline(time.Now().Add(p.patience)) // not every file has one; the server loses patience too
	_, err := p.in.Write(b)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, os.ErrDeadlineExceeded):
		return &Failed{fmt.Sprintf("the player has not read its input for %v", p.patience)}
	default:
		p.lose.Do(func() { close(p.lost) })
		return nil
	}
}

// Gone is closed when the program has exited, or when there is no program and
// nobody reads any more.
func (p *Player) Gone() <-chan struct{} {
	if p.program != nil {
		return p.program.done
	}
	return p.lost
}

// Farewell tells how the player went, once it is gone; the error is a Failed.
func (p *Player) Farewell() (how string, err error) {
	if p.program == nil {
		return "Nobody reads the stream any more", nil
	}
	return "Program ended with " + p.program.status(), p.program.failure()
}

// End tells the player that nothing more comes, and waits for the program to
// exit by itself: for the time given, or without limit if that is 0. The error
// is a Failed if the program did not end well.
func (p *Player) End(ctx context.Context, limit time.Duration) error {
	p.closeIn()
	if p.program == nil {
		return nil
	}
	var late <-chan time.Time
	if limit > 0 {
		late = time.After(limit)
	}
	select {
	case <-p.program.done:
		return p.program.failure()
	case <-late:
		return &Failed{fmt.Sprintf("the program did not end within %v after the match and was stopped", limit)}
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Close ends everything that Open began: afterwards there is no process, no
// pipe and no folder of it left. It takes at most as long as a program takes
// to be killed.
func (p *Player) Close() {
	p.closeIn()
	if p.program != nil {
		p.program.stop()
	}
	if p.out != nil {
		p.out.Close()
	}
	if p.pipes != nil {
		p.pipes.remove()
	}
}

func (p *Player) closeIn() {
	if p.in != nil && p.in != os.Stdout {
		p.in.Close()
	}
}
