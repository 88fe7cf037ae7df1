// Package filelock locks files for one process at a time.
package filelock

import "errors"

// ErrLocked is the error of Try for a file that another process has locked.
var ErrLocked = errors.New("another process has locked the file")
