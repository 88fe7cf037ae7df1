package examples

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"colosseum/e2e/internal/programs"
)

// training returns a folder with games, and what runs Python there with the package
// colosseum.
func training(t *testing.T, games ...string) (dir string, python func(args ...string) *exec.Cmd) {
	t.Helper()
	program := interpreter(t, "python3")
	dir = t.TempDir()
	for _, game := range games {
		if err := os.Mkdir(filepath.Join(dir, game), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := programs.Build("colosseum/plugins/"+game, filepath.Join(dir, game, game), false); err != nil {
			t.Fatal(err)
		}
		rules, err := os.ReadFile(filepath.Join(programs.Root, "plugins", game, "rules.md"))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, game, "rules.md"), rules, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	host, err := filepath.Abs(filepath.Join(programs.Bin, "host"))
	if err != nil {
		t.Fatal(err)
	}
	env := append(programs.Tool(t, dir).Env, "COLOSSEUM_HOST="+host, "COLOSSEUM_GAMES="+dir, "PYTHONDONTWRITEBYTECODE=1",
		"PYTHONPATH="+source(t, "python"))
	return dir, func(args ...string) *exec.Cmd {
		cmd := exec.Command(program, args...)
		cmd.Dir, cmd.Env = dir, env
		return cmd
	}
}

// source returns the absolute path of a file of the repository.
func source(t *testing.T, names ...string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join(append([]string{programs.Root}, names...)...))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// TestPythonStepsMatches runs the tests of the Python package. Its log says which of them are
// skipped.
func TestPythonStepsMatches(t *testing.T) {
	_, python := training(t, "roshambo", "kamisado", "tron", "dama")
	out, err := python(source(t, "python", "tests", "test_env.py"), "-v").CombinedOutput()
	t.Logf("%s", out)
	if err != nil {
		t.Error(err)
	}
}
