package main

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v3"

	"colosseum/host/internal/catalog"
	"colosseum/host/internal/config"
)

// openGame starts the one game that a command needs, as a server would. The
// catalog must be closed.
func openGame(ctx context.Context, cmd *cli.Command, game string) (*catalog.Catalog, *catalog.Offer, *config.Config, error) {
	c, err := load(cmd)
	if err != nil {
		return nil, nil, nil, err
	}
	games, offer, err := catalog.OpenOne(ctx, c, game, toolCache(c), toolLog(cmd))
	return games, offer, c, err
}

// toolCache is where commands keep the games that they build: a tool for
// everyday use leaves no data folder behind where it was called.
func toolCache(c *config.Config) string {
	if dir, err := os.UserCacheDir(); err == nil {
		return filepath.Join(dir, "colosseum")
	}
	return filepath.Join(c.Data, "cache")
}

// toolLog is the log of a command: what games write on their stderr, and
// failures.
func toolLog(cmd *cli.Command) *slog.Logger {
	level := slog.LevelInfo
	if cmd.Bool("debug") {
		level = slog.LevelDebug
	}
	return slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{
		Level: level,
		ReplaceAttr: func(groups []string, a slog.Attr) slog.Attr {
			if len(groups) == 0 && (a.Key == slog.TimeKey || a.Key == slog.LevelKey) {
				return slog.Attr{}
			}
			return a
		},
	}))
}
