package command

import (
	"context"

	"colosseum/coco/internal/match"
	"colosseum/coco/internal/serve"
	"colosseum/coco/internal/webplayer"

	"github.com/urfave/cli/v3"
)

func httpCommand() *cli.Command {
	return &cli.Command{
		Name:      "http",
		Usage:     "let a web service play a match, or with --serve those that the server assigns to your player",
		ArgsUsage: "[-n NAME] [-p PASSWORD] [--log DIR] URL ID | --serve [--concurrency N] [--challenges] [--contest NAME]... [--log DIR] URL GAME...",
		Description: "It sends POST requests with JSON to URL/start, URL/move for each question, and URL/end. The reply to move\n" +
			`has the answer: {"answer":"ROCK"}.`,
		Flags: append([]cli.Flag{
			&cli.BoolFlag{Name: "serve", Usage: "serve games until a signal, like coco serve"},
			&cli.StringFlag{Name: "name", Aliases: []string{"n"}, Usage: "your `NAME` in the match", DefaultText: "that of your player, or a random one"},
			&cli.StringFlag{Name: "password", Aliases: []string{"p"}, Usage: "`PASSWORD` of the match"},
		}, serveFlags()...),
		DisableSliceFlagSeparator: true, // values can contain commas
		Action:                    playHTTP,
	}
}

func playHTTP(ctx context.Context, cmd *cli.Command) error {
	most := 2
	if cmd.Bool("serve") {
		most = cmd.Args().Len()
	}
	args, err := arguments(cmd, 2, most)
	if err != nil {
		return err
	}
	for _, name := range []string{"concurrency", "challenges", "contest"} {
		if cmd.IsSet(name) && !cmd.Bool("serve") {
			return usage("--%s needs --serve", name)
		}
	}
	for _, name := range []string{"name", "password"} {
		if cmd.IsSet(name) && cmd.Bool("serve") {
			return usage("--%s is for one match: leave out --serve", name)
		}
	}
	if err := checkServeFlags(cmd); err != nil {
		return err
	}
	open := newPlayerDialer
	if cmd.Bool("serve") {
		open = withPlayer
	}
	d, err := open(cmd)
	if err != nil {
		return err
	}
	origin, err := d.addr.Origin()
	if err != nil {
		return err
	}
	service, err := webplayer.New(args[0], origin)
	if err != nil {
		return &usageError{err}
	}
	if cmd.Bool("serve") {
		w := &serve.Web{Service: service.Play, Folder: cmd.String("log"), Server: origin, Dial: d.dial}
		return serveWith(ctx, cmd, d, origin, args[1:], w.Play)
	}
	m := &match.Match{ID: args[1], Name: cmd.String("name"), Password: optional(cmd, "password"), Dial: d.dial, Print: newPrinter(cmd)}
	if err := openLog(m, cmd, d.addr); err != nil {
		return err
	}
	ctx, stop := untilSignal(ctx)
	defer stop()
	return service.Play(ctx, m)
}
