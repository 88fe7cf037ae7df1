// Package wallclock lets a test act as if the system's wall clock had been set.
package wallclock

import (
	"time"
	"unsafe"
)

// Shift returns t with its wall time changed by whole seconds and its monotonic
// reading unchanged, like a time that was read before the wall clock was set by -by.
// t must have a monotonic reading; times in a synctest bubble have none.
func Shift(t time.Time, by time.Duration) time.Time {
	shifted := t
	// With a monotonic reading, the first word of a Time has the seconds of the
	// wall time in bits 30 to 62.
	*(*uint64)(unsafe.Pointer(&shifted)) += uint64(by/time.Second) << 30
	if shifted.Sub(t) != 0 || shifted.Round(0).Sub(t.Round(0)) != by {
		panic("wallclock: the time has no monotonic reading, or time.Time has another layout")
	}
	return shifted
}
