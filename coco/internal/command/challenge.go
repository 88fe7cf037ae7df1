package command

import (
	"context"
	"slices"
	"strings"
	"time"

	"colosseum/coco/internal/match"
	"colosseum/coco/internal/player"
	"colosseum/protocol"

	"github.com/urfave/cli/v3"
)

func challengeCommand(program []string) *cli.Command {
	return &cli.Command{
		Name:      "challenge",
		Usage:     "play against a player that serves (coco serve)",
		ArgsUsage: "PLAYER GAME [NAME] [the options of new] [--linger SECONDS] [--log DIR] [--uci ENGINE] [-- PROGRAM ARGS...]",
		Description: "It creates a match with seats for PLAYER and for you, and joins it. Without a program, the terminal\n" +
			"is yours to play. Several players are named with commas between them: alice,bob.",
		Flags: append(append(newFlags(),
			lingerFlag("`SECONDS` that the match can be silent after the program's exit, or that the program can run after the match"),
			logFlag(),
		), uciFlags()...),
		DisableSliceFlagSeparator: true, // values can contain commas
		Action:                    func(ctx context.Context, cmd *cli.Command) error { return challenge(ctx, cmd, program) },
	}
}

func challenge(ctx context.Context, cmd *cli.Command, program []string) error {
	args, err := arguments(cmd, 2, 3)
	if err != nil {
		return err
	}
	linger, err := lingerOf(cmd)
	if err != nil {
		return err
	}
	if program, err = withEngine(cmd, program, args[1]); err != nil {
		return err
	}
	request, err := newRequest(cmd, args[1:])
	if err != nil {
		return err
	}
	request.Opponents = strings.Split(args[0], ",")
	if slices.Contains(request.Opponents, "") {
		return usage("%q names no player", args[0])
	}
	return playCreated(ctx, cmd, linger, request, program, func(m *match.Match) {
		m.Print.Line("Created match %s, waiting for %s", m.ID, args[0])
	})
}

// playCreated creates a match and plays it with a program. created prints that the match
// is there.
func playCreated(ctx context.Context, cmd *cli.Command, linger time.Duration, request *protocol.GameNew, program []string, created func(m *match.Match)) error {
	d, err := newPlayerDialer(cmd)
	if err != nil {
		return err
	}
	m := &match.Match{Linger: linger, Password: request.Password, Print: newPrinter(cmd)}
	if err := openLog(m, cmd, d.addr); err != nil {
		return err
	}
	ctx, stop := untilSignal(ctx)
	defer stop()
	if m.ID, err = d.create(ctx, request); err != nil {
		return err
	}
	created(m)
	err = playMatch(ctx, cmd, d, m, player.Config{Command: program, Channel: player.Stdio, Print: m.Print})
	if ctx.Err() != nil {
		return context.Cause(ctx) // see connect
	}
	return err
}
