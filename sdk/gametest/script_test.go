package gametest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"colosseum/sdk"
	"colosseum/sdk/script"
)

// parityScript is parity as a script.
const parityScript = `//go:build go1.21

package main

import (
	"strconv"

	"colosseum/sdk"
	"colosseum/sdk/plugin"
)

var digits = []string{"0", "1"}

func main() {
	plugin.Serve(sdk.Game{
		Name: "parity", Title: "Odds and evens", MinPlayers: 2, MaxPlayers: 2, MaxBots: 2, Timeout: 10,
		Params: []sdk.Param{sdk.Int("rounds", "number of rounds", 1, 1, 1000)},
		Play:   play, Bot: bot,
	})
}

func play(m *sdk.Match) error {
	m.TellAll(m.Name(0))
	m.TellAll(m.Name(1))
	for round := 0; round < m.Int("rounds"); round++ {
		answers := m.AskAll([][]string{digits, digits})
		if answers[0].Err != nil || answers[1].Err != nil {
			m.TellAll("RETIRE")
			return nil
		}
		winner := 0
		if answers[0].Line != answers[1].Line {
			winner = 1
		}
		m.Score(winner, 1)
		m.TellAll(answers[0].Line + answers[1].Line)
		m.Pace(1)
	}
	return nil
}

func bot(b *sdk.Bot) error {
	b.Read()
	b.Read()
	for {
		b.Write(strconv.Itoa(b.Rand(2)))
		b.Read()
	}
}
`

func TestAGameOfAnotherModuleIsNotAScript(t *testing.T) {
	for _, tt := range []struct{ imports, want string }{
		{"colosseum/sdk", ""},
		{"go/parser", ""},
		{"github.com/corentings/chess/v2", "github.com/corentings/chess/v2"},
	} {
		dir := t.TempDir()
		code := fmt.Sprintf("package main\n\nimport _ %q\n", tt.imports)
		if err := os.WriteFile(filepath.Join(dir, "game.go"), []byte(code), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "game_test.go"), []byte("package main\n\nimport _ \"example.org/x\"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		if got := otherModule(dir); got != tt.want {
			t.Errorf("import of %s: got %q, want %q", tt.imports, got, tt.want)
		}
	}
}

func TestScriptThatPlaysDifferentlyFails(t *testing.T) {
	tests := []struct{ name, old, changed, want string }{
		{"the same", "", "", ""},
		{"no script", "//go:build go1.21", "", "parity.go:3:1: the file must begin with"},
		{"another title", "Odds and evens", "Odds", "as a script it is\nparity (Odds)"},
		{"another parameter", "1, 1, 1000", "1, 1, 999", "as a script it is\n"},
		{"another winner", "answers[0].Line != answers[1].Line", "answers[0].Line == answers[1].Line", ", map[rounds:20]: as a script, line "},
		{"lines to one player", "m.TellAll(answers[0].Line + answers[1].Line)", "m.TellOthers(1, answers[0].Line + answers[1].Line)", ", map[rounds:20]: as a script, line "},
		{"a bot's answers", "b.Rand(2)", "1-b.Rand(2)", ", map[rounds:20]: as a script, line "},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "parity.go"), []byte(strings.Replace(parityScript, tt.old, tt.changed, 1)), 0o644); err != nil {
				t.Fatal(err)
			}
			f := &fakeTest{TB: t}
			playsTheSameAsScript(f, dir, &parity, Twice{Matches: 40, Args: map[string]string{"rounds": "20"}})
			if text := strings.Join(f.errors, "\n"); (text == "") != (tt.want == "") || !strings.Contains(text, tt.want) {
				t.Errorf("the errors are\n%s\nwant\n%s", text, tt.want)
			}
		})
	}
}

// triesScript is tries as a script.
const triesScript = `//go:build go1.21

package main

import (
	"colosseum/sdk"
	"colosseum/sdk/plugin"
)

func main() {
	plugin.Serve(sdk.Game{Name: "tries", Title: "Tries", MinPlayers: 2, MaxPlayers: 2, Timeout: 10, Play: play})
}

func examples(seat int) []string { return []string{"a", "wait"} }

func play(m *sdk.Match) error {
	for seat := 0; seat < 2; seat++ {
		for {
			m.Examples(examples)
			line, err := m.AskLine(seat)
			if err != nil || line == "a" {
				break
			}
			if line == "wait" {
				m.AskLine(1-seat)
				m.Resume(seat)
			} else if m.Refuse(seat, "again") != nil {
				break
			}
		}
	}
	return nil
}
`

func TestTurnOfAScriptHasOneClock(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "tries.go"), []byte(triesScript), 0o644); err != nil {
		t.Fatal(err)
	}
	interpreted, err := script.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, first := range []Player{
		Slow(3, Script("x", "y", "a")), Slow(3, Endless("x")), Slow(0.05, Endless("x")),
		Slow(4, Script("wait", "x", "a")), Slow(6, Script("wait", "a")),
	} {
		played := func(g *sdk.Game) string {
			var seconds []float64
			got := MustPlay(t, Match{Game: g, Players: []Player{func(q Question) (string, error) {
				seconds = append(seconds, q.Seconds)
				return first(q)
			}, Slow(2, Endless("a"))}})
			return fmt.Sprint(got, seconds, got.Answers)
		}
		if compiled, again := played(&tries), played(interpreted); again != compiled {
			t.Errorf("as a script: %s; want the same", difference(again, compiled))
		}
	}
}

func TestUnrulyPlayersFailInOneAnswerOfAHundred(t *testing.T) {
	failures := map[string]int{}
	player := Unruly(1)
	for range 10000 {
		line, err := player(Question{Legal: []string{"a", "b"}})
		switch {
		case err != nil:
			failures[err.Error()]++
		case line != "a" && line != "b":
			failures[line]++
		}
	}
	for _, failure := range []string{sdk.ErrTimeout.Error(), sdk.ErrDisconnected.Error(), "", "unruly 7 -1 ä"} {
		if n := failures[failure]; n < 10 || n > 50 {
			t.Errorf("%q %d times in 10000 answers, want about 25", failure, n)
		}
	}
}

// sprintScript is sprint as a script.
const sprintScript = `//go:build go1.21

package main

import (
	"fmt"

	"colosseum/sdk"
	"colosseum/sdk/plugin"
)

func main() {
	plugin.Serve(sdk.Game{Name: "sprint", Title: "Sprint", MinPlayers: 2, MaxPlayers: 4, MaxBots: 4, Timeout: 10, Play: play, Bot: bot})
}

func examples(seat int) []string { return []string{"go", "stay"} }

func play(m *sdk.Match) error {
	m.StayWhenGone()
	m.MaxMisses(0)
	for tick := 0; tick < 20; tick++ {
		m.TellAll("tick")
		m.Examples(examples)
		for _, a := range m.Tick(0.25) {
			m.TellAll(fmt.Sprint(a.Seat, " ", a.Line, " ", a.Missed))
			if a.Line == "go" {
				m.Score(a.Seat, 1)
			}
		}
	}
	return nil
}

func bot(b *sdk.Bot) error {
	for {
		if b.Read() == "tick" {
			b.Write("stay")
			b.Write("go")
		}
	}
}
`

func TestTicksOfAScriptAreTheSame(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "sprint.go"), []byte(sprintScript), 0o644); err != nil {
		t.Fatal(err)
	}
	playsTheSameAsScript(t, dir, &sprint, Twice{Matches: 40})
}
