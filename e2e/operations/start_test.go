//go:build unix

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

func TestHostServesOtherGamesWhileOneHangs(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "games")
	program := filepath.Join(dir, "hang", "hang")
	if err := os.MkdirAll(filepath.Dir(program), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(program, []byte("#!/bin/sh\nexec sleep 1000\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	// A game whose description is a named pipe, which blocks a reader.
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
	c := h.AgainstBot(t, 3)
	if result, _, err := c.Roshambo(func(int) string { return "ROCK" }); err != nil || result.Aborted {
		t.Errorf("match of another game: got %+v, %v, want it finished", result, err)
	}
	coco := programs.StartDaemon(t, exec.Command(filepath.Join(programs.Bin, "coco"), "-s", h.URL, "new", "hang"))
	coco.Await(t, 1, "(it is starting)") // in any language
	if status := coco.Stop(syscall.SIGINT); status == 0 {
		t.Error("coco, interrupted while it waits: got status 0, want a failure")
	}
	if status, body := programs.Get(t, at+"readyz"); status != http.StatusServiceUnavailable || body != "games are being loaded\n" {
		t.Errorf("readyz: got %d %q, want 503 games are being loaded", status, body)
	}
	if status, body := programs.Get(t, at+"healthz"); status != http.StatusOK {
		t.Errorf("healthz: got %d %q, want 200", status, body)
	}
	if status, body := programs.Get(t, h.Page("api/games/hang")); status != http.StatusOK || !strings.Contains(body, `"unavailable":"it is starting"`) {
		t.Errorf("page of the game: got %d %s, want it unavailable", status, body)
	}
	c.Close() // the host would wait for its answer
	h.Stop(t, syscall.SIGTERM)
}
