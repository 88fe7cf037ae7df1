package command

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"os"

	"colosseum/coco/internal/server"
	"colosseum/internal/locale"
	"colosseum/internal/terminal"

	"github.com/urfave/cli/v3"
	"golang.org/x/term"
)

func contestCommand() *cli.Command {
	return &cli.Command{
		Name:      "contest",
		Usage:     "list the contests of the server, enter them, and read their standings",
		ArgsUsage: "list|show|enter|lineup|here|withdraw|try|standings|matches [NAME]",
		Commands: []*cli.Command{
			{Name: "list", Usage: "list the contests", ArgsUsage: "[--json]", Flags: []cli.Flag{jsonFlag()}, Action: contestList},
			{Name: "show", Usage: "describe a contest", ArgsUsage: "[--json] NAME", Flags: []cli.Flag{jsonFlag()}, Action: contestShow},
			{Name: "enter", Usage: "enter your player in a contest, or your team; also accepts the invitation of a team", ArgsUsage: "NAME [--team TEAM [PLAYER...]]", Flags: []cli.Flag{
				&cli.StringFlag{Name: "team", Usage: "the `TEAM`; you are the captain of a new one, and the players are invited"},
			}, Action: contestEnter},
			{Name: "lineup", Usage: "change the players of your team, or the order of its boards", ArgsUsage: "NAME TEAM PLAYER...", Action: contestLineUp},
			{Name: "here", Usage: "say that you are there for your match of a round that is open; a program that serves need not", ArgsUsage: "NAME", Action: contestHere},
			{Name: "withdraw", Usage: "take your player out of a contest", ArgsUsage: "NAME", Action: contestWithdraw},
			{Name: "try", Usage: "begin a try to reach the pass mark of a contest", ArgsUsage: "NAME", Action: contestTry},
			{Name: "standings", Usage: "print the standings of a contest", ArgsUsage: "[--json] [--csv] NAME", Flags: []cli.Flag{
				jsonFlag(), &cli.BoolFlag{Name: "csv", Usage: "print CSV"},
			}, Action: contestStandings},
			{Name: "matches", Usage: "list the matches of a contest", ArgsUsage: "[--json] NAME", Flags: []cli.Flag{jsonFlag()}, Action: contestMatches},
		},
		Action: withoutSubcommand,
	}
}

func contestList(ctx context.Context, cmd *cli.Command) error {
	if _, err := arguments(cmd, 0, 0); err != nil {
		return err
	}
	d, err := newDialer(cmd)
	if err != nil {
		return err
	}
	text, err := d.api().Contests(ctx)
	if err != nil {
		return err
	}
	if cmd.Bool("json") {
		return printJSON(json.RawMessage(text))
	}
	var reply struct{ Contests []server.Contest }
	if err := decode(text, &reply); err != nil {
		return err
	}
	return writeTable(os.Stdout, contestRows(outputLanguage(cmd), reply.Contests), terminal.Colour(os.Stdout))
}

func contestShow(ctx context.Context, cmd *cli.Command) error {
	text, err := readContest(ctx, cmd, (*server.API).Contest)
	if err != nil {
		return err
	}
	if cmd.Bool("json") {
		return printJSON(json.RawMessage(text))
	}
	var c server.Contest
	if err := decode(text, &c); err != nil {
		return err
	}
	if err := printText(contestText(outputLanguage(cmd), &c)); err != nil || c.Done == 0 && c.Format != "cup" {
		return err
	}
	return writeTable(os.Stdout, standingRows(outputLanguage(cmd), &c), terminal.Colour(os.Stdout))
}

func contestStandings(ctx context.Context, cmd *cli.Command) error {
	switch {
	case cmd.Bool("json") && cmd.Bool("csv"):
		return usage("--json and --csv exclude each other")
	case cmd.Bool("csv"):
		text, err := readContest(ctx, cmd, (*server.API).ContestCSV)
		if err != nil {
			return err
		}
		if term.IsTerminal(int(os.Stdout.Fd())) {
			text = []byte(terminal.Clean(string(text)))
		}
		_, err = os.Stdout.Write(text)
		return err
	}
	text, err := readContest(ctx, cmd, (*server.API).Contest)
	if err != nil {
		return err
	}
	if cmd.Bool("json") {
		var raw struct {
			TieBreaks json.RawMessage `json:"tie_breaks"`
			Standings json.RawMessage `json:"standings"`
		}
		if err := decode(text, &raw); err != nil {
			return err
		}
		return printJSON(raw)
	}
	var c server.Contest
	if err := decode(text, &c); err != nil {
		return err
	}
	return writeTable(os.Stdout, standingRows(outputLanguage(cmd), &c), terminal.Colour(os.Stdout))
}

