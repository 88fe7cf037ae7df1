package command

import (
	"context"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"colosseum/coco/internal/bridge"
	"colosseum/internal/locale"

	"github.com/urfave/cli/v3"
)

// maxMoveTime is the most seconds that an engine can be given for a move.
const maxMoveTime = 3600

func uciCommand(program []string) *cli.Command {
	return &cli.Command{
		Name:      "uci",
		Usage:     "be the program of a match of chess, with an engine",
		ArgsUsage: "[--movetime SECONDS] [--uci-option NAME=VALUE]... [--uci-game GAME]... [--uci-trace] [--] ENGINE ARGS...",
		Description: "It reads the stream of a match and writes moves, like every program that plays, and speaks UCI (the\n" +
			"Universal Chess Interface) with the engine. The option --uci of connect, new, serve and challenge starts it.",
		Flags:                     engineFlags(),
		DisableSliceFlagSeparator: true, // values can contain commas
		Action:                    func(_ context.Context, cmd *cli.Command) error { return playUCI(cmd, program) },
	}
}

// engineFlags returns the options for an engine.
func engineFlags() []cli.Flag {
	return []cli.Flag{
		&cli.FloatFlag{Name: "movetime", Usage: "`SECONDS` that the engine has for a move", DefaultText: "a twentieth of the timeout, at most 5"},
		&cli.StringSliceFlag{Name: "uci-option", Usage: "option of the engine, `NAME=VALUE`; can be repeated"},
		&cli.StringSliceFlag{Name: "uci-game", Usage: "`GAME` that is chess under another name; can be repeated"},
		&cli.BoolFlag{Name: "uci-trace", Usage: "show the lines to and from the engine on stderr"},
	}
}

// uciFlags returns the option --uci and those for its engine.
func uciFlags() []cli.Flag {
	return append([]cli.Flag{&cli.StringFlag{Name: "uci", Usage: "play chess with the `ENGINE`, a program that speaks UCI; its arguments follow --"}}, engineFlags()...)
}

// withEngine returns the program that plays games: the one after "--", or coco itself
// with the engine of the option --uci.
func withEngine(cmd *cli.Command, program []string, games ...string) ([]string, error) {
	if !cmd.IsSet("uci") {
		for _, f := range engineFlags() {
			if name := f.Names()[0]; cmd.IsSet(name) {
				return nil, usage("--%s needs --uci ENGINE", name)
			}
		}
		return program, nil
	}
	cfg, err := engineConfig(cmd)
	switch {
	case err != nil:
		return nil, err
	case cmd.String("uci") == "":
		return nil, usage("--uci needs an engine")
	}
	for _, game := range games {
		if err := checkGame(cmd, game); err != nil {
			return nil, err
		}
	}
	// Before a match is joined, which would be lost without it.
	if _, err := exec.LookPath(cmd.String("uci")); err != nil {
		return nil, locale.Errorf("cannot start the engine: %w", err)
	}
	own, err := os.Executable()
	if err != nil {
		return nil, err
	}
	command := []string{own, "uci"}
	if cfg.MoveTime > 0 {
		command = append(command, "--movetime="+strconv.FormatFloat(cfg.MoveTime.Seconds(), 'f', -1, 64))
	}
	for _, o := range cfg.Options {
		command = append(command, "--uci-option="+o.Name+"="+o.Value)
	}
	for _, game := range cmd.StringSlice("uci-game") {
		command = append(command, "--uci-game="+game)
	}
	if cmd.Bool("uci-trace") {
		command = append(command, "--uci-trace")
	}
	return append(append(command, "--", cmd.String("uci")), program...), nil
}

// checkGame refuses a game that an engine cannot play; it accepts "", which is not known. A
// server does not say which of its games are chess under another name.
func checkGame(cmd *cli.Command, game string) error {
	if game == "" || game == "chess" || slices.Contains(cmd.StringSlice("uci-game"), game) {
		return nil
	}
	return usage("an engine of UCI plays chess, not %s; if that is chess under another name, add --uci-game %s", locale.Word(game), locale.Word(game))
}

// engineConfig reads the options for an engine.
func engineConfig(cmd *cli.Command) (cfg bridge.Config, err error) {
	if cmd.IsSet("movetime") {
		seconds := cmd.Float("movetime")
		if !(seconds >= 0.001 && seconds <= maxMoveTime) {
			return cfg, usage("--movetime must be from 0.001 to %d seconds", maxMoveTime)
		}
		cfg.MoveTime = inSeconds(seconds)
	}
	for _, o := range cmd.StringSlice("uci-option") {
		name, value, ok := strings.Cut(o, "=")
		if !ok || name == "" || strings.ContainsAny(o, "\r\n") {
			return cfg, usage("--uci-option %q is not of the form NAME=VALUE", o)
		}
		cfg.Options = append(cfg.Options, bridge.Option{Name: name, Value: value})
	}
	if cmd.Bool("uci-trace") {
		cfg.Trace = os.Stderr
	}
	return cfg, nil
}

func playUCI(cmd *cli.Command, program []string) error {
	// Without "--", an engine is also a program of host play, which has "--" between programs.
	program = slices.Concat(cmd.Args().Slice(), program)
	if len(program) == 0 {
		return usage("uci needs an engine: coco uci %s", cmd.ArgsUsage)
	}
	cfg, err := engineConfig(cmd)
	if err != nil {
		return err
	}
	if err := checkGame(cmd, os.Getenv("COCO_GAME")); err != nil {
		return err
	}
	cfg.Engine, cfg.In, cfg.Out = program, os.Stdin, os.Stdout
	cfg.Timeout = environmentSeconds("COCO_TIMEOUT")
	cfg.Bank, cfg.More = environmentSeconds("COCO_BANK"), environmentSeconds("COCO_INCREMENT")
	return bridge.Chess(cfg)
}

// environmentSeconds returns the duration in a variable that describes the match; 0
// without one.
func environmentSeconds(name string) time.Duration {
	seconds, err := strconv.ParseFloat(os.Getenv(name), 64)
	if err != nil || !(seconds > 0 && seconds < 1e6) {
		return 0
	}
	return inSeconds(seconds)
}

func inSeconds(seconds float64) time.Duration { return time.Duration(seconds * float64(time.Second)) }
