package site

import (
	"bytes"
	"encoding/json"
	"errors"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"colosseum/host/internal/clients/gamefiles"
	"colosseum/internal/test/filetree"
)

// pngOf returns a PNG image of a size, with more bytes behind it.
func pngOf(t *testing.T, width, height, more int) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, width, height))); err != nil {
		t.Fatal(err)
	}
	return append(b.Bytes(), make([]byte, more)...)
}

// pictureListed returns the address of the picture of roshambo in the API, or "".
func pictureListed(t *testing.T, s *Site) string {
	t.Helper()
	var a gamesAnswer
	if err := json.Unmarshal(get(s, "/api/games").Body.Bytes(), &a); err != nil {
		t.Fatal(err)
	}
	var one gameAnswer
	if err := json.Unmarshal(get(s, "/api/games/roshambo").Body.Bytes(), &one); err != nil {
		t.Fatal(err)
	}
	if one.Picture != a.Games[0].Picture {
		t.Errorf("got the picture %q of the game and %q in the list, want the same", one.Picture, a.Games[0].Picture)
	}
	return one.Picture
}

func TestAPictureIsServedAsItsFileIsNow(t *testing.T) {
	s, list := newSite(t)
	list[0].Picture = "picture-of-rock.png"
	if got := pictureListed(t, s); got != "" {
		t.Errorf("without a file: got the picture %q, want none", got)
	}
	path := filepath.Join(list[0].Dir, list[0].Picture)
	write := func(b []byte) {
		t.Helper()
		if err := os.WriteFile(path, b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	first := pngOf(t, gamefiles.PictureWidth, gamefiles.PictureHeight, 0)
	write(first)
	address := pictureListed(t, s)
	w := get(s, address)
	if w.Code != 200 || !bytes.Equal(w.Body.Bytes(), first) {
		t.Fatalf("%s: got %d and %d bytes, want the file", address, w.Code, w.Body.Len())
	}
	for name, want := range map[string]string{
		"Content-Type": "image/png", "X-Content-Type-Options": "nosniff", "Cross-Origin-Resource-Policy": "cross-origin", "Cache-Control": "public, max-age=31536000, immutable",
	} {
		if got := w.Header().Get(name); got != want {
			t.Errorf("got %s %q, want %q", name, got, want)
		}
	}
	plain := get(s, "/games/roshambo/picture.png", "If-None-Match", w.Header().Get("ETag"))
	if got := plain.Header().Get("Cache-Control"); plain.Code != 304 || got != "no-cache" {
		t.Errorf("without a hash: got %d and Cache-Control %q, want 304 and no-cache", plain.Code, got)
	}
	write(pngOf(t, gamefiles.PictureWidth, gamefiles.PictureHeight, 1))
	if now := pictureListed(t, s); now == address || now == "" {
		t.Errorf("after a change: got the address %q, want one other than %q", now, address)
	}
	if now := get(s, address, "If-None-Match", w.Header().Get("ETag")); now.Code != 200 || now.Header().Get("Cache-Control") != "no-cache" || now.Body.Len() != len(first)+1 {
		t.Errorf("after a change: got %d, %v and %d bytes at the old address, want the new file, not to be kept", now.Code, now.Header(), now.Body.Len())
	}
}

func TestAGameWithoutAUsablePictureHasNone(t *testing.T) {
	const outside = "picture.png: it is or lies behind a link that leads out of the folder; a link inside must be relative"
	write := func(b []byte) func(path string) error {
		return func(path string) error { return os.WriteFile(path, b, 0o644) }
	}
	tests := []struct {
		name string
		make func(path string) error
		want string
	}{
		{"none", func(string) error { return nil }, "it has no picture.png"},
		{"empty", write(nil), "picture.png: it is not a PNG image"},
		{"another type", write([]byte("GIF89a")), "picture.png: it is not a PNG image"},
		{"markup", write([]byte("<svg xmlns='http://www.w3.org/2000/svg'/>")), "picture.png: it is not a PNG image"},
		{"another size", write(pngOf(t, 336, 640, 0)), "picture.png: it has 336×640 pixels: make it 640×336"},
		{"too large", write(pngOf(t, gamefiles.PictureWidth, gamefiles.PictureHeight, 256<<10)), "picture.png: it has more than 256 KiB"},
		{"a sparse file of 8 GiB", func(path string) error {
			return errors.Join(os.WriteFile(path, nil, 0o644), os.Truncate(path, 8<<30))
		}, "picture.png: it has more than 256 KiB"},
		{"a folder", func(path string) error { return os.Mkdir(path, 0o755) }, "picture.png: it is a folder, and not a regular file"},
		{"a named pipe", filetree.MakePipe, "picture.png: it is a named pipe, and not a regular file"},
		{"a link to a device", func(path string) error { return os.Symlink("/dev/zero", path) }, outside},
		{"a link out of the folder", func(path string) error {
			other := filepath.Join(t.TempDir(), "picture.png")
			return errors.Join(os.WriteFile(other, pngOf(t, gamefiles.PictureWidth, gamefiles.PictureHeight, 0), 0o644), os.Symlink(other, path))
		}, outside},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, list := newSite(t)
			list[0].Dir, list[0].Picture = t.TempDir(), "picture.png"
			filetree.Made(t, tt.make(filepath.Join(list[0].Dir, "picture.png")))
			w := get(s, "/games/roshambo/picture.png")
			if want := "This game has no picture: " + tt.want + "\n"; w.Code != 404 || w.Body.String() != want || !strings.HasPrefix(w.Header().Get("Content-Type"), "text/plain") {
				t.Errorf("got %d %q as %s, want 404 %q as plain text", w.Code, w.Body, w.Header().Get("Content-Type"), want)
			}
			if got := pictureListed(t, s); got != "" {
				t.Errorf("got the picture %q, want none", got)
			}
		})
	}
}

func TestAGameThatDoesNotExistHasNoPicture(t *testing.T) {
	s, _ := newSite(t)
	if w := get(s, "/games/chess/picture.png"); w.Code != 404 {
		t.Errorf("got %d, want 404", w.Code)
	}
	if w := get(s, "/games/tiny/picture.png"); w.Code != 404 || !strings.Contains(w.Body.String(), "no file for one") {
		t.Errorf("a game without a folder: got %d %s, want 404 with the reason", w.Code, w.Body)
	}
}
