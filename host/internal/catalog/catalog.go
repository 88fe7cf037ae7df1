// Package catalog finds the games, keeps the newest version of each running in
// a process of its own, and offers them by name.
package catalog

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"colosseum/host/internal/config"
	"colosseum/host/internal/engine"
)

// Catalog offers games. Close ends it.
type Catalog struct {
	cache  string
	log    *slog.Logger
	life   context.Context // of all that tends games
	cancel context.CancelFunc
	wait   sync.WaitGroup // the goroutines that tend games, and the watcher
	looks  looker
	builds gate
	starts gate
	watch  *watcher      // nil: nobody watches the folders
	ready  chan struct{} // closed when Load has ended

	found []string // the folders that may hold games, by Open for Load

	generation atomic.Uint64 // of the offers; grows with mu held

	changing sync.Mutex // held while what is offered is worked out anew; comes before mu

	mu       sync.Mutex // guards the fields below
	config   *config.Config
	plugins  map[string]*plugin
	versions map[*version]struct{} // whose processes may live
	offers   map[string]*Offer
	problems map[string]error // by game
	counts   map[string]*Counts
	compiled int // games whose first compilation has begun, of those that Load found
	compile  int // games that Load found and that are, or may have to be, compiled
	closed   bool
}

// How many games are compiled and started at once. A build uses all cores by
// itself, and of two the second finds much that the first has compiled.
const (
	buildsAtOnce = 2
	buildTurn    = time.Minute
	startsAtOnce = 4
	startTurn    = 5 * time.Second
)

// Problem is why a game is not offered, or not as it should be.
type Problem struct {
	Game string
	Err  error
}

// Open returns a catalog of the games in the folders that the configuration
// names. None is offered before Load. Cache is a folder for programs that are
// built. When the configuration says so, the folders are watched for changes.
func Open(cfg *config.Config, cache string, log *slog.Logger) (*Catalog, error) {
	if n := engine.Sweep(); n > 0 {
		log.Info("removed temporary folders of a host that was killed", "folders", n)
	}
	c, err := empty(cfg, cache, log)
	if err != nil {
		return nil, err
	}
	if c.found, err = c.looks.candidates(c.life, cfg.Plugins.Folders); err != nil {
		c.cancel()
		return nil, err
	}
	if cfg.Plugins.Watch {
		if err := c.follow(cfg.Plugins.Folders); err != nil {
			c.Close()
			return nil, err
		}
	}
	return c, nil
}

// Load starts all games that there are, and returns when each is offered, or
// could not be loaded, or when ctx has ended. Each is offered as soon as it is
// ready, however long others take. It is called once.
func (c *Catalog) Load(ctx context.Context) {
	begin := time.Now()
	c.mu.Lock()
	c.compile = len(c.found)
	c.mu.Unlock()
	loaded := c.adopt(true, c.found...)
	select {
	case <-loaded:
	case <-ctx.Done():
		return
	}
	if c.life.Err() != nil {
		return // closed
	}
	cfg := c.currentConfig()
	for name, g := range cfg.Games {
		_, offered := c.Describe(g.Plugin)
		switch {
		case offered: // what is wrong with the named game itself has been said
		case reflect.DeepEqual(g, config.Default().Games[name]):
			c.log.Info("the game is not offered: its plugin is not there", "game", name, "plugin", g.Plugin)
		default:
			c.problem(name, fmt.Errorf("its plugin %s is not there", g.Plugin))
		}
	}
	close(c.ready)
	games, failed, took := len(c.List()), len(c.Problems()), time.Since(begin).Round(time.Millisecond)
	if failed > 0 {
		c.log.Warn("games are ready, but some have a problem", "games", games, "problems", failed, "took", took)
	} else {
		c.log.Info("all games are ready", "games", games, "took", took)
	}
}

// Ready is closed when each game that was there at the start is offered, or
// could not be loaded.
func (c *Catalog) Ready() <-chan struct{} { return c.ready }

func (c *Catalog) isReady() bool {
	select {
	case <-c.ready:
		return true
	default:
		return false
	}
}

