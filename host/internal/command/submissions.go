package command

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"colosseum/host/internal/base/config"
	"colosseum/host/internal/records/store"
	"colosseum/host/internal/submissions/archive"
	"colosseum/internal/terminal"
)

var submissionStates = []store.SubmissionState{store.Queued, store.Building, store.Trying, store.Accepted, store.Refused, store.Removed}

func submissionsCommand() *cli.Command {
	const which = "NUMBER | PLAYER GAME VERSION"
	c := &cli.Command{
		Name:        "submissions",
		Usage:       "list, show and remove programs that players have handed in, and build them again",
		Description: "The commands work while a host runs and without one.",
		Commands: []*cli.Command{
			{Name: "list", Usage: "list the programs, the newest first", Action: listSubmissions, Flags: []cli.Flag{
				&cli.StringFlag{Name: "game", Usage: "only those for `GAME`"},
				&cli.StringFlag{Name: "player", Usage: "only those of `PLAYER`"},
				&cli.StringFlag{Name: "state", Usage: "only those in `STATE`: queued, building, trying, accepted, refused or removed"},
				&cli.BoolFlag{Name: "json", Usage: "print JSON"},
			}},
			{Name: "show", Usage: "show a program: its state, its command, and the output of its build", ArgsUsage: which, Action: showSubmission, Flags: []cli.Flag{
				&cli.StringFlag{Name: "source", Usage: "write its source to a new `FILE`, a zip"},
				&cli.BoolFlag{Name: "json", Usage: "print JSON"},
			}},
			{Name: "remove", Usage: "delete the files of a program; its number is not used again", ArgsUsage: which, Action: changeSubmission("removed", (*store.Submissions).Remove)},
			{Name: "rebuild", Usage: "have a program that was accepted or refused built and tried again", ArgsUsage: which, Action: changeSubmission("queued again", (*store.Submissions).Requeue)},
		},
		Action: func(_ context.Context, cmd *cli.Command) error {
			if cmd.Args().Present() {
				return fmt.Errorf("submissions has no command %q: see host submissions --help", cmd.Args().First())
			}
			return cli.ShowSubcommandHelp(cmd)
		},
	}
	for _, sub := range c.Commands {
		sub.OnUsageError = badUsage
	}
	return c
}

// openSubmissions opens the submissions, and returns where they are, without a password.
func openSubmissions(ctx context.Context, cmd *cli.Command) (s *store.Submissions, at string, err error) {
	c, err := source(cmd).Load()
	if err != nil {
		return nil, "", err
	}
	if err := present(c, "submissions"); err != nil {
		return nil, "", err
	}
	s, err = store.OpenSubmissions(ctx, c.StoreAt(), toolLog(cmd))
	return s, config.ShowStore(c.StoreAt()), err
}

func listSubmissions(ctx context.Context, cmd *cli.Command) error {
	if err := noArguments(cmd); err != nil {
		return err
	}
	query := store.SubmissionQuery{Player: cmd.String("player"), Game: cmd.String("game"), State: store.SubmissionState(cmd.String("state"))}
	if cmd.IsSet("state") && !slices.Contains(submissionStates, query.State) {
		return fmt.Errorf("no program is in the state %q (have %s)", query.State, joined(submissionStates))
	}
	s, _, err := openSubmissions(ctx, cmd)
	if err != nil {
		return err
	}
	defer s.Close()
	list, err := s.List(ctx, query)
	if err != nil {
		return err
	}
	w := cmd.Root().Writer
	if cmd.Bool("json") {
		all := []shownSubmission{} // not null
		for _, one := range list {
			all = append(all, shown(&one))
		}
		return printJSON(w, all)
	}
	var rows [][]string
	for _, one := range list {
		rows = append(rows, []string{
			strconv.FormatInt(one.Number, 10), one.Player, one.Game, strconv.Itoa(one.Version), stateOfSubmission(&one), one.Language,
			strconv.FormatInt(one.Bytes, 10), one.Created.Local().Format(time.DateTime),
		})
	}
	_, err = fmt.Fprintln(w, terminal.Table([]string{"number", "player", "game", "version", "state", "language", "bytes", "handed in"}, rows))
	return err
}

func joined(states []store.SubmissionState) string {
	var names []string
	for _, s := range states {
		names = append(names, string(s))
	}
	return strings.Join(names, ", ")
}

// stateOfSubmission returns the state of a program, and whether it plays.
func stateOfSubmission(s *store.Submission) string {
	switch {
	case s.Rests:
		return string(s.State) + ", rests"
	case s.Active:
		return string(s.State) + ", active"
	default:
		return string(s.State)
	}
}

// shownSubmission is a program as it is printed in JSON.
type shownSubmission struct {
	Number   int64     `json:"number"`
	Player   string    `json:"player"`
	Game     string    `json:"game"`
	Version  int       `json:"version"`
	Language string    `json:"language"`
	State    string    `json:"state"`
	Fault    string    `json:"fault,omitempty"`
	Reason   string    `json:"reason,omitempty"`
	Active   bool      `json:"active"`
	Rests    bool      `json:"rests"`
	Failures int       `json:"failures"` // matches in a row
	Created  time.Time `json:"created"`
	Changed  time.Time `json:"changed"`
	Bytes    int64     `json:"bytes"` // of the packed source
	Hash     string    `json:"hash"`  // of the unpacked files
	Run      []string  `json:"run,omitempty"`
	Host     string    `json:"host,omitempty"`
	Attempts int       `json:"attempts"`
}

