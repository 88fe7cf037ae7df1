//go:build !linux

package relay

import "syscall"

// setPeerTimeout does nothing: the system's own limit applies.
func setPeerTimeout(_, _ string, _ syscall.RawConn) error { return nil }
