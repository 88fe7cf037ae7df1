package program

import (
	"errors"
	"io/fs"
)

// OutOfResources reports whether Start has failed because the machine lacks
// something, and not because of the program.
func OutOfResources(err error) bool {
	return !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission)
}
