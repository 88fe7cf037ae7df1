package command

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"colosseum/coco/internal/journal"
	"colosseum/coco/internal/player"
	"colosseum/coco/internal/serve"
	"colosseum/coco/internal/server"
	"colosseum/internal/locale"
	"colosseum/internal/terminal"
	"colosseum/protocol"

	"github.com/urfave/cli/v3"
)

// maxConcurrency is the server's limit for matches of one player at the same time.
const maxConcurrency = 100

func serveCommand(program []string) *cli.Command {
	return &cli.Command{
		Name:      "serve",
		Usage:     "play matches that the server assigns to your player, until a signal",
		ArgsUsage: "[--concurrency N] [--challenges] [--contest NAME]... [--log DIR] [--questions FD] [--linger SECONDS] [--uci ENGINE] GAME... -- PROGRAM ARGS...",
		Description: "Each match has a new process of the program. After a lost connection, coco connects again.\n" +
			"The first signal ends coco after the running matches, a second one at once.",
		Flags: append(append(serveFlags(), questionsFlag(),
			lingerFlag("`SECONDS` that a match can be silent after the program's exit, or that the program can run after the match"),
		), uciFlags()...),
		DisableSliceFlagSeparator: true, // values can contain commas
		Action:                    func(ctx context.Context, cmd *cli.Command) error { return serveGames(ctx, cmd, program) },
	}
}

// serveFlags returns the options of serveWith.
func serveFlags() []cli.Flag {
	return []cli.Flag{
		&cli.IntFlag{Name: "concurrency", Value: 1, Usage: "matches at the same time, up to 100"},
		&cli.BoolFlag{Name: "challenges", Usage: "take only challenges of others and contests, no matches that the server pairs"},
		&cli.StringSliceFlag{Name: "contest", Usage: "enter the contest `NAME` first; can be repeated"},
		logFlag(),
	}
}

func checkServeFlags(cmd *cli.Command) error {
	if n := cmd.Int("concurrency"); n < 1 || n > maxConcurrency {
		return usage("--concurrency must be from 1 to %d", maxConcurrency)
	}
	for _, name := range cmd.StringSlice("contest") {
		if err := checkContest(name); err != nil {
			return err
		}
	}
	return nil
}

func serveGames(ctx context.Context, cmd *cli.Command, program []string) error {
	games := cmd.Args().Slice()
	linger, err := lingerOf(cmd)
	if err == nil {
		program, err = withEngine(cmd, program, games...)
	}
	switch {
	case err != nil:
		return err
	case len(games) == 0:
		return usage("serve needs a game: coco serve %s", cmd.ArgsUsage)
	case len(program) == 0:
		return usage("serve needs a program: coco serve %s", cmd.ArgsUsage)
	}
	if _, ok := player.Descriptor(cmd.String("questions")); !ok && cmd.IsSet("questions") {
		return usage("serve --questions needs a file descriptor from 3 to %d: each match has a process of its own", player.MaxDescriptor)
	}
	if err := checkServeFlags(cmd); err != nil {
		return err
	}
	d, err := withPlayer(cmd)
	if err != nil {
		return err
	}
	origin, err := d.addr.Origin()
	if err != nil {
		return err
	}
	p := &serve.Program{Command: program, Linger: linger, Folder: cmd.String("log"), Questions: cmd.String("questions"), Dial: d.dial, Server: origin}
	return serveWith(ctx, cmd, d, origin, games, p.Play)
}

// serveWith serves games, with the options of serveFlags, which are valid. play plays one match.
func serveWith(ctx context.Context, cmd *cli.Command, d *dialer, origin string, games []string, play func(context.Context, protocol.MatchInfo, string) serve.MatchEnd) error {
	concurrency, contests := cmd.Int("concurrency"), cmd.StringSlice("contest")
	if cmd.IsSet("log") {
		if _, err := journal.New(cmd.String("log")); err != nil {
			return err
		}
	}
	daemon := &serve.Daemon{
		Games: games, Concurrency: concurrency, Challenges: cmd.Bool("challenges"),
		Contests: contests, Enter: func(ctx context.Context, name string) error { return d.enterToPlay(ctx, name, games) },
		Dial: d.dial, Play: play, Jitter: rand.Float64,
	}
	ctx, drain, stop := untilSecondSignal(ctx)
	defer stop()
	var played counter
	if screen := terminal.NewScreen(os.Stdout); screen != nil {
		language := outputLanguage(cmd)
		offer := language.Sprintf("%s, %d at once", strings.Join(games, " "), concurrency)
		status := serve.NewStatus(screen, language, origin, offer)
		showing, hide := context.WithCancel(context.Background())
		hidden := make(chan struct{})
		go func() { status.Run(showing); close(hidden) }() // ends after hide
		defer func() { hide(); <-hidden }()
		daemon.Report = played.count(status.Report)
	} else {
		log := slog.New(slog.NewTextHandler(os.Stdout, nil))
		daemon.Report = played.count(serve.Log(log))
		defer func() { log.Info("stopped", "matches", int(played)) }()
	}
	return daemon.Run(ctx, drain)
}

// enterToPlay enters a contest. It refuses one that plays another game: the player would
// not come to its matches.
func (d *dialer) enterToPlay(ctx context.Context, name string, games []string) error {
	text, err := d.api().Contest(ctx, name)
	if err != nil {
		return err
	}
	var c server.Contest
	if err := decode(text, &c); err != nil {
		return err
	}
	if !slices.Contains(games, c.Game) {
		return &server.Refused{Text: locale.Errorf("the contest %s plays %s, which you do not serve: coco serve %s --contest %s -- PROGRAM", name, c.Game, c.Game, name)}
	}
	err = d.enter(ctx, name)
	if refused, ok := errors.AsType[*server.Refused](err); ok {
		return &server.Refused{Text: locale.Errorf("%w (without --contest %s, coco serves without entering)", refused.Text, name), Err: refused.Err}
	}
	return err
}

// counter counts the matches that have ended.
type counter int

func (c *counter) count(report func(serve.Event)) func(serve.Event) {
	return func(e serve.Event) {
		if e.Kind == serve.Ended {
			*c++
		}
		report(e)
	}
}

// withoutPlayer is the refusal of a command that needs a token.
func (d *dialer) withoutPlayer() error {
	return &server.Refused{Text: locale.Errorf("you have no player on %s: coco register NAME creates one, and coco login stores the token of yours", d.addr)}
}

// untilSecondSignal returns drain, which ends with the first signal, and ctx, which ends
// with the second one and the cause *interrupted. The returned function releases both.
func untilSecondSignal(parent context.Context) (ctx, drain context.Context, release func()) {
	ctx, cancel := context.WithCancelCause(parent)
	drain, stop := context.WithCancel(ctx)
	signals := make(chan os.Signal, 2) // full: two are enough
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // see untilSignal
	go func() {                                             // ends with ctx, or with the second signal
		for n := 0; ; n++ {
			select {
			case s := <-signals:
				stop()
				if n > 0 {
					cancel(&interrupted{s})
					return
				}
			case <-ctx.Done():
				return
			}
		}
	}()
	return ctx, drain, func() { cancel(nil) }
}
