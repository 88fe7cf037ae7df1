// Package wire is the protocol between a host and a game in the types of package driver:
// the service of game.proto, the connections for frames over gRPC and over a socket, and
// the constants of the handshake. README.md describes it for authors of games in other
// languages.
package wire

//go:generate go run ./gen . pb

// Protocol is the version of game.proto, announced in go-plugin's handshake.
const Protocol = 1

// A host sets this variable of the environment to this value, so that a game knows
// that it was not started by hand. The value is not a secret.
const (
	CookieKey   = "COLOSSEUM_GAME"
	CookieValue = "8d4c51a6-plays-for-a-host"
)

// LifelineKey is the variable of the environment with the number of a file
// descriptor, on Windows of a handle: the reading end of a pipe. The host holds the
// other end: when the pipe closes, the host is gone, and the game must exit at once.
const LifelineKey = "COLOSSEUM_LIFELINE"

// FramesKey is the variable of the environment with the number of a file descriptor: a
// socket to the host for frames. A host that does not have it does not set it. A game
// that uses it says so in its description.
const FramesKey = "COLOSSEUM_FRAMES"

// PluginName is the name under which go-plugin dispenses the service.
const PluginName = "game"
