package catalog

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"colosseum/host/internal/config"
)

// source is a folder that holds a game.
type source struct {
	name       string // of the folder
	dir        string // absolute
	executable string // that stands in the folder; empty: none
	goFiles    bool
	hash       string // of the files that make up the game; set by content
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

// maxFile bounds what is read of a game's folder.
const maxFile = 256 << 20 // bytes

// content returns the hash of the files that make up the game: all in its
// folder but tests and hidden ones; of a game that is no Go package, also those
// in the folders below.
func (s source) content() (string, error) {
	h := sha256.New()
	folder := os.DirFS(s.dir)
	err := fs.WalkDir(folder, ".", func(path string, e fs.DirEntry, err error) error {
		switch {
		case path != "." && errors.Is(err, fs.ErrNotExist):
			return nil // it went while we looked; there will be another look
		case err != nil || path == ".":
			return err
		case e.IsDir() && (s.goFiles || hidden(e.Name())):
			return fs.SkipDir
		case !e.Type().IsRegular() || hidden(e.Name()) || strings.HasSuffix(e.Name(), "_test.go") || strings.HasSuffix(e.Name(), "~"):
			return nil
		}
		f, err := folder.Open(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil // as above
		}
		if err != nil {
			return err
		}
		defer f.Close()
		fmt.Fprintf(h, "%q\n", path)
		_, err = io.Copy(h, io.LimitReader(f, maxFile))
		return err
	})
	if err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)[:versionDigits/2]), nil
}

// hidden tells whether a file or folder is none of the game's.
func hidden(name string) bool { return strings.HasPrefix(name, ".") }

// find lists the games in some folders. A subfolder without Go files and
// without an executable is no game.
func find(folders []string) ([]source, error) {
	var sources []source
	seen := map[string]string{}
	for _, folder := range folders {
		entries, err := os.ReadDir(folder)
		if err != nil {
			return nil, fmt.Errorf("look for games: %w", err)
		}
		for _, e := range entries {
			dir, err := filepath.Abs(filepath.Join(folder, e.Name()))
			if err != nil {
				return nil, err
			}
			if info, err := os.Stat(dir); err != nil || !info.IsDir() || hidden(e.Name()) {
				continue
			}
			s, ok := look(dir)
			if !ok {
				continue
			}
			if other, ok := seen[s.name]; ok {
				return nil, fmt.Errorf("two folders are named %s: %s and %s", s.name, other, dir)
			}
			seen[s.name] = dir
			sources = append(sources, s)
		}
	}
	return sources, nil
}

// look tells what a folder holds; not ok: no game.
func look(dir string) (s source, ok bool) {
	s = source{name: filepath.Base(dir), dir: dir}
	entries, _ := os.ReadDir(dir) // a folder that can't be read is no game
	s.goFiles = slices.ContainsFunc(entries, func(e os.DirEntry) bool { return strings.HasSuffix(e.Name(), ".go") })
	for _, name := range []string{s.name, "game"} {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			s.executable = path
			break
		}
	}
	return s, s.goFiles || s.executable != ""
}

// program builds the game and returns the path of the program and its hash.
// Go build itself does nothing when nothing has changed.
func (s source) program(ctx context.Context, cache string) (path, version string, err error) {
	compiler, err := exec.LookPath("go")
	if err != nil {
		return "", "", errors.New("there is no Go toolchain to build it: install Go, or set its mode to script")
	}
	done, err := s.reserve(cache)
	if err != nil {
		return "", "", err
	}
	defer done()
	if path, err = s.build(ctx, compiler, cache); err == nil {
		version, err = hash(path)
	}
	if err != nil {
		return "", "", err
	}
	// What runs keeps its file while the next version is built beside it.
	kept := filepath.Join(cache, s.name+"-"+version)
	if _, err := os.Stat(kept); err != nil {
		if err := copyFile(path, kept); err != nil {
			return "", "", err
		}
		s.prune(cache, kept)
	}
	return kept, version, nil
}

// reserve lets one process at a time build the game into the cache: hosts and
// tools may share it. The lock ends with done, or with the process.
func (s source) reserve(cache string) (done func(), err error) {
	if err := os.MkdirAll(cache, 0o700); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(filepath.Join(cache, s.name+".lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("lock %s: %w", f.Name(), err)
	}
	return func() { _ = f.Close() }, nil
}

func (s source) build(ctx context.Context, compiler, cache string) (string, error) {
	path := filepath.Join(cache, s.name)
	cmd := exec.CommandContext(ctx, compiler, "build", "-buildvcs=false", "-o", path, ".")
	cmd.Dir = s.dir
	output, err := cmd.CombinedOutput()
	if err == nil {
		return path, nil
	}
	_, problems, found := strings.Cut(string(output), "\n") // below the name of the package
	if !found || !strings.HasPrefix(string(output), "# ") {
		problems = fmt.Sprintf("build: %v\n%s", err, output)
	}
	return "", errors.New(strings.TrimSpace(problems))
}

// prune removes versions that were built before. One that still runs is kept
// by the system until it ends.
func (s source) prune(cache, kept string) {
	pattern := s.name + "-" + strings.Repeat("[0-9a-f]", versionDigits)
	old, _ := filepath.Glob(filepath.Join(cache, pattern)) // it is well formed
	for _, path := range old {
		if path != kept {
			_ = os.Remove(path)
		}
	}
}

const versionDigits = 16

// hash returns the first hexadecimal digits of a file's SHA-256.
func hash(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)[:versionDigits/2]), nil
}

// copyFile copies a program and gives it its name only when it is whole.
func copyFile(from, to string) error {
	// A child that is forked meanwhile would inherit the file, and the system
	// refuses to start a program that somebody may still write to.
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.CreateTemp(filepath.Dir(to), ".new-*")
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	err = errors.Join(err, out.Chmod(0o700), out.Close())
	if err == nil {
		err = os.Rename(out.Name(), to)
	}
	if err != nil {
		_ = os.Remove(out.Name())
	}
	return err
}
