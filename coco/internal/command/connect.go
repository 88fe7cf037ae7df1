package command

import (
	"context"
	"crypto/rand"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"colosseum/coco/internal/match"
	"colosseum/coco/internal/player"
	"colosseum/internal/terminal"

	"github.com/urfave/cli/v3"
)

// defaultLinger is how long, in seconds, one side of the stream may go on when
// the other has ended.
const defaultLinger = 5.0

func connectCommand(program []string) *cli.Command {
	return &cli.Command{
		Name:      "connect",
		Usage:     "play or watch a match",
		ArgsUsage: "[-s] [-n NAME] [-p PASSWORD] [-c stdio|pipe] [--linger SECONDS] ID [-- PROGRAM ARGS...]",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "spectate", Aliases: []string{"s"}, Usage: "watch instead of play"},
			&cli.StringFlag{Name: "name", Aliases: []string{"n"}, Usage: "your `NAME` in the match", DefaultText: "a random one"},
			&cli.StringFlag{Name: "password", Aliases: []string{"p"}, Usage: "`PASSWORD` of the match"},
			&cli.StringFlag{Name: "channel", Aliases: []string{"c"}, Value: player.Stdio, Usage: "how the program talks: stdio or pipe"},
			&cli.FloatFlag{Name: "linger", Value: defaultLinger, Usage: "`SECONDS` that the match may be silent after the program's exit, or that the program may run on after the match (a viewer: as long as it likes)"},
		},
		Action: func(ctx context.Context, cmd *cli.Command) error { return connect(ctx, cmd, program) },
	}
}

func connect(ctx context.Context, cmd *cli.Command, program []string) error {
	args, err := arguments(cmd, 1, 1)
	if err != nil {
		return err
	}
	if _, err := serverAddress(cmd); err != nil {
		return err
	}
	channel, linger := cmd.String("channel"), cmd.Float("linger")
	if channel != player.Stdio && channel != player.Pipe {
		return usage("unknown channel %q (have %s, %s)", channel, player.Stdio, player.Pipe)
	}
	if !(linger > 0 && linger <= 86400) {
		return usage("--linger must be more than 0 and at most 86400 seconds")
	}
	m := &match.Match{
		ID: args[0], Name: cmd.String("name"), Password: optional(cmd, "password"), Spectate: cmd.Bool("spectate"),
		Linger: time.Duration(linger * float64(time.Second)), Print: terminal.NewPrinter(os.Stdout),
	}
	if !cmd.IsSet("name") {
		m.Name = randomName()
	}
	ctx, stop := untilSignal(ctx)
	defer stop()
	err = takePart(ctx, cmd, m, player.Config{Command: program, Spectate: m.Spectate, Channel: channel, Print: m.Print})
	if ctx.Err() != nil {
		// A terminal sends the same signal to the program, which may have
		// looked like a failure.
		return context.Cause(ctx)
	}
	return err
}

// takePart plays or watches a match from the start of the program to its end.
func takePart(ctx context.Context, cmd *cli.Command, m *match.Match, who player.Config) error {
	// The program comes first: one that cannot be started never takes a seat.
	p, err := player.Open(ctx, who)
	if err != nil {
		return err
	}
	defer p.Close()
	conn, err := dial(ctx, cmd)
	if err != nil {
		return err
	}
	m.Player, m.Conn = p, conn
	err = m.Run(ctx)
	conn.Close()
	if err != nil {
		return err
	}
	patience := m.Linger
	if m.Spectate && !cmd.IsSet("linger") {
		patience = 0 // people look at the end of a match as long as they like
	}
	return p.End(ctx, patience)
}

// randomName returns a user's name that is hardly taken: 13 characters.
func randomName() string {
	return "coco-" + strings.ToLower(rand.Text()[:8])
}

// untilSignal returns a context that ends with the first signal that asks coco
// to stop, which is the cause.
func untilSignal(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	signals := make(chan os.Signal, 1) // full: one is enough
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	// When the reader of our output is gone, writing shall fail instead of
	// killing us: there is a program to look after.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	go func() { // until the caller stops it
		select {
		case s := <-signals:
			cancel(&interrupted{s})
		case <-ctx.Done():
		}
	}()
	return ctx, func() { cancel(nil) }
}
