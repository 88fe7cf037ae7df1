package serving

import (
	"slices"
	"strings"
)

// Stats are the desk's counters.
type Stats struct {
	Serving, Matches int    // players now, and the matches that count for them
	Assigned         uint64 // seats that players got
	NotJoined        uint64 // seats that they did not take
	Refused          uint64 // challenges
	Full             uint64 // players that were refused because too many serve
}

// Stats returns the counters.
func (d *Desk) Stats() Stats {
	d.mu.Lock()
	defer d.mu.Unlock()
	s := d.stats
	s.Serving = d.serving
	for _, p := range d.players {
		s.Matches += len(p.matches)
	}
	return s
}

// Player is a player that serves.
type Player struct {
	Name        string
	Games       []string
	Concurrency int
	Matches     int  // that count for it now
	Challenges  bool // it takes only challenges
}

// Generation identifies a state of the list: a list that is read after a call of
// Generation is current as long as Generation returns the same number.
func (d *Desk) Generation() uint64 { return d.generation.Load() }

// List returns the players that serve, sorted by name.
func (d *Desk) List() []Player {
	d.mu.Lock()
	list := make([]Player, 0, d.serving)
	for _, p := range d.players {
		if p.conn != nil {
			list = append(list, Player{p.name, p.games, p.concurrency, len(p.matches), p.challenges})
		}
	}
	d.mu.Unlock() // before the sort
	slices.SortFunc(list, func(a, b Player) int { return strings.Compare(a.Name, b.Name) })
	return list
}
