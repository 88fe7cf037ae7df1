package command

import (
	"errors"
	"os"
	"syscall"

	"colosseum/coco/internal/bridge"
	"colosseum/coco/internal/player"
	"colosseum/coco/internal/server"
	"colosseum/internal/locale"

	"github.com/urfave/cli/v3"
)

// The exit codes. docs/coco.md lists them too.
const (
	exitOK         = 0
	exitOther      = 1 // the local system refused something: a full disk, no more pipes
	exitUsage      = 2
	exitConnection = 3
	exitRefused    = 4
	exitProgram    = 5
	exitSignal     = 128 // plus the signal's number, as shells do
)

const exitCodes = "Exit codes: 0 success, 2 wrong usage, 3 no connection or a lost one, 4 refused by the server, 5 the program failed, 128+n ended by signal n, 1 anything else."

// usageError reports an invalid command line.
type usageError struct{ text error }

func (e *usageError) Error() string                { return e.text.Error() }
func (e *usageError) In(l *locale.Language) string { return l.Error(e.text) }

// interrupted reports that a signal ended coco.
type interrupted struct{ signal os.Signal }

func (e *interrupted) Error() string { return e.text().Error() }

func (e *interrupted) In(l *locale.Language) string { return l.Error(e.text()) }
func (e *interrupted) text() error                  { return locale.Errorf("stopped: %s", e.signal) }

// exitCode returns the exit code for an error.
func exitCode(err error) int {
	var (
		wrong   *usageError
		lost    *server.ConnectionError
		refused *server.Refused
		failed  *player.Failed
		engine  *bridge.Failed
		stopped *interrupted
		library cli.ExitCoder // from help for an unknown command
	)
	switch {
	case errors.As(err, &wrong), errors.As(err, &library):
		return exitUsage
	case errors.As(err, &lost):
		return exitConnection
	case errors.As(err, &refused):
		return exitRefused
	case errors.As(err, &failed), errors.As(err, &engine):
		return exitProgram
	case errors.As(err, &stopped):
		if number, ok := stopped.signal.(syscall.Signal); ok {
			return exitSignal + int(number)
		}
	}
	return exitOther
}
