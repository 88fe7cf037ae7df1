package operations

import (
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"

	"colosseum/e2e/internal/programs"
	"colosseum/internal/test/pgserver"
)

// TestMigratedHostHasItsMatchesAndTakesNewOnes follows docs/operating.md.
func TestMigratedHostHasItsMatchesAndTakesNewOnes(t *testing.T) {
	t.Parallel()
	url := pgserver.Start(t, false).Database(t)
	data, plugins := filepath.Join(t.TempDir(), "data"), "plugins: {folders: ["+programs.Plugins+"]}\ndrain: 0s\n"
	h := programs.StartHostWith(t, data, plugins)
	host := func(args ...string) (string, error) {
		out, err := programs.Tool(t, t.TempDir(), append(args, "--config", h.Config, "--data", data)...).CombinedOutput()
		if strings.Contains(string(out), "geheim") {
			t.Errorf("host %s: got the password in %s, want it nowhere", args[0], out)
		}
		return string(out), err
	}
	for range 5 {
		if err := h.Duel(20); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := host("players", "add", "Ann"); err != nil {
		t.Fatalf("got %v, want a player\n%s", err, out)
	}
	before := h.Records(t)

	url = strings.Replace(url, "colosseum@", "colosseum:geheim@", 1)
	if out, err := host("migrate", url); err == nil || !strings.Contains(out, "is using it") {
		t.Errorf("while the host runs: got %v, %q, want a refusal", err, out)
	}
	h.Stop(t, syscall.SIGTERM)
	if out, err := host("migrate"); err == nil || !strings.Contains(out, "set store in the configuration") {
		t.Errorf("without an address: got %v, %q, want a refusal", err, out)
	}
	out, err := host("migrate", url)
	if err != nil || !strings.Contains(out, "all rows were compared") {
		t.Fatalf("got %v, %q, want a complete migration", err, out)
	}
	if out, err := host("migrate", url); err != nil || !strings.Contains(out, "there is nothing to do") {
		t.Errorf("again: got %v, %q, want that there is nothing to do", err, out)
	}

	h = programs.StartHostWith(t, filepath.Join(t.TempDir(), "data"), plugins+"store: "+url+"\n")
	after := h.Records(t)
	if !reflect.DeepEqual(after, before) || len(before) < 5 {
		t.Errorf("got %d matches after the migration, want the same %d", len(after), len(before))
	}
	if out, err := host("players", "list"); err != nil || !strings.Contains(out, "Ann") {
		t.Errorf("players: got %v,\n%s\nwant Ann", err, out)
	}
	for id := range before {
		if out, err := host("verify", id); err != nil || !strings.Contains(out, "is verified") {
			t.Errorf("verify: got %v, %q, want that match %s is verified", err, out, id)
		}
		break
	}
	if out, err := host("backup", filepath.Join(t.TempDir(), "copy.db")); err == nil || !strings.Contains(out, "pg_dump") {
		t.Errorf("backup: got %v, %q, want a hint at pg_dump", err, out)
	}
	if out, _ := host("doctor"); !strings.Contains(out, "a round trip takes") {
		t.Errorf("doctor: got\n%s\nwant a check of PostgreSQL", out)
	}
	if err := h.Duel(20); err != nil {
		t.Errorf("a new match: got %v, want no error", err)
	}
	if n := len(h.Records(t)); n != len(before)+1 {
		t.Errorf("got %d matches with the new one, want %d", n, len(before)+1)
	}
}
