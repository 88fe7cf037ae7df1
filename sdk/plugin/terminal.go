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
	ended := make(chan struct{})
	defer close(ended)
	t := &terminal{lines: readLines(in, ended), out: out, people: people, start: time.Now()}
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
		game.Run(&setup, t)
	}()
	<-done
	return nil
}

// maxTyped is how many lines people can type ahead; further ones wait in the system.
const maxTyped = 1024

// readLines returns the lines of in, and closes the channel at its end.
func readLines(in io.Reader, ended <-chan struct{}) <-chan string {
	lines := make(chan string, maxTyped)
	go func() { // ends with the input, or when it has read a line after the end of the match
		defer close(lines)
		scanner := bufio.NewScanner(in)
		scanner.Buffer(nil, driver.MaxLine+2) // with \r\n
		for scanner.Scan() {
			select {
			case lines <- scanner.Text():
			case <-ended:
				return
			}
		}
	}()
	return lines
}

// terminal is a driver for people at one keyboard.
type terminal struct {
	lines     <-chan string // that people have typed
	people    int
	question  *driver.Question
	start     time.Time
	explained bool // how to answer in ticks

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
	if t.question.Tick {
		return t.tick(), true
	}
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
		if line, ok := <-t.lines; ok {
			a.Line, a.Outcome = strings.TrimSpace(line), driver.Answered
		}
		a.At = time.Since(t.start)
		answers = append(answers, a)
	}
	return answers, true
}

// tick returns what people type within a tick. If there are several, the number of a seat
// begins each line, because all of them can type at any time.
func (t *terminal) tick() []driver.Answer {
	if !t.explained {
		t.explained = true
		t.printf("In each tick of %v s the last line counts.\n", t.question.Seconds)
		if t.people > 1 {
			t.printf("Begin a line with the number of its player, as in: 1 left\n")
		}
	}
	end := time.After(time.Duration(t.question.Seconds * float64(time.Second)))
	for range len(t.lines) { // they are late
		<-t.lines
	}
	answers := make([]driver.Answer, 0, t.people)
	for _, seat := range t.question.Seats {
		if seat < t.people {
			answers = append(answers, driver.Answer{Seat: seat, Outcome: driver.Timeout})
		}
	}
	lines := t.lines
	for {
		select {
		case line, ok := <-lines:
			if !ok {
				for i := range answers {
					if answers[i].Outcome == driver.Timeout {
						answers[i].Outcome = driver.Disconnected
					}
				}
				lines = nil
				continue
			}
			t.typed(answers, strings.TrimSpace(line))
		case <-end:
			for i := range answers {
				answers[i].At = time.Since(t.start)
			}
			return answers
		}
	}
}

// typed gives a line that was typed in a tick to its seat.
func (t *terminal) typed(answers []driver.Answer, line string) {
	number := "0"
	if t.people > 1 {
		number, line, _ = strings.Cut(line, " ")
	}
	for i := range answers {
		if number == strconv.Itoa(answers[i].Seat) {
			answers[i].Line, answers[i].Outcome = strings.TrimSpace(line), driver.Answered
			return
		}
	}
	t.printf("%q is not the number of a player in the match\n", number)
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
