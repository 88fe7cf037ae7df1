// Package player is the user's end of a match's stream: a program that coco
// starts, any program that opens two named pipes, or coco's own standard input
// and output.
package player

import (
	"context"
	"errors"
	"io"
	"os"
	"sync"
	"time"

	"colosseum/internal/locale"
	"colosseum/internal/terminal"

	"golang.org/x/term"
)

// The channels between coco and a player.
const (
	Stdio = "stdio"
	Pipe  = "pipe"
)

// stuckTimeout is how long a player can leave its input unread while the pipe to it
// is full (64 KiB on Linux).
const stuckTimeout = time.Minute

// Config describes a player.
type Config struct {
	Command   []string // the program and its arguments; empty: there is no program
	Spectate  bool     // the player only reads
	Channel   string
	Env       []string  // NAME=value, for the program, in addition to coco's own environment
	Stderr    io.Writer // for the program's stderr, except a spectator's; nil: coco's own
	Print     *terminal.Printer
	Questions *Questions // nil: none
}

// Failed reports a fault of the player: its program failed, does not read, or does
// not end.
type Failed struct{ Text error }

func (e *Failed) Error() string { return e.Text.Error() }

// In returns the text in a language.
func (e *Failed) In(l *locale.Language) string { return l.Error(e.Text) }

// Player is the user's end of a stream. One goroutine can read Out while another one
// calls Write.
type Player struct {
	// Out is the player's output; nil for a spectator. It ends when the program has
	// exited and everything is read.
	Out io.Reader

	in, out *os.File           // closed by Close, except coco's own
	clean   *terminal.Cleaner  // for in, when it is a terminal; or nil
	program *Program           // nil: there is none
	within  func([]byte) error // takes what Write gets; nil: in does
	pipes   *pipes             // nil: the channel is stdio

	stuckTimeout time.Duration

	closeUnread sync.Once
	unread      chan struct{} // closed when the player has closed its input
}

// Open starts the program, if there is one, and returns when both directions are
// open. The caller must call Close.
func Open(ctx context.Context, cfg Config) (*Player, error) {
	p := &Player{stuckTimeout: stuckTimeout, unread: make(chan struct{})}
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

// Within returns a player that is part of this process: write takes the bytes of the
// server, and out has its answers.
func Within(write func([]byte) error, out io.Reader) *Player {
	return &Player{Out: out, within: write, unread: make(chan struct{})}
}

// openProgram connects a program's standard input and output.
func (p *Player) openProgram(cfg Config) error {
	stdin, in, err := os.Pipe()
	if err != nil {
		return locale.Errorf("cannot create a pipe: %w", err)
	}
	defer stdin.Close()
	p.in = in
	stdout := os.Stdout
	if !cfg.Spectate {
		if p.out, stdout, err = os.Pipe(); err != nil {
			return locale.Errorf("cannot create a pipe: %w", err)
		}
		defer stdout.Close()
		p.Out = p.out
	}
	p.program, err = startProgram(cfg, nil, stdin, stdout, true)
	return err
}

// openPipes creates named pipes, and waits until the player has opened them.
func (p *Player) openPipes(ctx context.Context, cfg Config) error {
	var err error
	if p.pipes, err = makePipes(cfg.Spectate); err != nil {
		return err
	}
	if len(cfg.Command) == 0 {
		cfg.Print.Line("Input (stdin-like) pipe: %s", p.pipes.in)
		if !cfg.Spectate {
			cfg.Print.Line("Output (stdout-like) pipe: %s", p.pipes.out)
		}
		if cfg.Spectate {
			cfg.Print.Line("Waiting until some program opens the pipe")
		} else {
			cfg.Print.Line("Waiting until some program opens the pipes")
		}
	} else {
		env := []string{"COCO_PIPEIN=" + p.pipes.in}
		if !cfg.Spectate {
			env = append(env, "COCO_PIPEOUT="+p.pipes.out)
		}
		// A program that can read from the terminal stays in coco's process
		// group: the terminal stops readers of any other group.
		ownGroup := !term.IsTerminal(int(os.Stdin.Fd()))
		if p.program, err = startProgram(cfg, env, os.Stdin, os.Stdout, ownGroup); err != nil {
			return err
		}
		if cfg.Spectate {
			cfg.Print.Line("Waiting until the program opens the pipe")
		} else {
			cfg.Print.Line("Waiting until the program opens the pipes")
		}
		var cancel context.CancelCauseFunc
		ctx, cancel = context.WithCancelCause(ctx)
		defer cancel(nil)
		go func() { // ends when the program exits, or the pipes are open
			select {
			case <-p.program.done:
				cancel(&Failed{locale.Errorf("the program ended before it opened the pipes: %s", p.program.status())})
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
		go func() { // ends when the program exits
			<-p.program.done
			p.pipes.endOutput()
		}()
	}
	return nil
}

// Write writes bytes of the server to the player's input. It drops them if the player
// has closed its input, as it can after its last move. The error is a Failed.
func (p *Player) Write(b []byte) error {
	if p.within != nil {
		return p.within(b)
	}
	select {
	case <-p.unread:
		return nil
	default:
	}
	if p.clean != nil {
		b = p.clean.Clean(b)
	}
	p.in.SetWriteDeadline(time.Now().Add(p.stuckTimeout)) // a terminal has no deadline; there the server's limit applies
	_, err := p.in.Write(b)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, os.ErrDeadlineExceeded):
		return &Failed{locale.Errorf("the player has not read its input for %v", p.stuckTimeout)}
	default:
		p.closeUnread.Do(func() { close(p.unread) })
		return nil
	}
}

// Gone returns a channel that is closed when the program has exited or, without a
// program, when the player has closed its input.
func (p *Player) Gone() <-chan struct{} {
	if p.program != nil {
		return p.program.done
	}
	return p.unread
}

// ExitStatus describes how the player went. Call it when Gone is closed. The error
// is a Failed.
func (p *Player) ExitStatus() (text *locale.Text, err error) {
	if p.program == nil {
		return locale.Errorf("Nobody reads the stream any more"), nil
	}
	return locale.Errorf("Program ended with %s", p.program.status()), p.program.failure()
}

// CloseInput closes the player's input. No Write can follow.
func (p *Player) CloseInput() { p.closeIn() }

// End closes the player's input, and waits until the program exits by itself, at
// most for limit; 0 is no limit. The error is a Failed if the program failed or is
// still running.
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
		return &Failed{locale.Errorf("the program did not end within %v after the match and was stopped", limit)}
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Close ends the program with its process group, and removes the pipes and their
// folder. It returns after 5 s at the latest, and can be called again.
func (p *Player) Close() {
	p.closeIn()
	if p.program != nil {
		p.program.stop()
		p.program.stderr.close()
		running.reapStrays()
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