// empty returns a catalog without games.
func empty(cfg *config.Config, cache string, log *slog.Logger) (*Catalog, error) {
	cache, err := filepath.Abs(cache)
	if err != nil {
		return nil, err
	}
	life, cancel := context.WithCancel(context.Background())
	c := &Catalog{
		cache: cache, log: log, life: life, cancel: cancel, config: cfg, ready: make(chan struct{}),
		builds: newGate(buildsAtOnce, buildTurn), starts: newGate(startsAtOnce, startTurn),
		plugins: map[string]*plugin{}, versions: map[*version]struct{}{}, offers: map[string]*Offer{}, problems: map[string]error{}, counts: map[string]*Counts{},
	}
	c.looks.back = c.touched
	return c, nil
}

// adopt takes folders that may hold games under its care, those that it does
// not know yet. Loaded is closed when each of them was loaded, or not. Start
// says that they were there at the start.
func (c *Catalog) adopt(start bool, dirs ...string) (loaded <-chan struct{}) {
	var loading sync.WaitGroup
	c.mu.Lock()
	for _, dir := range dirs {
		p := newPlugin(dir, start)
		if c.closed || c.plugins[p.name] != nil {
			continue
		}
		c.plugins[p.name] = p
		loading.Add(1)
		c.wait.Go(func() { // ends when the catalog closes or the folder is no game
			c.tend(c.life, p, sync.OnceFunc(loading.Done))
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

// Rescan looks at all folders again, as a watcher would: for hosts that do not
// watch, and when the configuration has changed.
func (c *Catalog) Rescan() error {
	dirs, err := c.looks.candidates(c.life, c.currentConfig().Plugins.Folders)
	if err != nil {
		return err
	}
	c.mu.Lock()
	for _, p := range c.plugins {
		p.look()
	}
	c.mu.Unlock()
	c.adopt(false, dirs...)
	return nil
}

// Reconfigure takes another configuration over as a whole, or, with an error,
// not at all. Processes that run keep their limits.
func (c *Catalog) Reconfigure(cfg *config.Config) error {
	sources, err := c.looks.find(c.life, cfg.Plugins.Folders)
	if err != nil {
		return err
	}
	names := map[string]bool{}
	for _, s := range sources {
		names[s.name] = true
	}
	c.mu.Lock()
	plugins := maps.Clone(c.plugins)
	c.mu.Unlock()
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
		if p := plugins[g.Plugin]; p != nil {
			if v := c.versionOf(p); v != nil {
				if _, err := v.named(name, g); err != nil {
					return fmt.Errorf("games.%s: %w", name, err)
				}
			}
		}
	}
	c.change(func(*config.Config) { c.config = cfg })
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

// Problems returns what is wrong with games now, by name.
func (c *Catalog) Problems() []Problem {
	c.mu.Lock()
	defer c.mu.Unlock()
	list := make([]Problem, 0, len(c.problems))
	for name, err := range c.problems {
		list = append(list, Problem{name, err})
	}
	sort.Slice(list, func(i, j int) bool { return list[i].Game < list[j].Game })
	return list
}

// List returns what is offered, by name.
func (c *Catalog) List() []*Offer {
	c.mu.Lock()
	defer c.mu.Unlock()
	list := slices.Collect(maps.Values(c.offers))
	sort.Slice(list, func(i, j int) bool { return list[i].Name < list[j].Name })
	return list
}

// Generation tells lists of offers apart: one that was taken after a call of
// Generation holds as long as Generation returns the same.
func (c *Catalog) Generation() uint64 { return c.generation.Load() }

// Describe returns the description of a game in Markdown.
func (c *Catalog) Describe(name string) (string, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	o, ok := c.offers[name]
	if !ok {
		return "", false
	}
	return o.Rules, true
}

// Find returns the offer under a name, when it can be played. The error is
// for the client who asked.
func (c *Catalog) Find(name string) (*Offer, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	o, ok := c.offers[name]
	switch {
	case !ok && !c.isReady():
		return nil, errors.New("Game not found yet: the host is still loading its games, try again in a moment")
	case !ok:
		return nil, errors.New("Game not found")
	}
	if o.Unavailable != "" && o.Engine == nil {
		return nil, fmt.Errorf("the game %s is unavailable: %s, try again in a minute", name, o.Unavailable)
	}
	if o.Unavailable != "" {
		return nil, fmt.Errorf("the game %s is unavailable: %s", name, o.Unavailable)
	}
	return o, nil
}

func (c *Catalog) currentConfig() *config.Config {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.config
}

func (c *Catalog) versionOf(p *plugin) *version {
	c.mu.Lock()
	defer c.mu.Unlock()
	return p.current
}

// problem notes what is wrong with a game. Of many lines, as a compiler writes
// them, each is logged.
func (c *Catalog) problem(game string, err error) {
	for line := range strings.SplitSeq(err.Error(), "\n") {
		c.log.Error("there is a problem with the game", "game", game, "error", line)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.problems[game] = err
}

// solved forgets what was wrong with a game, and tells whether something was.
func (c *Catalog) solved(game string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, was := c.problems[game]
	delete(c.problems, game)
	return was
}

// install makes a version the current one; the one before retires. It returns
// false when the catalog was closed meanwhile.
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
	var old *version
	c.change(func(*config.Config) { old, p.current, p.reason = p.current, v, "" })
	if old != nil {
		old.retire()
		c.bound(p.name)
	}
	if v.own.Rules == "" {
		c.problem(p.name, errors.New("it has no description for players: write rules.md in its folder"))
	}
	return true
}

// withdraw takes a game whose folder is gone, or never was one, out of the
// offers. Nobody tends p after it.
func (c *Catalog) withdraw(p *plugin) {
	old, known := p.current, p.known
	c.change(func(*config.Config) {
		p.current = nil
		delete(c.plugins, p.name)
		delete(c.problems, p.name)
	})
	if known {
		c.log.Info("the game's folder is gone: it is not offered any more", "game", p.name)
	}
	if old != nil {
		old.retire()
		c.bound(p.name)
	}
	// Whoever saw it come back meanwhile has told p, whose care ends here.
	if c.looks.isGame(c.life, p.dir) {
		c.adopt(false, p.dir)
	}
}

var errTaken = errors.New("this is the name of a plugin: give the game another")

// change changes something under mu and works out the offers anew. What is
// wrong with named games is noted as their problem.
func (c *Catalog) change(f func(cfg *config.Config)) {
	c.changing.Lock()
	defer c.changing.Unlock()
	c.mu.Lock()
	f(c.config)
	cfg := c.config
	type shown struct {
		v      *version
		reason string
	}
	var all []shown
	known := map[string]bool{}     // the names of plugins
	coming := map[string]*plugin{} // those of which no version is there yet
	for name, p := range c.plugins {
		known[name] = p.known
		switch {
		case p.current != nil:
			all = append(all, shown{p.current, p.reason})
		case p.reason != "":
			coming[name] = &plugin{name: name, dir: p.dir, reason: p.reason}
		}
	}
	c.mu.Unlock()

	offers, problems := map[string]*Offer{}, map[string]error{}
	add := func(o *Offer, reason string) {
		o.Unavailable = reason
		offers[o.Name] = o
	}
	for _, s := range all {
		own := s.v.own
		add(&own, s.reason)
		for name, g := range cfg.Games {
			if g.Plugin != s.v.source.name {
				continue
			}
			if known[name] {
				problems[name] = errTaken
			} else if o, err := s.v.named(name, g); err != nil {
				problems[name] = err
			} else {
				add(o, s.reason)
			}
		}
	}

	for _, p := range coming {
		add(p.coming(p.name, ""), p.reason)
		for name, g := range cfg.Games {
			if g.Plugin == p.name && !known[name] {
				add(p.coming(name, g.Title), p.reason)
			}
		}
	}

	c.mu.Lock()
	defer c.mu.Unlock()
	c.offers = offers
	c.generation.Add(1)
	for name := range cfg.Games {
		old := c.problems[name]
		delete(c.problems, name)
		if err := problems[name]; err != nil {
			if old == nil || old.Error() != err.Error() {
				c.log.Error("there is a problem with the game", "game", name, "error", err)
			}
			c.problems[name] = err
		}
	}
}

// named returns the offer of a named game on top of this version.
func (v *version) named(name string, g config.Game) (*Offer, error) {
	rules := v.own.Rules
	if g.Rules != "" {
		if !filepath.IsLocal(g.Rules) {
			return nil, fmt.Errorf("rules: %q is not a path inside the plugin's folder", g.Rules)
		}
		t := v.text(g.Rules)
		if t.fault != "" {
			return nil, fmt.Errorf("rules: %s", t.fault)
		}
		rules = t.markdown
	}
	return v.own.named(name, g, rules)
}
