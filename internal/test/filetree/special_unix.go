//go:build unix

package filetree

import "syscall"

// MakePipe makes a named pipe.
func MakePipe(path string) error { return syscall.Mkfifo(path, 0o600) }

// MakeSocket makes a socket without a listener.
func MakeSocket(path string) error { return syscall.Mknod(path, syscall.S_IFSOCK|0o600, 0) }