func contestMatches(ctx context.Context, cmd *cli.Command) error {
	list, err := readContest(ctx, cmd, (*server.API).ContestMatches)
	if err != nil {
		return err
	}
	if cmd.Bool("json") {
		return printJSON(map[string]any{"matches": list})
	}
	matches := make([]server.ContestMatch, len(list))
	for i, text := range list {
		if err := decode(text, &matches[i]); err != nil {
			return err
		}
	}
	return writeTable(os.Stdout, matchRows(outputLanguage(cmd), matches), terminal.Colour(os.Stdout))
}

func contestEnter(ctx context.Context, cmd *cli.Command) error {
	if cmd.IsSet("team") {
		return contestEnterTeam(ctx, cmd)
	}
	d, name, err := ofPlayer(cmd)
	if err != nil {
		return err
	}
	if err := d.enter(ctx, name); err != nil {
		return err
	}
	return say(cmd, "Entered %s; coco serve GAME --contest %s -- PROGRAM plays your matches", name, name)
}

func contestWithdraw(ctx context.Context, cmd *cli.Command) error {
	d, name, err := ofPlayer(cmd)
	if err != nil {
		return err
	}
	if err := d.withRemedy(d.api().Withdraw(ctx, name)); err != nil {
		return err
	}
	return say(cmd, "Withdrew from %s", name)
}

func contestTry(ctx context.Context, cmd *cli.Command) error {
	d, name, err := ofPlayer(cmd)
	if err != nil {
		return err
	}
	if err := d.withRemedy(d.api().Try(ctx, name)); err != nil {
		return err
	}
	return say(cmd, "Your try in %s begins; coco contest show %s shows its result", name, name)
}

func contestHere(ctx context.Context, cmd *cli.Command) error {
	d, name, err := ofPlayer(cmd)
	if err != nil {
		return err
	}
	until, err := d.api().Here(ctx, name)
	if err != nil {
		return d.withRemedy(err)
	}
	return say(cmd, "You are there until %s: the match begins when all its players are", minute(until))
}

// readContest reads the contest that the command names.
func readContest[T any](ctx context.Context, cmd *cli.Command, read func(*server.API, context.Context, string) (T, error)) (none T, err error) {
	name, err := nameOfContest(cmd)
	if err != nil {
		return none, err
	}
	d, err := newDialer(cmd)
	if err != nil {
		return none, err
	}
	return read(d.api(), ctx, name)
}

// ofPlayer returns a dialer with the token of a player, and the contest that the command
// names.
func ofPlayer(cmd *cli.Command) (d *dialer, name string, err error) {
	if name, err = nameOfContest(cmd); err != nil {
		return nil, "", err
	}
	d, err = withPlayer(cmd)
	return d, name, err
}

func nameOfContest(cmd *cli.Command) (string, error) {
	args, err := arguments(cmd, 1, 1)
	if err != nil {
		return "", err
	}
	return args[0], checkContest(args[0])
}

// checkContest refuses a name that no contest can have. In an address it could lead
// somewhere else.
func checkContest(name string) error {
	if !server.ValidContest(name) {
		return usage("%q cannot be the name of a contest: it has 1 to 32 lower-case letters, digits and hyphens", name)
	}
	return nil
}

func (d *dialer) api() *server.API { return &server.API{Addr: d.addr, Opts: d.opts, Busy: d.busy} }

// enter enters the player in a contest, or returns nil if it has entered.
func (d *dialer) enter(ctx context.Context, name string) error {
	return d.withRemedy(d.api().Enter(ctx, name))
}

// withRemedy adds to an error what to do about a token that the server refuses.
func (d *dialer) withRemedy(err error) error {
	status, ok := errors.AsType[*server.StatusError](err)
	if !ok || status.Status != http.StatusUnauthorized {
		return err
	}
	return &server.Refused{Text: locale.Errorf("%w (%w)", err, d.remedy()), Err: status}
}

func decode(text []byte, v any) error {
	if err := json.Unmarshal(text, v); err != nil {
		return &server.ConnectionError{Err: locale.Errorf("the server's answer cannot be read: %w", err)}
	}
	return nil
}
