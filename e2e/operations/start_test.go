package operations

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"colosseum/e2e/internal/programs"
)

// TestHostServesOtherGamesWhileOneHangs: a game that says nothing is given up
// after a long time; meanwhile it concerns nobody but those who want to play it.
func TestHostServesOtherGamesWhileOneHangs(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "games")
	program := filepath.Join(dir, "hang", "hang")
	if err := os.MkdirAll(filepath.Dir(program), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(program, []byte("#!/bin/sh\nexec sleep 1000\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	// A folder of a game whose description nobody could read to its end.
	broken := filepath.Join(dir, "broken")
	if err := os.CopyFS(broken, os.DirFS(filepath.Join(programs.Plugins, "roshambo"))); err != nil {
		t.Fatal(err)
	}
	for from, to := range map[string]string{"roshambo": "broken", "rules.md": "old.md"} {
		if err := os.Rename(filepath.Join(broken, from), filepath.Join(broken, to)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(broken, "rules.md"), 0o644); err != nil {
		t.Fatal(err)
	}
	h := programs.LaunchHost(t, nil, t.TempDir(), "plugins: {folders: ["+programs.Plugins+", "+dir+"], start_timeout: 1h}\noperations: {listen: '127.0.0.1:0'}\n")
	at := h.Operations(t)
	h.Await(t, `msg="game ready" game=roshambo`)
	h.Await(t, `msg="could not load game" game=broken`)
	if result, _, err := h.Versus(t, 3).Roshambo(func(int) string { return "ROCK" }); err != nil || result.Aborted {
		t.Errorf("a match of another game ended with %+v, %v", result, err)
	}
	out, err := exec.Command(filepath.Join(programs.Bin, "coco"), "-s", h.URL, "new", "hang").CombinedOutput()
	if want := "the game hang is unavailable: it is starting, try again in a minute"; err == nil || !strings.Contains(string(out), want) {
		t.Errorf("coco says %q, %v, want %q", out, err, want)
	}
	if status, body := programs.Get(t, at+"readyz"); status != http.StatusServiceUnavailable || body != "games are being loaded\n" {
		t.Errorf("readyz: got %d %q", status, body)
	}
	if status, body := programs.Get(t, at+"healthz"); status != http.StatusOK {
		t.Errorf("healthz: got %d %q", status, body)
	}
	if status, body := programs.Get(t, "http"+strings.TrimPrefix(h.URL, "ws")+"api/games/hang"); status != http.StatusOK || !strings.Contains(body, `"unavailable":"it is starting"`) {
		t.Errorf("the page of the game: got %d %s", status, body)
	}
	h.Stop(t, syscall.SIGTERM)
}
