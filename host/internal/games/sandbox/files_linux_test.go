package sandbox

import (
	"testing"

	llsys "github.com/landlock-lsm/go-landlock/landlock/syscall"
)

// Kernels with this version of Landlock are rare, so the test connects to nothing.
func TestNetworkPermitsNoUnixSockets(t *testing.T) {
	config := Policy{Network: true}.handled(restrictsUnix)
	if config.HandledAccessFS&llsys.AccessFSResolveUnix == 0 {
		t.Errorf("got %v, want Unix sockets restricted", config.HandledAccessFS)
	}
	if config.HandledAccessNet != 0 {
		t.Errorf("got %v restricted, want no TCP and UDP", config.HandledAccessNet)
	}
}
