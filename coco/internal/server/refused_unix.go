//go:build unix

package server

import "syscall"

// refused is the error of an address at which nobody listens.
const refused = syscall.ECONNREFUSED
