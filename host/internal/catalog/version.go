package catalog

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"colosseum/host/internal/config"
	"colosseum/host/internal/engine"
	"colosseum/internal/gamedir"
)

// version is one state of a game's folder, loaded, checked and running in a
// process of its own. Matches keep the version that they were created on.
type version struct {
	source source
	visits *gamedir.Visits // of its folder
	own    Offer           // the plugin's own offer; those of named games follow from it
	game   *engine.Game
	mode   string        // how it runs
	born   time.Time     // when it was loaded
	took   time.Duration // to load it
	stuck  chan struct{} // 1: a referee in the process can't be stopped; once is enough

	mu      sync.Mutex           // guards the fields below, and source.texts
	held    map[*holder]struct{} // matches that were created on it and have not ended
	retired bool
	ended   bool // its process ends, or has
}

// holder is one match that needs a version.
type holder struct{ replaced func() }

// load brings up one version of a game and checks it. Nothing refers to it yet.
func (c *Catalog) load(ctx context.Context, cfg *config.Config, p *plugin, s source) (*version, error) {
	begin := time.Now()
	p.waited = 0
	command, hash, err := c.command(ctx, cfg, p, s)
	if err != nil {
		return nil, err
	}
	leave, err := c.pass(ctx, p, c.starts, "it waits for others to start")
	if err != nil {
		return nil, err
	}
	defer leave()
	c.coming(p, "it is starting")
	game, err := engine.Start(ctx, engine.Spec{
		Name: s.name, Command: command, Dir: s.dir, Memory: cfg.Plugins.MemoryMB << 20,
		StartTimeout: cfg.Plugins.StartTimeout, Stall: cfg.Plugins.Stall, Log: c.log.With("game", s.name),
	})
	var failed *engine.StartError
	if errors.As(err, &failed) && failed.Output != "" && s.mode(cfg) == modeScript {
		return nil, errors.New(failed.Output) // the problems, each with its file and line
	}
	if err != nil {
		return nil, err
	}
	v := &version{source: s, visits: c.looks.visit(s.dir), game: game, stuck: make(chan struct{}, 1), held: map[*holder]struct{}{}}
	if err := v.describe(hash); err != nil {
		game.Close()
		return nil, err
	}
	if err := tryOut(ctx, game); err != nil {
		game.Close()
		return nil, err
	}
	v.mode, v.born, v.took = s.mode(cfg), time.Now(), time.Since(begin)-p.waited
	return v, nil
}

// pass waits at a gate.
func (c *Catalog) pass(ctx context.Context, p *plugin, g gate, state string) (leave func(), err error) {
	begin := time.Now()
	defer func() { p.waited += time.Since(begin) }()
	c.coming(p, state)
	return g.enter(ctx)
}

// describe makes the plugin's own offer.
func (v *version) describe(hash string) error {
	d := v.game.Description()
	if d.Name != v.source.name {
		return fmt.Errorf("the game calls itself %q: give its folder the same name", d.Name)
	}
	v.own = Offer{
		Name: d.Name, Title: d.Title, Rules: d.Rules, Params: d.Params, Plugin: d.Name, Version: hash, Engine: v.game, Dir: v.source.dir,
		MinPlayers: d.MinPlayers, MaxPlayers: d.MaxPlayers, MaxBots: d.MaxBots, Timeout: d.Timeout, Life: v,
	}
	if len(v.own.Rules) > maxRules {
		return fmt.Errorf("its description has more than %d KiB", maxRules>>10)
	}
	if v.own.Rules == "" {
		t := v.text(rulesFile)
		if t.fault != "" && !t.missing {
			return fmt.Errorf("its description: %s", t.fault)
		}
		v.own.Rules = t.markdown
	}
	return nil
}

