package tutorial

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"colosseum/e2e/internal/programs"
	"colosseum/internal/test/long"
)

// padded is a player in Python that runs another one, and adds white space to each of
// its lines.
const padded = `import subprocess, sys
player = subprocess.Popen([sys.executable, sys.argv[1]], stdout=subprocess.PIPE)
for line in player.stdout:
    sys.stdout.buffer.write(b" \t" + line.strip() + "\t\u00a0\u3000 \r\n".encode())
    sys.stdout.buffer.flush()
`

// TestWhiteSpaceAroundALineDoesNotCount holds the sentence in the rules of all games
// against the games.
func TestWhiteSpaceAroundALineDoesNotCount(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("python3 is not installed")
	}
	t.Parallel()
	dir := t.TempDir()
	program, scripts := filepath.Join(dir, "padded.py"), filepath.Join(dir, "scripts.yaml")
	plugins, err := filepath.Abs(programs.Root + "/plugins")
	if err != nil {
		t.Fatal(err)
	}
	for path, text := range map[string]string{
		program: padded, scripts: "plugins: {folders: [" + plugins + "], mode: script, " + memory + "}\n",
	} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	players, err := filepath.Glob(plugins + "/*/players/player.py")
	if err != nil || len(players) < 5 {
		t.Fatalf("got %d players, %v, want those of 5 games at least", len(players), err)
	}
	short := []string{"roshambo", "dama"} // one that matches choices, and one that reads moves itself
	for _, player := range players {
		game := filepath.Base(filepath.Dir(filepath.Dir(player)))
		t.Run(game, func(t *testing.T) {
			t.Parallel()
			rules, err := os.ReadFile(filepath.Join(plugins, game, "rules.md"))
			if err != nil {
				t.Fatal(err)
			}
			if want := "White space before and after a line does not count."; !strings.Contains(strings.Join(strings.Fields(string(rules)), " "), want) {
				t.Errorf("got rules.md of %s without the sentence, want %q", game, want)
			}
			if !slices.Contains(short, game) {
				long.Only(t, "it plays each game with such lines")
			}
			cmd := programs.Tool(t, dir, "--config", scripts, "play", game, "--json", "--", "python3", program, player, "--", "python3", player)
			out, err := outputOf(t, cmd)
			if want := `"forfeits": {}`; err != nil || strings.Count(out, want) != 2 {
				t.Errorf("got %v, want two players without a forfeit:\n%s", err, out)
			}
		})
	}
}
