// Package scaffold creates the folder of a new game, with a small game that is
// complete and runs.
package scaffold

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"colosseum/internal/gamedir"
)

//go:embed templates
var templates embed.FS

// files has the names of the files, by template. %s is the game's name.
var files = map[string]string{
	"game.go.tmpl":      "%s.go",
	"game_test.go.tmpl": "%s_test.go",
	"rules.md.tmpl":     "rules.md",
	"player.py.tmpl":    "players/player.py",
	"README.md.tmpl":    "README.md",
}

// maxModule is the size limit of a go.mod or go.sum, in bytes.
const maxModule = 1 << 20

// modulePath is the path of the module with the SDK.
const modulePath = "colosseum"

// Game describes a game to create.
type Game struct {
	Name   string
	Folder string // parent of the game's folder
	Source string // path of Colosseum's source; empty: not known
}

// namePattern is the SDK's pattern without the underscore, because name_test.go and
// name_linux.go have a special meaning to Go.
var namePattern = regexp.MustCompile(`^[a-z][a-z0-9-]{1,31}$`)

// reserved has the names of folders with a special meaning to Go.
var reserved = map[string]bool{"internal": true, "testdata": true, "vendor": true}

// Make writes the game to a new folder and returns its path. Module reports whether it
// wrote a go.mod: not without g.Source, and not inside the source tree, where the game
// needs none. If Make fails, it removes the folder.
func Make(g Game) (folder string, module bool, err error) {
	if !namePattern.MatchString(g.Name) || reserved[g.Name] {
		return "", false, fmt.Errorf("%q cannot be the name of a game: use 2 to 32 lower-case letters, digits and -, with a letter first, and none of internal, testdata, vendor", g.Name)
	}
	parent, err := filepath.Abs(g.Folder)
	if err != nil {
		return "", false, err
	}
	if info, err := os.Stat(parent); err != nil || !info.IsDir() {
		return "", false, fmt.Errorf("there is no folder %s: make it first, or name another with --dir", g.Folder)
	}
	folder = filepath.Join(parent, g.Name)
	if err := os.Mkdir(folder, 0o755); errors.Is(err, fs.ErrExist) {
		return "", false, fmt.Errorf("%s exists already: choose another name, or another folder with --dir", folder)
	} else if err != nil {
		return "", false, err
	}
	defer func() {
		if err != nil {
			_ = os.RemoveAll(folder)
		}
	}()
	title := strings.ToUpper(g.Name[:1]) + strings.ReplaceAll(g.Name[1:], "-", " ")
	for from, to := range files {
		if strings.Contains(to, "%s") {
			to = fmt.Sprintf(to, g.Name)
		}
		path := filepath.Join(folder, to)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return "", false, err
		}
		if err := write(path, from, "{{Name}}", g.Name, "{{Title}}", title); err != nil {
			return "", false, err
		}
	}
	if Root(parent) != "" || g.Source == "" {
		return folder, false, nil
	}
	return folder, true, writeModule(folder, g)
}

// write writes a file from a template. It replaces names such as {{Name}} by values.
// (text/template would take the {{ of Go's composite literals for its own.)
func write(path, from string, namesAndValues ...string) error {
	text, err := templates.ReadFile("templates/" + from)
	if err != nil {
		return err
	}
	mode := os.FileMode(0o644)
	if strings.HasSuffix(path, ".py") {
		mode = 0o755
	}
	return os.WriteFile(path, []byte(strings.NewReplacer(namesAndValues...).Replace(string(text))), mode)
}

// writeModule writes go.mod and go.sum for a game outside the source tree. They have
// the requirements of Colosseum itself, so that Go needs no network.
func writeModule(folder string, g Game) error {
	text, err := gamedir.Read(g.Source, "go.mod", maxModule)
	if err != nil {
		return fmt.Errorf("read Colosseum's go.mod: %w", err)
	}
	source := g.Source
	if strings.ContainsAny(source, " \t\"'`()[]{},;") {
		source = strconv.Quote(source)
	}
	err = write(filepath.Join(folder, "go.mod"), "go.mod.tmpl", "{{Name}}", g.Name, "{{Source}}", source,
		"{{Go}}", string(goLine.Find(text)), "{{Requirements}}\n", string(bytes.Join(requirements.FindAll(text, -1), []byte("\n"))))
	if err != nil {
		return err
	}
	sums, err := gamedir.Read(g.Source, "go.sum", maxModule)
	if err != nil {
		return fmt.Errorf("read Colosseum's go.sum: %w", err)
	}
	return os.WriteFile(filepath.Join(folder, "go.sum"), sums, 0o644)
}

// The parts of Colosseum's go.mod that the go.mod of a game repeats.
var (
	moduleLine   = regexp.MustCompile(`(?m)^module (\S+)$`)
	goLine       = regexp.MustCompile(`(?m)^go \S+$`)
	requirements = regexp.MustCompile(`(?m)^require (\((.|\n)*?^\)|[^(\n]+)\n`)
)

// Root returns the root of Colosseum's source tree if path is inside it, otherwise "".
func Root(path string) string {
	for dir := filepath.Clean(path); ; dir = filepath.Dir(dir) {
		text, err := gamedir.Read(dir, "go.mod", maxModule)
		if err == nil {
			if m := moduleLine.FindSubmatch(text); m != nil && string(m[1]) == modulePath {
				return dir
			}
			return "" // another module
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
}
