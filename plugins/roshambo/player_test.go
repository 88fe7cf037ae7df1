package main

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"colosseum/sdk"
	"colosseum/sdk/gametest"
)

// inPython, inGo and inC return the command that runs the example player in
// that language.
func inPython(t *testing.T) []string {
	return []string{"python3", "../../examples/roshambo/player.py"}
}

func inGo(t *testing.T) []string {
	return build(t, tool(t, "go"), "build", "-o", "PLAYER", "../../examples/roshambo/go")
}

func inC(t *testing.T) []string {
	return build(t, tool(t, "cc"), "-Wall", "-Wextra", "-Werror", "-o", "PLAYER", "../../examples/roshambo/player.c")
}

// tool returns where a program is that not every machine has.
func tool(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("%s is not installed", name)
	}
	return path
}

// build runs a compiler that writes the file PLAYER, and returns the command to
// run it.
func build(t *testing.T, command ...string) []string {
	t.Helper()
	player := filepath.Join(t.TempDir(), "player.exe")
	for i := range command {
		if command[i] == "PLAYER" {
			command[i] = player
		}
	}
	if text, err := exec.Command(command[0], command[1:]...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", command, err, text)
	}
	return []string{player}
}

func TestExamplePlayersPlayToTheEnd(t *testing.T) {
	languages := []struct {
		name    string
		command func(t *testing.T) []string
	}{{"python", inPython}, {"go", inGo}, {"c", inC}}
	tests := []struct {
		name     string
		start    func(t testing.TB, command ...string) *gametest.Program
		opponent gametest.Player // nil: the server bot
		answers  int             // of the example
	}{
		{"against the bot", gametest.StartProgram, nil, 100},
		{"on named pipes", gametest.StartProgramOnPipes, nil, 100},
		{"against one that retires", gametest.StartProgram, gametest.Script("ROCK", "PAPER"), 3},
		{"on named pipes against one that retires", gametest.StartProgramOnPipes, gametest.Script("ROCK", "PAPER"), 3},
	}
	for _, language := range languages {
		t.Run(language.name, func(t *testing.T) {
			command := language.command(t)
			for _, tt := range tests {
				t.Run(tt.name, func(t *testing.T) {
					p := tt.start(t, command...)
					got, err := gametest.Play(gametest.Match{
						Game: &game, Players: []gametest.Player{tt.opponent, p.Answer}, Args: map[string]string{"rounds": "100"},
					})
					if err != nil {
						t.Fatal(err)
					}
					p.Finish(got.Seats[1])
					if r := got.Result.Seats[1]; r.Ended != sdk.EndedFinished {
						t.Errorf("the example ended as %+v\n%s", r, got)
					}
					if n := strings.Count(got.Seats[1], ">"); n != tt.answers {
						t.Errorf("the example sent %d lines, want %d", n, tt.answers)
					}
				})
			}
		})
	}
}
