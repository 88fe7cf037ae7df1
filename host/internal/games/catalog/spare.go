package catalog

import (
	"context"
	"errors"
	"fmt"

	"colosseum/host/internal/games/engine"
)

// Judges returns an error, for people, unless the plugin has this version now and its
// referee can judge positions.
func (c *Catalog) Judges(plugin, version string) error {
	_, err := c.judge(plugin, version)
	return err
}

func (c *Catalog) judge(plugin, hash string) (*version, error) {
	v := c.currentVersion(plugin)
	switch {
	case v == nil:
		return nil, fmt.Errorf("this host does not have the game %s now", plugin)
	case v.own.Version != hash:
		return nil, fmt.Errorf("the match was played with version %s of %s, and this host has version %s", hash, plugin, v.own.Version)
	case !v.own.Judged:
		return nil, fmt.Errorf("the game %s cannot judge positions", plugin)
	}
	return v, nil
}

// Spare starts another process of a version for which Judges returns nil. It plays no
// matches by itself and has a low priority, so work in it does not delay those that run.
// The caller must close it before the catalog.
func (c *Catalog) Spare(ctx context.Context, plugin, version string) (*engine.Game, error) {
	v, err := c.judge(plugin, version)
	if err != nil {
		return nil, err
	}
	game, err := engine.Start(ctx, v.spec)
	var failed *engine.StartError
	if errors.As(err, &failed) {
		c.log.Error("could not start another process of a game", "game", plugin, "error", err)
		return nil, errors.New("its process does not start")
	}
	if err != nil {
		return nil, err
	}
	game.LowerPriority()
	return game, nil
}
