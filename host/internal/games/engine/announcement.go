package engine

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/netip"
	"os"
	"path/filepath"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"colosseum/host/internal/games/sandbox"
)

// announcement is the standard output of a child. On its first line the child
// announces its address to go-plugin. The reader keeps the fields that the host uses:
// go-plugin would panic at the next one, which is a certificate.
type announcement struct {
	io.Closer
	all  *bufio.Reader
	rest []byte // of the first line, not yet returned
	cut  bool   // the first line has been read
}

func newAnnouncement(r io.ReadCloser) *announcement {
	return &announcement{Closer: r, all: bufio.NewReader(r)}
}

// announced is the number of fields that the host uses: two versions, network,
// address and protocol.
const announced = 5

// Read implements io.Reader.
func (a *announcement) Read(b []byte) (int, error) {
	if !a.cut {
		a.cut = true
		line, err := a.all.ReadSlice('\n') // of a line that is too long, its beginning
		if err != nil && err != bufio.ErrBufferFull && len(line) == 0 {
			return 0, err
		}
		fields := bytes.SplitN(bytes.TrimSuffix(line, []byte("\n")), []byte("|"), announced+1)
		a.rest = append(bytes.Join(fields[:min(announced, len(fields))], []byte("|")), '\n')
	}
	if len(a.rest) > 0 {
		n := copy(b, a.rest)
		a.rest = a.rest[n:]
		return n, nil
	}
	return a.all.Read(b)
}

// checkAddress returns an error for an address that a child announces, and to which
// the host must not connect. It accepts a Unix socket in the child's private folder
// and, if tcp is true, a TCP port of this machine.
func checkAddress(network, address, private string, tcp bool) error {
	if network == "tcp" && tcp {
		if at, err := netip.ParseAddrPort(address); err != nil || !at.Addr().IsLoopback() {
			return fmt.Errorf("it announces the address %s: want 127.0.0.1 and a port", address)
		}
		return nil
	}
	folder, err := filepath.EvalSymlinks(filepath.Dir(address))
	if err == nil {
		private, err = filepath.EvalSymlinks(private)
	}
	if network != "unix" || err != nil || !sandbox.Within(folder, private) {
		return fmt.Errorf("it announces the address %s %s: want a Unix socket in the folder PLUGIN_UNIX_SOCKET_DIR", network, address)
	}
	if info, err := os.Lstat(address); err == nil && info.Mode().Type() != os.ModeSocket {
		return fmt.Errorf("it announces %s, which is not a socket", address)
	}
	return nil
}

// withoutBroker refuses go-plugin's service for further connections, which no game
// needs: go-plugin keeps each one that a child announces, without a limit.
func withoutBroker(ctx context.Context, desc *grpc.StreamDesc, conn *grpc.ClientConn, method string, open grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
	if method == "/plugin.GRPCBroker/StartStream" {
		return nil, status.Error(codes.Unimplemented, "games open no further connections")
	}
	return open(ctx, desc, conn, method, opts...)
}
