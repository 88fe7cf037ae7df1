package site

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"colosseum/internal/gamedir"
	"colosseum/internal/test/filetree"
)

func TestAViewerIsServedAsItsFileIsNow(t *testing.T) {
	s, list := newSite(t)
	w := get(s, "/games/roshambo/viewer.js")
	if w.Code != 200 || w.Body.String() != "export const start = 1;\n" || !strings.HasPrefix(w.Header().Get("Content-Type"), "text/plain") {
		t.Fatalf("got %d %s %v, want the file as plain text", w.Code, w.Body, w.Header())
	}
	if again := get(s, "/games/roshambo/viewer.js", "If-None-Match", w.Header().Get("ETag")); again.Code != 304 {
		t.Errorf("unchanged file: got status %d, want 304", again.Code)
	}
	writeViewer(t, list[0].Dir, "export const start = 22;\n")
	if now := get(s, "/games/roshambo/viewer.js", "If-None-Match", w.Header().Get("ETag")); now.Code != 200 || !strings.Contains(now.Body.String(), "22") {
		t.Errorf("changed file: got %d %s, want 200 and the new text", now.Code, now.Body)
	}
}

func TestAGameWithoutAUsableViewerIsShownAsText(t *testing.T) {
	const outside = "viewer.js: it is or lies behind a link that leads out of the folder; a link inside must be relative"
	tests := []struct {
		name string
		make func(path string) error
		want string
	}{
		{"none", func(string) error { return nil }, "it has no viewer.js"},
		{"too large", func(path string) error { return os.WriteFile(path, make([]byte, 256<<10+1), 0o644) }, "viewer.js: it has more than 256 KiB"},
		{"a sparse file of 8 GiB", func(path string) error {
			return errors.Join(os.WriteFile(path, nil, 0o644), os.Truncate(path, 8<<30))
		}, "viewer.js: it has more than 256 KiB"},
		{"a folder", func(path string) error { return os.Mkdir(path, 0o755) }, "viewer.js: it is a folder, and not a regular file"},
		{"a named pipe", filetree.MakePipe, "viewer.js: it is a named pipe, and not a regular file"},
		{"a link to a device", func(path string) error { return os.Symlink("/dev/zero", path) }, outside},
		{"a link out of the folder", func(path string) error {
			secret := filepath.Join(t.TempDir(), "secret")
			return errors.Join(os.WriteFile(secret, []byte("secret"), 0o644), os.Symlink(secret, path))
		}, outside},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, list := newSite(t)
			list[0].Dir = t.TempDir()
			filetree.Made(t, tt.make(filepath.Join(list[0].Dir, "viewer.js")))
			if w, want := get(s, "/games/roshambo/viewer.js"), "This game is shown as text: "+tt.want+"\n"; w.Code != 404 || w.Body.String() != want {
				t.Errorf("got %d %q, want 404 %q", w.Code, w.Body, want)
			}
			if body := get(s, "/api/games/roshambo").Body.String(); strings.Contains(body, `"viewer"`) {
				t.Errorf("got %s, want no viewer", body)
			}
		})
	}
}

func TestAFolderThatHangsDelaysOneRequest(t *testing.T) {
	dir := t.TempDir()
	writeViewer(t, dir, "")
	synctest.Test(t, func(t *testing.T) {
		list := fakeCatalog{{Name: "roshambo", Dir: dir}}
		s, disk := New(Parts{Games: list, Lobby: fakeLobby{}, Readers: &fakeReaders{}}, quiet), make(chan struct{})
		if _, _, err := s.files.Viewer(list[0], func(string) bool { <-disk; return false }); !errors.Is(err, gamedir.ErrSilent) {
			t.Errorf("got %v, want %v", err, gamedir.ErrSilent)
		}
		begin := time.Now()
		if w := get(s, "/games/roshambo/viewer.js"); w.Code != 503 {
			t.Errorf("got %d %s, want 503", w.Code, w.Body)
		}
		if body := get(s, "/api/games").Body.String(); strings.Contains(body, `"viewer"`) {
			t.Errorf("got %s, want no viewer", body)
		}
		if d := time.Since(begin); d != 0 {
			t.Errorf("the next requests took %v, want 0s", d)
		}
		close(disk)
		synctest.Wait()
		if w := get(s, "/games/roshambo/viewer.js"); w.Code != 200 {
			t.Errorf("afterwards: got %d %s, want 200", w.Code, w.Body)
		}
	})
}

func TestAGameShowsAtOnceWhetherItHasAViewer(t *testing.T) {
	s, list := newSite(t)
	has := func(when string, want bool) {
		t.Helper()
		for _, address := range []string{"/api/games", "/api/games/roshambo"} {
			if got := bytes.Contains(get(s, address).Body.Bytes(), []byte(`"viewer"`)); got != want {
				t.Errorf("%s, %s: got a viewer: %t, want %t", when, address, got, want)
			}
		}
	}
	has("at first", true)
	if err := os.Remove(filepath.Join(list[0].Dir, "viewer.js")); err != nil {
		t.Fatal(err)
	}
	has("when it is gone", false)
	writeViewer(t, list[0].Dir, "// back")
	has("when it is back", true)
}
