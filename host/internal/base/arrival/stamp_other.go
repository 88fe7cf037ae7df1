//go:build unix && !linux

package arrival

import (
	"errors"
	"time"
)

// enable reports that the system returns no arrival times.
func enable(int) bool { return false }

// receive is not called.
func receive(int, []byte) (int, time.Time, error) {
	return 0, time.Time{}, errors.ErrUnsupported
}
