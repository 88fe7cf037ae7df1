package command

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"colosseum/host/internal/records/record"
	"colosseum/host/internal/records/store"
)

// newExporter returns a data folder with ten matches of October 2025, two of them of dama,
// and one of November; the records are open, as those of a running host.
func newExporter(t *testing.T) *testFolder {
	t.Helper()
	f := newTestFolder(t)
	if err := os.Mkdir(filepath.Join(f.folder, "data"), 0o700); err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(context.Background(), filepath.Join(f.folder, "data", "colosseum.db"), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	october := time.Date(2025, 10, 1, 0, 0, 0, 0, time.UTC)
	for i := range 11 {
		r := &record.Match{
			ID: fmt.Sprintf("%013d", i), Name: "m", Game: "roshambo", Plugin: "roshambo", Version: "v", Seed: 7, State: record.Finished,
			Seats: []record.Seat{{Name: "ann", Rank: 1, Ended: "finished"}}, Started: october, Ended: october.AddDate(0, 0, 3*i), Stream: []byte("ann\n"),
		}
		if i%5 == 4 {
			r.Game = "dama"
		}
		if i == 10 {
			r.Ended = october.AddDate(0, 1, 0)
		}
		if err := s.Finish(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	return f
}

func TestMonthIsExportedBesideAHostAndVerified(t *testing.T) {
	f := newExporter(t)
	for _, step := range []struct {
		args string
		want string // in the output
		err  string // on stderr; "": it works
	}{
		{"export --new-key key", "key has the key: keep it secret. Give key.pub to everybody.", ""},
		{"export --new-key key", "", "key exists"},
		{"export --new-key other", "other.pub", ""},
		{"export 2025-10 --out 2025-10", "2025-10 has 10 matches of 2 games (", ""},
		{"export 2025-10 --out 2025-10", "", "there is already such an export: choose another folder"},
		{"verify-export 2025-10", "2025-10 is verified: 10 matches of 2 games (", ""},
		{"verify-export 2025-10 --public key.pub", "", "not signed"},
		{"export 2025-10 --game dama --out dama --key key", "dama has 2 matches of 1 game (0.0 MiB), signed with the key ", ""},
		{"verify-export dama", "Whose key that is was not checked", ""},
		{"verify-export dama --public key.pub", "dama is verified: 2 matches of 1 game (0.0 MiB), signed with the key ", ""},
		{"verify-export dama --public other.pub", "", "dama is not verified: it is signed with another key"},
		{"verify-export dama --public key", "", "has the private key"},
		{"export --since 2025-10-02 --until 2025-10-04T00:00:00.5Z --out days", "days has 1 match of 1 game", ""},
		{"export 2025-10", "", "name the new folder with --out"},
		{"export 2025-13 --out x", "", `"2025-13" is not a month like 2026-10`},
		{"export --out x", "", "export takes one argument"},
		{"export 2025-10 --since 2025-10-01 --out x", "", "either a month, or --since and --until"},
		{"export --since 2025-10-01 --out x", "", `--until: "" is not a time`},
		{"export --since 2025-10-02 --until 2025-10-02 --out x", "", "--since must be before --until"},
		{"export --since 2025-10-02 --until 2999-01-01 --out x", "", "2998-12 is not over"},
		{"export 2025-10 --out x --key nowhere", "", "read the key: open nowhere"},
		{"export 2025-10 --out x --key key.pub", "", "key.pub has no PRIVATE KEY in PEM"},
		{"verify-export nowhere", "", "nowhere"},
		{"verify-export", "", "verify-export takes one argument"},
	} {
		stdout, stderr, err := f.host(strings.Fields(step.args)...)
		if err == nil != (step.err == "") || !strings.Contains(stdout, step.want) || !strings.Contains(stderr, step.err) {
			t.Errorf("host %s: got %v, %q, %q, want %q, %q", step.args, err, stdout, stderr, step.want, step.err)
		}
	}
	if _, err := os.Stat(filepath.Join(f.folder, "x")); err == nil {
		t.Error("got an export after an error, want none")
	}
}

func TestExportGoesToTheFolderOfTheConfiguration(t *testing.T) {
	f := newExporter(t)
	if _, stderr, err := f.host("export", "--new-key", "key"); err != nil {
		t.Fatal(stderr)
	}
	if err := os.WriteFile(filepath.Join(f.folder, "host.yaml"), []byte("names: [club.example]\ntrusted_proxies: [10.0.0.1]\nexports: {dir: all exports, key_file: key}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, stderr, err := f.host("--config", "host.yaml", "export", "2025-10"); err != nil {
		t.Fatal(stderr)
	}
	stdout, stderr, err := f.host("verify-export", filepath.Join("all exports", "2025-10"), "--public", "key.pub")
	if err != nil || !strings.Contains(stdout, "10 matches") {
		t.Errorf("got %v, %q, %q, want the verified export", err, stdout, stderr)
	}
	text, err := os.ReadFile(filepath.Join(f.folder, "all exports", "2025-10", "manifest.json"))
	if err != nil || !strings.Contains(string(text), `"host": "https://club.example"`) {
		t.Errorf("got %s, %v, want the address of the host", text, err)
	}
}
