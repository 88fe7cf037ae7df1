package filetree

import (
	"errors"
	"fmt"
)

// MakePipe returns errors.ErrUnsupported.
func MakePipe(string) error {
	return fmt.Errorf("Windows has no named pipes in folders: %w", errors.ErrUnsupported)
}

// MakeSocket returns errors.ErrUnsupported.
func MakeSocket(string) error {
	return fmt.Errorf("Windows can't make a socket without a listener: %w", errors.ErrUnsupported)
}
