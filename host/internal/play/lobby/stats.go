package lobby

import (
	"maps"

	"colosseum/host/internal/play/match"
)

// Stats are the lobby's counters.
type Stats struct {
	Games   map[string]GameStats // by name; those of which a match was created
	Refused map[string]uint64    // requests, by the limit that refused them
}

// GameStats are the counters of one game.
type GameStats struct {
	Waiting, Running, Spectators int    // now
	Created, Expired             uint64 // matches
	match.Stats                         // of matches that started
}

// The limits in Stats.Refused.
const (
	LimitMatches      = "matches"
	LimitWaiting      = "waiting_matches"
	LimitBotMatches   = "bot_matches"
	LimitGuesses      = "guesses" // of one address
	LimitMatchGuesses = "match_guesses"
)

// counters has the counters of one game. The lobby's mu guards the numbers;
// matches has its own lock.
type counters struct {
	created, expired uint64
	matches          match.Counters
}

// Stats returns the counters.
func (l *Lobby) Stats() Stats {
	l.mu.Lock()
	s := Stats{Games: make(map[string]GameStats, len(l.counted)), Refused: maps.Clone(l.refused)}
	counters := make(map[string]*match.Counters, len(l.counted))
	for name, c := range l.counted {
		s.Games[name] = GameStats{Created: c.created, Expired: c.expired}
		counters[name] = &c.matches
	}
	for _, e := range l.entries {
		g := s.Games[e.info.Game]
		if e.info.Running {
			g.Running++
		} else {
			g.Waiting++
		}
		g.Spectators += e.info.Spectators
		s.Games[e.info.Game] = g
	}
	l.mu.Unlock()
	for name, t := range counters {
		g := s.Games[name]
		g.Stats = t.Stats()
		s.Games[name] = g
	}
	return s
}

// countersLocked returns the counters of a game.
func (l *Lobby) countersLocked(game string) *counters {
	c := l.counted[game]
	if c == nil {
		c = &counters{}
		l.counted[game] = c
	}
	return c
}
