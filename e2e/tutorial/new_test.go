package tutorial

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"colosseum/e2e/internal/programs"
)

func TestNewGameIsPlayedWithoutChanges(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	games := filepath.Join(dir, "games")
	if err := os.Mkdir(games, 0o755); err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(dir, "host.yaml")
	if err := os.WriteFile(config, []byte("plugins: {folders: ["+games+"]}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	script := filepath.Join(dir, "script.yaml")
	if err := os.WriteFile(script, []byte("plugins: {folders: ["+games+"], mode: script, "+memory+"}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	player := []string{"--", "python3", filepath.Join(games, "nine-stones", "players", "player.py")}
	if _, err := exec.LookPath("python3"); err != nil {
		player = []string{"--", "sh", "-c", "echo x; while read x; do :; done"} // its answer is no move
	}
	for _, step := range []struct {
		args []string
		want string
	}{
		{[]string{"new", "nine-stones", "--dir", games}, "go vet . && go test ."},
		{append([]string{"play", filepath.Join(games, "nine-stones"), "-b", "1", "-n", "2", "-t", "20", "--out", dir, "--seed", "3"}, player...), "2 matches in"},
		{[]string{"--config", config, "verify", filepath.Join(dir, "nine-stones-3-1.json")}, "is verified"},
		{[]string{"--config", config, "check"}, "ok       nine-stones (Nine stones)"},
		// As a script, the game plays the same.
		{[]string{"--config", script, "check"}, "ok       nine-stones (Nine stones)"},
		{[]string{"--config", script, "verify", filepath.Join(dir, "nine-stones-3-1.json")}, "is verified"},
	} {
		out, err := outputOf(t, programs.Tool(t, dir, step.args...))
		if err != nil || !strings.Contains(out, step.want) {
			t.Fatalf("host %s: got %v\n%s\nwant %q", strings.Join(step.args, " "), err, out, step.want)
		}
	}
}
