package config

import (
	"path/filepath"
	"slices"
	"testing"

	"colosseum/internal/test/filetree"
)

func TestCommandElsewhereUsesTheFoldersOfTheHost(t *testing.T) {
	home := filetree.New(t, map[string]string{"plugins/dama/main.go": "", "data/x": "", "elsewhere/x": "", "checkout/plugins/x": ""})
	host := Default()
	host.Data = filepath.Join(home, "data")
	t.Chdir(home)
	for range 2 {
		if err := host.KeepFolders(); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		name, from string
		folders    []string
		data       string
		want       []string
	}{
		{"in another folder", "elsewhere", nil, host.Data, []string{filepath.Join(home, "plugins")}},
		{"in a folder with other games", "checkout", nil, host.Data, []string{"plugins"}},
		{"with a configuration", "elsewhere", []string{"mine"}, host.Data, []string{"mine"}},
		{"with a data folder that no host has used", "elsewhere", nil, home, []string{"plugins"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Chdir(filepath.Join(home, test.from))
			c := Default()
			c.Data = test.data
			if test.folders != nil {
				c.Plugins.Folders = test.folders
			}
			if c.UseFolders(); !slices.Equal(c.Plugins.Folders, test.want) {
				t.Errorf("got %q, want %q", c.Plugins.Folders, test.want)
			}
		})
	}
}
