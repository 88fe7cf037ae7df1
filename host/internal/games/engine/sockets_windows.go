package engine

// sockets is empty on Windows, where go-plugin connects to a game over TCP.
type sockets struct{ path string }

func makeSockets() (*sockets, error) { return &sockets{}, nil }

func (*sockets) remove() {}

// Sweep removes nothing.
func Sweep() (removed int) { return 0 }
