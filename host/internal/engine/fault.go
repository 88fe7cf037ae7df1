package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// A Fault is what went wrong with a game, in words for its players. What a
// library or the system said of it is for the log alone.
type Fault struct {
	kind  error  // ErrSilent, ErrGone or errFailed, with the words for clients
	more  string // beside them; may be empty
	cause error  // may be nil
}

func (f *Fault) Error() string {
	if f.more == "" {
		return f.kind.Error()
	}
	return f.kind.Error() + ": " + f.more
}

// Is makes errors.Is find the kind.
func (f *Fault) Is(target error) bool { return target == f.kind }

// LogValue adds the cause.
func (f *Fault) LogValue() slog.Value {
	if f.cause == nil {
		return slog.StringValue(f.Error())
	}
	return slog.StringValue(fmt.Sprintf("%v (%v)", f, f.cause))
}

// ErrSilent is found in the error of a call that the child does not answer.
var ErrSilent = errors.New("the game does not answer")

// ErrGone is found in the errors of a child that has ended.
var ErrGone = errors.New("the game has stopped")

// errFailed is found in the error of a call that the child answers with another.
var errFailed = errors.New("the game failed")

// errGivenUp is the error of a call that nobody waits for any more.
var errGivenUp = errors.New("the question was given up")

// What makes the host end a child.
var (
	errStrays = errors.New("it sent frames of no match without end")
	errFrozen = errors.New("it was frozen")
)

// callFault makes a Fault of the error of a call, whose context is ctx.
func (g *Game) callFault(ctx context.Context, err error) *Fault {
	gone := false
	select {
	case <-g.done:
		gone = true
	default:
	}
	code := status.Code(err)
	switch {
	case !gone && (errors.Is(ctx.Err(), context.DeadlineExceeded) || code == codes.DeadlineExceeded):
		return &Fault{kind: ErrSilent, cause: err}
	case gone || code == codes.Unavailable || code == codes.Canceled:
		return &Fault{kind: ErrGone, cause: err}
	default: // it may be what a program in another language says of its own fault
		return &Fault{kind: errFailed, cause: err}
	}
}

// loss makes a Fault of how a child's stream and its process ended.
func loss(streamErr, ended error) *Fault {
	f := &Fault{kind: ErrGone, cause: errors.Join(streamErr, ended)}
	var exit *exec.ExitError
	switch {
	case streamErr == errStrays || streamErr == errFrozen:
		f.more = streamErr.Error()
	case status.Code(streamErr) == codes.ResourceExhausted:
		f.more = fmt.Sprintf("it sent more than %d MiB at once", maxMessage>>20)
	case errors.As(ended, &exit):
		f.more = ending(exit)
	case ended == nil:
		f.more = "it hung up"
	}
	return f
}

// ending tells how a process ended.
func ending(e *exec.ExitError) string {
	if s, ok := e.Sys().(syscall.WaitStatus); ok && s.Signaled() {
		if name := unix.SignalName(s.Signal()); name != "" {
			return "its process was ended by " + name
		}
		return fmt.Sprintf("its process was ended by signal %d", s.Signal())
	}
	return fmt.Sprintf("its process ended with status %d", e.ExitCode())
}
