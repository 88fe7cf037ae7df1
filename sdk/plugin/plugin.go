// Package plugin serves a game to a host: the main function of a game is
//
//	func main() { plugin.Serve(game) }
//
// The same folder runs compiled, or as a script in the host's interpreter, which
// has its own Serve.
package plugin

import (
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strconv"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"

	"colosseum/sdk"
	"colosseum/sdk/driver"
	"colosseum/sdk/wire"
)

// Serve serves a game to the host that started this program, until the host ends
// it. If the program was started by hand, Serve prints how to use it, or plays a
// match on the terminal. It is called once, by main, and exits the process with
// status 1 if the description of the game is invalid.
func Serve(game sdk.Game) {
	g := driver.Of(&game)
	if err := g.Validate(); err != nil {
		fail(err)
	}
	if os.Getenv(wire.CookieKey) != wire.CookieValue {
		if err := onTerminal(g, os.Args[1:], os.Stdin, os.Stdout); err != nil {
			fail(err)
		}
		return
	}
	if err := holdLifeline(); err != nil {
		fail(err)
	}
	s, err := newServer(g)
	if err != nil {
		fail(err)
	}
	debug.SetGCPercent(gcPercent)
	debug.SetMaxStack(maxStack)
	plugin.Serve(&plugin.ServeConfig{
		HandshakeConfig: Handshake(),
		Plugins:         plugin.PluginSet{wire.PluginName: &grpcPlugin{server: s}},
		GRPCServer:      newGRPCServer,
		Logger:          hclog.NewNullLogger(),
	})
}

// gcPercent is the GOGC of a game, which has a small heap and makes much garbage.
// With 1,000 matches a turn costs a third less CPU than at Go's default of 100, for
// 10 MB more; higher values gain little (BenchmarkTurns). The soft memory limit that
// the host sets still holds.
const gcPercent = 200

// maxStack is the limit of the stack of a goroutine, in bytes. Go's own, 1 GB, is more than
// the memory that a host gives a game, so that an endless recursion would look as if the
// game had used too much. 64 MiB are half a million calls of a small function.
const maxStack = 64 << 20

// Handshake returns the values by which host and game recognise each other.
func Handshake() plugin.HandshakeConfig {
	return plugin.HandshakeConfig{ProtocolVersion: wire.Protocol, MagicCookieKey: wire.CookieKey, MagicCookieValue: wire.CookieValue}
}

// holdLifeline ends this process when the host has ended in any way: only the host
// holds the other end of the pipe.
func holdLifeline() error {
	fd, err := descriptor(wire.LifelineKey)
	if fd == 0 {
		return err
	}
	pipe := os.NewFile(uintptr(fd), "lifeline")
	go func() { // ends with the process, or ends it
		_, _ = io.Copy(io.Discard, pipe)
		os.Exit(0)
	}()
	return nil
}

// descriptor returns the number of the file that the host has passed on with a variable,
// or 0 if there is none.
func descriptor(key string) (int, error) {
	number := os.Getenv(key)
	if number == "" {
		return 0, nil
	}
	fd, err := strconv.Atoi(number)
	if err != nil || fd < 3 {
		return 0, fmt.Errorf("%s=%q is not a file descriptor: only the host sets it", key, number)
	}
	return fd, nil
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