func shown(s *store.Submission) shownSubmission {
	return shownSubmission{
		s.Number, s.Player, s.Game, s.Version, s.Language, string(s.State), s.Fault, s.Reason, s.Active, s.Rests, s.Failures,
		s.Created.UTC(), s.Changed.UTC(), s.Bytes, hex.EncodeToString(s.Hash[:]), s.Run, s.Host, s.Attempts,
	}
}

func showSubmission(ctx context.Context, cmd *cli.Command) error {
	return onSubmission(ctx, cmd, func(s *store.Submissions, _ string, one store.Submission) error {
		if cmd.IsSet("source") {
			if err := saveSource(ctx, s, one.Number, cmd.String("source")); err != nil {
				return err
			}
		}
		log, _, err := s.Log(ctx, one.Number, 0)
		if err != nil {
			return err
		}
		if cmd.Bool("json") {
			return printJSON(cmd.Root().Writer, struct {
				shownSubmission
				Log string `json:"log"`
			}{shown(&one), string(log)})
		}
		place, err := s.Waiting(ctx, one.Number)
		if err != nil {
			return err
		}
		_, err = fmt.Fprint(cmd.Root().Writer, terminal.Clean(submissionText(&one, place, string(log))))
		return err
	})
}

// submissionText describes a program for people. Place is that in the queue, or 0.
func submissionText(s *store.Submission, place int, log string) string {
	var b strings.Builder
	field := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, "%-10s %s\n", name, strings.ReplaceAll(value, "\n", " "))
		}
	}
	state := stateOfSubmission(s)
	if place > 0 {
		state += fmt.Sprintf(", %d before it", place-1)
	}
	field("number", strconv.FormatInt(s.Number, 10))
	field("player", s.Player)
	field("game", s.Game)
	field("version", strconv.Itoa(s.Version))
	field("language", s.Language)
	field("state", state)
	if s.Reason != "" {
		field("reason", s.Reason+" (fault: "+cmp.Or(s.Fault, "none")+")")
	}
	field("handed in", s.Created.Local().Format(time.DateTime))
	field("changed", s.Changed.Local().Format(time.DateTime))
	field("bytes", strconv.FormatInt(s.Bytes, 10))
	field("hash", hex.EncodeToString(s.Hash[:]))
	if len(s.Run) > 0 {
		field("runs", fmt.Sprintf("%q", s.Run))
	}
	field("host", s.Host)
	field("attempts", strconv.Itoa(s.Attempts))
	if s.Failures > 0 {
		field("failures", fmt.Sprintf("%d matches in a row", s.Failures))
	}
	if log != "" {
		b.WriteString("\n" + strings.TrimSuffix(log, "\n") + "\n")
	}
	return b.String()
}

// saveSource writes the source of a program to a new file that only the user can read.
func saveSource(ctx context.Context, s *store.Submissions, number int64, path string) error {
	packed, err := s.Source(ctx, number)
	if err != nil {
		return err
	}
	tree, err := archive.Open(packed, archive.Limits{}) // it was within them when it came
	if err != nil {
		return fmt.Errorf("open the source of %d: %w", number, err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, os.ErrExist) {
		return fmt.Errorf("%s exists already: name a new file with --source", path)
	}
	if err != nil {
		return err
	}
	_, err = f.Write(tree.Zip())
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		_ = os.Remove(path) // the other error counts
	}
	return err
}

// changeSubmission returns the action of a command that changes one program. Done says what
// it has become.
func changeSubmission(done string, change func(*store.Submissions, context.Context, int64) error) cli.ActionFunc {
	return func(ctx context.Context, cmd *cli.Command) error {
		return onSubmission(ctx, cmd, func(s *store.Submissions, at string, one store.Submission) error {
			if err := change(s, ctx, one.Number); err != nil {
				return fmt.Errorf("%s v%d of %s: %w", one.Game, one.Version, one.Player, err)
			}
			fmt.Fprintln(os.Stderr, terminal.Clean(fmt.Sprintf("%s v%d of %s is %s in %s", one.Game, one.Version, one.Player, done, at)))
			return nil
		})
	}
}

// onSubmission opens the submissions and calls a function with the one that the command
// names, and where they are.
func onSubmission(ctx context.Context, cmd *cli.Command, do func(s *store.Submissions, at string, one store.Submission) error) error {
	args := cmd.Args().Slice()
	if len(args) != 1 && len(args) != 3 {
		return fmt.Errorf("%s takes the number of a program, or its player, game and version: host submissions %s %s", cmd.Name, cmd.Name, cmd.ArgsUsage)
	}
	last := args[len(args)-1]
	number, err := strconv.ParseInt(last, 10, 64)
	if err != nil || number < 1 || len(args) == 3 && number > 1<<31-1 {
		return fmt.Errorf("%q is no number of a program or version: see host submissions list", last)
	}
	s, at, err := openSubmissions(ctx, cmd)
	if err != nil {
		return err
	}
	defer s.Close()
	var one store.Submission
	if len(args) == 1 {
		one, err = s.Number(ctx, number)
	} else {
		one, err = s.Get(ctx, args[0], args[1], int(number))
	}
	if errors.Is(err, store.ErrNoSubmission) {
		return fmt.Errorf("there is no program %s in %s: see host submissions list", strings.Join(args, " "), at)
	}
	if err != nil {
		return err
	}
	return do(s, at, one)
}
