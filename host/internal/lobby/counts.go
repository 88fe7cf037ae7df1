package lobby

import (
	"maps"

	"colosseum/host/internal/match"
)

// Counts is what the lobby has counted.
type Counts struct {
	Games   map[string]GameCounts // those that a match was created of
	Refused map[string]uint64     // requests, by the limit that they met
}

// GameCounts is what was counted of one game.
type GameCounts struct {
	Waiting, Running, Spectators int    // now
	Created, Expired             uint64 // matches
	match.Stats                         // of matches that began
}

// The limits that Counts knows.
const (
	LimitMatches      = "matches"
	LimitWaiting      = "waiting_matches"
	LimitGuesses      = "guesses" // of one address
	LimitMatchGuesses = "match_guesses"
)

// tallied is what the lobby counts of one game. The lobby's mu guards the
// numbers; the counters guard themselves.
type tallied struct {
	created, expired uint64
	counters         match.Counters
}

// Counts returns what was counted so far.
func (l *Lobby) Counts() Counts {
	l.mu.Lock()
	c := Counts{Games: make(map[string]GameCounts, len(l.tallied)), Refused: maps.Clone(l.refused)}
	counters := make(map[string]*match.Counters, len(l.tallied))
	for name, t := range l.tallied {
		c.Games[name] = GameCounts{Created: t.created, Expired: t.expired}
		counters[name] = &t.counters
	}
	for _, e := range l.entries {
		g := c.Games[e.info.Game]
		if e.info.Running {
			g.Running++
		} else {
			g.Waiting++
		}
		g.Spectators += len(e.spectators)
		c.Games[e.info.Game] = g
	}
	l.mu.Unlock()
	for name, t := range counters {
		g := c.Games[name]
		g.Stats = t.Stats()
		c.Games[name] = g
	}
	return c
}

// count returns the counters of a game. Called with mu held.
func (l *Lobby) count(game string) *tallied {
	t := l.tallied[game]
	if t == nil {
		t = &tallied{}
		l.tallied[game] = t
	}
	return t
}
