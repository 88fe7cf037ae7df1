package cluster

import (
	"math"
	"slices"
	"time"
)

// placeMargin is how much more load than the least loaded host this one can have and
// still keep a match that a client creates here, because that saves a relay.
const placeMargin = 0.05

// Place chooses the host of a new match of a game: the one with the least load of those
// that offer the game and do not stop. Empty: this host.
func (c *Cluster) Place(game string) (host string) {
	if !c.Connected() {
		return ""
	}
	here := math.Inf(1)
	if !c.drains() && slices.ContainsFunc(c.sources.Games(), func(g Game) bool { return g.Name == game }) {
		here = load(c.sources.Matches())
	}
	now := time.Now()
	c.hosts.mu.Lock()
	defer c.hosts.mu.Unlock()
	var best *peer
	least := math.Inf(1)
	for name, p := range c.hosts.others {
		if !p.live(now) || p.Host.Draining || !p.games[game] {
			continue
		}
		there := load(p.Host.Matches+p.placed+p.placedBefore, p.Host.Capacity)
		if best == nil || there < least || there == least && name < best.Host.Name {
			best, least = p, there
		}
	}
	if best == nil || here <= least+placeMargin || least >= 1 && !math.IsInf(here, 1) {
		return ""
	}
	best.placed++
	return best.Host.Name
}

// load returns the used part of a host's capacity.
func load(matches, most int) float64 { return float64(matches) / float64(max(most, 1)) }
