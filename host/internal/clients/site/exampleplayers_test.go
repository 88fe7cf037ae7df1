package site

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"colosseum/internal/test/filetree"
)

func TestAnExamplePlayerIsServedAsPlainText(t *testing.T) {
	s, list := newSite(t)
	w := get(s, "/games/roshambo/players/player.py")
	if h := w.Header(); w.Code != 200 || w.Body.String() != "print('ROCK')\n" || h.Get("Content-Type") != "text/plain; charset=utf-8" || h.Get("X-Content-Type-Options") != "nosniff" {
		t.Fatalf("got %d %s %v, want the file as plain text", w.Code, w.Body, w.Header())
	}
	if again := get(s, "/games/roshambo/players/player.py", "If-None-Match", w.Header().Get("ETag")); again.Code != 304 {
		t.Errorf("unchanged file: got status %d, want 304", again.Code)
	}
	if body := get(s, "/api/games/roshambo").Body.String(); !strings.Contains(body, `"players":[{"language":"Python","file":"player.py"}]`) {
		t.Errorf("got %s, want the player in Python", body)
	}
	if err := os.WriteFile(filepath.Join(list[0].Dir, "players", "Player.java"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if body := get(s, "/api/games/roshambo").Body.String(); !strings.Contains(body, `{"language":"Java","file":"Player.java"}]`) {
		t.Errorf("with a new file: got %s, want the player in Java, too", body)
	}
}

func TestAGameUnderAnotherNameHasItsOwnExamplePlayers(t *testing.T) {
	s, list := newSite(t)
	list[0].Dir = filetree.New(t, map[string]string{"players/player.py": "of the plugin", "players/player.c": "", "players/roshambo/player.py": "its own"})
	if w := get(s, "/games/roshambo/players/player.py"); w.Body.String() != "its own" {
		t.Errorf("got %s, want its own", w.Body)
	}
	if w := get(s, "/games/roshambo/players/player.c"); w.Code != 404 {
		t.Errorf("a player that only the plugin has: got %d, want 404", w.Code)
	}
	if body := get(s, "/api/games/roshambo").Body.String(); !strings.Contains(body, `"players":[{"language":"Python","file":"player.py"}]`) {
		t.Errorf("got %s, want only the player in Python", body)
	}
}

func TestOnlyPlainExamplePlayersAreServed(t *testing.T) {
	const outside = "players/player.py: it is or lies behind a link that leads out of the folder; a link inside must be relative"
	tests := []struct {
		name string
		make func(path string) error
		want string
	}{
		{"none", func(string) error { return nil }, "there is no such file: /api/games/roshambo lists them"},
		{"too large", func(path string) error { return os.WriteFile(path, make([]byte, 64<<10+1), 0o644) }, "players/player.py: it has more than 64 KiB"},
		{"not text", func(path string) error { return os.WriteFile(path, []byte("\xff"), 0o644) }, "it is not valid UTF-8"},
		{"a folder", func(path string) error { return os.Mkdir(path, 0o755) }, "players/player.py: it is a folder, and not a regular file"},
		{"a named pipe", filetree.MakePipe, "players/player.py: it is a named pipe, and not a regular file"},
		{"a link to a device", func(path string) error { return os.Symlink("/dev/zero", path) }, outside},
		{"a link out of the folder", func(path string) error {
			secret := filepath.Join(t.TempDir(), "secret")
			return errors.Join(os.WriteFile(secret, []byte("secret"), 0o644), os.Symlink(secret, path))
		}, outside},
		{"a folder behind a link out of it", func(path string) error {
			other := t.TempDir()
			return errors.Join(os.WriteFile(filepath.Join(other, "player.py"), nil, 0o644), os.Remove(filepath.Dir(path)), os.Symlink(other, filepath.Dir(path)))
		}, outside},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, list := newSite(t)
			list[0].Dir = t.TempDir()
			if err := os.Mkdir(filepath.Join(list[0].Dir, "players"), 0o755); err != nil {
				t.Fatal(err)
			}
			filetree.Made(t, tt.make(filepath.Join(list[0].Dir, "players", "player.py")))
			if w, want := get(s, "/games/roshambo/players/player.py"), "This example player cannot be shown: "+tt.want+"\n"; w.Code != 404 || w.Body.String() != want {
				t.Errorf("got %d %q, want 404 %q", w.Code, w.Body, want)
			}
			if body := get(s, "/api/games/roshambo").Body.String(); strings.Contains(body, `"players"`) {
				t.Errorf("got %s, want no players", body)
			}
		})
	}
}

func TestNamesOfExamplePlayersLeadNowhereElse(t *testing.T) {
	s, list := newSite(t)
	if err := os.WriteFile(filepath.Join(list[0].Dir, "players", "notes.txt"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"notes.txt", "..%2fviewer.js", "%2e%2e%2fviewer.js", "..%5cviewer.js", "roshambo%2fplayer.py", "player.py%00", "PLAYER.PY", ""} {
		if w := get(s, "/games/roshambo/players/"+name); w.Code != 404 {
			t.Errorf("%q: got %d %s, want 404", name, w.Code, w.Body)
		}
	}
	if w := get(s, "/games/chess/players/player.py"); w.Code != 404 {
		t.Errorf("unknown game: got %d, want 404", w.Code)
	}
}
