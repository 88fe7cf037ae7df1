// Package catalog offers the games by name, and keeps the newest version of each
// running in its own process.
package catalog

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"colosseum/host/internal/base/config"
	"colosseum/host/internal/games/engine"
	"colosseum/host/internal/games/source"
)

// Catalog offers games. Its methods can be called from any goroutine. Close must
// be called.
type Catalog struct {
	cache   string
	log     *slog.Logger
	ctx     context.Context // of all goroutines
	cancel  context.CancelFunc
	wait    sync.WaitGroup // all goroutines
	folders source.Folders
	build   func(s source.Source, ctx context.Context, cfg *config.Config, cache string) (source.Program, error) // tests replace it
	builds  gate
	starts  gate
	ready   chan struct{} // closed when Load has ended

	found []string // by Open for Load: the folders that might hold games

	generation atomic.Uint64 // of the offers; grows with mu held

	updating sync.Mutex // held during update; locked before mu

	mu       sync.Mutex // guards the fields below
	config   *config.Config
	plugins  map[string]*plugin
	versions map[*version]struct{} // installed ones whose processes have not ended
	offers   map[string]*Offer
	problems map[string]error // by game
	stats    map[string]*Stats
	batches  map[string]*batch // by the folder of a module: those whose games are not compiled yet
	compiled int               // how many games of Load have begun their first compilation
	compile  int               // how many games of Load need one, as far as is known
	closed   bool
}

// How many games are compiled and started at once, and how long each start counts. A
// compilation counts until it has ended, which its lack of progress ensures: it uses all
// cores by itself, so more of them on a busy machine would only delay each other.
const (
	buildsAtOnce = 2 // or fewer: one for each core
	startsAtOnce = 4
	startStay    = 5 * time.Second
)

// Open returns a catalog of the games in the folders that the configuration
// names; Load starts them. Programs are built in the folder cache. If the
// configuration says so, the folders are watched for changes.
func Open(cfg *config.Config, cache string, log *slog.Logger) (*Catalog, error) {
	if n := engine.Sweep(); n > 0 {
		log.Info("removed temporary folders of a host that was killed", "folders", n)
	}
	c, err := newCatalog(cfg, cache, log)
	if err != nil {
		return nil, err
	}
	if c.found, err = c.folders.Candidates(c.ctx, cfg.Plugins.Folders); err != nil {
		c.cancel()
		return nil, err
	}
	if cfg.Plugins.Watch {
		if err := c.folders.Watch(cfg.Plugins.Folders, log); err != nil {
			c.cancel()
			return nil, err
		}
		c.wait.Go(func() { c.folders.Run(c.ctx) }) // ends when the catalog closes
	}
	return c, nil
}

// newCatalog returns a catalog without games.
func newCatalog(cfg *config.Config, cache string, log *slog.Logger) (*Catalog, error) {
	cache, err := filepath.Abs(cache)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	c := &Catalog{
		cache: cache, log: log, ctx: ctx, cancel: cancel, config: cfg, ready: make(chan struct{}),
		build: source.Source.Program, builds: newGate(min(buildsAtOnce, runtime.GOMAXPROCS(0)), 0), starts: newGate(startsAtOnce, startStay),
		plugins: map[string]*plugin{}, versions: map[*version]struct{}{}, offers: map[string]*Offer{}, problems: map[string]error{}, stats: map[string]*Stats{},
		batches: map[string]*batch{},
	}
	c.folders.Changed = c.folderChanged
	return c, nil
}

// Load starts all games, and offers each as soon as it is ready. It returns when
// each is offered or has failed, or when ctx ends. It must be called once.
func (c *Catalog) Load(ctx context.Context) {
	begin := time.Now()
	c.mu.Lock()
	c.compile = len(c.found)
	c.mu.Unlock()
	loaded := c.add(true, c.found...)
	select {
	case <-loaded:
	case <-ctx.Done():
		return
	}
	if c.ctx.Err() != nil {
		return // closed
	}
	cfg := c.currentConfig()
	for name, g := range cfg.Games {
		_, offered := c.Describe(g.Plugin)
		switch {
		case offered: // update has reported what is wrong with the named game
		case reflect.DeepEqual(g, config.Default().Games[name]):
			c.log.Info("game not offered: its plugin is not there", "game", name, "plugin", g.Plugin)
		default:
			c.problem(name, couldNotLoad, fmt.Errorf("its plugin %s is not there", g.Plugin))
		}
	}
	c.warn(unknown(cfg, c.names()))
	close(c.ready)
	games, failed, took := len(c.List()), c.failures(), time.Since(begin).Round(time.Millisecond)
	if failed > 0 {
		c.log.Warn("games are ready, but some have a problem", "games", games, "problems", failed, "took", took)
	} else {
		c.log.Info("all games are ready", "games", games, "took", took)
	}
}

