package catalog

import "colosseum/host/internal/games/sandbox"

// Stats are the counters of one plugin.
type Stats struct {
	Processes int    // now: that of the current version, and those of old ones with running matches
	Matches   int    // in these processes
	Queued    int    // frames that wait to be sent to them
	Loaded    uint64 // versions that were loaded
	Failed    uint64 // versions that could not be loaded
	Died      uint64 // processes that ended on their own
}

// Stats returns the counters by plugin.
func (c *Catalog) Stats() map[string]Stats {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := make(map[string]Stats, len(c.stats))
	for name, s := range c.stats {
		all[name] = *s
	}
	for v := range c.versions {
		s := all[v.source.Name]
		if v.game.Running() {
			s.Processes++
		}
		s.Matches += v.game.Matches()
		s.Queued += v.game.Queued()
		all[v.source.Name] = s
	}
	return all
}

// count changes the counters of a plugin.
func (c *Catalog) count(plugin string, change func(s *Stats)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.stats[plugin]
	if s == nil {
		s = &Stats{}
		c.stats[plugin] = s
	}
	change(s)
}

// Isolation returns the level of the current configuration.
func (c *Catalog) Isolation() sandbox.Level {
	c.mu.Lock()
	defer c.mu.Unlock()
	return sandbox.Level(c.config.Plugins.Isolation)
}
