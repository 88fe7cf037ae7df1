package catalog

import (
	"slices"
	"strings"
)

// Problem is why a game is not offered, or what is wrong with its offer or with a setting.
type Problem struct {
	Game string // or the key of a setting
	Err  error
}

// Log messages of problems.
const (
	couldNotLoad  = "could not load game"
	noDescription = "game has no description"
)

// Problems returns what is wrong with games and their settings now, sorted by name.
func (c *Catalog) Problems() []Problem {
	list := unknown(c.currentConfig(), c.names())
	c.mu.Lock()
	defer c.mu.Unlock()
	for name, err := range c.problems {
		list = append(list, Problem{name, err})
	}
	slices.SortFunc(list, func(a, b Problem) int { return strings.Compare(a.Game, b.Game) })
	return list
}

// failures returns how many games have a problem now.
func (c *Catalog) failures() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.problems)
}

// problem records a problem and logs each of its lines by itself: a compiler
// writes many.
func (c *Catalog) problem(game, message string, err error) {
	for line := range strings.SplitSeq(err.Error(), "\n") {
		c.log.Error(message, "game", game, "error", line)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.problems[game] = err
}

// solve removes the problem of a game, and reports whether it had one.
func (c *Catalog) solve(game string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, was := c.problems[game]
	delete(c.problems, game)
	return was
}
