package command

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"colosseum/coco/internal/server"
	"colosseum/internal/terminal"

	"github.com/urfave/cli/v3"
	"golang.org/x/term"
)

func submissionsCommand() *cli.Command {
	return &cli.Command{
		Name:      "submissions",
		Usage:     "list the programs that your player has handed in, and decide which of them play",
		ArgsUsage: "[--json] [GAME]",
		Flags:     []cli.Flag{jsonFlag()},
		Commands: []*cli.Command{
			{Name: "log", Usage: "print the output of a build, or what the program wrote to stderr in a match", ArgsUsage: "[--match ID] [--json] GAME VERSION", Flags: []cli.Flag{
				&cli.StringFlag{Name: "match", Usage: "`ID` of a match that the version played"}, jsonFlag(),
			}, Action: submissionLog},
			{Name: "activate", Usage: "let a version play, instead of the one that plays now", ArgsUsage: "GAME VERSION", Action: activateSubmission},
			{Name: "pause", Usage: "let no version play a game", ArgsUsage: "GAME", Action: pauseSubmission},
			{Name: "remove", Usage: "delete a version with its source", ArgsUsage: "[--yes] GAME VERSION", Flags: []cli.Flag{
				&cli.BoolFlag{Name: "yes", Usage: "do not ask"},
			}, Action: removeSubmission},
			{Name: "download", Usage: "write the source of a version to a new file, a zip", ArgsUsage: "[--force] GAME VERSION [FILE]", Flags: []cli.Flag{
				&cli.BoolFlag{Name: "force", Usage: "replace an existing file"},
			}, Action: downloadSubmission},
		},
		Action: listSubmissions,
	}
}

func listSubmissions(ctx context.Context, cmd *cli.Command) error {
	args, err := arguments(cmd, 0, 1)
	if err != nil {
		return err
	}
	if len(args) == 1 {
		if err := checkGameName(args[0]); err != nil {
			return err
		}
	}
	d, err := withPlayer(cmd)
	if err != nil {
		return err
	}
	read := d.api().Submissions
	if len(args) == 1 {
		read = func(ctx context.Context) ([]byte, error) { return d.api().GameSubmissions(ctx, args[0]) }
	}
	text, err := read(ctx)
	if err != nil {
		return d.withRemedy(err)
	}
	var all server.Submissions
	if err := decode(text, &all); err != nil {
		return err
	}
	if len(args) == 1 && len(all.List) == 0 { // it can also be a command that does not exist
		if have, err := d.submissions(ctx); err != nil || !slices.Contains(have.Games, args[0]) {
			return cmp.Or(err, noPrograms(args[0], have.Games))
		}
	}
	if cmd.Bool("json") {
		return printJSON(json.RawMessage(text))
	}
	return writeTable(os.Stdout, submissionRows(outputLanguage(cmd), all.List), terminal.Colour(os.Stdout))
}

func submissionLog(ctx context.Context, cmd *cli.Command) error {
	d, game, version, _, err := ofVersion(cmd, 2)
	if err != nil {
		return err
	}
	if cmd.IsSet("match") {
		return d.journal(ctx, cmd, game, version)
	}
	text, err := d.api().Progress(ctx, game, version, 0, "")
	if err != nil {
		return d.withRemedy(err)
	}
	if cmd.Bool("json") {
		return printJSON(json.RawMessage(text))
	}
	var p server.Progress
	if err := decode(text, &p); err != nil {
		return err
	}
	out := &buildOutput{print: newPrinter(cmd)}
	if err := out.write(p.Log); err != nil {
		return err
	}
	p.Game, p.Version = game, version
	out.line("%s", stateText(outputLanguage(cmd), p.Submission))
	return nil
}

