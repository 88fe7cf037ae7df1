package cluster

import (
	"math"
	"runtime"
	"slices"
	"time"
)

const (
	// placeMargin is how much more load than the least loaded host this one can have and
	// still keep a match that a client creates here, because that saves a relay.
	placeMargin = 0.05
	// cpuShare is the weight of the used CPU time in that load: a difference of a quarter of
	// all cores counts as much as the margin.
	cpuShare = placeMargin * 4
	// leastFree is the least part of its cores that counts as free. A busy host can still be
	// the one that other matches leave.
	leastFree = 0.05
)

// candidate is a host that a match can be placed on.
type candidate struct {
	host               string // empty: this one
	matches, most      int
	cores              int     // that the match can use
	cpu                float64 // the used part of its cores
	draining, hasGames bool
	peer               *peer // nil: this host
}

// load is the used part of a host: of its capacity, and of its CPU time.
func (h candidate) load() float64 { return h.full() + cpuShare*h.cpu }

// full is the used part of its capacity.
func (h candidate) full() float64 { return float64(h.matches) / float64(max(h.most, 1)) }

// share is the number of matches for each core that is free, with one more match. Hosts
// with equal shares get matches in proportion to what they have free, also if many begin
// before any of them has used CPU time.
func (h candidate) share() float64 {
	return float64(h.matches+1) / (float64(max(h.cores, 1)) * max(1-h.cpu, leastFree))
}

// Place chooses the host of a new match of a game that a client of this host creates: the
// one with the least load of those that offer the game and do not stop, or this one if its
// load is not much higher. Empty: this host.
func (c *Cluster) Place(game string) (host string) {
	return c.choose(game, candidate.load, placeMargin, false)
}

// Spread chooses the host of a new match of a game whose players can be anywhere: the one
// with the fewest matches for what it has free. If programs play that were handed in, it is
// one that runs such programs. Empty: this host.
func (c *Cluster) Spread(game string, programs bool) (host string) {
	return c.choose(game, candidate.share, 0, programs)
}

// choose chooses the host with the least cost, or this one if its cost is not higher by
// more than a margin. With programs, hosts count that run programs.
func (c *Cluster) choose(game string, cost func(candidate) float64, margin float64, programs bool) (host string) {
	if !c.Connected() {
		return ""
	}
	here := candidate{cores: runtime.NumCPU(), cpu: c.cpu.share()}
	here.matches, here.most = c.sources.Matches()
	here.draining, here.hasGames = c.drains(), slices.ContainsFunc(c.sources.Games(), func(g Game) bool { return g.Name == game })
	if c.config.Runner {
		here.hasGames = here.hasGames && programs
	}
	if programs {
		here.cores, here.hasGames = c.programs(), here.hasGames && c.programs() > 0
	}
	now := time.Now()
	c.hosts.mu.Lock()
	defer c.hosts.mu.Unlock()
	var best candidate
	least := math.Inf(1)
	for name, p := range c.hosts.others {
		if !p.live(now) || p.Host.Draining || !p.games[game] || programs && p.Host.Programs == 0 || p.Host.Runner && !programs {
			continue
		}
		there := candidate{host: name, matches: p.Host.Matches + p.placed + p.placedBefore, most: p.Host.Capacity, cores: p.Host.Cores, cpu: p.Host.CPU, peer: p}
		if programs {
			there.cores = p.Host.Programs
		}
		if x := cost(there); best.peer == nil || there.full() < 1 && best.full() >= 1 || (there.full() < 1) == (best.full() < 1) && (x < least || x == least && name < best.host) {
			best, least = there, x
		}
	}
	can := here.hasGames && !here.draining
	if best.peer == nil || can && (cost(here) <= least+margin && here.full() < 1 || best.full() >= 1) {
		return ""
	}
	best.peer.placed++
	return best.host
}
