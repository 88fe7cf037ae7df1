package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"colosseum/host/internal/contests/contest"
	"colosseum/internal/terminal"
)

// The class list and pass marks.

func classCommand() *cli.Command {
	return &cli.Command{
		Name: "class", Usage: "set what only organizers see of players", ArgsUsage: "NAME... [--class CLASS] [--real-name NAME]", Action: setClass, Flags: []cli.Flag{
			&cli.StringFlag{Name: "class", Usage: "put the players into a `CLASS`; empty: into none"},
			&cli.StringFlag{Name: "real-name", Usage: "set the real `NAME` of the player; empty: none"},
		},
	}
}

func setClass(ctx context.Context, cmd *cli.Command) error {
	names := cmd.Args().Slice()
	given := func(flag string) *string {
		if !cmd.IsSet(flag) {
			return nil
		}
		return new(strings.TrimSpace(cmd.String(flag)))
	}
	class, realName := given("class"), given("real-name")
	switch {
	case len(names) == 0 || class == nil && realName == nil:
		return errors.New("class takes the names of players and what to set: host players class NAME... --class 4b")
	case realName != nil && len(names) > 1:
		return errors.New("--real-name is that of one player: name one")
	}
	r, at, closeAll, err := openPlayers(ctx, cmd, false)
	if err != nil {
		return err
	}
	defer closeAll()
	if err := r.Describe(ctx, names, realName, class); err != nil {
		return err
	}
	report("%s updated in %s", count(len(names)), at)
	return nil
}

func tryCommand() *cli.Command {
	return &cli.Command{Name: "try", Usage: "begin tries of players to reach a pass mark, beside those that they can begin themselves", ArgsUsage: "NAME PLAYER...", Action: tryContest}
}

func tryContest(ctx context.Context, cmd *cli.Command) error {
	return onContest(ctx, cmd, "and players", func(c *contests, name string, names []string) error {
		for _, n := range names {
			if err := c.Try(ctx, name, n, ""); err != nil {
				return err
			}
			report("a try of %s begins in the contest %s", n, name)
		}
		return nil
	})
}

// passMark returns a line about the pass mark of a contest; empty: it has none.
func passMark(v *contest.View) string {
	if v.Pass == nil {
		return ""
	}
	draws := ""
	if v.Pass.Draws {
		draws = ", a draw is half a win"
	}
	return fmt.Sprintf("to pass: %d wins of %d against %s%s; %s in 24 hours, seeds: %s; passed: %d of %d\n",
		v.Pass.Wins, v.Pass.Of, v.Pass.Against, draws, plural(v.Pass.Tries, "try", "tries"), v.Pass.Seeds, v.Pass.Passed, v.Count)
}

// passTable is standingsTable for a pass mark.
func passTable(v *contest.View) string {
	var rows [][]string
	for _, r := range v.Standings {
		name := r.Name
		if r.Withdrawn {
			name += " (withdrawn)"
		}
		passed := ""
		if !r.Pass.At.IsZero() {
			passed = r.Pass.At.Local().Format(time.DateTime)
		}
		rows = append(rows, []string{strconv.Itoa(r.Rank), name, passed, fmt.Sprintf("%s of %d", decimal(r.Pass.Best), v.Pass.Of), strconv.Itoa(r.Pass.Tries), strconv.Itoa(r.Played)})
	}
	return terminal.Table([]string{"", "name", "passed", "best", "tries", "played"}, rows)
}

// printPrivate prints the standings as CSV with what only organizers see.
func printPrivate(ctx context.Context, c *contests, w io.Writer, v *contest.View) error {
	pupils, err := c.registry.Pupils(ctx)
	if err != nil {
		return err
	}
	list := map[string]contest.Pupil{}
	for name, p := range pupils {
		list[name] = contest.Pupil(p)
	}
	_, err = w.Write(v.PrivateCSV(list))
	return err
}
