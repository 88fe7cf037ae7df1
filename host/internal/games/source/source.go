// Package source turns folders into games that can be started: it finds the
// folders that hold games, reads and watches them, and builds their programs.
// It reads them with package gamedir, because their content is not trusted.
package source

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
	"time"

	"colosseum/host/internal/base/config"
	"colosseum/internal/gamedir"
	"colosseum/sdk/script/symbols"
)

// Source is a folder that holds a game, as it was when it was read.
type Source struct {
	Name       string // of the folder
	Dir        string // absolute
	executable string // path of the program in the folder; empty: none
	goFiles    bool
	Texts      map[string]Text // by file; set by Examine

	Title string // that its Go source gives it; empty: unknown; set by Examine

	// The fields below are set by Examine.
	hash          string          // of what the rules depend on in the folder; all of it unless importsOthers is set
	modules       string          // if it is compiled: hash of the files that choose its libraries
	importsOthers bool            // if it is compiled: its version can depend on other packages
	importsSDK    bool            // if it is compiled: its package imports the SDK's package plugin
	inModule      bool            // if it is compiled: the go command finds its module
	module        string          // if it is compiled: the folder of that, if it is around its own and can hold other games; empty: it is not
	visits        *gamedir.Visits // of Dir

	patience time.Duration // how long the go command can go without progress

	overlay string   // for the go command; set by program if the folder is in no module
	caches  []string // variables for the go command; set by program
}

// Same reports whether the game surely has the same version and program as when its
// folder was read before. If it returns false, Program returns the version.
func (s Source) Same(before Source) bool {
	return s.hash == before.hash && s.modules == before.modules && s.inModule == before.inModule && !s.importsOthers
}

// Unchanged reports whether the folder has the same content as when it was read before.
func (s Source) Unchanged(before Source) bool { return s.hash == before.hash }

// Text is a description in Markdown, or the reason why it was not read.
type Text struct {
	Markdown, Fault string
	Missing         bool // the fault is that the file does not exist
}

// Limits on the files of a game, in bytes.
const (
	maxContent = 512 << 20 // all files of a game together
	maxGoFile  = 16 << 20  // a file that the compiler reads
	MaxRules   = 256 << 10 // a description
)

// RulesFile has the description of a game whose program has none.
const RulesFile = "rules.md"

// PictureFile has the picture of a game.
const PictureFile = "picture.png"

// The ways to run a game.
const (
	modeAuto     = "auto"     // compiled if there is a Go toolchain, else the executable, else the script
	ModeCompiled = "compiled" // built from its Go source
	ModeScript   = "script"   // interpreted
	modeProgram  = "program"  // the executable in the folder
)

// Mode returns how this host runs the game.
func (s Source) Mode(cfg *config.Config) string {
	mode := s.configured(cfg)
	_, err := exec.LookPath("go")
	switch {
	case !s.goFiles:
		return modeProgram
	case mode != modeAuto:
		return mode
	case err == nil:
		return ModeCompiled
	case s.executable != "":
		return modeProgram
	default:
		return ModeScript
	}
}

// configured returns the mode that the configuration sets for the game.
func (s Source) configured(cfg *config.Config) string {
	if own, ok := cfg.Plugins.Modes[s.Name]; ok {
		return own
	}
	return cfg.Plugins.Mode
}

// Program is a game that can be started.
type Program struct {
	Command []string // its command line
	Version string   // hash of what its rules depend on: the same for a compiled game and a script
	Mode    string   // how it runs
	Why     string   // why a game in Go runs as a script although nothing says so; empty: it does not
	Again   bool     // another attempt to compile it could succeed
}

// Program returns how the game is started. Programs are built into the folder cache;
// each has a command line of its own.
//
// A game that should be compiled runs as a script if this host can't compile it, for a
// reason that is not in the game's own code: without a Go toolchain, if the SDK can't be
// compiled, or if the machine or the network fails. Only the limit on the progress of the
// go command, and ctx, end a compilation.
func (s Source) Program(ctx context.Context, cfg *config.Config, cache string) (Program, error) {
	switch mode := s.Mode(cfg); mode {
	case ModeScript:
		why := ""
		if s.configured(cfg) == modeAuto {
			why = errNoGo.Error()
		}
		return s.script(why)
	case ModeCompiled:
		path, version, err := s.program(ctx, cache)
		if errors.Is(err, errNoGo) {
			return s.script(err.Error())
		}
		if errors.As(err, new(cantCompile)) {
			p, failed := s.script(err.Error())
			p.Again = true
			return p, failed
		}
		return Program{Command: []string{path}, Version: version, Mode: mode}, err
	default:
		return Program{Command: []string{s.executable}, Version: s.hash, Mode: mode}, nil
	}
}

