package catalog

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
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

	mu      sync.Mutex // guards the fields below
	held    int        // matches that were created on it and have not ended
	retired bool
}

// load brings up one version of a game and checks it. Nothing refers to it yet.
func (c *Catalog) load(ctx context.Context, cfg *config.Config, s source) (*version, error) {
	begin := time.Now()
	command, hash, err := s.command(ctx, cfg, c.cache)
	if err != nil {
		return nil, err
	}
	game, err := engine.Start(ctx, engine.Spec{
		Name: s.name, Command: command, Dir: s.dir, Memory: cfg.Plugins.MemoryMB << 20,
		StartTimeout: cfg.Plugins.StartTimeout, Log: c.log.With("game", s.name),
	})
	var failed *engine.StartError
	if errors.As(err, &failed) && failed.Output != "" && s.mode(cfg) == modeScript {
		return nil, errors.New(failed.Output) // the problems, each with its file and line
	}
	if err != nil {
		return nil, err
	}
	v := &version{source: s, game: game, stuck: make(chan struct{}, 1)}
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
		MinPlayers: d.MinPlayers, MaxPlayers: d.MaxPlayers, MaxBots: d.MaxBots, Timeout: d.Timeout, version: v,
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

// hold keeps the version's process alive, even when it is retired, until the
// returned function is called. Not ok: its process ends already.
func (v *version) hold() (release func(), ok bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.retired && v.held == 0 {
		return nil, false
	}
	v.held++
	return sync.OnceFunc(func() {
		v.mu.Lock()
		v.held--
		v.mu.Unlock()
		v.closeIfDone()
	}), true
}

// retire ends the process when its last match has ended.
func (v *version) retire() {
	v.mu.Lock()
	v.retired = true
	v.mu.Unlock()
	v.closeIfDone()
}

func (v *version) closeIfDone() {
	v.mu.Lock()
	done := v.retired && v.held == 0
	v.mu.Unlock()
	if done {
		go v.game.Close() // ends when the process has, a second or so at the most
	}
}
