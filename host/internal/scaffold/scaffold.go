// Package scaffold makes the folder of a new game: a small one that is complete
// and runs at once.
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

// files are the names of what is written, by template; %s is the game's name.
var files = map[string]string{
	"game.go.tmpl":      "%s.go",
	"game_test.go.tmpl": "%s_test.go",
	"rules.md.tmpl":     "rules.md",
	"player.py.tmpl":    "player.py",
	"README.md.tmpl":    "README.md",
}

// maxModule bounds a go.mod or go.sum, in bytes.
const maxModule = 1 << 20

// modulePath is the module that has the SDK.
const modulePath = "colosseum"

// Game says what to make.
type Game struct {
	Name   string
	Folder string // in which the game's folder is made
	Source string // where Colosseum's source is; empty: not known
}

// namePattern is the SDK's, but for the underscore: name_test.go or
// name_linux.go would not be an ordinary file to Go.
var namePattern = regexp.MustCompile(`^[a-z][a-z0-9-]{1,31}$`)

// reserved are names of folders that mean something to Go.
var reserved = map[string]bool{"internal": true, "testdata": true, "vendor": true}

// Make writes the game, in a new folder whose path it returns. Module tells
// whether a go.mod was written: inside the source tree the game needs none, and
// where the source tree is not known it could not be written. After an error
// nothing is left.
func Make(g Game) (folder string, module bool, err error) {
	if !namePattern.MatchString(g.Name) || reserved[g.Name] {
		return "", false, fmt.Errorf("%q can't be the name of a game: use 2 to 32 lower-case letters, digits and -, a letter first, and none of internal, testdata, vendor", g.Name)
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
		if err := write(filepath.Join(folder, to), from, "{{Name}}", g.Name, "{{Title}}", title); err != nil {
			return "", false, err
		}
	}
	if Root(parent) != "" || g.Source == "" {
		return folder, false, nil
	}
	return folder, true, writeModule(folder, g)
}

// write writes a file from a template, in which it puts values in the place of
// names: {{Name}} and its like. (Go itself writes {{ in tables of structs.)
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

// writeModule writes go.mod and go.sum for a game outside the source tree. It
// requires what Colosseum itself requires, so that nothing has to be looked up.
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

// What of a go.mod holds for those who require its module: how new Go must be,
// and what else is required.
var (
	moduleLine   = regexp.MustCompile(`(?m)^module (\S+)$`)
	goLine       = regexp.MustCompile(`(?m)^go \S+$`)
	requirements = regexp.MustCompile(`(?m)^require (\((.|\n)*?^\)|[^(\n]+)\n`)
)

// Root returns the root of Colosseum's source tree, when a path is in it, else
// nothing.
func Root(path string) string {
	for dir := filepath.Clean(path); ; dir = filepath.Dir(dir) {
		text, err := gamedir.Read(dir, "go.mod", maxModule)
		if err == nil {
			if m := moduleLine.FindSubmatch(text); m != nil && string(m[1]) == modulePath {
				return dir
			}
			return "" // it is in another module
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
}
