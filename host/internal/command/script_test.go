package command

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"colosseum/host/internal/games/engine"
	"colosseum/host/internal/games/sandbox"
)

// TestMain makes the test binary the host if its first argument is one of its
// commands that tests use.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && slices.Contains([]string{"script", "players", "contest", "submissions", "webhooks", "cluster", "export", "verify-export", "--config"}, os.Args[1]) {
		os.Exit(Main(os.Args))
	}
	os.Exit(m.Run())
}

func TestScriptIsAChildLikeAnyOther(t *testing.T) {
	g, err := engine.Start(context.Background(), engine.Spec{
		Name: "roshambo", Command: []string{os.Args[0], "script", "../../../plugins/roshambo"}, StartTimeout: time.Hour,
		Isolation: sandbox.Off, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	if d := g.Description(); d.Name != "roshambo" || d.MaxPlayers != 2 || len(d.Params) != 3 {
		t.Errorf("got the description %+v, want roshambo for 2 players with 3 parameters", d)
	}
}

func TestScriptWithAFaultDoesNotStart(t *testing.T) {
	_, err := engine.Start(context.Background(), engine.Spec{
		Name: "bad", Command: []string{os.Args[0], "script", badScript(t)},
		StartTimeout: time.Hour, Isolation: sandbox.Off, Log: slog.New(slog.DiscardHandler),
	})
	if want := `bad.go:5:8: a game cannot import "os"`; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want %s", err, want)
	}
}

func TestScriptIsCheckedWithoutRunning(t *testing.T) {
	tests := []struct {
		name, dir string
		errors    string // of the program
		text      string // on stderr
	}{
		{"in order", "../../../plugins/roshambo", "", ""},
		{"with problems", badScript(t), "exit status 1", "bad.go:5:8: a game cannot import \"os\"\nhost: the script has 1 problem\n"},
		{"no folder", "none", "exit status 1", "read the script: none: no such file or directory\nhost: the script has 1 problem\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			cmd := exec.Command(os.Args[0], "script", "--check", tt.dir)
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			err := cmd.Run()
			if text := strings.ReplaceAll(stderr.String(), tt.dir+string(filepath.Separator), ""); text != tt.text || err == nil != (tt.errors == "") || err != nil && err.Error() != tt.errors {
				t.Errorf("got %v, %q, want %s, %q", err, text, tt.errors, tt.text)
			}
		})
	}
}

func TestScriptCanBePlayedOnATerminal(t *testing.T) {
	cmd := exec.Command(os.Args[0], "script", "../../../plugins/roshambo", "play", "rounds=1", "pace=0")
	cmd.Stdin = strings.NewReader("ROCK\n")
	out, err := cmd.Output()
	if err != nil || !strings.HasPrefix(string(out), "Player0\nPlayer1\n1\n> ") || !strings.Contains(string(out), "Player1: rank") {
		t.Errorf("got %v, %q, want a whole match", err, out)
	}
}

// badScript returns a folder with a script that the checker refuses.
func badScript(t *testing.T) string {
	dir := t.TempDir()
	text := "//go:build go1.21\n\npackage main\n\nimport \"os\"\n\nfunc main() { os.Exit(1) }\n"
	if err := os.WriteFile(filepath.Join(dir, "bad.go"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}
