package series

import (
	"errors"
	"io/fs"
)

// outOfResources reports whether a program could not be started because the machine lacks
// something, and not because of the program.
func outOfResources(err error) bool {
	return !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission)
}
