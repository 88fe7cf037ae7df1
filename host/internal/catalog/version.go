package catalog

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"colosseum/host/internal/config"
	"colosseum/host/internal/engine"
)

// version is one state of a game's folder, loaded, checked and running in a
// process of its own. Matches keep the version that they were created on.
type version struct {
	source source
	own    Offer // the plugin's own offer; those of named games follow from it
	game   *engine.Game
	mode   string        // how it runs
	born   time.Time     // when it was loaded
	took   time.Duration // to load it
	stuck  chan struct{} // 1: a referee in the process can't be stopped; once is enough

	mu      sync.Mutex           // guards the fields below
	held    map[*holder]struct{} // matches that were created on it and have not ended
	retired bool
	ended   bool // its process ends, or has
}

// holder is one match that needs a version.
type holder struct{ replaced func() }

// load brings up one version of a game and checks it. Nothing refers to it yet.
func (c *Catalog) load(ctx context.Context, cfg *config.Config, s source) (*version, error) {
	begin := time.Now()
	command, hash, err := s.command(ctx, cfg, c.cache)
	if err != nil {
		return nil, err
	}
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
	v := &version{source: s, game: game, stuck: make(chan struct{}, 1), held: map[*holder]struct{}{}}
	if err := v.describe(hash); err != nil {
		game.Close()
		return nil, err
	}
	if err := tryOut(ctx, game); err != nil {
		game.Close()
		return nil, err
	}
	v.mode, v.born, v.took = s.mode(cfg), time.Now(), time.Since(begin)
	return v, nil
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
	if v.own.Rules == "" {
		text, err := os.ReadFile(filepath.Join(v.source.dir, "rules.md"))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("read its description: %w", err)
		}
		v.own.Rules = string(text)
	}
	return nil
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
		v.game.Lower()
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
