//go:build unix

package main

import (
	"syscall"
	"time"
)

// use uses CPU time.
func use(d time.Duration) {
	for end := used() + d; used() < end; {
		for range 1000 {
		}
	}
}

func used() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
