package examples

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"colosseum/e2e/internal/programs"
)

// TestPuzzleInGoIsPlayedCompiledAndAsAScript: the same matches have the same scores both
// ways.
func TestPuzzleInGoIsPlayedCompiledAndAsAScript(t *testing.T) {
	t.Parallel()
	python := interpreter(t, "python3")
	dir := t.TempDir()
	source := filepath.Join(nodeGames(t), "samegame")
	program := filepath.Join(dir, "samegame", "samegame")
	if out, err := exec.Command("go", "build", "-o", program, source).CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	var scores [2]string
	for i, folder := range []string{source, filepath.Dir(program)} {
		out := filepath.Join(dir, "records", []string{"script", "compiled"}[i])
		text, err := programs.Tool(t, dir, "play", folder, "-n", "3", "--seed", "1", "--out", out, "--", python, filepath.Join(source, "players", "player.py")).CombinedOutput()
		if err != nil {
			t.Fatalf("host play %s: got %v\n%s", folder, err, text)
		}
		records, err := filepath.Glob(filepath.Join(out, "samegame-*.json"))
		if err != nil || len(records) != 3 {
			t.Fatalf("got the transcripts %q, %v, want three", records, err)
		}
		for _, record := range records {
			text, err := os.ReadFile(record)
			if err != nil {
				t.Fatal(err)
			}
			scores[i] += string(regexp.MustCompile(`"score": *[0-9.]+`).Find(text)) + "\n"
		}
	}
	if len(scores[0]) < len(`"score"`) || scores[0] != scores[1] {
		t.Errorf("got the scores\n%sas a script and\n%scompiled, want the same ones", scores[0], scores[1])
	}
}
