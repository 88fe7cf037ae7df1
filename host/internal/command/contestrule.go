package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/urfave/cli/v3"

	"colosseum/host/internal/contests/contest"
)

// rulingCommands are the commands with which an organizer decides about a contest.
func rulingCommands() []*cli.Command {
	reason := func() []cli.Flag {
		return []cli.Flag{&cli.StringFlag{Name: "reason", Usage: "a `TEXT` for everybody that sees the contest; required"}}
	}
	return []*cli.Command{
		{Name: "organizer", Usage: "let registered players run a contest on its page", ArgsUsage: "NAME PLAYER...", Action: organizeContest, Flags: []cli.Flag{
			&cli.BoolFlag{Name: "remove", Usage: "no longer"},
		}},
		{Name: "rule", Usage: "decide about the result of a match: RESULT is 1-0, 0-1, draw, annul or replay", ArgsUsage: "NAME MATCH RESULT", Flags: reason(), Action: ruleContest, Description: "" +
			"MATCH is a number like 3.1, which host contest matches shows. Points are in the order of the seats\n" +
			"there, each from 0 to 1: 0.5-0.5 is a draw, and 1-0.5-0 is a result of three. In a contest by score,\n" +
			"RESULT is the score. annul takes the points from all; replay has the match played again, with another\n" +
			"seed. The last decision about a match holds; host contest undo lets it no longer hold."},
		{Name: "undo", Usage: "let an earlier decision of an organizer no longer hold; host contest show lists them", ArgsUsage: "NAME DECISION", Flags: reason(), Action: undoDecision},
		{Name: "rename", Usage: "give an entry another name in a contest", ArgsUsage: "NAME ENTRY NEW", Flags: reason(), Action: renameEntry},
	}
}

func organizeContest(ctx context.Context, cmd *cli.Command) error {
	return onContest(ctx, cmd, "and players", func(c *contests, name string, players []string) error {
		if err := c.Organize(ctx, name, players, cmd.Bool("remove")); err != nil {
			return err
		}
		does := "can run the contest %s: its page is /contests/%[2]s/organize"
		if cmd.Bool("remove") {
			does = "no longer run the contest %s"
		}
		report("%s "+does, strings.Join(players, ", "), strings.ToLower(name))
		return nil
	})
}

func ruleContest(ctx context.Context, cmd *cli.Command) error {
	return onContest(ctx, cmd, "with a match and a result", func(c *contests, name string, rest []string) error {
		if len(rest) != 2 {
			return errors.New("rule takes a match and a result: host contest rule " + cmd.ArgsUsage)
		}
		pairing, leg, err := matchNumber(rest[0])
		if err != nil {
			return err
		}
		s, err := c.Load(ctx, name)
		if err != nil {
			return err
		}
		seats := s.Spec.Players
		if pairing < len(s.Pairs) {
			seats = len(s.Pairs[pairing].Entrants)
		}
		r, err := readRuling(rest[1], seats)
		if err != nil {
			return err
		}
		if err := c.Rule(ctx, name, pairing, leg, r, cmd.String("reason")); err != nil {
			return err
		}
		report("match %s of the contest %s: %s", rest[0], name, rest[1])
		return nil
	})
}

// matchNumber reads the number of a match, as listContestMatches prints it. Both count from 0.
func matchNumber(text string) (pairing, leg int, err error) {
	before, after, _ := strings.Cut(text, ".")
	pairing, err1 := strconv.Atoi(before)
	leg, err2 := strconv.Atoi(after)
	if err := errors.Join(err1, err2); err != nil || pairing < 1 || leg < 1 {
		return 0, 0, fmt.Errorf("%q is not the number of a match, like 3.1: host contest matches shows the numbers", text)
	}
	return pairing - 1, leg - 1, nil
}

