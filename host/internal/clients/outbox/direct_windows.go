package outbox

import "net"

// direct writes without waiting, which is not possible here.
type direct struct{}

func newDirect(net.Conn) *direct { return nil }

func (*direct) write(b []byte) (left []byte) { return b }
