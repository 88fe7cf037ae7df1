package gamefiles

import (
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"colosseum/host/internal/games/catalog"
	"colosseum/internal/gamedir"
	"colosseum/internal/test/filetree"
)

func TestAFolderThatHangsDelaysOneReader(t *testing.T) {
	o := &catalog.Offer{Name: "roshambo", Dir: filetree.New(t, map[string]string{ViewerFile: "// text", "players/player.py": ""}), Picture: "picture.png"}
	never := func(string) bool { return false }
	synctest.Test(t, func(t *testing.T) {
		f, disk := New(slog.New(slog.DiscardHandler)), make(chan struct{})
		begin := time.Now()
		_, err := look(f, o, func(*gamedir.Folder) (struct{}, error) { <-disk; return struct{}{}, nil })
		if d := time.Since(begin); !errors.Is(err, gamedir.ErrSilent) || d != timeout {
			t.Errorf("got %v after %v, want %v after %v", err, d, gamedir.ErrSilent, timeout)
		}
		begin = time.Now()
		_, _, ofViewer := f.Viewer(o, never)
		_, _, ofPlayer := f.Player(o, "player.py")
		_, ofPicture := f.Picture(o)
		for _, err := range []error{ofViewer, ofPlayer, ofPicture} {
			if !errors.Is(err, gamedir.ErrSilent) {
				t.Errorf("got %v, want %v", err, gamedir.ErrSilent)
			}
		}
		if f.ViewerTag(o) != "" || len(f.Players(o)) > 0 || f.State([]*catalog.Offer{o}) != "" {
			t.Error("got files of a folder that does not answer, want none")
		}
		if d := time.Since(begin); d != 0 {
			t.Errorf("the next reads took %v, want 0s", d)
		}
		close(disk)
		synctest.Wait()
		if text, _, err := f.Viewer(o, never); err != nil || string(text) != "// text" {
			t.Errorf("afterwards: got %q, %v, want the viewer", text, err)
		}
	})
}
