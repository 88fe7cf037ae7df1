package catalog

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"

	"colosseum/host/internal/config"
	"colosseum/host/internal/engine"
)

// OpenOne starts the one game that a command needs, and nothing else. Game is
// the name of an offer, or the path of a game's folder: it holds a slash, or is
// a dot or two. Close ends it.
func OpenOne(ctx context.Context, c *config.Config, game, cache string, log *slog.Logger) (*Catalog, *Offer, error) {
	s, name, err := choose(ctx, c, game)
	if err != nil {
		return nil, nil, err
	}
	engine.Sweep() // who plays or checks a game has not asked for a report of it
	cat, err := empty(c, cache, log)
	if err != nil {
		return nil, nil, err
	}
	close(cat.ready)
	select {
	case <-cat.adopt(false, s.dir):
	case <-ctx.Done():
		cat.Close()
		return nil, nil, ctx.Err()
	}
	offer, err := cat.Find(name)
	if err == nil {
		return cat, offer, nil
	}
	for _, p := range cat.Problems() {
		if p.Game == name || p.Game == s.name {
			err = fmt.Errorf("the game %s: %w", name, p.Err)
		}
	}
	cat.Close()
	return nil, nil, err
}

// choose finds the folder of a game, and the name under which it is offered.
func choose(ctx context.Context, c *config.Config, game string) (source, string, error) {
	if isPath(game) {
		dir, err := filepath.Abs(game)
		if err != nil {
			return source{}, "", err
		}
		s := source{name: filepath.Base(dir), dir: dir}
		if !new(looker).isGame(ctx, dir) {
			return source{}, "", fmt.Errorf("%s is no game: it has neither Go files nor an executable named %s", game, s.name)
		}
		return s, s.name, nil
	}
	sources, err := new(looker).find(ctx, c.Plugins.Folders)
	if err != nil {
		return source{}, "", err
	}
	plugin := game
	if g, ok := c.Games[game]; ok {
		plugin = g.Plugin
	}
	var names []string
	for _, s := range sources {
		if s.name == plugin {
			return s, game, nil
		}
		names = append(names, s.name)
	}
	for name, g := range c.Games {
		if slices.Contains(names, g.Plugin) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return source{}, "", fmt.Errorf("unknown game %q (have %s; a path like ./%s is the game in that folder)", game, strings.Join(names, ", "), game)
}

func isPath(game string) bool {
	return game == "." || game == ".." || strings.ContainsRune(game, filepath.Separator)
}
