package main

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"colosseum/sdk"
	"colosseum/sdk/gametest"
)

func readRules(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// sent is a player that sends the lines that a stream shows as sent, and is late
// where the stream says so.
func sent(seat int, stream string) gametest.Player {
	var list []any
	for i, line := range strings.Split(stream, "\n") {
		switch {
		case strings.HasPrefix(line, ">"):
			list = append(list, line[1:])
		case i > 0 && line == "LATE "+strconv.Itoa(seat):
			list = append(list, sdk.ErrTimeout)
		}
	}
	return answers(list...)
}

func TestExamplesInTheRulesAreWhatTheRefereeDoes(t *testing.T) {
	tests := []struct {
		file string
		args []map[string]string // by example
	}{
		{"rules.md", []map[string]string{{}}},
		{"damath.md", []map[string]string{{"rules": "damath"}, {"rules": "damath", "late": "opponent", "chips": "fraction"}}},
	}
	for _, tt := range tests {
		examples := gametest.Examples(t, tt.file)
		if len(examples) != len(tt.args) {
			t.Fatalf("%s: %d examples, want %d", tt.file, len(examples), len(tt.args))
		}
		for i, e := range examples {
			players := []gametest.Player{sent(0, e.Seats[0]), sent(1, e.Seats[1])}
			e.Replay(t, gametest.Match{Game: &game, Args: tt.args[i], Players: players})
		}
	}
}

func TestRulesNameEveryParameterAndChoice(t *testing.T) {
	ours, theirs := readRules(t, "rules.md"), readRules(t, "damath.md")
	_, inRules, _ := strings.Cut(ours, "## Game parameters")
	_, inDamath, _ := strings.Cut(theirs, "## Game parameters")
	for _, p := range game.Params {
		if !strings.Contains(inRules, "`"+p.Name+"`") {
			t.Errorf("rules.md does not describe the parameter %s", p.Name)
		}
		text := inDamath
		if p.Name == "rules" {
			text = inRules
		} else if !strings.Contains(text, "- `"+p.Name+"`") {
			t.Errorf("damath.md does not describe the parameter %s", p.Name)
		}
		for _, c := range p.Choices {
			if !strings.Contains(text, "`"+c+"`") {
				t.Errorf("the choice %s of %s is not described", c, p.Name)
			}
		}
	}
}

func TestRulesShowTheMessages(t *testing.T) {
	text := readRules(t, "rules.md")
	for _, message := range []string{
		unparsable, notYoursW, notYoursB, occupied, badColumn, sameRow, badRowsMan, badRowsKing, due, prompt, turns[White], turns[Black],
		"Non hai più pedine disponibili.", "Non hai più mosse disponibili.", "La stessa posizione si è presentata tre volte.",
	} {
		for _, line := range strings.Split(strings.TrimSpace(message), "\n") {
			if !strings.Contains(text, "`"+line+"`") {
				t.Errorf("rules.md does not show %q", line)
			}
		}
	}
}

// The drawing in damath.md has the operations at the left, the whole chips at
// the right.
func TestDamathBoardsInTheRulesAreRight(t *testing.T) {
	text := readRules(t, "damath.md")
	board := newChipBoard("whole", start)
	ascii := map[string]byte{"×": '*', "÷": '/', "−": '-', "+": '+', ".": 0}
	for row := 7; row >= 0; row-- {
		var fields []string
		for _, line := range strings.Split(text, "\n") {
			if f := strings.Fields(line); len(f) >= 18 && f[0] == strconv.Itoa(row+1) && f[9] == f[0] {
				fields = f
			}
		}
		if fields == nil {
			t.Fatalf("damath.md does not show row %d", row+1)
		}
		for x := range 8 {
			square, ok := squareAt(row, 7-x)
			if !ok {
				square = 0
			}
			if operationOn[square] != ascii[fields[1+x]] {
				t.Errorf("row %d, column %d: operation %s", row+1, x, fields[1+x])
			}
			value := "."
			if ok && (start.Pieces[White]|start.Pieces[Black])&bit(square) != 0 {
				value = strconv.Itoa(board.values[square] / 10)
			}
			if fields[10+x] != value {
				t.Errorf("row %d, column %d: chip %s, want %s", row+1, x, fields[10+x], value)
			}
		}
	}
}
