package command

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"

	"colosseum/coco/internal/player"
	"colosseum/coco/internal/server"
	"colosseum/coco/internal/submission"
	"colosseum/internal/locale"
	"colosseum/internal/terminal"

	"github.com/urfave/cli/v3"
)

func submitCommand() *cli.Command {
	return &cli.Command{
		Name:      "submit",
		Usage:     "hand in a program, which the server builds, keeps and lets play for your player",
		ArgsUsage: "[--no-wait] [--json] GAME DIR|FILE|ZIP",
		Description: "A folder is packed without .git, __MACOSX, .DS_Store, node_modules and __pycache__. coco shows the build\n" +
			"until the program is accepted or refused; after a signal, the build goes on without it.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "no-wait", Usage: "end when the program has arrived"},
			jsonFlag(),
		},
		Action: submit,
	}
}

func submit(ctx context.Context, cmd *cli.Command) error {
	args, err := arguments(cmd, 2, 2)
	if err != nil {
		return err
	}
	game, path := args[0], args[1]
	if err := checkGameName(game); err != nil {
		return err
	}
	if _, err := os.Stat(path); err != nil {
		return &usageError{err}
	}
	d, err := withPlayer(cmd)
	if err != nil {
		return err
	}
	have, err := d.submissions(ctx)
	if err != nil {
		return err
	}
	if !slices.Contains(have.Games, game) {
		return noPrograms(game, have.Games)
	}
	name, program, err := submission.Read(path, have.Most)
	if err != nil {
		return &usageError{err}
	}
	ctx, stop := untilSignal(ctx)
	defer stop()
	text, err := d.api().Submit(ctx, game, name, program)
	if err != nil {
		return unlessRefused(d.withRemedy(err), locale.Errorf("%w (coco submissions %s shows whether the program has arrived)", err, game))
	}
	var s server.Submission
	if err := decode(text, &s); err != nil {
		return err
	}
	if s.Game = game; s.Version < 1 {
		return &server.ConnectionError{Err: locale.Errorf("the server's answer names no version")}
	}
	switch {
	case cmd.Bool("no-wait") && cmd.Bool("json"):
		return printJSON(json.RawMessage(text))
	case cmd.Bool("no-wait"):
		return say(cmd, "%s v%d has arrived; coco submissions log %s %d shows its build", game, s.Version, game, s.Version)
	default:
		return d.follow(ctx, cmd, s)
	}
}

// follow shows the build of a submission, and returns the error of one that is not
// accepted. With --json it prints only the submission at its end.
func (d *dialer) follow(ctx context.Context, cmd *cli.Command, s server.Submission) error {
	out, quiet := &buildOutput{print: newPrinter(cmd)}, cmd.Bool("json")
	if !quiet {
		out.line("Handed in %s v%d", s.Game, s.Version)
	}
	f := submission.Follower{
		Read: func(ctx context.Context, from int, known string) (p server.Progress, err error) {
			text, err := d.api().Progress(ctx, s.Game, s.Version, from, known)
			if err != nil {
				return p, err
			}
			return p, decode(text, &p)
		},
		Output: func(text string) error {
			if quiet {
				return nil
			}
			return out.write(text)
		},
		Changed: func(s server.Submission) {
			if !quiet {
				out.changed(s)
			}
		},
		Lost: func(err error) { warn(cmd, "%w: trying again", err) },
	}
	end, err := f.Run(ctx)
	out.finish()
	if err != nil {
		return unlessRefused(d.withRemedy(err), locale.Errorf("%w; the build goes on, and coco submissions log %s %d shows it", err, s.Game, s.Version))
	}
	if end.Game, end.Version = s.Game, s.Version; !quiet {
		return verdict(cmd, end)
	}
	text, err := d.api().Progress(ctx, s.Game, s.Version, 0, "")
	if err != nil {
		return d.withRemedy(err)
	}
	if err := printJSON(json.RawMessage(text)); err != nil {
		return err
	}
	return notAccepted(end)
}

