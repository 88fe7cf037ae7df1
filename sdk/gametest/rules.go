package gametest

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"colosseum/internal/gamedir"
)

// maxRules is the host's limit for a rules.md, in bytes.
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

// Example is a match that a rules.md shows. It has one code block for each player
// in the order of the seats, and then one for the spectators. A line "Stream of
// NAME:" or "Stream of the spectators:" precedes each block. The lines that a player
// sent begin with >.
type Example struct {
	Names      []string // by seat
	Seats      []string // streams by seat
	Spectators string
}

// Examples returns the examples of a rules.md. The test fails if there are none or
// one is incomplete.
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
		name, rest, found := strings.Cut(part, ":\n\n```\n")
		stream, _, closed := strings.Cut("\n"+rest, "\n```")
		if !found || !closed || strings.Contains(name, "\n") {
			name, _, _ = strings.Cut(part, "\n")
			return nil, fmt.Errorf("no code block follows %q", "Stream of "+name)
		}
		stream = strings.TrimPrefix(stream+"\n", "\n")
		if name != "the spectators" {
			e.Names, e.Seats = append(e.Names, name), append(e.Seats, stream)
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

// Replay plays the example's match with the game and parameters of m. Without
// m.Players, each player sends the lines of its stream and then is disconnected.
// The test fails if the referee sends other lines than the example shows.
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

// sent returns the lines that the player of a stream sent.
func sent(stream string) (lines []string) {
	for line := range strings.Lines(stream) {
		if answer, ok := strings.CutPrefix(line, ">"); ok {
			lines = append(lines, strings.TrimSuffix(answer, "\n"))
		}
	}
	return lines
}
