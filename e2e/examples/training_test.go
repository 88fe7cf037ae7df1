package examples

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"colosseum/e2e/internal/programs"
)

// TestPythonStepsMatches runs the tests of the Python package.
func TestPythonStepsMatches(t *testing.T) {
	python := interpreter(t, "python3")
	dir := t.TempDir()
	for _, game := range []string{"roshambo", "kamisado", "tron"} {
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
	root, err := filepath.Abs(programs.Root)
	if err != nil {
		t.Fatal(err)
	}
	host, err := filepath.Abs(filepath.Join(programs.Bin, "host"))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(python, filepath.Join(root, "python", "tests", "test_env.py"))
	cmd.Dir = dir
	cmd.Env = append(programs.Tool(t, dir).Env, "COLOSSEUM_HOST="+host, "COLOSSEUM_GAMES="+dir, "PYTHONDONTWRITEBYTECODE=1", "PYTHONPATH="+filepath.Join(root, "python"))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("got %v\n%s", err, out)
	}
}
