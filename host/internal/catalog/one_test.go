package catalog

import (
	"context"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"colosseum/host/internal/config"
)

// brokenGames makes a folder of games whose programs do nothing but fail.
func brokenGames(t *testing.T, games ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, game := range games {
		if err := os.Mkdir(filepath.Join(dir, game), 0o755); err != nil {
			t.Fatal(err)
		}
		program := "#!/bin/sh\necho no luck >&2\nexit 1\n"
		if err := os.WriteFile(filepath.Join(dir, game, game), []byte(program), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func configOf(folder string) *config.Config {
	c := config.Default()
	c.Plugins.Folders = []string{folder}
	c.Plugins.StartTimeout = limit
	return c
}

func unheard() *slog.Logger { return slog.New(slog.NewTextHandler(io.Discard, nil)) }

func TestGameIsChosenByNameOrPath(t *testing.T) {
	dir := brokenGames(t, "dama", "kamisado")
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
		{"a folder without a game", dir + "/.", "", "", "is no game"},
		{"no folder", "./nowhere", "", "", "./nowhere is no game"},
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
			if s.name != tt.plugin || s.dir != filepath.Join(dir, tt.plugin) || as != tt.as {
				t.Errorf("chose %s in %s as %s, want %s as %s", s.name, s.dir, as, tt.plugin, tt.as)
			}
		})
	}
}

func TestGameThatDoesNotStartIsAProblem(t *testing.T) {
	c := configOf(brokenGames(t, "broken"))
	c.Games["other"] = config.Game{Plugin: "nowhere"}
	cat := opened(t, c)
	defer cat.Close()
	problems := cat.Problems()
	// That damath has no dama here is no problem: only the defaults name it.
	if len(problems) != 2 {
		t.Fatalf("problems %v, want those of broken and of other", problems)
	}
	if p := problems[0]; p.Game != "broken" || !strings.Contains(p.Err.Error(), "no luck") {
		t.Errorf("problem %v, want broken with what it wrote", p)
	}
	if p := problems[1]; p.Game != "other" || p.Err.Error() != "its plugin nowhere is not there" {
		t.Errorf("problem %v, want other without its plugin", p)
	}

	if _, _, err := OpenOne(context.Background(), c, "broken", t.TempDir(), unheard()); err == nil || !strings.Contains(err.Error(), "no luck") {
		t.Errorf("OpenOne: error %v, want what the game wrote", err)
	}
}
