package sdk

import (
	"context"
	"fmt"
	"regexp"
)

// Limits of every game.
const (
	MaxSeats   = 100   // players in one match, bots included
	MinTimeout = 0.1   // seconds for one answer
	MaxTimeout = 600.0 // seconds for one answer
	MaxDelay   = 3600  // seconds, see Game.Delay

	MaxRefusals = 100 // refused lines of one seat in one turn; see Match.Refuse
)

// Game describes one game and holds its referee. It is a value: nothing is
// registered. One Game serves any number of matches at the same time, so Play and
// Bot keep the state of a match in local variables.
type Game struct {
	Name  string // as clients use it: lower-case letters, digits, - and _, at most 32
	Title string // for people, one line
	Rules string // Markdown for players; empty: the file rules.md in the game's folder

	MinPlayers int     // seats, bots included; at least 1
	MaxPlayers int     // at most MaxSeats
	Players    int     // default number of seats; 0: MinPlayers
	MaxBots    int     // server bots in one match; 0 when Bot is nil
	Timeout    float64 // seconds for one answer, by default
	Params     []Param // what the creator of a match can choose

	// Delay is by how many seconds spectators see a running match later, from 0 to
	// MaxDelay. It is for games with hidden information, where a player could watch its
	// own match. The end of the match ends the delay.
	Delay float64

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

	explain func(ctx context.Context, why error, again func(g *Game, sent func()) error) error // see OnFailure; nil: none
}

var namePattern = regexp.MustCompile(`^[a-z][a-z0-9_-]{0,31}$`)

// Validate returns an error that says what to change in the description of the
// game, or nil.
func (g *Game) Validate() error {
	switch {
	case !namePattern.MatchString(g.Name):
		return fmt.Errorf("sdk: game name %q: use 1 to 32 lower-case letters, digits, - and _, a letter first", g.Name)
	case g.Play == nil:
		return fmt.Errorf("sdk: game %s has no Play: give it a referee", g.Name)
	case g.MinPlayers < 1 || g.MaxPlayers < g.MinPlayers || g.MaxPlayers > MaxSeats:
		return fmt.Errorf("sdk: game %s: players from %d to %d: want 1 <= MinPlayers <= MaxPlayers <= %d", g.Name, g.MinPlayers, g.MaxPlayers, MaxSeats)
	case g.Players != 0 && (g.Players < g.MinPlayers || g.Players > g.MaxPlayers):
		return fmt.Errorf("sdk: game %s: default of %d players is not from %d to %d", g.Name, g.Players, g.MinPlayers, g.MaxPlayers)
	case g.MaxBots < 0 || g.MaxBots > g.MaxPlayers:
		return fmt.Errorf("sdk: game %s: MaxBots %d is not from 0 to MaxPlayers", g.Name, g.MaxBots)
	case g.MaxBots > 0 && g.Bot == nil:
		return fmt.Errorf("sdk: game %s allows %d bots but has no Bot", g.Name, g.MaxBots)
	case g.Bot != nil && g.MaxBots == 0:
		return fmt.Errorf("sdk: game %s has a Bot but MaxBots is 0: raise MaxBots or remove Bot", g.Name)
	case !(g.Timeout >= MinTimeout && g.Timeout <= MaxTimeout):
		return fmt.Errorf("sdk: game %s: Timeout of %v seconds is not from %v to %v", g.Name, g.Timeout, MinTimeout, MaxTimeout)
	}
	if !(g.Delay >= 0 && g.Delay <= MaxDelay) {
		return fmt.Errorf("sdk: game %s: Delay of %v seconds is not from 0 to %d", g.Name, g.Delay, MaxDelay)
	}
	seen := map[string]bool{}
	for _, p := range g.Params {
		if seen[p.Name] {
			return fmt.Errorf("sdk: game %s has two parameters named %q", g.Name, p.Name)
		}
		seen[p.Name] = true
		if err := p.validate(); err != nil {
			return fmt.Errorf("sdk: game %s: %w", g.Name, err)
		}
	}
	return nil
}
