package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"reflect"
	"runtime"
	"runtime/debug"

	"github.com/urfave/cli/v3"

	"colosseum/host/internal/games/catalog"
	"colosseum/host/internal/games/engine"
	"colosseum/host/internal/play/env"
	"colosseum/sdk/driver"
)

func envCommand() *cli.Command {
	return &cli.Command{
		Name:      "env",
		Usage:     "step many matches of a game at once, for programs that train players",
		ArgsUsage: "GAME [options]",
		Description: "GAME is the name of a game, or the path of its folder. Requests come as lines of JSON on the\n" +
			"standard input, and each has a line on the standard output; docs/training.md describes them.",
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "matches", Aliases: []string{"n"}, Value: 1, Usage: "`NUMBER` of matches at the same time"},
			&cli.StringFlag{Name: "socket", Usage: "accept connections, one after the other, at the Unix socket `PATH`, which must not exist", DefaultText: "standard input and output"},
			&cli.StringSliceFlag{Name: "arg", Aliases: []string{"a"}, Usage: "parameter of the game, `key=value`, unless a match has its own; can be repeated"},
			&cli.Uint64Flag{Name: "seed", Usage: "seed of the first match that comes without one; the next seed is one more", DefaultText: "random"},
			&cli.IntFlag{Name: "thoughts", Value: 100, Usage: "`NUMBER` of steps that a bot which searches for a time has instead, so that it plays the same on every machine"},
		},
		DisableSliceFlagSeparator: true, // a value can contain commas
		Action:                    serveEnv,
	}
}

// maxThoughts is how many steps a bot can have: those of some hours.
const maxThoughts = 10_000_000

func serveEnv(ctx context.Context, cmd *cli.Command) error {
	name, err := argument(cmd)
	if err != nil {
		return err
	}
	switch n := cmd.Int("matches"); {
	case n < 1 || n > env.MaxMatches:
		return fmt.Errorf("--matches must be from 1 to %d", env.MaxMatches)
	case cmd.Int("thoughts") < 1 || cmd.Int("thoughts") > maxThoughts:
		return fmt.Errorf("--thoughts must be from 1 to %d", maxThoughts)
	}
	args, err := argsOf(cmd)
	if err != nil {
		return err
	}
	games, offer, c, err := openGame(ctx, cmd, name)
	if err != nil {
		return err
	}
	defer games.Close()
	game := &envGame{games: games, name: offer.Name, args: args}
	if _, err := game.Prepare(ctx, driver.Request{}); err != nil {
		return err
	}
	config := env.Config{
		Game: game, About: aboutEnv(offer), MaxLine: offer.MaxLine, Thoughts: cmd.Int("thoughts"),
		Seed: uint64(rand.Uint32()), Stall: c.Plugins.Stall, // 32 bits, so that it is short to type
	}
	config.About.Matches = cmd.Int("matches")
	if cmd.IsSet("seed") {
		config.Seed = cmd.Uint64("seed")
	}
	if config.MaxLine == 0 {
		config.MaxLine = c.Clients.LineBytes
	}
	light()
	if path := cmd.String("socket"); path != "" {
		return serveEnvSocket(ctx, path, config)
	}
	served := make(chan error, 1)
	go func() { // ends with the input, or with the process
		served <- env.Serve(ctx, struct {
			io.Reader
			io.Writer
		}{os.Stdin, os.Stdout}, config)
	}()
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
		return nil
	}
}

// light suits this process to its work, which is to pass on short messages: it needs one core
// and seldom a collection. The child has its settings.
func light() {
	runtime.GOMAXPROCS(1)
	debug.SetGCPercent(400)
}

// serveEnvSocket serves connections one after the other until ctx ends.
func serveEnvSocket(ctx context.Context, path string, config env.Config) error {
	l, err := net.Listen("unix", path)
	if err != nil {
		return err
	}
	defer l.Close()
	defer context.AfterFunc(ctx, func() { _ = l.Close() })()
	if err := os.Chmod(path, 0o600); err != nil {
		return err
	}
	fmt.Fprintln(os.Stderr, "listening at", path)
	for {
		conn, err := l.Accept()
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
		err = env.Serve(ctx, conn, config)
		stop()
		_ = conn.Close()
		if err != nil {
			fmt.Fprintln(os.Stderr, "the connection ended:", err)
		}
	}
}

// envGame implements env.Game with the process that plays the game now.
type envGame struct {
	games *catalog.Catalog
	name  string
	args  map[string]string

	// Of the last Prepare. A call of the game for each match would cost more than the match.
	offer    *catalog.Offer
	request  driver.Request
	settings driver.Settings
}

// Prepare implements env.Game.
func (g *envGame) Prepare(ctx context.Context, r driver.Request) (driver.Settings, error) {
	offer, err := g.games.Find(g.name)
	if err != nil {
		return driver.Settings{}, err
	}
	if offer == g.offer && reflect.DeepEqual(r, g.request) {
		return g.settings, nil
	}
	args := map[string]string{}
	for _, own := range []map[string]string{g.args, r.Args} {
		for name, value := range own {
			args[name] = value
		}
	}
	offer.Unpace(args)
	whole := r
	whole.Args = args
	settings, err := offer.Prepare(ctx, whole)
	if err != nil {
		return driver.Settings{}, err
	}
	g.offer, g.request, g.settings = offer, r, settings
	return settings, nil
}

// Open implements env.Game.
func (g *envGame) Open(setup *driver.Setup, in engine.Receiver) (engine.Match, error) {
	if g.offer.Engine == nil {
		return nil, errors.New(g.offer.Unavailable)
	}
	return g.offer.Engine.Open(setup, in)
}

// aboutEnv describes a game to a client.
func aboutEnv(o *catalog.Offer) env.About {
	a := env.About{
		Protocol: env.Version, Game: o.Name, Title: o.Title, Version: o.Version,
		MinPlayers: o.MinPlayers, MaxPlayers: o.MaxPlayers, MaxBots: o.MaxBots, Params: []env.Param{},
	}
	for _, p := range o.Params {
		a.Params = append(a.Params, env.Param{Name: p.Name, Description: p.Description, Range: p.Range(), Default: p.Default, Choices: p.Choices})
	}
	return a
}
