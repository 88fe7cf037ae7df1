package catalog

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"colosseum/host/internal/config"
	"colosseum/internal/gamedir"
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
	start   bool          // it was there at the start, and has not been loaded since
	waited  time.Duration // for others, in the load that is going on
	changed chan struct{} // 1: look at the folder again; a second signal says the same

	known   bool     // guarded by the catalog's mu: it is a game
	current *version // guarded by the catalog's mu; nil: none was loaded
	reason  string   // guarded by the catalog's mu: why it can't be played yet, or now; empty: it can, or none could be loaded
}

func newPlugin(dir string, start bool) *plugin {
	return &plugin{name: filepath.Base(dir), dir: dir, start: start, changed: make(chan struct{}, 1)}
}

// coming returns the offer of a game, under its own name or that of one on top
// of it, of which no version has been loaded yet.
func (p *plugin) coming(name, title string) *Offer {
	return &Offer{
		Name: name, Title: title, Plugin: p.name, Dir: p.dir,
		Rules: fmt.Sprintf("The game %s can't be played yet: %s. Try again in a minute.\n", name, p.reason),
	}
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
	goes := c.reload(ctx, p, true)
	c.notCompiled(p)
	first()
	if !goes {
		return
	}
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
			v.game.LowerPriority()
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
	cfg := c.currentConfig()
	s, ok, err := c.examine(ctx, p, cfg)
	switch {
	case !ok && ctx.Err() == nil:
		c.withdraw(p)
		return false
	case err != nil || !ok:
		c.failed(ctx, p, err)
		return true
	}
	if old := p.current; old != nil && !anew && old.is(s, cfg) {
		if c.solved(p.name) { // it is again what runs
			c.log.Info("the game is in order again", "game", p.name, "version", old.own.Version)
		}
		return true
	}
	if s.mode(cfg) != modeCompiled {
		c.notCompiled(p)
	}
	v, err := c.load(ctx, cfg, p, s)
	if err != nil {
		c.failed(ctx, p, err)
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

// examine looks at the game's folder, which may not answer.
func (c *Catalog) examine(ctx context.Context, p *plugin, cfg *config.Config) (source, bool, error) {
	type found struct {
		s   source
		ok  bool
		err error
	}
	var watch func([]string)
	if c.watch != nil {
		watch = c.watch.add
	}
	limit, cancel := context.WithTimeout(ctx, cfg.Plugins.StartTimeout)
	defer cancel()
	f, err := gamedir.Visit(limit, c.looks.visit(p.dir), func() found {
		s, ok, err := examine(p.dir, cfg, watch)
		return found{s, ok, err}
	})
	if err != nil {
		f = found{ok: true, err: err}
	}
	if f.ok {
		c.mu.Lock()
		p.known = true
		c.mu.Unlock()
	}
	return f.s, f.ok, f.err
}

// failed notes that a version could not be loaded.
func (c *Catalog) failed(ctx context.Context, p *plugin, err error) {
	if ctx.Err() != nil {
		return // the catalog closes
	}
	c.count(p.name, func(n *Counts) { n.Failed++ })
	c.problem(p.name, err)
	c.coming(p, "")
}

// coming shows how far a game is of which no version has been loaded yet;
// empty: it is not on its way any more.
func (c *Catalog) coming(p *plugin, state string) {
	if p.current == nil && p.reason != state {
		c.change(func(*config.Config) { p.reason = state })
	}
}

// notCompiled says that a game of the start need not be compiled, if nothing
// else has been said of it.
func (c *Catalog) notCompiled(p *plugin) {
	if !p.start {
		return
	}
	p.start = false
	c.mu.Lock()
	c.compile--
	c.mu.Unlock()
}

// unavailable shows that a game's process is gone.
func (c *Catalog) unavailable(p *plugin, deaths int) {
	reason := "its process has ended and is being started again"
	if deaths >= tooOften {
		reason = fmt.Sprintf("its process ended %d times in a row", deaths)
	}
	c.change(func(cfg *config.Config) { p.reason = reason })
}
