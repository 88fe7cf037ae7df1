package operations

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"

	"colosseum/e2e/internal/programs"
)

// TestRestoredBackupHasItsMatchesAndTakesNewOnes follows docs/operating.md.
func TestRestoredBackupHasItsMatchesAndTakesNewOnes(t *testing.T) {
	t.Parallel()
	h := programs.StartHostWith(t, filepath.Join(t.TempDir(), "data"), "plugins: {folders: ["+programs.Plugins+"]}\ndrain: 0s\n")
	host := func(h *programs.Host, args ...string) string {
		t.Helper()
		out, err := programs.Tool(t, t.TempDir(), append(args, "--config", h.Config, "--data", h.Data)...).CombinedOutput()
		if err != nil {
			t.Fatalf("host %s: got %v, want nil\n%s", strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	for range 5 {
		if err := h.Duel(20); err != nil {
			t.Fatal(err)
		}
	}
	host(h, "players", "add", "Ann")
	h.AgainstBot(t, 5) // still runs when the host stops

	file := filepath.Join(t.TempDir(), "backup.db")
	var before map[string]*programs.Record
	h.DuringDuels(t, func() {
		before = h.Records(t)
		for range 3 {
			host(h, "backup", file, "--force")
		}
	})
	if out := host(h, "backup", file, "--check"); !strings.Contains(out, "no damage") {
		t.Errorf("check: got %q, want no damage", out)
	}
	h.Stop(t, syscall.SIGTERM)

	data := filepath.Join(t.TempDir(), "data")
	if err := os.Mkdir(data, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(file, filepath.Join(data, "colosseum.db")); err != nil {
		t.Fatal(err)
	}
	restored := programs.StartHost(t, data)
	after := restored.Records(t)
	if len(before) < 6 || len(after) < len(before) {
		t.Errorf("got %d matches before the backup and %d after it was restored, want 6 or more, and at least as many", len(before), len(after))
	}
	var id string
	for id = range before {
		if !reflect.DeepEqual(before[id], after[id]) {
			t.Errorf("match %s: got %+v after the backup was restored, want %+v", id, after[id], before[id])
		}
	}
	aborted := 0
	for _, r := range after {
		if r.State == "aborted" {
			aborted++
		}
	}
	if aborted < 1 || aborted > 2 { // a duel can have been running, too
		t.Errorf("got %d aborted matches, want the one that ran during the backup", aborted)
	}
	if out := host(restored, "verify", id); !strings.Contains(out, "is verified") {
		t.Errorf("verify: got %q, want that match %s is verified", out, id)
	}
	if out := host(restored, "players", "list"); !strings.Contains(out, "Ann") {
		t.Errorf("players: got\n%s\nwant Ann", out)
	}
	if err := restored.Duel(20); err != nil {
		t.Errorf("a new match: got %v, want no error", err)
	}
	if n := len(restored.Records(t)); n != len(after)+1 {
		t.Errorf("got %d matches with the new one, want %d", n, len(after)+1)
	}
}
