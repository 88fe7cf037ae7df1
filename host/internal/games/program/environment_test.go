//go:build unix

package program

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"colosseum/host/internal/games/sandbox"
)

func TestProgramsRunInTheirFolderWithTheirEnvironment(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "bots"), 0o755); err != nil {
		t.Fatal(err)
	}
	script := "#!/bin/sh\necho \"$COLOSSEUM_SEED\"; cat bots/data\n"
	if err := os.WriteFile(filepath.Join(dir, "bots/bot"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "bots/data"), []byte("data\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, level := range []sandbox.Level{sandbox.Off, sandbox.BestEffort} {
		t.Run(string(level), func(t *testing.T) {
			t.Setenv("COLOSSEUM_SEED", "of the host")
			isolation := Isolation{Level: level, Folder: dir, Processes: true}
			commands, err := isolation.Commands([][]string{{"./bots/bot"}})
			if err != nil {
				t.Fatal(err)
			}
			p, err := Start(commands[0].With("COLOSSEUM_SEED=7"), limits)
			if err != nil {
				t.Fatal(err)
			}
			m := newMatch(2)
			p.Play(m, 0)
			got := m.wait(t)
			exit := p.End(ample)
			if !slices.Equal(got, []string{"7", "data"}) {
				t.Errorf("got %q and %+v, want the variable 7 and the data of its folder", got, exit)
			}
		})
	}
}
