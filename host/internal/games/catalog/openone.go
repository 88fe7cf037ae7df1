package catalog

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"

	"colosseum/host/internal/base/config"
	"colosseum/host/internal/games/engine"
	"colosseum/host/internal/games/source"
)

// OpenOne starts one game and returns its offer, for commands. Game is the name
// of an offer or the path of a game's folder; a path has a slash in it or is
// "." or "..". The catalog must be closed.
func OpenOne(ctx context.Context, c *config.Config, game, cache string, log *slog.Logger) (*Catalog, *Offer, error) {
	s, name, err := choose(ctx, c, game)
	if err != nil {
		return nil, nil, err
	}
	engine.Sweep() // a command reports nothing about it
	cat, err := newCatalog(c, cache, log)
	if err != nil {
		return nil, nil, err
	}
	close(cat.ready)
	select {
	case <-cat.add(false, s.Dir):
	case <-ctx.Done():
		cat.Close()
		return nil, nil, ctx.Err()
	}
	offer, err := cat.Find(name)
	if err == nil {
		return cat, offer, nil
	}
	for _, p := range cat.Problems() {
		if p.Game == name || p.Game == s.Name {
			err = fmt.Errorf("the game %s: %w", name, p.Err)
		}
	}
	cat.Close()
	return nil, nil, err
}

// choose returns the folder of a game and the name of its offer.
func choose(ctx context.Context, c *config.Config, game string) (source.Source, string, error) {
	if game == "." || game == ".." || strings.ContainsRune(game, filepath.Separator) {
		dir, err := filepath.Abs(game)
		if err != nil {
			return source.Source{}, "", err
		}
		s := source.Source{Name: filepath.Base(dir), Dir: dir}
		if !new(source.Folders).IsGame(ctx, dir) {
			return source.Source{}, "", fmt.Errorf("%s is not a game: it has neither Go files nor an executable named %s", game, s.Name)
		}
		return s, s.Name, nil
	}
	sources, err := new(source.Folders).Find(ctx, c.Plugins.Folders)
	if err != nil {
		return source.Source{}, "", err
	}
	plugin := game
	if g, ok := c.Games[game]; ok {
		plugin = g.Plugin
	}
	var names []string
	for _, s := range sources {
		if s.Name == plugin {
			return s, game, nil
		}
		names = append(names, s.Name)
	}
	for name, g := range c.Games {
		if slices.Contains(names, g.Plugin) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return source.Source{}, "", fmt.Errorf("unknown game %q (have %s; a path like ./%s is the game in that folder)", game, strings.Join(names, ", "), game)
}
