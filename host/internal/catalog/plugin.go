package catalog

import (
	"context"
	"fmt"
	"time"

	"colosseum/host/internal/config"
)

// How a game whose process dies is started again.
const (
	firstDelay = 100 * time.Millisecond
	maxDelay   = 30 * time.Second
	healthy    = time.Minute // a process that lived so long starts from firstDelay
	tooOften   = 5           // deaths in a row after which the game is shown as unavailable
)

// plugin is a game's folder under the catalog's care. Its goroutine, tend,
// alone loads versions; the catalog's mu guards what is shown.
type plugin struct {
	name    string
	dir     string
	changed chan struct{} // 1: look at the folder again; a second signal says the same

	current *version // guarded by the catalog's mu; nil: none could be loaded
	reason  string   // guarded by the catalog's mu: why current can't be played; empty: it can
}

func newPlugin(s source) *plugin {
	return &plugin{name: s.name, dir: s.dir, changed: make(chan struct{}, 1)}
}

// look makes tend look at the folder again.
func (p *plugin) look() {
	select {
	case p.changed <- struct{}{}:
	default:
	}
}

// tend keeps a game running until ctx ends or its folder is gone: it loads a
// version when the folder has changed, and starts the process again when it
// has died. First is called when the first version was loaded, or not.
func (c *Catalog) tend(ctx context.Context, p *plugin, first func()) {
	c.reload(ctx, p, true)
	first()
	delay, deaths := firstDelay, 0
	for {
		v := p.current
		var died, stuck <-chan struct{}
		if v != nil {
			died, stuck = v.game.Done(), v.stuck
		}
		select {
		case <-ctx.Done():
			return
		case <-p.changed:
			if !c.reload(ctx, p, false) {
				return
			}
		case <-stuck:
			// Its other matches go on there; new ones get a fresh process.
			v.game.Lower()
			c.log.Warn("a referee can't be stopped: new matches get a new process", "game", p.name)
			c.reload(ctx, p, true)
		case <-died:
			c.log.Error("the game's process has ended; starting it again", "game", p.name, "error", v.game.Err())
			c.count(p.name, func(n *Counts) { n.Died++ })
			if time.Since(v.born) > healthy {
				delay, deaths = firstDelay, 0
			}
			for alive := false; !alive; {
				deaths++
				c.unavailable(p, deaths)
				select {
				case <-ctx.Done():
					return
				case <-p.changed: // it may have been mended
				case <-time.After(delay):
				}
				delay = min(2*delay, maxDelay)
				if !c.reload(ctx, p, true) {
					return
				}
				alive = p.current != v
			}
		}
	}
}

// reload loads the folder's version and offers it, when it is another than the
// current one or must be loaded anew; the old one retires. One that can't be
// loaded changes nothing. It returns false when the folder is no game any more:
// then the game has been withdrawn.
func (c *Catalog) reload(ctx context.Context, p *plugin, anew bool) bool {
	s, ok := look(p.dir)
	if !ok {
		c.withdraw(p)
		return false
	}
	content, err := s.content()
	if err != nil {
		c.problem(p.name, err)
		return true
	}
	s.hash = content
	cfg := c.currentConfig()
	if old := p.current; old != nil && !anew && old.source.hash == s.hash && old.source.mode(cfg) == s.mode(cfg) {
		if c.solved(p.name) { // it is again what runs
			c.log.Info("the game is in order again", "game", p.name, "version", old.own.Version)
		}
		return true
	}
	c.gate <- struct{}{}
	v, err := c.load(ctx, cfg, s)
	<-c.gate
	if err != nil {
		if ctx.Err() == nil {
			c.count(p.name, func(n *Counts) { n.Failed++ })
			c.problem(p.name, err)
		}
		return true
	}
	c.solved(p.name)
	c.count(p.name, func(n *Counts) { n.Loaded++ })
	if !c.install(p, v) {
		v.game.Close()
		return true
	}
	// Only now: who reads it may count on the new version.
	c.log.Info("game ready", "game", p.name, "version", v.own.Version, "mode", v.mode, "pid", v.game.Pid(), "took", v.took.Round(time.Millisecond))
	return true
}

// unavailable shows that a game's process is gone.
func (c *Catalog) unavailable(p *plugin, deaths int) {
	reason := "its process has ended and is being started again"
	if deaths >= tooOften {
		reason = fmt.Sprintf("its process ended %d times in a row", deaths)
	}
	c.change(func(cfg *config.Config) { p.reason = reason })
}
