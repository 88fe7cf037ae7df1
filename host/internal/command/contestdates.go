package command

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/urfave/cli/v3"

	"colosseum/host/internal/contests/contest"
)

func contestShiftCommand(reason []cli.Flag) *cli.Command {
	return &cli.Command{
		Name: "shift", Usage: "give a round other dates", ArgsUsage: "NAME ROUND", Action: shiftRound,
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "opens", Usage: "the round opens at `DATE`, like 2027-03-05T18:00:00+01:00 or, in the time of this machine, \"2027-03-05 18:00\""},
			&cli.StringFlag{Name: "closes", Usage: "the round closes at `DATE`"},
		}, reason...),
	}
}

func shiftRound(ctx context.Context, cmd *cli.Command) error {
	return onContest(ctx, cmd, "and a round", func(c *contests, name string, rest []string) error {
		if len(rest) > 1 {
			return fmt.Errorf("shift takes one round, got %d: a date with a space needs quotes", len(rest))
		}
		round, err := strconv.Atoi(rest[0])
		if err != nil {
			return fmt.Errorf("%q is not the number of a round", rest[0])
		}
		opens, err := date(cmd, "opens")
		if err != nil {
			return err
		}
		closes, err := date(cmd, "closes")
		if err != nil {
			return err
		}
		if opens.IsZero() && closes.IsZero() {
			return errors.New("shift needs --opens, --closes or both")
		}
		if err := c.Shift(ctx, name, round, opens, closes, cmd.String("reason")); err != nil {
			return err
		}
		s, err := c.Load(ctx, name)
		if err != nil {
			return err
		}
		w, _ := s.Window(round - 1)
		report("round %d of the contest %s is open %s", round, name, between(w))
		return nil
	})
}

// date returns the date of an option; zero: it was not given.
func date(cmd *cli.Command, option string) (time.Time, error) {
	text := cmd.String(option)
	if text == "" {
		return time.Time{}, nil
	}
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return at, nil
	}
	at, err := time.ParseInLocation(minutes, text, time.Local)
	if err != nil {
		return at, fmt.Errorf(`--%s: %q is not a date like 2027-03-05T18:00:00+01:00 or "2027-03-05 18:00"`, option, text)
	}
	return at, nil
}

// minutes is the form of dates for people.
const minutes = "2006-01-02 15:04"

func between(w contest.Window) string {
	return "from " + w.Opens.Local().Format(minutes) + " to " + w.Closes.Local().Format(minutes)
}

// windowOf returns when the round that is played now, or comes next, is open; empty: it has no
// dates.
func windowOf(s contest.Summary) string {
	if s.Window == nil {
		return ""
	}
	return fmt.Sprintf("round %d is open %s", s.Window.Round, between(s.Window.Window))
}