// unlessRefused returns an error of the server that is a refusal, and otherwise a text that
// wraps it, with the same exit code.
func unlessRefused(err, text error) error {
	if _, ok := errors.AsType[*server.Refused](err); ok {
		return err
	}
	if lost, ok := errors.AsType[*server.ConnectionError](err); ok {
		return &server.ConnectionError{Text: text, Err: lost}
	}
	return text
}

// verdict says that a submission is accepted, or returns why it is not.
func verdict(cmd *cli.Command, s server.Submission) error {
	switch err := notAccepted(s); {
	case err != nil:
		return err
	case s.Active:
		return say(cmd, "%s v%d is accepted and plays from now on", s.Game, s.Version)
	default:
		return say(cmd, "%s v%d is accepted; coco submissions activate %s %d lets it play", s.Game, s.Version, s.Game, s.Version)
	}
}

// notAccepted returns why a submission is not accepted, and whose fault it is.
func notAccepted(s server.Submission) error {
	switch {
	case s.State == server.Accepted:
		return nil
	case s.State == server.Removed:
		return &server.Refused{Text: locale.Errorf("%s v%d was removed", s.Game, s.Version)}
	case s.Fault == server.FaultHost:
		return &server.Refused{Text: locale.Errorf("%s v%d is not accepted, by a fault of the host: %s (your program does not have to be sent again)", s.Game, s.Version, locale.Word(s.Reason))}
	default:
		return &player.Failed{Text: locale.Errorf("%s v%d is refused, by a fault of your program: %s", s.Game, s.Version, locale.Word(s.Reason))}
	}
}

// buildOutput prints the output of a build, and lines about it.
type buildOutput struct {
	print  *terminal.Printer
	clean  terminal.Cleaner
	inLine bool // the output ends inside a line
}

func (o *buildOutput) write(text string) error {
	clean := o.clean.Clean([]byte(text))
	if len(clean) == 0 {
		return nil
	}
	o.inLine = clean[len(clean)-1] != '\n'
	_, err := os.Stdout.Write(clean)
	return err
}

// finish ends the output's last line.
func (o *buildOutput) finish() {
	if o.inLine {
		_, _ = os.Stdout.WriteString("\n") // the next line finds out
		o.inLine = false
	}
}

func (o *buildOutput) line(format string, args ...any) {
	o.finish()
	o.print.Line(format, args...)
}

// changed prints a new state of a submission, other than its last one.
func (o *buildOutput) changed(s server.Submission) {
	switch {
	case s.State == server.Queued && s.Fault == server.FaultHost:
		o.line("tried again, after a fault of the host: %s (your program does not have to be sent again)", locale.Word(s.Reason))
	case s.State == server.Queued && s.Position > 1:
		o.line("queued: %d before it", s.Position-1)
	case s.State == server.Queued:
		o.line("queued: it is next")
	case s.State == server.Building:
		o.line("building")
	case s.State == server.Trying:
		o.line("trying: it plays against a bot of the game")
	}
}

// noPrograms is the refusal of a game for which no program can be handed in.
func noPrograms(game string, have []string) error {
	if len(have) == 0 {
		return &server.Refused{Text: locale.Errorf("the server takes programs for no game now")}
	}
	return &server.Refused{Text: locale.Errorf("the server takes no programs for the game %q (only for %s)", game, strings.Join(have, ", "))}
}

// checkGameName refuses a name that no game can have. In an address it could lead somewhere
// else.
func checkGameName(name string) error {
	if !server.ValidGame(name) {
		return usage("%q cannot be the name of a game", name)
	}
	return nil
}

// submissions returns what the player has handed in.
func (d *dialer) submissions(ctx context.Context) (all server.Submissions, err error) {
	text, err := d.api().Submissions(ctx)
	if err != nil {
		return all, d.withRemedy(err)
	}
	return all, decode(text, &all)
}
