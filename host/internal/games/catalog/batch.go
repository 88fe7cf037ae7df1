package catalog

import (
	"context"

	"colosseum/host/internal/games/source"
)

// batch is the games of one module that Load compiles by one run of the go command.
type batch struct {
	games []source.Source // guarded by the catalog's mu
	done  chan struct{}   // closed when they are compiled, or could not be
}

// together compiles a game together with the others of its module that need it now. It
// returns when that has ended or ctx ends. The first of the games runs the go command.
func (c *Catalog) together(ctx context.Context, p *plugin, s source.Source) {
	c.mu.Lock()
	b := c.batches[s.Module()]
	first := b == nil
	if first {
		b = &batch{done: make(chan struct{})}
		c.batches[s.Module()] = b
	}
	b.games = append(b.games, s)
	c.mu.Unlock()
	const state = "it is being compiled"
	if !first {
		c.showLoading(p, state)
		select {
		case <-b.done:
		case <-ctx.Done():
		}
		return
	}
	defer close(b.done)
	games := func() []source.Source { // no game joins it from then on
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.batches[s.Module()] == b {
			delete(c.batches, s.Module())
		}
		return b.games
	}
	defer games()
	leave, err := c.enter(ctx, p, c.builds, "it waits to be compiled")
	if err != nil {
		return
	}
	defer leave()
	c.showLoading(p, state)
	s.Together(ctx, c.cache, func() []source.Source {
		all := games()
		if len(all) > 1 {
			c.log.Info("compiling games", "games", len(all))
		}
		return all
	})
}