// journal prints what a version wrote to stderr in a match.
func (d *dialer) journal(ctx context.Context, cmd *cli.Command, game string, version int) error {
	match := cmd.String("match")
	switch {
	case !server.ValidMatch(match):
		return usage("%q cannot be the ID of a match", match)
	case cmd.Bool("json"):
		return usage("--json is for the output of the build, without --match")
	}
	text, err := d.api().Journal(ctx, game, version, match)
	if err != nil {
		return d.withRemedy(err)
	}
	return printText(text)
}

func activateSubmission(ctx context.Context, cmd *cli.Command) error {
	d, game, version, _, err := ofVersion(cmd, 2)
	if err != nil {
		return err
	}
	if err := d.api().Activate(ctx, game, version); err != nil {
		return d.withRemedy(err)
	}
	return say(cmd, "%s v%d plays from now on", game, version)
}

func pauseSubmission(ctx context.Context, cmd *cli.Command) error {
	args, err := arguments(cmd, 1, 1)
	if err != nil {
		return err
	}
	if err := checkGameName(args[0]); err != nil {
		return err
	}
	d, err := withPlayer(cmd)
	if err != nil {
		return err
	}
	if err := d.api().Pause(ctx, args[0]); err != nil {
		return d.withRemedy(err)
	}
	return say(cmd, "No version of yours plays %s now; coco submissions activate %s VERSION lets one play", args[0], args[0])
}

func removeSubmission(ctx context.Context, cmd *cli.Command) error {
	d, game, version, _, err := ofVersion(cmd, 2)
	if err != nil {
		return err
	}
	if !cmd.Bool("yes") {
		if !term.IsTerminal(int(os.Stdin.Fd())) {
			return usage("remove deletes a version for good: --yes does it without asking")
		}
		l := languageOf(cmd)
		fmt.Fprint(os.Stderr, l.Sprintf("Delete %s v%d with its source? (yes/no) ", game, version))
		answer, err := firstLine(os.Stdin)
		if err != nil {
			return err
		}
		if answer = strings.ToLower(answer); answer == "" || !slices.Contains([]string{"y", "yes", l.Of("yes")}, answer) {
			return say(cmd, "Nothing was deleted")
		}
	}
	if err := d.api().Remove(ctx, game, version); err != nil {
		return d.withRemedy(err)
	}
	return say(cmd, "Deleted %s v%d", game, version)
}

func downloadSubmission(ctx context.Context, cmd *cli.Command) error {
	d, game, version, rest, err := ofVersion(cmd, 3)
	if err != nil {
		return err
	}
	file, mode := fmt.Sprintf("%s-v%d.zip", game, version), os.O_EXCL
	if len(rest) > 0 {
		file = rest[0]
	}
	if cmd.Bool("force") {
		mode = os.O_TRUNC
	} else if _, err := os.Lstat(file); err == nil {
		return usage("%s exists already: name another file, or give --force", file)
	}
	source, err := d.api().Source(ctx, game, version)
	if err != nil {
		return d.withRemedy(err)
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|mode, 0o666)
	if err != nil {
		return err
	}
	_, err = f.Write(source)
	if err := errors.Join(err, f.Close()); err != nil {
		_ = os.Remove(file) // the other error counts
		return err
	}
	return say(cmd, "Wrote %s", file)
}

// ofVersion returns a dialer with the token of a player, the game and the version that the
// command names, and its other arguments. It has at most the given number of arguments.
func ofVersion(cmd *cli.Command, most int) (d *dialer, game string, version int, rest []string, err error) {
	args, err := arguments(cmd, 2, most)
	if err != nil {
		return nil, "", 0, nil, err
	}
	if err := checkGameName(args[0]); err != nil {
		return nil, "", 0, nil, err
	}
	version, err = strconv.Atoi(strings.TrimPrefix(args[1], "v"))
	if err != nil || version < 1 {
		return nil, "", 0, nil, usage("%q is no version: versions are 1, 2, 3, …", args[1])
	}
	d, err = withPlayer(cmd)
	return d, args[0], version, args[2:], err
}