func (s Source) script(why string) (Program, error) {
	self, err := os.Executable()
	return Program{Command: []string{self, "script", s.Dir}, Version: s.hash, Mode: ModeScript, Why: why}, err
}

// WithoutModule reports whether the game is compiled with the SDK of this host, because
// its folder is in no module.
func (s Source) WithoutModule() bool { return !s.inModule }

// open opens a folder that might hold a game. It returns nil without an error if
// the folder can't be that of a game.
func open(dir string) (*gamedir.Folder, error) {
	f, err := gamedir.Open(dir)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.ENOTDIR) {
		return nil, nil
	}
	return f, err
}

// look returns the game in a folder. If ok is false, there is none; with an error,
// the game can't be loaded.
func look(dir string) (s Source, ok bool, err error) {
	s = Source{Name: filepath.Base(dir), Dir: dir}
	f, err := open(dir)
	if f == nil {
		return s, err != nil, err
	}
	defer f.Close()
	return s.look(f)
}

func (s Source) look(f *gamedir.Folder) (Source, bool, error) {
	entries, err := f.List()
	if errors.Is(err, fs.ErrPermission) {
		return s, false, nil
	}
	if err != nil {
		return s, true, err
	}
	s.goFiles = slices.ContainsFunc(entries, func(e os.DirEntry) bool { return strings.HasSuffix(e.Name(), ".go") })
	var refused error
	for _, name := range programs(s.Name) {
		info, err := f.Stat(name)
		if err == nil && executable(info) {
			s.executable = filepath.Join(s.Dir, name)
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

// examine is like look, but also sets the fields that depend on the content of files.
// If watch is not nil, it is called with the folders of the game's files before these
// are read.
func examine(dir string, cfg *config.Config, watch func(folders []string)) (s Source, ok bool, err error) {
	s = Source{Name: filepath.Base(dir), Dir: dir, patience: cfg.Plugins.BuildTimeout}
	f, err := open(dir)
	if f == nil {
		return s, err != nil, err
	}
	defer f.Close()
	if watch != nil {
		watch([]string{dir}) // even if it is not a game yet
	}
	if s, ok, err = s.look(f); !ok || err != nil {
		return s, ok, err
	}
	mode := s.Mode(cfg)
	var c content
	for watched, tries := []string{"."}, 0; ; tries++ {
		if c, err = s.list(f, mode); err != nil {
			return s, true, err
		}
		if watch == nil || tries == 3 || slices.Equal(c.folders, watched) {
			break // no folder was added since watch was called
		}
		watched = c.folders
		var paths []string
		for _, folder := range watched {
			paths = append(paths, filepath.Join(dir, filepath.FromSlash(folder)))
		}
		watch(paths)
	}
	if mode == ModeCompiled {
		if err := s.checkBuild(f); err != nil {
			return s, true, err
		}
	}
	if s.hash, err = hashFiles(f, c.files); err != nil {
		return s, true, err
	}
	if mode == ModeCompiled {
		s.importsOthers = importsOthers(c.imports)
		s.importsSDK = slices.Contains(c.imports, symbols.SDK+"/plugin")
		s.module, s.inModule = findModule(f, dir)
		if s.modules, err = hashFiles(f, []string{"go.mod", "go.sum", "go.work"}); err != nil {
			return s, true, err
		}
	}
	if mode != modeProgram {
		s.Title = readTitle(f, c.files)
	}
	s.Texts = map[string]Text{RulesFile: readText(f, RulesFile)}
	for _, g := range cfg.Games {
		if g.Plugin == s.Name && g.Rules != "" {
			s.Texts[g.Rules] = readText(f, g.Rules)
		}
	}
	return s, true, nil
}

func readText(f *gamedir.Folder, name string) Text {
	b, err := f.Read(filepath.ToSlash(name), MaxRules)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Text{Fault: name + ": there is no such file in the plugin's folder", Missing: true}
	case err != nil:
		return Text{Fault: err.Error()}
	}
	return Text{Markdown: string(b)}
}

// hidden reports whether a file or folder is not part of a game.
func hidden(name string) bool { return strings.HasPrefix(name, ".") }
