package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"colosseum/host/internal/games/program"
	"colosseum/host/internal/play/verify"
	"colosseum/host/internal/records/record"
	"colosseum/internal/refeed"
	"colosseum/internal/terminal"
	"colosseum/sdk/driver"
)

func refeedCommand(programs [][]string) *cli.Command {
	return &cli.Command{
		Name:      "refeed",
		Usage:     "feed a program what a player of a recorded match received, and compare what it writes",
		ArgsUsage: "ID|FILE [--seat N|NAME] [--game GAME] [--timeout SECONDS] [--all] -- PROGRAM ARGUMENTS...",
		Description: "The referee runs again with the recorded answers, also after the program has written\n" +
			"another line. It succeeds only if the program writes the recorded lines.",
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "seat", Usage: "the `SEAT` of the program, a number or the name of its player", DefaultText: "that of the only player"},
			&cli.StringFlag{Name: "game", Usage: "the `GAME` that was played, a name or the path of its folder", DefaultText: "as recorded"},
			&cli.FloatFlag{Name: "timeout", Value: 10, Usage: "`SECONDS` to wait for a line of the program"},
			&cli.BoolFlag{Name: "all", Usage: "show all lines, not only those around the first difference"},
		}, isolationFlags()...),
		DisableSliceFlagSeparator: true, // a path can contain commas
		Action:                    func(ctx context.Context, cmd *cli.Command) error { return refeedMatch(ctx, cmd, programs) },
	}
}

func refeedMatch(ctx context.Context, cmd *cli.Command, programs [][]string) error {
	match, err := argument(cmd)
	if err != nil {
		return err
	}
	if len(programs) != 1 || len(programs[0]) == 0 {
		return errors.New("refeed needs one program: host refeed ID|FILE -- PROGRAM ARGUMENTS...")
	}
	timeout := cmd.Float("timeout")
	if !(timeout > 0 && timeout <= 86400) {
		return errors.New("--timeout must be more than 0 and at most 86400 seconds")
	}
	r, err := readRecord(ctx, cmd, match)
	if err != nil {
		return err
	}
	seat, err := seatOf(r, cmd.String("seat"))
	if err != nil {
		return fmt.Errorf("refeed match %s: %w", r.ID, err)
	}
	game := r.Plugin
	if cmd.IsSet("game") {
		game = cmd.String("game")
	}
	games, offer, c, err := openGame(ctx, cmd, game)
	if err != nil {
		return err
	}
	defer games.Close()
	if err := sameParams(r, offer); err != nil {
		return fmt.Errorf("refeed match %s: %w", r.ID, err)
	}
	isolation, err := isolationOf(cmd, c)
	if err != nil {
		return err
	}
	commands, err := isolation.Commands(programs)
	if err != nil {
		return err
	}
	var seen seatSteps
	outcome, err := verify.Follow(ctx, offer.Engine, r, c.Plugins.Stall, seat, &seen)
	if err != nil {
		return fmt.Errorf("refeed match %s: %w", r.ID, err)
	}
	for _, d := range outcome.Differences {
		fmt.Fprintln(os.Stderr, terminal.Clean("The referee does not do the same as then: "+d))
	}
	limits := program.Limits{Line: c.Clients.LineBytes, Backlog: seen.bytes + 1} // no match was lost by reading slowly
	report, exit, err := refeedProgram(ctx, commands[0], limits.For(offer.MaxLine), seen.steps, time.Duration(timeout*float64(time.Second)))
	if err != nil {
		return err
	}
	fmt.Print(report.Text(cmd.Bool("all")))
	switch {
	case exit.Fault != "":
		fmt.Println("The program:", terminal.Clean(exit.Fault))
	case !exit.OK:
		fmt.Println("The program ended with", exit.Status)
	}
	if !exit.OK && exit.Stderr != "" {
		fmt.Println(terminal.Clean("The end of its stderr:\n" + exit.Stderr))
	}
	if report.Difference() >= 0 || report.End != "" {
		return fmt.Errorf("the program does not do the same as %s in match %s", r.Seats[seat].Name, r.ID)
	}
	return nil
}

// seatOf returns the seat that is named, by its number or its player.
func seatOf(r *record.Match, name string) (int, error) {
	var names []string
	var players []int
	for i, s := range r.Seats {
		if !s.Bot {
			players = append(players, i)
		}
		if s.Name == name {
			return i, nil
		}
		names = append(names, fmt.Sprintf("%d (%s)", i, s.Name))
	}
	if name == "" && len(players) == 1 {
		return players[0], nil
	}
	if n, err := strconv.Atoi(name); err == nil && n >= 0 && n < len(r.Seats) {
		return n, nil
	}
	have := strings.Join(names, ", ")
	if name == "" {
		return 0, fmt.Errorf("name the seat with --seat (have %s)", have)
	}
	return 0, fmt.Errorf("there is no seat %q (have %s)", name, have)
}

// seatSteps is a verify.Follower.
type seatSteps struct {
	steps []refeed.Step
	bytes int // that the seat received
}

func (s *seatSteps) Received(text []byte) {
	s.steps = append(s.steps, refeed.Step{Kind: refeed.Feed, Text: string(text)})
	s.bytes += len(text)
}

func (s *seatSteps) Answered(a record.Answer) {
	switch a.Outcome {
	case driver.Answered:
		s.steps = append(s.steps, refeed.Step{Kind: refeed.Line, Text: a.Line})
	case driver.Timeout:
		s.steps = append(s.steps, refeed.Step{Kind: refeed.Silence})
	}
}

// refeedProgram runs a program and compares its lines. No process of the program is
// left when it returns.
func refeedProgram(ctx context.Context, command program.Command, limits program.Limits, steps []refeed.Step, timeout time.Duration) (*refeed.Report, program.Exit, error) {
	p, err := program.Start(command, limits)
	if err != nil {
		return nil, program.Exit{}, err
	}
	again := &refed{Program: p, lines: make(chan string), done: make(chan struct{})}
	p.Play(again, 0)
	report, err := refeed.Run(ctx, steps, again, timeout)
	close(again.done)
	grace := program.EndGrace
	if err != nil {
		grace = 0
	}
	exit := p.End(grace)
	return report, exit, err
}

// refed is a refeed.Program, and the match of its program.
type refed struct {
	*program.Program
	lines chan string
	done  chan struct{} // closed when nobody receives lines any more
}

func (p *refed) Feed(b []byte) error {
	p.Send(slices.Clone(b))
	return nil
}

func (p *refed) Lines() <-chan string { return p.lines }

// Line implements program.Match.
func (p *refed) Line(_ int, line string, _ time.Time) bool {
	select {
	case p.lines <- line:
		return true
	case <-p.done:
		return false
	}
}

// Leave implements program.Match.
func (p *refed) Leave(int) { close(p.lines) }

// Began implements program.Match. It is not called: the program always runs.
func (p *refed) Began(int, time.Time) {}
