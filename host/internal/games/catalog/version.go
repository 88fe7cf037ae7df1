package catalog

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"colosseum/host/internal/base/config"
	"colosseum/host/internal/games/engine"
	"colosseum/host/internal/games/source"
	"colosseum/sdk/driver"
)

// version is one state of a game's folder, loaded, checked and running in its own
// process. A match stays on the version on which it started.
type version struct {
	source  source.Source
	folders *source.Folders
	own     Offer    // the plugin's own offer, on which those of named games are based; its Rules are those of the program
	command []string // that started the process
	spec    engine.Spec
	game    *process
	wanted  string        // how it should run
	mode    string        // how it runs
	why     string        // why it runs as a script; empty: it does not, or the configuration says so
	policy  string        // the settings of its policy
	rights  string        // for its description
	born    time.Time     // when it was loaded
	took    time.Duration // to load it
	keep    time.Duration // how long its process runs without a match; 0: forever
	stuck   chan struct{} // size 1: a referee in the process can't be stopped; a second signal changes nothing

	seen source.Source // its folder when it was last read; only keep reads and writes it

	mu      sync.Mutex             // guards the fields below
	texts   map[string]source.Text // in its folder, by file
	held    map[*holder]struct{}   // matches that were created on it and have not ended
	retired bool
	ended   bool // its process has ended or is being ended
}

// holder is a match that needs a version.
type holder struct{ replaced func() }

// load starts and checks one version of a game. If it has the version and program of
// the current one, load returns that, unless anew is set.
func (c *Catalog) load(ctx context.Context, cfg *config.Config, p *plugin, s source.Source, anew bool) (*version, error) {
	begin := time.Now()
	p.waited, p.again = 0, false
	program, err := c.program(ctx, cfg, p, s)
	if err != nil {
		return nil, err
	}
	command, hash := program.Command, program.Version
	if v := p.current; v != nil && !anew && v.own.Version == hash && slices.Equal(v.command, command) && v.policy == s.Settings(cfg) {
		return v, nil
	}
	level, policy, err := s.Policy(cfg, command)
	if err != nil {
		return nil, err
	}
	leave, err := c.enter(ctx, p, c.starts, "it waits for others to start")
	if err != nil {
		return nil, err
	}
	defer leave()
	c.showLoading(p, "it is starting")
	spec := engine.Spec{
		Name: s.Name, Command: command, Dir: s.Dir, Isolation: level, Policy: policy,
		StartTimeout: cfg.Plugins.StartTimeout, Stall: cfg.Plugins.Stall, Log: c.log.With("game", s.Name),
	}
	game, err := engine.Start(ctx, spec)
	var failed *engine.StartError
	if errors.As(err, &failed) && failed.Output != "" && program.Mode == source.ModeScript {
		err = errors.New(failed.Output) // the problems, each with its file and line
	}
	if err != nil && program.Why != "" {
		err = fmt.Errorf("as a script, because %s:\n%w", program.Why, err)
	}
	if err != nil {
		return nil, err
	}
	v := &version{
		source: s, seen: s, folders: &c.folders, command: command, spec: spec, game: newProcess(c.ctx, spec, game, c.same(cfg, s)), policy: s.Settings(cfg), rights: s.Rights(cfg),
		keep: cfg.Plugins.Keep, stuck: make(chan struct{}, 1), texts: s.Texts, held: map[*holder]struct{}{},
	}
	if err = v.describe(hash, game.Description()); err == nil {
		v.own.Judged, err = tryOut(ctx, game, cfg.Plugins.StartTimeout)
	}
	if err != nil {
		v.game.Close()
		return nil, err
	}
	v.wanted, v.mode, v.why = s.Mode(cfg), program.Mode, program.Why
	v.born, v.took = time.Now(), time.Since(begin)-p.waited
	return v, nil
}

// program calls [source.Source.Program]. A game that must be compiled waits at a
// gate first.
func (c *Catalog) program(ctx context.Context, cfg *config.Config, p *plugin, s source.Source) (source.Program, error) {
	if s.Mode(cfg) != source.ModeCompiled {
		return c.build(s, ctx, cfg, c.cache)
	}
	program, ok := s.Built(ctx, cfg, c.cache)
	if !ok && p.initial && s.Module() != "" {
		c.together(ctx, p, s)
		program, ok = s.Built(ctx, cfg, c.cache)
	}
	if ok {
		c.notCompiled(p)
		return program, nil
	}
	leave, err := c.enter(ctx, p, c.builds, "it waits to be compiled")
	if err != nil {
		return source.Program{}, err
	}
	defer leave()
	c.showLoading(p, "it is being compiled")
	log := c.log.With("game", s.Name)
	if p.initial {
		p.initial = false
		c.mu.Lock()
		c.compiled++
		log = log.With("number", fmt.Sprintf("%d of %d", c.compiled, c.compile))
		c.mu.Unlock()
	}
	if s.WithoutModule() {
		log = log.With("sdk", "that of this host, because its folder has no go.mod")
	}
	log.Info("compiling game")
	program, err = c.build(s, ctx, cfg, c.cache)
	p.again = program.Again || source.Passes(err)
	return program, err
}

