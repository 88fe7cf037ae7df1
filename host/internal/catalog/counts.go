package catalog

// Counts is what the catalog has counted of one plugin.
type Counts struct {
	Processes int    // now: the current version's, and those of old ones whose matches have not ended
	Matches   int    // in these processes
	Queued    int    // frames that wait to be sent to them
	Loaded    uint64 // versions that were loaded
	Failed    uint64 // versions that could not be
	Died      uint64 // processes that ended on their own
}

// Counts returns what was counted so far, by plugin.
func (c *Catalog) Counts() map[string]Counts {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := make(map[string]Counts, len(c.counts))
	for name, n := range c.counts {
		all[name] = *n
	}
	for v := range c.versions {
		n := all[v.source.name]
		n.Processes++
		n.Matches += v.game.Matches()
		n.Queued += v.game.Queued()
		all[v.source.name] = n
	}
	return all
}

// count changes the counters of a plugin.
func (c *Catalog) count(name string, change func(n *Counts)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.counts[name]
	if n == nil {
		n = &Counts{}
		c.counts[name] = n
	}
	change(n)
}