// command makes what there is to start, in the ways of [source.command]. When
// the game must be compiled, it waits until few others are.
func (c *Catalog) command(ctx context.Context, cfg *config.Config, p *plugin, s source) (command []string, version string, err error) {
	if s.mode(cfg) != modeCompiled {
		return s.command(ctx, cfg, c.cache)
	}
	leave, err := c.pass(ctx, p, c.builds, "it waits to be compiled")
	if err != nil {
		return nil, "", err
	}
	defer leave()
	c.coming(p, "it is being compiled")
	if p.start {
		p.start = false
		c.mu.Lock()
		c.compiled++
		number := fmt.Sprintf("%d of %d", c.compiled, c.compile)
		c.mu.Unlock()
		c.log.Info("compiling game", "game", s.name, "number", number)
	} else {
		c.log.Info("compiling game", "game", s.name)
	}
	build, cancel := context.WithTimeout(ctx, cfg.Plugins.BuildTimeout)
	defer cancel()
	command, version, err = s.command(build, cfg, c.cache)
	if err != nil && build.Err() != nil && ctx.Err() == nil {
		err = fmt.Errorf("it was not compiled within %v: see plugins.build_timeout", cfg.Plugins.BuildTimeout)
	}
	return command, version, err
}

// text returns a description in the game's folder. Those that were not named
// when the folder was examined are read now.
func (v *version) text(file string) text {
	v.mu.Lock()
	defer v.mu.Unlock()
	t, ok := v.source.texts[file]
	if !ok {
		t = v.readText(file)
		v.source.texts[file] = t
	}
	return t
}

func (v *version) readText(file string) text {
	ctx, cancel := context.WithTimeout(context.Background(), lookTime)
	defer cancel()
	t, err := gamedir.Visit(ctx, v.visits, func() text {
		f, err := gamedir.Open(v.source.dir)
		if err != nil {
			return text{fault: err.Error()}
		}
		defer f.Close()
		return readText(f, file)
	})
	if err != nil {
		return text{fault: err.Error()}
	}
	return t
}

// is reports whether a folder still holds this version.
func (v *version) is(s source, cfg *config.Config) bool {
	if v.source.hash != s.hash || v.mode != s.mode(cfg) {
		return false
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	for file, t := range s.texts {
		if old, ok := v.source.texts[file]; ok && old != t {
			return false
		}
	}
	return true
}

// Hold implements Life.
func (v *version) Hold(replaced func()) (release func(), ok bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.retired {
		return nil, false
	}
	h := &holder{replaced}
	v.held[h] = struct{}{}
	return func() {
		v.mu.Lock()
		delete(v.held, h)
		v.mu.Unlock()
		v.closeIfDone()
	}, true
}

// Stuck implements Life.
func (v *version) Stuck() {
	select {
	case v.stuck <- struct{}{}:
	default:
	}
}

// retire ends the process when its last match has ended. Until then all others
// come before it.
func (v *version) retire() {
	v.mu.Lock()
	v.retired = true
	var holders []*holder
	for h := range v.held {
		holders = append(holders, h)
	}
	v.mu.Unlock()
	if len(holders) > 0 {
		v.game.LowerPriority()
	}
	for _, h := range holders {
		h.replaced()
	}
	v.closeIfDone()
}

func (v *version) closeIfDone() {
	v.mu.Lock()
	done := v.retired && len(v.held) == 0 && !v.ended
	v.ended = v.ended || done
	v.mu.Unlock()
	if done {
		go v.game.Close() // ends when the process has, a second or so at the most
	}
}

// errOld tells the players of an old version why their match ends.
var errOld = errors.New("it was replaced, and too many old versions of it were still playing")

// bound ends the oldest processes of old versions of a game, when there are more
// than the configuration allows.
func (c *Catalog) bound(name string) {
	c.mu.Lock()
	most := c.config.Plugins.OldProcesses
	var old []*version
	for v := range c.versions {
		v.mu.Lock()
		if v.source.name == name && v.retired && !v.ended {
			old = append(old, v)
		}
		v.mu.Unlock()
	}
	slices.SortFunc(old, func(a, b *version) int { return a.born.Compare(b.born) })
	old = old[:max(0, len(old)-most)]
	for _, v := range old {
		v.mu.Lock()
		v.ended = true
		v.mu.Unlock()
		if !c.closed { // else Close ends it
			c.wait.Go(func() { v.game.CloseBecause(errOld) }) // ends with the process
		}
	}
	c.mu.Unlock()
	for _, v := range old {
		c.log.Warn("too many old versions of the game are still playing: the oldest ends", "game", name, "version", v.own.Version, "matches", v.game.Matches())
	}
}