// readRuling reads the result of a match with a number of seats, whose points are in the
// order of the seats.
func readRuling(text string, seats int) (contest.Ruling, error) {
	switch text {
	case "annul":
		return contest.Ruling{Action: contest.Annul}, nil
	case "replay":
		return contest.Ruling{Action: contest.Replay}, nil
	}
	r := contest.Ruling{Action: contest.Set}
	if text == "draw" && seats > 1 {
		for range seats {
			r.Points = append(r.Points, 0.5)
		}
		return r, nil
	}
	if x, err := strconv.ParseFloat(text, 64); err == nil && seats == 1 { // a score can be negative
		r.Points = []float64{x}
		return r, nil
	}
	for _, part := range strings.Split(text, "-") {
		x, err := strconv.ParseFloat(part, 64)
		if err != nil {
			return r, fmt.Errorf("%q is not a result: use points in the order of the seats, like 1-0, or draw, annul or replay", text)
		}
		r.Points = append(r.Points, x)
	}
	return r, nil
}

func undoDecision(ctx context.Context, cmd *cli.Command) error {
	return onContest(ctx, cmd, "and the number of a decision", func(c *contests, name string, rest []string) error {
		event, err := strconv.ParseInt(rest[0], 10, 64)
		if err != nil || len(rest) > 1 {
			return fmt.Errorf("%q is not the number of one decision: host contest show %s lists them", strings.Join(rest, " "), name)
		}
		if err := c.Undo(ctx, name, event, cmd.String("reason")); err != nil {
			return err
		}
		report("decision %d about the contest %s no longer holds", event, name)
		return nil
	})
}

func renameEntry(ctx context.Context, cmd *cli.Command) error {
	return onContest(ctx, cmd, "with an entry and its new name", func(c *contests, name string, rest []string) error {
		if len(rest) != 2 {
			return errors.New("rename takes an entry and its new name: host contest rename " + cmd.ArgsUsage)
		}
		if err := c.Rename(ctx, name, rest[0], rest[1], cmd.String("reason")); err != nil {
			return err
		}
		report("%s is now %s in the contest %s", rest[0], rest[1], name)
		return nil
	})
}

// decisions describes the decisions of organizers, a line for each; empty: there are none.
func decisions(list []contest.Decision) string {
	var b strings.Builder
	for _, d := range list {
		if d.Contest != "" {
			fmt.Fprintf(&b, "%s ", d.Contest)
		}
		fmt.Fprintf(&b, "%d. %s %s, %s", d.Event, d.At.Local().Format("2006-01-02 15:04"), orOperator(d.By), d.Kind)
		if d.Pairing > 0 {
			fmt.Fprintf(&b, " match %d.%d", d.Pairing, d.Leg)
		}
		if d.Undoes > 0 {
			fmt.Fprintf(&b, " %d", d.Undoes)
		}
		switch {
		case d.From != "":
			fmt.Fprintf(&b, " %s to %s", d.From, d.Name)
		case len(d.Points) > 0:
			for i, name := range d.Entries {
				fmt.Fprintf(&b, " %s %s", name, decimal(d.Points[i]))
			}
		case d.Pairing == 0 && len(d.Entries) > 0:
			fmt.Fprintf(&b, " %s", strings.Join(d.Entries, ", "))
		}
		if d.Kind == contest.Appoint {
			fmt.Fprintf(&b, " %s", cmp.Or(strings.Join(d.Players, ", "), "nobody"))
		}
		if !d.Opens.IsZero() {
			fmt.Fprintf(&b, " round %d: %s – %s", d.Round, d.Opens.Local().Format("2006-01-02 15:04"), d.Closes.Local().Format("2006-01-02 15:04"))
		}
		if d.Reason != "" {
			fmt.Fprintf(&b, ": %s", d.Reason)
		}
		if d.UndoneBy > 0 {
			fmt.Fprintf(&b, " (undone by %d)", d.UndoneBy)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func orOperator(by string) string {
	if by == "" {
		return "the operator"
	}
	return by
}
