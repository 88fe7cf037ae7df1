// Package sdk is what a game's author sees: a game is a value of type [Game],
// and its referee is a function that reads like the rules, written against a
// [Match]. Parsing, legality, clocks, forfeits and the record are the SDK's.
//
// The smallest game:
//
//	var game = sdk.Game{
//		Name: "parity", Title: "Odds and evens", MinPlayers: 2, MaxPlayers: 2, Timeout: 10,
//		Play: func(m *sdk.Match) error {
//			odd := []string{"0", "1"}
//			answers, errs := m.AskAll([][]string{odd, odd})
//			if errs[0] != nil || errs[1] != nil {
//				return nil // a player who did not answer has forfeited
//			}
//			winner := 0
//			if answers[0] != answers[1] {
//				winner = 1
//			}
//			m.Score(winner, 1)
//			m.TellAll(m.Name(winner) + " wins")
//			return nil
//		},
//	}
//
// A program serves it with plugin.Serve(game), from the package sdk/plugin.
// The package depends on the standard library alone.
package sdk

import (
	"fmt"
	"regexp"
)

// Limits that hold for every game, whatever its own descriptor says.
const (
	MaxSeats   = 100   // players in one match, bots included
	MinTimeout = 0.1   // seconds for one answer
	MaxTimeout = 600.0 // seconds for one answer

	MaxRefusals = 100 // lines of one seat in one turn: see Match.Refuse
)

// Game describes one game and holds its referee. It is a value: nothing is
// registered, and one Game serves any number of matches at once, so Play and
// Bot keep what they know of a match in local variables.
type Game struct {
	Name  string // how clients ask for it: lower-case letters, digits, - and _, at most 32
	Title string // for people, one line
	Rules string // Markdown for players; empty: the file rules.md in the game's folder

	MinPlayers int     // seats, bots included; at least 1
	MaxPlayers int     // at most MaxSeats
	Players    int     // seats when the creator of a match does not say; 0: MinPlayers
	MaxBots    int     // server bots in one match; 0 when Bot is nil
	Timeout    float64 // seconds for one answer when the creator of a match does not say
	Params     []Param // what the creator of a match may choose

	// Check refuses combinations of parameters that are each in range; its
	// error is shown to the creator of the match. Nil accepts them all.
	Check func(s *Settings) error

	// Play is the referee of one match. It returns nil when the match has
	// ended, also after a forfeit; an error is a fault of the game, and the
	// match ends as aborted. It runs in a goroutine of its own and must be a
	// function of the settings, the seed and the answers: no clock, no other
	// randomness than m.Rand, no goroutine, no package-level state.
	Play func(m *Match) error

	// Bot is a player run by the server. It sees what a player sees, nothing
	// more. Nil: the game has no bots.
	Bot func(b *Bot) error
}

var namePattern = regexp.MustCompile(`^[a-z][a-z0-9_-]{0,31}$`)

// Validate tells what is wrong with the description of the game, as one error
// that says what to change, or nil.
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
		return fmt.Errorf("sdk: game %s has a Bot but MaxBots is 0: nobody could use it", g.Name)
	case !(g.Timeout >= MinTimeout && g.Timeout <= MaxTimeout):
		return fmt.Errorf("sdk: game %s: Timeout of %v seconds is not from %v to %v", g.Name, g.Timeout, MinTimeout, MaxTimeout)
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
