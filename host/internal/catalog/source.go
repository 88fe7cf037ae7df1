package catalog

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"colosseum/host/internal/config"
	"colosseum/internal/gamedir"
)

// source is a folder that holds a game, as it was when somebody looked.
type source struct {
	name       string // of the folder
	dir        string // absolute
	executable string // that stands in the folder; empty: none
	goFiles    bool
	hash       string          // of the files that make up the game; set by examine
	texts      map[string]text // Markdown, by file; set by examine
}

// text is a description in Markdown, or what is wrong with it.
type text struct {
	markdown, fault string
	missing         bool // the fault is that there is no such file
}

// The ways to run a game.
const (
	modeAuto     = "auto"     // compiled when there is a Go toolchain, else as it can
	modeCompiled = "compiled" // built from its Go source
	modeScript   = "script"   // interpreted
	modeProgram  = "program"  // the executable that stands in the folder
)

// mode is the way in which this host runs the game.
func (s source) mode(cfg *config.Config) string {
	mode := cfg.Plugins.Mode
	if own, ok := cfg.Plugins.Modes[s.name]; ok {
		mode = own
	}
	_, err := exec.LookPath("go")
	switch {
	case !s.goFiles:
		return modeProgram
	case mode != modeAuto:
		return mode
	case err == nil:
		return modeCompiled
	case s.executable != "":
		return modeProgram
	default:
		return modeScript
	}
}

// command returns what to start, and the version: the hash of the program that
// was built, or of the folder.
func (s source) command(ctx context.Context, cfg *config.Config, cache string) (command []string, version string, err error) {
	switch s.mode(cfg) {
	case modeScript:
		self, err := os.Executable()
		return []string{self, "script", s.dir}, s.hash, err
	case modeCompiled:
		path, version, err := s.program(ctx, cache)
		return []string{path}, version, err
	default:
		return []string{s.executable}, s.hash, nil
	}
}

// Limits of what is read of a game's folder, in bytes.
const (
	maxContent = 512 << 20 // the files of a game, together
	maxGoFile  = 16 << 20  // that the compiler reads
	maxRules   = 256 << 10 // a description
)

// rulesFile is the description of a game that brings none itself.
const rulesFile = "rules.md"

// open opens a folder that may hold a game; nil without an error: it does not.
func open(dir string) (*gamedir.Folder, error) {
	f, err := gamedir.Open(dir)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.ENOTDIR) {
		return nil, nil
	}
	return f, err
}

// look returns what a folder holds; not ok: no game. With an error it is a game
// that can't be loaded.
func look(dir string) (s source, ok bool, err error) {
	s = source{name: filepath.Base(dir), dir: dir}
	f, err := open(dir)
	if f == nil {
		return s, err != nil, err
	}
	defer f.Close()
	return s.look(f)
}

func (s source) look(f *gamedir.Folder) (source, bool, error) {
	entries, err := f.List()
	if errors.Is(err, fs.ErrPermission) {
		return s, false, nil
	}
	if err != nil {
		return s, true, err
	}
	s.goFiles = slices.ContainsFunc(entries, func(e os.DirEntry) bool { return strings.HasSuffix(e.Name(), ".go") })
	var refused error
	for _, name := range []string{s.name, "game"} {
		info, err := f.Stat(name)
		if err == nil && info.Mode()&0o111 != 0 {
			s.executable = filepath.Join(s.dir, name)
			return s, true, nil
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) && !f.IsFolder(name) {
			refused = errors.Join(refused, err)
		}
	}
	if s.goFiles {
		return s, true, nil
	}
	return s, refused != nil, refused
}

// examine is look with all that is read of the folder to load the game: its
// content, and the descriptions that the configuration names. Watch, if it is
// not nil, gets the folders whose changes concern the game before their files
// are read.
func examine(dir string, cfg *config.Config, watch func(folders []string)) (s source, ok bool, err error) {
	s = source{name: filepath.Base(dir), dir: dir}
	f, err := open(dir)
	if f == nil {
		return s, err != nil, err
	}
	defer f.Close()
	if watch != nil {
		watch([]string{dir}) // also one that is no game yet
	}
	if s, ok, err = s.look(f); !ok || err != nil {
		return s, ok, err
	}
	for watched, tries := []string(nil), 0; ; tries++ {
		folders, err := s.tree(f)
		if err != nil {
			return s, true, err
		}
		if watch == nil || tries == 3 || slices.Equal(folders, watched) {
			break // it has not got a new folder while it was read
		}
		watch(folders)
		watched = folders
	}
	if s.mode(cfg) == modeCompiled {
		if err := s.checkBuild(f); err != nil {
			return s, true, err
		}
	}
	if s.hash, err = s.content(f); err != nil {
		return s, true, err
	}
	s.texts = map[string]text{rulesFile: readText(f, rulesFile)}
	for _, g := range cfg.Games {
		if g.Plugin == s.name && g.Rules != "" {
			s.texts[g.Rules] = readText(f, g.Rules)
		}
	}
	return s, true, nil
}

// readText reads a description.
func readText(f *gamedir.Folder, name string) text {
	b, err := f.Read(filepath.ToSlash(name), maxRules)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return text{fault: name + ": there is no such file in the plugin's folder", missing: true}
	case err != nil:
		return text{fault: err.Error()}
	}
	return text{markdown: string(b)}
}

// hidden reports whether a file or folder is none of the game's.
func hidden(name string) bool { return strings.HasPrefix(name, ".") }
