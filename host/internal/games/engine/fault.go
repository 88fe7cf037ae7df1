package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os/exec"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"colosseum/sdk/wire"
)

// Fault is a failure of a game. Players read its text; the errors of libraries and
// of the system are for the log alone.
type Fault struct {
	kind   error  // ErrSilent, ErrGone or errFailed
	detail string // for players, too; can be empty
	cause  error  // for the log; can be nil
}

func (f *Fault) Error() string {
	if f.detail == "" {
		return f.kind.Error()
	}
	return f.kind.Error() + ": " + f.detail
}

// Is reports whether target is the kind of the fault.
func (f *Fault) Is(target error) bool { return target == f.kind }

// LogValue returns the text with the cause.
func (f *Fault) LogValue() slog.Value {
	if f.cause == nil {
		return slog.StringValue(f.Error())
	}
	return slog.StringValue(fmt.Sprintf("%v (%v)", f, f.cause))
}

// Kinds of faults.
var (
	ErrSilent = errors.New("the game does not answer") // a call
	ErrGone   = errors.New("the game has stopped")     // or is about to
	errFailed = errors.New("the game failed")          // it answered a call with an error
)

// NotStarted returns the Fault of a game whose process could not be started.
func NotStarted(err error) *Fault { return &Fault{kind: ErrGone, cause: err} }

// errCanceled is the error of a call whose context was canceled.
var errCanceled = errors.New("the request was canceled")

// Why the host ends a child.
var (
	errStrays = errors.New("it sent too many frames for unknown matches")
	errFrozen = errors.New("it was frozen")
)

// callFault returns the Fault for the error of a call; ctx is the call's.
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
	default: // err can be a stack trace of another language, which is not for players
		return &Fault{kind: errFailed, cause: err}
	}
}

// lossFault returns the Fault for a child that was lost: streamErr ended its
// stream, ended is the status of its process, and crash says why if its output does.
func lossFault(streamErr, ended error, crash string) *Fault {
	f := &Fault{kind: ErrGone, cause: errors.Join(streamErr, ended)}
	var exit *exec.ExitError
	switch {
	case streamErr == errStrays || streamErr == errFrozen:
		f.detail = streamErr.Error()
	case streamErr == wire.ErrTooLong || status.Code(streamErr) == codes.ResourceExhausted:
		f.detail = fmt.Sprintf("it sent more than %d MiB at once", maxMessage>>20)
	case streamErr == wire.ErrManyParts:
		f.detail = fmt.Sprintf("it sent more than %d texts, answers or other parts at once", wire.MaxParts)
	case errors.As(ended, &exit) && exit.ExitCode() == crashed && crash != "":
		f.detail = crash
	case errors.As(ended, &exit):
		f.detail = exitText(exit)
	case ended == nil:
		f.detail = "it closed its connection"
	}
	return f
}

// crashed is the status with which the Go runtime ends a program.
const crashed = 2

// exitText describes how a process ended.
func exitText(e *exec.ExitError) string {
	if by := endedBy(e); by != "" {
		return "its process was ended by " + by
	}
	return fmt.Sprintf("its process ended with status %d", e.ExitCode())
}