// enter shows the state and waits at a gate.
func (c *Catalog) enter(ctx context.Context, p *plugin, g gate, state string) (leave func(), err error) {
	begin := time.Now()
	defer func() { p.waited += time.Since(begin) }()
	c.showLoading(p, state)
	return g.enter(ctx)
}

// describe makes the plugin's own offer.
func (v *version) describe(hash string, d driver.Description) error {
	if d.Name != v.source.Name {
		return fmt.Errorf("the game calls itself %q: give its folder the same name", d.Name)
	}
	v.own = Offer{
		Name: d.Name, Title: d.Title, Rules: d.Rules, Params: d.Params, Plugin: d.Name, Version: hash, Engine: v.game, Dir: v.source.Dir, Picture: source.PictureFile,
		MinPlayers: d.MinPlayers, MaxPlayers: d.MaxPlayers, MaxBots: d.MaxBots, Timeout: d.Timeout, Delay: d.Delay, Ponder: d.Ponder, MaxLine: d.MaxLine, Life: v,
	}
	if len(v.own.Rules) > source.MaxRules {
		return fmt.Errorf("its description has more than %d KiB", source.MaxRules>>10)
	}
	return v.checkRules(v.texts)
}

// checkRules returns an error if the plugin's description is in a file that can't be
// read.
func (v *version) checkRules(texts map[string]source.Text) error {
	if t := texts[source.RulesFile]; v.own.Rules == "" && t.Fault != "" && !t.Missing {
		return fmt.Errorf("its description: %s", t.Fault)
	}
	return nil
}

// rules returns the plugin's description; empty: it has none.
func (v *version) rules() string {
	if v.own.Rules != "" {
		return v.own.Rules
	}
	return v.text(source.RulesFile).Markdown
}

// examine gives a version the texts that its folder has now, and reports whether they
// have changed.
func (v *version) examine(s source.Source) (changed bool, err error) {
	v.seen = s
	if err := v.checkRules(s.Texts); err != nil {
		return false, err
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	changed = !maps.Equal(v.texts, s.Texts)
	v.texts = s.Texts
	return changed, nil
}

// text returns a description in the game's folder. It is read now unless the
// configuration named it when the folder was examined. The lobby waits for mu, so the
// folder, whose disk can hang, is read without it.
func (v *version) text(file string) source.Text {
	v.mu.Lock()
	texts := v.texts
	t, ok := texts[file]
	v.mu.Unlock()
	if ok {
		return t
	}
	t = v.folders.ReadText(v.source.Dir, file)
	v.mu.Lock()
	defer v.mu.Unlock()
	texts[file] = t // of the folder as it was, if it has been examined since
	return t
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
		v.closeIfUnused()
	}, true
}

// Stuck implements Life.
func (v *version) Stuck() {
	select {
	case v.stuck <- struct{}{}:
	default:
	}
}

// closeIfUnused ends the process of a retired version after its last match.
func (v *version) closeIfUnused() {
	v.mu.Lock()
	unused := v.retired && len(v.held) == 0 && !v.ended
	v.ended = v.ended || unused
	v.mu.Unlock()
	if unused {
		go v.game.Close() // ends with the process, after about a second at most
	}
}

// errOld is why a match of an old version is aborted.
var errOld = errors.New("it was replaced, and too many old versions of it were still playing")

// retire ends the process of a version after its last match, and the oldest
// processes of retired versions if there are more than the configuration allows.
// Until then the process has a lower priority. Nil is ignored.
func (c *Catalog) retire(v *version) {
	if v == nil {
		return
	}
	v.mu.Lock()
	v.retired = true
	holders := slices.Collect(maps.Keys(v.held))
	v.mu.Unlock()
	if len(holders) > 0 {
		v.game.LowerPriority()
	}
	for _, h := range holders {
		h.replaced()
	}
	v.closeIfUnused()
	c.endOldest(v.source.Name)
}

// endOldest ends the oldest processes of a game's retired versions if there are
// more than the configuration allows.
func (c *Catalog) endOldest(plugin string) {
	c.mu.Lock()
	most := c.config.Plugins.OldProcesses
	var old []*version
	for v := range c.versions {
		v.mu.Lock()
		if v.source.Name == plugin && v.retired && !v.ended {
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
		c.log.Warn("too many old versions of the game are still playing: the oldest ends", "game", plugin, "version", v.own.Version, "matches", v.game.Matches())
	}
}
