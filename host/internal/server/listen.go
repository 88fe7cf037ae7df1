package server

import (
	"errors"
	"net"
	"os"
	"strings"
	"time"
)

// TryListen returns an error if a host could not listen at an address:
// HOST:PORT or unix:PATH.
func TryListen(address string) error {
	if path, unix := strings.CutPrefix(address, "unix:"); unix && staleSocket(path) {
		return nil // listen would replace it
	}
	l, err := listen(address)
	if err != nil {
		return err
	}
	return l.Close()
}

// listen opens HOST:PORT or unix:PATH. It replaces a stale socket.
func listen(address string) (net.Listener, error) {
	path, unix := strings.CutPrefix(address, "unix:")
	if !unix {
		return net.Listen("tcp", address)
	}
	l, err := net.Listen("unix", path)
	if err != nil && staleSocket(path) {
		if err = os.Remove(path); err == nil {
			l, err = net.Listen("unix", path)
		}
	}
	return l, err
}

// staleSocket reports whether a path is a socket that nobody listens at, like
// one of a host that was killed.
func staleSocket(path string) bool {
	info, err := os.Stat(path)
	if err != nil || info.Mode().Type() != os.ModeSocket {
		return false
	}
	conn, err := net.DialTimeout("unix", path, time.Second)
	if err == nil {
		_ = conn.Close()
		return false
	}
	return !errors.Is(err, os.ErrPermission)
}

// address returns a listener's URL with the given scheme, or unix:PATH.
func address(l net.Listener, scheme string) string {
	if l.Addr().Network() == "unix" {
		return "unix:" + l.Addr().String()
	}
	return scheme + "://" + l.Addr().String() + "/"
}