// Ready is closed when each game that Load found is offered or has failed.
func (c *Catalog) Ready() <-chan struct{} { return c.ready }

func (c *Catalog) isReady() bool {
	select {
	case <-c.ready:
		return true
	default:
		return false
	}
}

// add starts a goroutine for each folder that has none. Loaded is closed when
// each of these games is offered or has failed. Initial is set if Load calls it.
func (c *Catalog) add(initial bool, dirs ...string) (loaded <-chan struct{}) {
	var loading sync.WaitGroup
	c.mu.Lock()
	for _, dir := range dirs {
		p := newPlugin(dir, initial)
		if c.closed || c.plugins[p.name] != nil {
			continue
		}
		c.plugins[p.name] = p
		loading.Add(1)
		c.wait.Go(func() { // ends when the catalog closes or the folder is not a game
			c.keep(c.ctx, p, sync.OnceFunc(loading.Done))
		})
	}
	c.mu.Unlock()
	done := make(chan struct{})
	go func() { // ends with the last load
		loading.Wait()
		close(done)
	}()
	return done
}

// folderChanged makes the goroutine of a folder read it again, or starts one.
func (c *Catalog) folderChanged(dir string) {
	c.mu.Lock()
	p := c.plugins[filepath.Base(dir)]
	c.mu.Unlock()
	if p != nil {
		p.reread()
	} else {
		c.add(false, dir)
	}
}

// Rescan reads all folders again, for hosts that do not watch them.
func (c *Catalog) Rescan() error {
	dirs, err := c.folders.Candidates(c.ctx, c.currentConfig().Plugins.Folders)
	if err != nil {
		return err
	}
	c.mu.Lock()
	for _, p := range c.plugins {
		p.reread()
	}
	c.mu.Unlock()
	c.add(false, dirs...)
	return nil
}

// Reconfigure replaces the configuration. A configuration with an error changes
// nothing. Running processes keep their limits.
func (c *Catalog) Reconfigure(cfg *config.Config) error {
	sources, err := c.folders.Find(c.ctx, cfg.Plugins.Folders)
	if err != nil {
		return err
	}
	names := map[string]bool{}
	for _, s := range sources {
		names[s.Name] = true
	}
	for name, g := range cfg.Games {
		if names[name] {
			return fmt.Errorf("games.%s: %w", name, errTaken)
		}
		if !names[g.Plugin] {
			if !reflect.DeepEqual(g, config.Default().Games[name]) {
				return fmt.Errorf("games.%s: there is no plugin %s", name, g.Plugin)
			}
			continue
		}
		if v := c.currentVersion(g.Plugin); v != nil {
			if _, err := v.named(name, g, cfg.Plugins); err != nil {
				return fmt.Errorf("games.%s: %w", name, err)
			}
		}
	}
	c.update(func(*config.Config) { c.config = cfg })
	c.warn(unknown(cfg, slices.Collect(maps.Keys(names))))
	return c.Rescan()
}

// Close ends all games and returns when no process is left.
func (c *Catalog) Close() {
	c.cancel()
	c.mu.Lock()
	c.closed = true // no version is installed from here on
	versions := slices.Collect(maps.Keys(c.versions))
	c.mu.Unlock()
	for _, v := range versions {
		c.wait.Go(v.game.Close) // ends with the process
	}
	c.wait.Wait()
}

func (c *Catalog) currentConfig() *config.Config {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.config
}

// names returns the names of all plugins.
func (c *Catalog) names() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Collect(maps.Keys(c.plugins))
}

// currentVersion returns the version of a plugin that is offered; nil: none.
func (c *Catalog) currentVersion(plugin string) *version {
	c.mu.Lock()
	defer c.mu.Unlock()
	if p := c.plugins[plugin]; p != nil {
		return p.current
	}
	return nil
}
