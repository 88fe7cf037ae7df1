//go:build unix

package program

import (
	"errors"
	"slices"
	"syscall"
)

// OutOfResources reports whether Start has failed because the machine lacks
// something, and not because of the program.
func OutOfResources(err error) bool {
	return slices.ContainsFunc([]error{syscall.EAGAIN, syscall.ENOMEM, syscall.EMFILE, syscall.ENFILE}, func(lack error) bool { return errors.Is(err, lack) })
}
