package command

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"

	"colosseum/coco/internal/journal"
	"colosseum/coco/internal/match"
	"colosseum/coco/internal/player"
	"colosseum/coco/internal/server"

	"github.com/urfave/cli/v3"
)

// defaultLinger is how many seconds coco waits for the match after the program has
// ended, or for the program after the match.
const defaultLinger = 5.0

func connectCommand(program []string) *cli.Command {
	return &cli.Command{
		Name:      "connect",
		Usage:     "play or watch a match",
		ArgsUsage: "[-s] [-n NAME] [-p PASSWORD] [-c stdio|pipe] [--linger SECONDS] [--log DIR] [--questions FILE|FD] [--uci ENGINE] ID [-- PROGRAM ARGS...]",
		Flags: append([]cli.Flag{
			&cli.BoolFlag{Name: "spectate", Aliases: []string{"s"}, Usage: "watch instead of play"},
			&cli.StringFlag{Name: "name", Aliases: []string{"n"}, Usage: "your `NAME` in the match", DefaultText: "that of your player, or a random one"},
			&cli.StringFlag{Name: "password", Aliases: []string{"p"}, Usage: "`PASSWORD` of the match"},
			&cli.StringFlag{Name: "channel", Aliases: []string{"c"}, Value: player.Stdio, Usage: "how the program reads and writes: stdio or pipe"},
			lingerFlag("`SECONDS` that the match can be silent after the program's exit, or that the program can run after the match (a viewer: no limit)"),
			logFlag(), questionsFlag(),
		}, uciFlags()...),
		DisableSliceFlagSeparator: true, // values can contain commas
		Action:                    func(ctx context.Context, cmd *cli.Command) error { return connect(ctx, cmd, program) },
	}
}

func connect(ctx context.Context, cmd *cli.Command, program []string) error {
	args, err := arguments(cmd, 1, 1)
	if err != nil {
		return err
	}
	d, err := newPlayerDialer(cmd)
	if err != nil {
		return err
	}
	channel := cmd.String("channel")
	if channel != player.Stdio && channel != player.Pipe {
		return usage("unknown channel %q (have %s, %s)", channel, player.Stdio, player.Pipe)
	}
	linger, err := lingerOf(cmd)
	if err != nil {
		return err
	}
	if cmd.IsSet("uci") && (cmd.Bool("spectate") || channel != player.Stdio) {
		return usage("an engine (--uci) plays, over stdin and stdout: without -s and -c pipe")
	}
	if program, err = withEngine(cmd, program); err != nil {
		return err
	}
	if err := checkQuestions(cmd, program); err != nil {
		return err
	}
	if cmd.IsSet("name") && cmd.String("name") == "" {
		return usage("-n needs a name")
	}
	m := &match.Match{
		ID: args[0], Name: cmd.String("name"), Password: optional(cmd, "password"), Spectate: cmd.Bool("spectate"),
		Linger: linger, Print: newPrinter(cmd),
	}
	if err := openLog(m, cmd, d.addr); err != nil {
		return err
	}
	ctx, stop := untilSignal(ctx)
	defer stop()
	err = playMatch(ctx, cmd, d, m, player.Config{Command: program, Spectate: m.Spectate, Channel: channel, Print: m.Print})
	if ctx.Err() != nil {
		// A terminal sends the signal to the program too, so err can be the
		// program's failure.
		return context.Cause(ctx)
	}
	return err
}

// playMatch plays or watches a match, from the start of the program to its end.
func playMatch(ctx context.Context, cmd *cli.Command, d *dialer, m *match.Match, cfg player.Config) (err error) {
	m.Dial = d.dial
	if cmd.IsSet("questions") {
		if cfg.Questions, err = player.NewQuestions(cmd.String("questions"), m.Print); err != nil {
			return err
		}
		defer cfg.Questions.Close()
		m.Question = cfg.Questions.Write
	}
	if len(cfg.Command) > 0 && !m.Spectate {
		info, ok, err := m.Describe(ctx)
		if ok {
			cfg.Env = player.Environment(info, m.Name)
		}
		defer func() {
			if m.Conn != nil {
				m.Conn.Close()
			}
		}()
		if err == nil && cmd.IsSet("uci") {
			err = checkGame(cmd, info.Game)
		}
		if err != nil {
			return err
		}
	}
	// Start the program before the match is joined, so that one that cannot start
	// never takes a seat.
	p, err := player.Open(ctx, cfg)
	if err != nil {
		return err
	}
	defer p.Close()
	m.Player = p
	defer func() { m.Finish(err) }()
	if err := m.Run(ctx); err != nil {
		return err
	}
	linger := m.Linger
	if m.Spectate && !cmd.IsSet("linger") {
		linger = 0 // no limit: someone can be looking at the end of the match
	}
	return p.End(ctx, linger)
}

// openLog gives a match the log that the options ask for.
func openLog(m *match.Match, cmd *cli.Command, addr server.Address) (err error) {
	if !cmd.IsSet("log") {
		return nil
	}
	if m.Spectate {
		return usage("--log is for players: a spectator's program can keep what it reads itself")
	}
	if m.Server, err = addr.Origin(); err != nil {
		return err
	}
	m.Log, err = journal.New(cmd.String("log"))
	return err
}

// lingerFlag returns the option --linger, and lingerOf its value.
func lingerFlag(about string) cli.Flag {
	return &cli.FloatFlag{Name: "linger", Value: defaultLinger, Usage: about}
}

func lingerOf(cmd *cli.Command) (time.Duration, error) {
	linger := cmd.Float("linger")
	if !(linger > 0 && linger <= 86400) {
		return 0, usage("--linger must be more than 0 and at most 86400 seconds")
	}
	return time.Duration(linger * float64(time.Second)), nil
}

func logFlag() cli.Flag {
	return &cli.StringFlag{Name: "log", Usage: "write what the program received, sent and wrote to stderr to a new file in `DIR`"}
}

func questionsFlag() cli.Flag {
	return &cli.StringFlag{Name: "questions", Usage: "write each question with its legal answers, a line of JSON each, to `FILE|FD`: a file, a named pipe, or a file descriptor of the program from 3 on, which it finds in COLOSSEUM_QUESTIONS"}
}

// checkQuestions checks the option --questions, for a program or none.
func checkQuestions(cmd *cli.Command, program []string) error {
	where := cmd.String("questions")
	_, descriptor := player.Descriptor(where)
	switch {
	case !cmd.IsSet("questions"):
	case where == "":
		return usage("--questions needs a file, or a file descriptor")
	case cmd.Bool("spectate"):
		return usage("--questions is for players: a spectator is asked nothing")
	case descriptor && len(program) == 0:
		return usage("--questions %s needs a program that has this file descriptor: name a file", where)
	}
	return nil
}

// untilSignal returns a context that ends when a signal asks coco to stop; its
// cause is an *interrupted. The returned function releases the context.
func untilSignal(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	signals := make(chan os.Signal, 1) // full: the first is enough
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	// With SIGPIPE caught, a write to a closed output fails instead of killing
	// coco, which must still end the program.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	go func() { // ends with ctx, or with a signal
		select {
		case s := <-signals:
			cancel(&interrupted{s})
		case <-ctx.Done():
		}
	}()
	return ctx, func() { cancel(nil) }
}
