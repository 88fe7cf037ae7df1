package gametest

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"colosseum/internal/gamedir"
	"colosseum/sdk"
)

// maxRules is how long a host lets a rules.md be, in bytes.
const maxRules = 256 << 10

// readRules returns a rules.md as a host reads it.
func readRules(t testing.TB, file string) string {
	t.Helper()
	text, err := gamedir.Read(filepath.Dir(file), filepath.Base(file), maxRules)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Example is a match that a rules.md shows: for each player in the order of
// the seats, and then for the spectators, a code block that follows a line of
// its own, "Stream of NAME:" or "Stream of the spectators:". Lines that begin
// with > are sent by the player.
type Example struct {
	Names      []string // by seat
	Seats      []string // their streams
	Spectators string
}

// Examples returns the examples of a rules.md. The test fails when there are
// none, or one is incomplete.
func Examples(t testing.TB, file string) []Example {
	t.Helper()
	examples, err := parseExamples(readRules(t, file))
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return examples
}

func parseExamples(text string) ([]Example, error) {
	var examples []Example
	var e Example
	for _, part := range strings.Split("\n"+text, "\nStream of ")[1:] {
		who, rest, found := strings.Cut(part, ":\n\n```\n")
		stream, _, closed := strings.Cut("\n"+rest, "\n```")
		if !found || !closed || strings.Contains(who, "\n") {
			who, _, _ = strings.Cut(part, "\n")
			return nil, fmt.Errorf("no code block follows %q", "Stream of "+who)
		}
		stream = strings.TrimPrefix(stream+"\n", "\n")
		if who != "the spectators" {
			e.Names, e.Seats = append(e.Names, who), append(e.Seats, stream)
			continue
		}
		e.Spectators = stream
		examples = append(examples, e)
		e = Example{}
	}
	if len(examples) == 0 || len(e.Names) > 0 {
		return nil, fmt.Errorf("example %d has no stream of the spectators", len(examples)+1)
	}
	return examples, nil
}

// Replay plays the example on a match of which all but the players and their
// names is given; the players, too, when they do more than to send what their
// streams show. The test fails where the referee sends anything else than the
// example shows.
func (e Example) Replay(t testing.TB, m Match) *Transcript {
	t.Helper()
	m.Names = e.Names
	if m.Players == nil {
		for _, stream := range e.Seats {
			m.Players = append(m.Players, Script(sent(stream)...))
		}
	}
	got := MustPlay(t, m)
	got.expect(t, e.Spectators, e.Seats, e.Names)
	return got
}

// sent returns the lines of a stream that the player sent.
func sent(stream string) (lines []string) {
	for line := range strings.Lines(stream) {
		if answer, ok := strings.CutPrefix(line, ">"); ok {
			lines = append(lines, strings.TrimSuffix(answer, "\n"))
		}
	}
	return lines
}

// Expect makes the test fail unless the spectators and each seat received this,
// with the lines that a seat sent marked by a >.
func (t *Transcript) Expect(tb testing.TB, spectators string, seats ...string) {
	tb.Helper()
	names := make([]string, len(seats))
	for seat := range names {
		names[seat] = fmt.Sprint("seat ", seat)
	}
	t.expect(tb, spectators, seats, names)
}

func (t *Transcript) expect(tb testing.TB, spectators string, seats, names []string) {
	tb.Helper()
	if len(seats) != len(t.Seats) {
		tb.Fatalf("%d streams for a match of %d", len(seats), len(t.Seats))
	}
	for seat, want := range seats {
		if got := t.Seats[seat]; got != want {
			tb.Errorf("%s receives\n%s\nwant\n%s", names[seat], got, want)
		}
	}
	if t.Spectators != spectators {
		tb.Errorf("the spectators receive\n%s\nwant\n%s", t.Spectators, spectators)
	}
}

// CheckParams makes the test fail unless the section "Game parameters" of a
// rules.md names every parameter of the game.
func CheckParams(t testing.TB, file string, game *sdk.Game) {
	t.Helper()
	_, section, _ := strings.Cut(readRules(t, file), "\n## Game parameters\n")
	for _, p := range game.Params {
		if !strings.Contains(section, "`"+p.Name+"`") {
			t.Errorf("%s does not describe the parameter %s", file, p.Name)
		}
	}
}
