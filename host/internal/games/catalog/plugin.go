package catalog

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"colosseum/host/internal/base/config"
	"colosseum/host/internal/games/source"
)

// When a game whose process has died is started again.
const (
	firstDelay = 100 * time.Millisecond
	maxDelay   = 30 * time.Second
	healthy    = time.Minute // after a process that lived longer, the delay is firstDelay again
	tooOften   = 5           // from this number of deaths in a row, clients see the number
)

// When a game that could not be compiled, for a reason that can pass, is compiled again.
const (
	firstBuild = time.Minute
	lastBuild  = time.Hour
)

// plugin is a folder that holds a game. One goroutine, keep, loads its versions.
// Only that goroutine writes the fields that the catalog's mu guards, so it reads
// them without the lock.
type plugin struct {
	name    string
	dir     string
	initial bool          // found by Load, and neither loaded nor compiled yet
	waited  time.Duration // at gates, in the current load
	again   bool          // the last load could not compile it, and another attempt could
	changed chan struct{} // size 1: read the folder again; a second signal changes nothing

	known   bool     // guarded by the catalog's mu: the folder holds a game
	title   string   // guarded by the catalog's mu: of the game, until a version is loaded; empty: unknown
	current *version // guarded by the catalog's mu; nil: none was loaded
	reason  string   // guarded by the catalog's mu: why it can't be played now; empty: it can be, or no version could be loaded
}

func newPlugin(dir string, initial bool) *plugin {
	return &plugin{name: filepath.Base(dir), dir: dir, initial: initial, changed: make(chan struct{}, 1)}
}

// reread makes keep read the folder again.
func (p *plugin) reread() {
	select {
	case p.changed <- struct{}{}:
	default:
	}
}

