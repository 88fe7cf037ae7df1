package source

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"colosseum/host/internal/base/config"
	"colosseum/internal/test/filetree"
)

func TestFolderThatCannotBeReadCompletelyIsRefused(t *testing.T) {
	sparse := func(path string) error {
		return errors.Join(os.WriteFile(path, nil, 0o644), os.Truncate(path, 8<<30))
	}
	pipe := filetree.MakePipe
	outside := func(path string) error { return os.Symlink("/dev/zero", path) }
	const leads = "it is or lies behind a link that leads out of the folder; a link inside must be relative"
	tests := []struct {
		name, mode, file string
		files            []string
		make             func(path string) error
		want             string // empty: it is not refused
	}{
		{"a file of 8 GiB", "auto", "data", []string{"game*"}, sparse, "the game's folder: with data its files have more than 512 MiB together"},
		{"a program outside", "auto", "game", []string{"notes"}, outside, "game: " + leads},
		{"a named pipe next to a program", "auto", "pipe", []string{"game*"}, pipe, ""},
		{"a link next to a program", "auto", "link", []string{"game*"}, outside, ""},
		{"a named pipe that would be compiled", "compiled", "x.go", []string{"main.go"}, pipe, "x.go: it is a named pipe, and not a regular file"},
		{"one in a package below", "compiled", "board/x.s", []string{"main.go", "board/board.go"}, pipe, "board/x.s: it is a named pipe, and not a regular file"},
		{"a link that would be compiled", "compiled", "x.go", []string{"main.go"}, outside, "x.go: " + leads},
		{"a file of 8 GiB that would be compiled", "compiled", "board/x.go", []string{"main.go", "board/board.go"}, sparse, "board/x.go: it has more than 16 MiB"},
		{"a file for the assembler", "compiled", "board/x.s", []string{"main.go", "board/board.go"}, func(path string) error { return os.WriteFile(path, nil, 0o644) },
			"board/x.s: games can't have files for the assembler, which could include any file of the host: use Go"},
		{"a named pipe that is hidden", "compiled", ".x.go", []string{"main.go"}, pipe, ""},
		{"a link to a folder inside", "compiled", "x", []string{"main.go", "board/board.go"}, func(path string) error { return os.Symlink("board", path) }, ""},
		{"a link to nothing", "compiled", "x", []string{"main.go"}, func(path string) error { return os.Symlink("nowhere", path) }, ""},
		{"a named pipe next to a script", "script", "x.go", []string{"main.go"}, pipe, ""}, // the script's process checks it
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			files := map[string]string{}
			for _, name := range tt.files {
				files["x/"+name] = "package main\n"
			}
			dir := filepath.Join(filetree.New(t, files), "x")
			filetree.Made(t, tt.make(filepath.Join(dir, filepath.FromSlash(tt.file))))
			cfg := config.Default()
			cfg.Plugins.Mode = tt.mode
			_, ok, err := examine(dir, cfg, nil)
			if !ok {
				t.Fatal("examine found no game, want one")
			}
			if err != nil != (tt.want != "") || err != nil && err.Error() != tt.want {
				t.Errorf("the error is %v, want %q", err, tt.want)
			}
		})
	}
}
