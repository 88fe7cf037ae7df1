package sdk

import (
	"context"

	"colosseum/sdk/driver"
)

// Game describes one game and holds its referee. It is a value: nothing is
// registered. One Game serves any number of matches at the same time, so Play and
// Bot keep the state of a match in local variables.
type Game struct {
	Name  string // as clients use it: lower-case letters, digits, - and _, at most 32
	Title string // for people, one line
	Rules string // Markdown for players; empty: the file rules.md in the game's folder

	MinPlayers int     // seats, bots included; at least 1
	MaxPlayers int     // at most 100
	Players    int     // default number of seats; 0: MinPlayers
	MaxBots    int     // server bots in one match; 0 when Bot is nil
	Timeout    float64 // seconds for one answer, by default; from 0.1 to 600
	Params     []Param // what the creator of a match can choose

	// Delay is by how many seconds spectators see a running match later, from 0 to
	// 3600. It is for games with hidden information, where a player could watch its
	// own match. The end of the match ends the delay.
	Delay float64

	// Ponder lets programs that a host runs itself think in the time of their opponents.
	// Otherwise they are stopped until they are asked.
	Ponder bool

	// MaxLine is the most bytes of a player's line, without its line feed: from 4096 to
	// 65536. 0: 4096.
	MaxLine int

	// Check refuses combinations of parameters that are each in range; its
	// error is for the creator of the match, and so names the parameter, like
	// "Invalid parameter late: …". Nil accepts them all.
	Check func(s *Settings) error

	// Play is the referee of one match. It returns nil when the match has
	// ended, also after a forfeit. An error is a fault of the game and aborts
	// the match. Play runs in its own goroutine and must be a function of the
	// settings, the seed and the answers: no clock, no randomness except
	// m.Rand, no goroutine, no package-level state.
	Play func(m *Match) error

	// Bot plays one seat for the server. It gets the lines that a player on
	// that seat gets, and no others. Its error is logged. Nil: the game has no
	// bots.
	Bot func(b *Bot) error

	explain func(ctx context.Context, why error, again func(g driver.Game, sent func()) error) error // see driver.Game.OnFailure; nil: none
}
