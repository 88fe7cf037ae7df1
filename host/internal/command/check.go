package command

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/urfave/cli/v3"

	"colosseum/host/internal/games/catalog"
	"colosseum/internal/terminal"
	"colosseum/sdk/driver"
)

func checkCommand() *cli.Command {
	return &cli.Command{
		Name:        "check",
		Usage:       "check the configuration and all games, without serving",
		Description: "It prints every problem, and succeeds only if there is none.",
		Action:      check,
	}
}

func check(ctx context.Context, cmd *cli.Command) error {
	if err := noArguments(cmd); err != nil {
		return err
	}
	c, err := source(cmd).Load()
	if err != nil {
		return err
	}
	log := slog.New(slog.DiscardHandler) // the problems are printed below
	if cmd.Bool("debug") {
		log = toolLog(cmd)
	}
	games, err := catalog.Open(c, cache(c), log)
	if err != nil {
		return err
	}
	defer games.Close()
	if games.Load(ctx); ctx.Err() != nil {
		return ctx.Err()
	}
	problems := games.Problems()
	for _, offer := range games.List() {
		if _, err := offer.Prepare(ctx, driver.Request{}); err != nil {
			problems = append(problems, catalog.Problem{Game: offer.Name, Err: fmt.Errorf("it refuses a match with its own defaults: %w", err)})
		}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	w := cmd.Root().Writer
	for _, o := range games.List() {
		fmt.Fprintf(w, "ok       %s (%s), version %s%s\n", o.Name, terminal.Clean(o.Title), o.Version, asScript(games.WhyScript(o.Plugin)))
	}
	for _, p := range problems {
		fmt.Fprintf(w, "problem  %s: %s\n", p.Game, terminal.Clean(p.Err.Error()))
	}
	return failure(len(problems), "%d problem", "%d problems")
}

// asScript says that a game runs as a script, and why; empty: it does not, or the
// configuration says so.
func asScript(why string) string {
	if why == "" {
		return ""
	}
	return ", as a script: " + terminal.Clean(why)
}
