package source

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"colosseum/host/internal/base/config"
	"colosseum/host/internal/games/sandbox"
	"colosseum/internal/test/filetree"
)

// policyOf returns the policy of the game chess in a folder with other games and data.
func policyOf(t *testing.T, change func(dir string, cfg *config.Config)) (string, sandbox.Policy, error) {
	t.Helper()
	dir := filetree.New(t, map[string]string{
		"games/chess/chess*": "#!/bin/sh\n", "games/dama/dama*": "#!/bin/sh\n", "books/open.txt": "e4", "data/colosseum.db": "x", "books/password": "x", "books/key.pem": "x",
	})
	cfg := config.Default()
	cfg.Data, cfg.Plugins.Folders = filepath.Join(dir, "data"), []string{filepath.Join(dir, "games")}
	change(dir, cfg)
	s, ok, err := look(filepath.Join(dir, "games", "chess"))
	if !ok || err != nil {
		t.Fatalf("got %v, error %v, want a game", ok, err)
	}
	_, p, err := s.Policy(cfg, []string{s.executable})
	return dir, p, err
}

func TestGameCanReadItsOwnFolderButNoOtherGameAndNoData(t *testing.T) {
	dir, p, err := policyOf(t, func(string, *config.Config) {})
	if err != nil {
		t.Fatal(err)
	}
	all := append(p.Execute, p.Read...)
	if own := filepath.Join(dir, "games", "chess", "chess"); !sandbox.Within(own, all...) {
		t.Errorf("got %q, want %s among them", all, own)
	}
	for _, other := range []string{"games/dama/dama", "data/colosseum.db", "books/open.txt"} {
		if path := filepath.Join(dir, other); sandbox.Within(path, all...) {
			t.Errorf("got %q, want none with %s", all, path)
		}
	}
	if p.Network || p.Processes || p.FileBytes != 0 {
		t.Errorf("got %+v, want no other rights", p)
	}
}

func TestExceptionForAFolderLeavesDataAndSecretsOut(t *testing.T) {
	dir, p, err := policyOf(t, func(dir string, cfg *config.Config) {
		cfg.Plugins.Exceptions["chess"] = config.Exception{Read: []string{dir}, Network: true, Processes: true, TemporaryMB: 2}
		cfg.VerificationPasswordFile, cfg.TLS.Key = filepath.Join(dir, "books", "password"), filepath.Join(dir, "books", "key.pem")
	})
	if err != nil {
		t.Fatal(err)
	}
	if book := filepath.Join(dir, "books", "open.txt"); !sandbox.Within(book, p.Read...) {
		t.Errorf("got %q, want %s among them", p.Read, book)
	}
	for _, other := range []string{"games/dama/dama", "data/colosseum.db", "books/password", "books/key.pem"} {
		if path := filepath.Join(dir, other); sandbox.Within(path, p.Read...) {
			t.Errorf("got %q, want none with %s", p.Read, path)
		}
	}
	if !p.Network || !p.Processes || p.FileBytes != 2<<20 {
		t.Errorf("got %+v, want network, processes and 2 MiB", p)
	}
}

// An untrusted folder must not make other files readable as interpreters.
func TestInterpreterOutsideTheSystemMustBeNamed(t *testing.T) {
	interpreter := filepath.Join(t.TempDir(), "python3")
	if err := os.WriteFile(interpreter, []byte("x"), 0o755); err != nil {
		t.Fatal(err)
	}
	write := func(dir string) {
		if err := os.WriteFile(filepath.Join(dir, "games", "chess", "chess"), []byte("#!"+interpreter+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	_, _, err := policyOf(t, func(dir string, _ *config.Config) { write(dir) })
	if want := "name its folder in plugins.libraries"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want an error with %q", err, want)
	}
	_, p, err := policyOf(t, func(dir string, cfg *config.Config) {
		write(dir)
		cfg.Plugins.Libraries = []string{filepath.Dir(interpreter)}
	})
	if err != nil || !sandbox.Within(interpreter, p.Execute...) {
		t.Errorf("got %q, error %v, want %s among them", p.Execute, err, interpreter)
	}
}

func TestRightsOfAGameAreDescribed(t *testing.T) {
	tests := []struct {
		exception config.Exception
		want      string
	}{
		{config.Exception{}, ""},
		{config.Exception{Network: true}, "\n\nOn this host the game can use the network.\n"},
		{
			config.Exception{Read: []string{"/srv/books"}, Processes: true, TemporaryMB: 16},
			"\n\nOn this host the game can read `/srv/books`, start programs and keep up to 16 MiB of temporary files.\n",
		},
	}
	for _, tt := range tests {
		cfg := config.Default()
		cfg.Plugins.Exceptions["chess"] = tt.exception
		if got := (Source{Name: "chess"}).Rights(cfg); got != tt.want {
			t.Errorf("%+v: got %q, want %q", tt.exception, got, tt.want)
		}
		if got := (Source{Name: "dama"}).Rights(cfg); got != "" {
			t.Errorf("another game: got %q, want nothing", got)
		}
	}
}
