package main

import (
	"os/exec"
	"path/filepath"
	"testing"

	"colosseum/internal/gamefixture"
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

// tool returns the path of a program. It skips the test if there is none.
func tool(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("%s is not installed", name)
	}
	return path
}

// build runs a compiler, with a temporary path in place of PLAYER, and returns the
// command to run the result.
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

func TestExamplePlayers(t *testing.T) {
	languages := []struct {
		name    string
		command func(t *testing.T) []string
	}{{"python", inPython}, {"go", inGo}, {"c", inC}}
	for _, language := range languages {
		t.Run(language.name, func(t *testing.T) {
			gamefixture.RunPlayer(t, &game, map[string]string{"rounds": "100"}, language.command(t)...)
		})
	}
}
