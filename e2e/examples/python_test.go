package examples

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"colosseum/e2e/internal/programs"
	"colosseum/internal/test/long"
)

// run runs the host with arguments, and checks that it succeeds and prints a text.
func run(t *testing.T, dir, want string, args ...string) {
	t.Helper()
	out, err := programs.Tool(t, dir, args...).CombinedOutput()
	if err != nil || !strings.Contains(string(out), want) {
		t.Errorf("host %s: got %v\n%s\nwant %q", strings.Join(args, " "), err, out, want)
	}
}

func TestGameInPythonIsPlayedAndVerified(t *testing.T) {
	t.Parallel()
	python := interpreter(t, "python3")
	dir := t.TempDir()
	config := filepath.Join(dir, "host.yaml")
	if err := os.WriteFile(config, []byte("plugins: {folders: ["+nodeGames(t)+"]}\ngames: {}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	undercut := filepath.Join(nodeGames(t), "undercut")
	run(t, dir, "4 matches in", "--config", config, "play", "undercut", "-b", "1", "-n", "4", "--seed", "3", "--out", dir,
		"--", python, filepath.Join(undercut, "players", "player.py"))
	records, err := filepath.Glob(filepath.Join(dir, "undercut-*.json"))
	if err != nil || len(records) != 4 {
		t.Fatalf("got the transcripts %q, %v, want four", records, err)
	}
	for _, record := range records {
		run(t, dir, "is verified", "--config", config, "verify", record)
	}
	out, err := exec.Command(python, "-B", filepath.Join(undercut, "game")).Output()
	if err != nil || !strings.Contains(string(out), "rounds=…   number of rounds: a whole number from 1 to 1000 (default 20)") {
		t.Errorf("without a host it prints %q, %v, want its parameters", out, err)
	}
}

// playNim writes the game of the README for Python into a folder with the library, and plays it.
func playNim(t *testing.T, nim string) {
	t.Helper()
	writeNim(t, nim, "undercut", "python")
	one := []string{"--", "sh", "-c", "while read heap; do echo 1; done"}
	// The first player also takes the ninth match.
	run(t, filepath.Dir(nim), "sh-1 1, sh-2 0", append([]string{"play", nim, "-a", "matches=9", "-n", "2"}, append(one, one...)...)...)
}

func TestGameInTheReadmeForPythonIsPlayed(t *testing.T) {
	t.Parallel()
	interpreter(t, "python3")
	nim := filepath.Join(t.TempDir(), "nim")
	if err := os.CopyFS(filepath.Join(nim, "colosseum"), os.DirFS(filepath.Join(nodeGames(t), "undercut", "colosseum"))); err != nil {
		t.Fatal(err)
	}
	playNim(t, nim)
}

func TestLibraryForPythonIsInstalledByPip(t *testing.T) {
	long.Only(t, "it runs pip; the same library is copied and played in the short run")
	t.Parallel()
	python := interpreter(t, "python3")
	if err := exec.Command(python, "-c", "import setuptools, wheel, pip").Run(); err != nil {
		t.Skip("pip, setuptools or wheel is not installed for " + python + " (on Debian: apt-get install python3-pip python3-setuptools python3-wheel)")
	}
	dir := t.TempDir()
	source, nim := filepath.Join(dir, "source"), filepath.Join(dir, "nim")
	if err := os.CopyFS(source, os.DirFS(filepath.Join(nodeGames(t), "undercut"))); err != nil { // pip writes into it
		t.Fatal(err)
	}
	install := exec.Command(python, "-m", "pip", "install", "--no-index", "--no-build-isolation", "--no-deps", "--target", nim, source)
	if out, err := install.CombinedOutput(); err != nil {
		t.Fatalf("pip install: %v\n%s", err, out)
	}
	playNim(t, nim)
}

// hangingPython is a game in Python with a referee that goes into an endless loop at the
// line "hang".
const hangingPython = `#!/usr/bin/env python3
from colosseum import Game

async def play(m):
    m.tell_all("hello")
    while (line := await m.ask(0)) is not None:
        while line == "hang":
            pass
        m.tell(0, line)

Game("hanging", play, 1, 1, 600).serve()
`

func TestGameInPythonInAnEndlessLoopEndsWithItsHost(t *testing.T) {
	t.Parallel()
	interpreter(t, "python3")
	games := t.TempDir()
	hanging := filepath.Join(games, "hanging")
	if err := os.CopyFS(filepath.Join(hanging, "colosseum"), os.DirFS(filepath.Join(nodeGames(t), "undercut", "colosseum"))); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(hanging, "game"), []byte(hangingPython), 0o755); err != nil {
		t.Fatal(err)
	}
	h := programs.StartHostWith(t, t.TempDir(), "plugins: {folders: ["+games+"], stall: 10m}\ndrain: 0s\n")
	hang(t, h)
	h.Stop(t, syscall.SIGKILL) // fails if the process still runs
}
