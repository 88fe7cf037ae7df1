//go:build unix

package catalog

import (
	"context"
	"log/slog"
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"colosseum/host/internal/base/config"
	"colosseum/internal/test/filetree"
)

func TestGameIsChosenByNameOrPath(t *testing.T) {
	t.Parallel()
	dir := filetree.New(t, map[string]string{"dama/dama*": failing, "kamisado/kamisado*": failing})
	tests := []struct {
		name, game  string
		plugin, as  string
		wantRefusal string
	}{
		{"a plugin", "kamisado", "kamisado", "kamisado", ""},
		{"a named game", "damath", "dama", "damath", ""},
		{"a path", filepath.Join(dir, "dama"), "dama", "dama", ""},
		{"a path with a slash at its end", filepath.Join(dir, "dama") + "/", "dama", "dama", ""},
		{"a wrong name", "damas", "", "", `unknown game "damas" (have dama, damath, kamisado; a path like ./damas is the game in that folder)`},
		{"a folder without a game", dir + "/.", "", "", "is not a game"},
		{"a folder that does not exist", "./nowhere", "", "", "./nowhere is not a game"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, as, err := choose(t.Context(), configOf(dir), tt.game)
			if tt.wantRefusal != "" {
				if err == nil || !strings.Contains(err.Error(), tt.wantRefusal) {
					t.Errorf("error %v, want %q", err, tt.wantRefusal)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if s.Name != tt.plugin || s.Dir != filepath.Join(dir, tt.plugin) || as != tt.as {
				t.Errorf("chose %s in %s as %s, want %s as %s", s.Name, s.Dir, as, tt.plugin, tt.as)
			}
		})
	}
}

func TestGameThatDoesNotStartIsAProblem(t *testing.T) {
	t.Parallel()
	c := configOf(filetree.New(t, map[string]string{"broken/broken*": failing}))
	c.Games["other"] = config.Game{Plugin: "nowhere"}
	cat := newLoaded(t, c)
	defer cat.Close()
	// The plugin of damath is missing too, but damath is a default.
	if got := cat.Problems(); len(got) != 2 {
		t.Errorf("the problems are %v, want those of broken and of other", got)
	}
	if got, want := cat.problemOf("broken"), "no luck"; !strings.Contains(got, want) {
		t.Errorf("the problem of broken is %q, want %q in it", got, want)
	}
	if got, want := cat.problemOf("other"), "its plugin nowhere is not there"; got != want {
		t.Errorf("the problem of other is %q, want %q", got, want)
	}
	if got, want := cat.Stats(), (map[string]Stats{"broken": {Failed: 1}}); !maps.Equal(got, want) {
		t.Errorf("the stats are %+v, want %+v", got, want)
	}
	if _, _, err := OpenOne(context.Background(), c, "broken", t.TempDir(), slog.New(slog.DiscardHandler)); err == nil || !strings.Contains(err.Error(), "no luck") {
		t.Errorf("OpenOne: error %v, want the text of the game", err)
	}
}
