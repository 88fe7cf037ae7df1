// Package wire is what a host and a game say to each other: the messages of
// game.proto, how they travel in batches, and the constants of the handshake.
// README.md tells it to authors of games in other languages.
package wire

//go:generate go run ./gen . .

// Protocol is the version of game.proto, announced in go-plugin's handshake.
const Protocol = 1

// A game is started by a host, not by hand: the host sets this variable of the
// environment to this value. It is no secret.
const (
	CookieKey   = "COLOSSEUM_GAME"
	CookieValue = "8d4c51a6-plays-for-a-host"
)

// LifelineKey is the variable of the environment that holds the number of a
// file descriptor, a pipe whose other end the host holds. When it closes the
// host is gone, and the game must exit at once.
const LifelineKey = "COLOSSEUM_LIFELINE"

// PluginName is the name under which go-plugin dispenses the service.
const PluginName = "game"
