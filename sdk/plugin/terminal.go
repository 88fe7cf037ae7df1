package plugin

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"time"

	"colosseum/sdk/driver"
)

// onTerminal runs a game that was started by hand, with its arguments.
func onTerminal(game driver.Game, args []string, in io.Reader, out io.Writer) error {
	about := game.Describe()
	if len(args) == 0 || args[0] != "play" {
		fmt.Fprintf(out, `This program is %s (%s), a game for a Colosseum host.

A host starts it by itself: put its folder among the host's plugins.
To play one match on this terminal:

    %s play [players=N] [name=value]...

`, about.Name, about.Title, "./"+about.Name)
		for _, p := range about.Params {
			fmt.Fprintf(out, "    %s=…   %s\n", p.Name, p.Usage())
		}
		return nil
	}
	request := driver.Request{Args: map[string]string{}}
	for _, arg := range args[1:] {
		name, value, ok := strings.Cut(arg, "=")
		if !ok {
			return fmt.Errorf("%q is not of the form name=value", arg)
		}
		if name != "players" {
			request.Args[name] = value
			continue
		}
		n, err := strconv.Atoi(value)
		if err != nil {
			return fmt.Errorf("players=%q is not a whole number", value)
		}
		request.Players = &n
	}
	// People take the first seats, and bots as many of the others as the game allows.
	settings, err := game.Prepare(request)
	if err != nil {
		return err
	}
	players := settings.Players
	request.Bots = min(about.MaxBots, players-1)
	if settings, err = game.Prepare(request); err != nil {
		return err
	}
	people := players - request.Bots
	t := &terminal{in: bufio.NewScanner(in), out: out, people: people, start: time.Now()}
	setup := driver.Setup{
		Settings: settings, Seed: uint64(time.Now().UnixNano()), Bots: make([]bool, players),
		Log: func(text string) { t.printf("%s\n", text) },
	}
	for seat := range players {
		setup.Bots[seat] = seat >= people
		setup.Names = append(setup.Names, fmt.Sprintf("Player%d", seat))
	}
	done := make(chan struct{})
	go func() { // ends with the match
		defer close(done)
		game.Run(setup, t)
	}()
	<-done
	return nil
}

// terminal is a driver for people at one keyboard.
type terminal struct {
	in       *bufio.Scanner
	people   int
	question *driver.Question
	start    time.Time

	mu  sync.Mutex // guards the field below: bots log
	out io.Writer
}

func (t *terminal) Send(frame *driver.Frame) bool {
	for _, text := range frame.Texts {
		for seat := range t.people {
			if text.For(seat) {
				t.show(seat, string(text.Lines))
			}
		}
	}
	if frame.Question != nil {
		t.question = frame.Question
	}
	if frame.End != nil {
		for seat, r := range frame.End.Seats {
			t.printf("Player%d: rank %d, score %v, %s\n", seat, r.Rank, r.Score, r.Ended)
		}
		if frame.End.Reason != "" {
			t.printf("%s\n", frame.End.Reason)
		}
	}
	return true
}

func (t *terminal) Wait() ([]driver.Answer, bool) {
	var answers []driver.Answer
	for _, seat := range t.question.Seats {
		if seat >= t.people {
			continue
		}
		if t.people > 1 {
			t.printf("Player%d", seat)
		}
		t.printf("> ")
		a := driver.Answer{Seat: seat, Outcome: driver.Disconnected}
		if t.in.Scan() {
			a.Line, a.Outcome = strings.TrimSpace(t.in.Text()), driver.Answered
		}
		a.At = time.Since(t.start)
		answers = append(answers, a)
	}
	return answers, true
}

func (t *terminal) Pause(d time.Duration) bool {
	time.Sleep(d)
	return true
}

// show prints lines, with the player's name when several share the terminal.
func (t *terminal) show(seat int, lines string) {
	if t.people > 1 {
		prefix := fmt.Sprintf("Player%d: ", seat)
		lines = prefix + strings.ReplaceAll(strings.TrimSuffix(lines, "\n"), "\n", "\n"+prefix) + "\n"
	}
	t.printf("%s", lines)
}

func (t *terminal) printf(format string, args ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	fmt.Fprintf(t.out, format, args...)
}
