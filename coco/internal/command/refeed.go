package command

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"colosseum/coco/internal/journal"
	"colosseum/coco/internal/player"
	"colosseum/internal/locale"
	"colosseum/internal/refeed"
	"colosseum/internal/terminal"
	"colosseum/protocol"

	"github.com/urfave/cli/v3"
	"golang.org/x/term"
)

const (
	// defaultRefeedTimeout is how many seconds coco waits for a line of the program.
	defaultRefeedTimeout = 10.0
	// maxLog is more than a log can have.
	maxLog = 256 << 20 // bytes
	// maxRefedLine is the longest line that is compared; the rest is dropped.
	maxRefedLine = 64 << 10 // bytes
)

// errDiffers is the failure of refeed when the program does something else.
var errDiffers = locale.Errorf("the program did not do the same")

func refeedCommand(program []string) *cli.Command {
	return &cli.Command{
		Name:      "refeed",
		Usage:     "feed a program what it received in a match again, and compare what it writes",
		ArgsUsage: "[--timeout SECONDS] [--all] FILE [-- PROGRAM ARGS...]",
		Description: "FILE is a log of connect --log. Without a program, the bytes that it received are printed.\n" +
			"The exit code is 0 if the program writes the same lines, and 1 if not.",
		Flags: []cli.Flag{
			&cli.FloatFlag{Name: "timeout", Value: defaultRefeedTimeout, Usage: "`SECONDS` to wait for a line of the program"},
			&cli.BoolFlag{Name: "all", Usage: "show all lines, not only those around the first difference"},
		},
		Action: func(ctx context.Context, cmd *cli.Command) error { return refeedLog(ctx, cmd, program) },
	}
}

func refeedLog(ctx context.Context, cmd *cli.Command, program []string) error {
	args, err := arguments(cmd, 1, 1)
	if err != nil {
		return err
	}
	seconds := cmd.Float("timeout")
	if !(seconds > 0 && seconds <= 86400) {
		return usage("--timeout must be more than 0 and at most 86400 seconds")
	}
	log, err := readLog(args[0])
	if err != nil {
		return locale.Errorf("cannot read %s: %w", args[0], err)
	}
	if len(program) == 0 {
		return printReceived(log)
	}
	ctx, stop := untilSignal(ctx)
	defer stop()
	p, err := player.Open(ctx, player.Config{Command: program, Channel: player.Stdio, Print: newPrinter(cmd)})
	if err != nil {
		return err
	}
	defer p.Close()
	again := &refed{player: p, lines: make(chan string), done: make(chan struct{})}
	go again.read() // ends with the program's output, or with done
	timeout := time.Duration(seconds * float64(time.Second))
	report, err := refeed.Run(ctx, stepsOf(log), again, timeout)
	close(again.done)
	if err != nil {
		return err
	}
	failure := p.End(ctx, timeout)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	fmt.Print(report.Text(cmd.Bool("all")))
	then, now, l := exitOf(log), p.Exit(), outputLanguage(cmd)
	switch {
	case now == "": // it still runs
		fmt.Println(terminal.Clean(l.Error(failure)))
	case then == "" && failure == nil:
	case then == "":
		fmt.Println(l.Sprintf("The program ended with %s", now))
	case then == now:
		fmt.Println(l.Sprintf("The program ended as it did then: %s", now))
	default:
		fmt.Println(l.Sprintf("The program ended with %s; then it was %s", now, terminal.Clean(then)))
	}
	if report.Difference() >= 0 || report.End != "" || then != "" && then != now {
		return errDiffers
	}
	return nil
}

// printReceived prints what the program of a log received, cleaned on a terminal.
func printReceived(log *journal.Log) error {
	var clean *terminal.Cleaner
	if term.IsTerminal(int(os.Stdout.Fd())) {
		clean = &terminal.Cleaner{}
	}
	for _, e := range log.Entries {
		if e.Kind != journal.Received {
			continue
		}
		b := e.Bytes()
		if clean != nil {
			b = clean.Clean(b)
		}
		if _, err := os.Stdout.Write(b); err != nil {
			return err
		}
	}
	return nil
}

// exitOf returns how the program of a log ended, or "" if the log does not say it.
func exitOf(log *journal.Log) string {
	for _, e := range log.Entries {
		if exit, ok := strings.CutPrefix(e.Text, journal.Exit); ok && e.Kind == journal.Note {
			return exit
		}
	}
	return ""
}

func readLog(path string) (*journal.Log, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxLog+1))
	switch {
	case err != nil:
		return nil, err
	case len(b) > maxLog:
		return nil, locale.Errorf("it is too long to be the log of a match")
	}
	return journal.Parse(b)
}

// stepsOf returns what the program of a log received and wrote. Its last line does
// not count if it has no line feed.
func stepsOf(log *journal.Log) []refeed.Step {
	var steps []refeed.Step
	line := ""
	for _, e := range log.Entries {
		switch {
		case e.Kind == journal.Received:
			steps = append(steps, refeed.Step{Kind: refeed.Feed, Text: string(e.Bytes())})
		case e.Kind == journal.Sent && e.Open:
			line += e.Text
		case e.Kind == journal.Sent:
			steps = append(steps, refeed.Step{Kind: refeed.Line, Text: line + e.Text})
			line = ""
		case e.Kind == journal.Note && e.Text == journal.OwnEnd+protocol.ForfeitTimeout:
			steps = append(steps, refeed.Step{Kind: refeed.Silence})
		}
	}
	return steps
}

// refed is a refeed.Program.
type refed struct {
	player *player.Player
	lines  chan string   // closed at the end of the output
	done   chan struct{} // closed when nobody receives lines any more
}

func (p *refed) Feed(b []byte) error  { return p.player.Write(b) }
func (p *refed) Lines() <-chan string { return p.lines }
func (p *refed) CloseInput()          { p.player.CloseInput() }

func (p *refed) read() {
	defer close(p.lines)
	r := bufio.NewReader(p.player.Out)
	for {
		line, err := nextLine(r)
		if err != nil {
			return
		}
		select {
		case p.lines <- line:
		case <-p.done:
			io.Copy(io.Discard, r) // so that the program can end
			return
		}
	}
}

// nextLine returns the next line without its line feed. A line without one is not a
// line, as on a server.
func nextLine(r *bufio.Reader) (string, error) {
	var line strings.Builder
	for {
		b, err := r.ReadSlice('\n')
		if room := maxRefedLine - line.Len(); len(b) > room {
			line.Write(b[:room])
		} else {
			line.Write(b)
		}
		if err == nil {
			return strings.TrimSuffix(line.String(), "\n"), nil
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return "", err
		}
	}
}
