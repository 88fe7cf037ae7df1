package engine

// sockets is nothing on Windows: go-plugin connects to a game over TCP there.
type sockets struct{ path string }

func makeSockets() (*sockets, error) { return &sockets{}, nil }

func (*sockets) remove() {}

// Sweep removes nothing.
func Sweep() (removed int) { return 0 }
