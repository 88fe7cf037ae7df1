package tutorial

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"colosseum/e2e/internal/programs"
)

// auction is a game as an author writes it, in a folder without go.mod.
const auction = `//go:build go1.21

package main

import (
	"colosseum/sdk"
	"colosseum/sdk/plugin"
)

func main() {
	plugin.Serve(sdk.Game{
		Name: "auction", Title: "Auction", Rules: "# auction", MinPlayers: 1, MaxPlayers: 1, Timeout: 30,
		Play: func(m *sdk.Match) error {
			bid, err := m.AskLine(0)
			if err == nil {
				m.TellAll("bid " + bid)
				m.Score(0, float64(len(bid)))
			}
			return nil
		},
	})
}
`

func TestFoldersWithoutModuleArePlayedOnAnyHost(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	games := filepath.Join(dir, "games")
	if err := os.CopyFS(filepath.Join(games, "kamisado"), os.DirFS("../../plugins/kamisado")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(games, "auction"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(games, "auction", "auction.go"), []byte(auction), 0o644); err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(dir, "host.yaml")
	if err := os.WriteFile(config, []byte("plugins: {folders: ["+games+"], "+memory+"}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	bidder := []string{"sh", "-c", "echo 7; while read x; do :; done"}
	walker := []string{"sh", "-c", "echo x; while read x; do :; done"} // its answer is no move
	if python, err := exec.LookPath("python3"); err == nil {
		walker = []string{python, filepath.Join(games, "kamisado", "players", "player.py")}
	}
	withoutGo := filepath.Join(dir, "bin") // with sh alone
	if err := os.Mkdir(withoutGo, 0o755); err != nil {
		t.Fatal(err)
	}
	shell, err := exec.LookPath("sh")
	if err == nil {
		err = os.Symlink(shell, filepath.Join(withoutGo, "sh"))
	}
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct{ path, mode, why string }{
		"with Go":    {os.Getenv("PATH"), "mode=compiled", "that of this host, because its folder has no go.mod"},
		"without Go": {withoutGo, "mode=script", "because=\"there is no Go toolchain"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			matches := t.TempDir()
			for game, player := range map[string][]string{"auction": bidder, "kamisado": walker} {
				bots := "0"
				if game == "kamisado" {
					bots = "1"
				}
				args := append([]string{"--config", config, "--debug", "play", game, "-b", bots, "-n", "2", "-t", "20", "--seed", "3", "--out", matches, "--"}, player...)
				run := func(want []string, args ...string) {
					t.Helper()
					tool := programs.Tool(t, dir, args...)
					tool.Env = append(tool.Environ(), "PATH="+test.path)
					out, err := outputOf(t, tool)
					for _, want := range want {
						if err != nil || !strings.Contains(out, want) {
							t.Errorf("host %s: got %v\n%s\nwant %q", strings.Join(args, " "), err, out, want)
						}
					}
				}
				run([]string{"2 matches in", test.mode, test.why}, args...)
				records, _ := filepath.Glob(filepath.Join(matches, game+"-3*.json")) // the pattern is well formed
				if len(records) == 0 {
					t.Fatalf("%s has no transcript, want one", game)
				}
				run([]string{"is verified"}, "--config", config, "verify", records[0])
			}
		})
	}
}
