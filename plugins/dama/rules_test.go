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

// sent returns a player that sends the lines that a stream shows as sent, and is late
// at its LATE lines.
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
	gametest.CheckParams(t, "rules.md", &game)
	_, inRules, _ := strings.Cut(readRules(t, "rules.md"), "## Game parameters")
	_, inDamath, _ := strings.Cut(readRules(t, "damath.md"), "## Game parameters")
	for _, p := range game.Params {
		text := inDamath
		if p.Name == "rules" {
			text = inRules
		} else if !strings.Contains(text, "- `"+p.Name+"`") {
			t.Errorf("damath.md has no parameter %s, want every one except rules", p.Name)
		}
		for _, c := range p.Choices {
			if !strings.Contains(text, "`"+c+"`") {
				t.Errorf("the rules have no choice %s of %s, want every choice", c, p.Name)
			}
		}
	}
}

func TestRulesShowTheMessages(t *testing.T) {
	text := readRules(t, "rules.md")
	for _, message := range []string{
		unparsable, notYoursW, notYoursB, occupied, badColumn, sameRow, badRowsMan, badRowsKing, due, prompt, turns[White], turns[Black],
		"Hai già proposto la patta!", "Il tuo avversario propone la patta.", "I giocatori si sono accordati.", "I bianchi si arrendono.", "I bianchi propongono la patta.",
		"Non hai più pedine disponibili.", "Non hai più mosse disponibili.", "La stessa posizione si è presentata tre volte.",
	} {
		for _, line := range strings.Split(strings.TrimSpace(message), "\n") {
			if !strings.Contains(text, "`"+line+"`") {
				t.Errorf("rules.md has no %q, want every message", line)
			}
		}
	}
}

// The drawing in damath.md has the operations on the left and the whole chips on the
// right.
func TestDamathBoardsInTheRulesAreRight(t *testing.T) {
	text := readRules(t, "damath.md")
	board := newChipBoard("whole", board8.start)
	ascii := map[string]byte{"×": '*', "÷": '/', "−": '-', "+": '+', ".": 0}
	for row := 7; row >= 0; row-- {
		var fields []string
		for _, line := range strings.Split(text, "\n") {
			if f := strings.Fields(line); len(f) >= 18 && f[0] == strconv.Itoa(row+1) && f[9] == f[0] {
				fields = f
			}
		}
		if fields == nil {
			t.Fatalf("damath.md has no row %d, want rows 1 to 8", row+1)
		}
		for x := range 8 {
			square, ok := board8.squareAt(row, 7-x)
			if !ok {
				square = 0
			}
			if operationOn[square] != ascii[fields[1+x]] {
				t.Errorf("row %d, column %d: operation %s, want %c", row+1, x, fields[1+x], operationOn[square])
			}
			value := "."
			if ok && (board8.start.Pieces[White]|board8.start.Pieces[Black])&bit(square) != 0 {
				value = strconv.Itoa(board.values[square] / 10)
			}
			if fields[10+x] != value {
				t.Errorf("row %d, column %d: chip %s, want %s", row+1, x, fields[10+x], value)
			}
		}
	}
}
