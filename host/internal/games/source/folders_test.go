package source

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"colosseum/internal/test/filetree"
)

func TestGamesAreFoundByTheFilesInTheirFolders(t *testing.T) {
	dir := filetree.New(t, map[string]string{
		"go/main.go": "", "named/named*": "", "plain/game*": "", "both/main.go": "", "both/both*": "",
		"text/rules.md": "", "asleep/asleep": "", "other/program*": "", ".hidden/main.go": "", "file.go": "", "deep/er/main.go": "",
	})
	sources, err := new(Folders).Find(t.Context(), []string{dir})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range sources {
		if s.Dir != filepath.Join(dir, s.Name) {
			t.Errorf("%s is in %s, want it in %s", s.Name, s.Dir, dir)
		}
		s, _, err := look(s.Dir)
		if err != nil {
			t.Errorf("look at %s: %v, want no error", s.Dir, err)
		}
		text := s.Name
		if s.goFiles {
			text += " go"
		}
		if s.executable != "" {
			text += " " + filepath.Base(s.executable)
		}
		got = append(got, text)
	}
	if want := []string{"both go both", "go go", "named named", "plain game"}; !slices.Equal(got, want) {
		t.Errorf("found %q, want %q", got, want)
	}
	if _, err := new(Folders).Find(t.Context(), []string{dir, filetree.New(t, map[string]string{"go/main.go": ""})}); err == nil || !strings.Contains(err.Error(), "two folders are named go") {
		t.Errorf("two games of one name: got %v, want an error with both folders", err)
	}
	if _, err := new(Folders).Find(t.Context(), []string{filepath.Join(dir, "nowhere")}); err == nil || !strings.Contains(err.Error(), filepath.Join(dir, "nowhere")) || !strings.Contains(err.Error(), "set plugins.folders") {
		t.Errorf("no folder: got %v, want an error with its path and the setting", err)
	}
}
