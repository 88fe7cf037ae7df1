//go:build unix

package series

import (
	"errors"
	"slices"
	"syscall"
)

// outOfResources reports whether a program could not be started because the machine lacks
// something, and not because of the program.
func outOfResources(err error) bool {
	return slices.ContainsFunc([]error{syscall.EAGAIN, syscall.ENOMEM, syscall.EMFILE, syscall.ENFILE}, func(lack error) bool { return errors.Is(err, lack) })
}