// keep keeps a game running until ctx ends or its folder is gone: it loads a
// version when the folder has changed, and starts the process again when it has
// died. First is called when the first version has been loaded or has failed.
func (c *Catalog) keep(ctx context.Context, p *plugin, first func()) {
	isGame := c.reload(ctx, p, true)
	c.notCompiled(p)
	first()
	if !isGame {
		return
	}
	delay, deaths := firstDelay, 0
	build := firstBuild
	for {
		v := p.current
		var died, stuck <-chan struct{}
		var again <-chan time.Time
		if p.again {
			again = time.After(build)
		}
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
			build = firstBuild
		case <-again:
			build = min(2*build, lastBuild)
			if !c.recompile(ctx, p) {
				return
			}
		case <-stuck:
			// Its other matches stay in this process; new ones get a new process.
			v.game.LowerPriority()
			c.log.Warn("a referee can't be stopped: new matches get a new process", "game", p.name)
			c.reload(ctx, p, true)
		case <-died:
			c.log.Error("the game's process has ended; starting it again", "game", p.name, "error", v.game.Err())
			c.count(p.name, func(s *Stats) { s.Died++ })
			if time.Since(v.born) > healthy {
				delay, deaths = firstDelay, 0
			}
			for alive := false; !alive; {
				deaths++
				reason := "its process has ended and is being started again"
				if deaths >= tooOften {
					reason = fmt.Sprintf("its process ended %d times in a row", deaths)
				}
				c.update(func(*config.Config) { p.reason = reason })
				select {
				case <-ctx.Done():
					return
				case <-p.changed: // perhaps it was repaired
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

// reload loads the version in the folder and offers it, if it differs from the
// current one or anew is set. The current version then retires. A version that
// can't be loaded changes nothing. If the folder holds no game, reload withdraws
// the game and returns false.
func (c *Catalog) reload(ctx context.Context, p *plugin, anew bool) (isGame bool) {
	return c.loadFolder(ctx, p, anew, false)
}

// recompile is reload for a game that could not be compiled, and that perhaps runs as a
// script now.
func (c *Catalog) recompile(ctx context.Context, p *plugin) (isGame bool) {
	return c.loadFolder(ctx, p, false, true)
}

func (c *Catalog) loadFolder(ctx context.Context, p *plugin, anew, recompile bool) (isGame bool) {
	cfg := c.currentConfig()
	s, ok, err := c.examine(ctx, cfg, p)
	if ok {
		c.mu.Lock()
		p.known, p.title = true, s.Title
		c.mu.Unlock()
	}
	switch {
	case !ok && ctx.Err() == nil:
		c.withdraw(p)
		return false
	case err != nil || !ok:
		c.failed(ctx, p, err)
		return true
	}
	old := p.current
	if old != nil && !anew && !recompile && old.wanted == s.Mode(cfg) && old.policy == s.Settings(cfg) && s.Same(old.seen) {
		c.unchanged(ctx, p, s)
		return true
	}
	if s.Mode(cfg) != source.ModeCompiled {
		c.notCompiled(p)
	}
	v, err := c.loadWhole(ctx, cfg, p, s, anew)
	if err != nil {
		c.failed(ctx, p, err)
		return true
	}
	if v == old {
		c.unchanged(ctx, p, s)
		return true
	}
	c.solve(p.name)
	c.count(p.name, func(s *Stats) { s.Loaded++ })
	if !c.install(p, v) {
		v.game.Close()
		return true
	}
	// Log last, so that the new version is already offered.
	log := c.log.With("game", p.name, "version", v.own.Version, "mode", v.mode, "pid", v.game.Pid(), "took", v.took.Round(time.Millisecond))
	if v.why != "" {
		log = log.With("because", v.why)
	}
	log.Info("game ready")
	return true
}

// examine reads the folder of a game.
func (c *Catalog) examine(ctx context.Context, cfg *config.Config, p *plugin) (s source.Source, ok bool, err error) {
	limit, cancel := context.WithTimeout(ctx, cfg.Plugins.StartTimeout)
	defer cancel()
	return c.folders.Examine(limit, p.dir, cfg)
}

// loadTries is how often a game is loaded whose files change all the time.
const loadTries = 3

// loadWhole calls load again if the game's files have changed meanwhile: its process reads them
// after the version was computed, such as when an editor has emptied a file and not yet written
// it. A game that is compiled has the version that was compiled.
func (c *Catalog) loadWhole(ctx context.Context, cfg *config.Config, p *plugin, s source.Source, anew bool) (*version, error) {
	for try := 1; ; try++ {
		v, err := c.load(ctx, cfg, p, s, anew)
		if try == loadTries || v != nil && (v == p.current || v.mode == source.ModeCompiled) {
			return v, err
		}
		now, ok, failed := c.examine(ctx, cfg, p)
		if !ok || failed != nil || now.Unchanged(s) {
			return v, err
		}
		if v != nil {
			v.game.Close()
		}
		s = now
	}
}

// unchanged keeps offering the current version, with the texts that its folder has now.
func (c *Catalog) unchanged(ctx context.Context, p *plugin, s source.Source) {
	v := p.current
	changed, err := v.examine(s)
	if err != nil {
		c.failed(ctx, p, err)
		return
	}
	if changed {
		c.update(func(*config.Config) {})
		c.log.Info("the game's descriptions have changed", "game", p.name, "version", v.own.Version)
	}
	if c.solve(p.name) && v.rules() != "" { // a change was undone
		c.log.Info("the game is in order again", "game", p.name, "version", v.own.Version)
	}
	c.checkDescribed(p)
}

// checkDescribed reports a game without a description.
func (c *Catalog) checkDescribed(p *plugin) {
	if p.current.rules() == "" {
		c.problem(p.name, noDescription, errors.New("it has no description for players: write rules.md in its folder"))
	}
}

// failed records that a version could not be loaded.
func (c *Catalog) failed(ctx context.Context, p *plugin, err error) {
	if ctx.Err() != nil {
		return // the catalog closes
	}
	c.count(p.name, func(s *Stats) { s.Failed++ })
	c.problem(p.name, couldNotLoad, err)
	c.showLoading(p, "")
}

// showLoading shows the state of a game until its first version is loaded; with
// an empty state the game is no longer shown.
func (c *Catalog) showLoading(p *plugin, state string) {
	if p.current == nil && p.reason != state {
		c.update(func(*config.Config) { p.reason = state })
	}
}

// notCompiled takes a game of Load that needs no compilation out of c.compile.
func (c *Catalog) notCompiled(p *plugin) {
	if !p.initial {
		return
	}
	p.initial = false
	c.mu.Lock()
	c.compile--
	c.mu.Unlock()
}

// install makes a version the current one and retires the old one. It returns
// false if the catalog was closed.
func (c *Catalog) install(p *plugin, v *version) bool {
	c.mu.Lock()
	closed := c.closed
	if !closed {
		c.versions[v] = struct{}{}
		c.wait.Go(func() { // ends with the process
			<-v.game.Done()
			c.mu.Lock()
			defer c.mu.Unlock()
			delete(c.versions, v)
		})
	}
	c.mu.Unlock()
	if closed {
		return false
	}
	if v.keep > 0 {
		c.wait.Go(func() { v.game.rest(v.keep) }) // ends with the version
	}
	var old *version
	c.update(func(*config.Config) { old, p.current, p.reason = p.current, v, "" })
	c.retire(old)
	c.checkDescribed(p)
	return true
}

// withdraw removes a game whose folder does not hold one any more, or never did.
// The goroutine of p must then end.
func (c *Catalog) withdraw(p *plugin) {
	old, known := p.current, p.known
	c.update(func(*config.Config) {
		p.current = nil
		delete(c.plugins, p.name)
		delete(c.problems, p.name)
	})
	if known {
		c.log.Info("the game's folder is gone: the game is no longer offered", "game", p.name)
	}
	c.retire(old)
	// If the folder came back before that, folderChanged has signalled p in vain.
	if c.folders.IsGame(c.ctx, p.dir) {
		c.add(false, p.dir)
	}
}
