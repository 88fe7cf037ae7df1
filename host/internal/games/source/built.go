package source

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"colosseum"
	"colosseum/host/internal/base/config"
	"colosseum/internal/gamedir"
)

// built describes a program in the cache by all that it was built from. Its file is named
// after the rest: the folder of the game, the go command and its settings. As long as
// nothing of that has changed, the go command would build the same program again.
type built struct {
	Program  string // its file in the cache
	Sum      string // of the program
	Version  string
	Packages map[string]string // hashes, by folder, of the packages that can change
	Files    map[string]string // hashes, by path, of files that choose libraries and the toolchain; empty: there is none
}

// Built returns the program of a game that was built before, if it is certain that a
// build would result in the same one. It does not run the go command.
func (s Source) Built(ctx context.Context, cfg *config.Config, cache string) (Program, bool) {
	compiler, err := exec.LookPath("go")
	if err != nil || s.Mode(cfg) != ModeCompiled {
		return Program{}, false
	}
	p, err := gamedir.Visit(ctx, s.visits, func() Program {
		file, err := s.description(compiler, cache)
		if err != nil || !Private(cache) {
			return Program{}
		}
		var b built
		text, err := os.ReadFile(file)
		if err != nil || json.Unmarshal(text, &b) != nil || !filepath.IsLocal(b.Program) || !b.current() {
			return Program{}
		}
		path := filepath.Join(cache, b.Program)
		if sum, err := hashFile(path); err != nil || sum != b.Sum {
			return Program{}
		}
		return Program{Command: []string{path}, Version: b.Version, Mode: ModeCompiled}
	})
	return p, err == nil && p.Command != nil
}

// errUnknown is the error of a description of something that can't be known for certain.
var errUnknown = errors.New("the go command must be asked")

// description returns the path of the description of the game's program.
func (s Source) description(compiler, cache string) (string, error) {
	dir, err := filepath.EvalSymlinks(s.Dir)
	if err != nil {
		return "", err
	}
	tool, err := filepath.EvalSymlinks(compiler)
	if err != nil {
		return "", err
	}
	info, err := os.Stat(tool)
	if err != nil {
		return "", err
	}
	// Something else named go might choose the release by itself.
	release, err := os.ReadFile(filepath.Join(filepath.Dir(filepath.Dir(tool)), "VERSION"))
	if err != nil {
		return "", errUnknown
	}
	h := sha256.New()
	fmt.Fprintf(h, "1 %q %v %q %d %d %q\n", dir, s.inModule, tool, info.Size(), info.ModTime().UnixNano(), release)
	if !s.inModule {
		fmt.Fprintf(h, "%s %q\n", sdkFolder(colosseum.SDK()), colosseum.Module())
	}
	for _, variable := range slices.Sorted(slices.Values(os.Environ())) {
		name, _, _ := strings.Cut(variable, "=")
		if (strings.HasPrefix(name, "GO") || strings.HasPrefix(name, "CGO_")) && !slices.Contains(running, name) {
			fmt.Fprintf(h, "%q\n", variable)
		}
	}
	settings := os.Getenv("GOENV")
	if folder, err := os.UserConfigDir(); err == nil && settings == "" {
		settings = filepath.Join(folder, "go", "env")
	}
	global := fileHash(settings)
	if global == unreadable {
		return "", errUnknown
	}
	fmt.Fprintf(h, "%s\n", global)
	return filepath.Join(cache, s.Name+"-"+digits(h)+".json"), nil
}

// running are variables of the go command, and of programs in Go, on which no program
// that it builds depends.
var running = []string{"GOCACHE", "GOCOVERDIR", "GOGC", "GOMAXPROCS", "GOMEMLIMIT", "GOPROXY", "GOTMPDIR", "GOTRACEBACK"}

// settings returns those of the go command for the games of a module, of which a description
// needs to know; nil: no program that is built with them can be described.
func (s Source) settings(ctx context.Context, compiler string) map[string]string {
	out := &head{left: maxList}
	if s.run(ctx, compiler, out, "env", "-json", "GOROOT", "GOMODCACHE", "GOWORK", "GOFLAGS") != nil {
		return nil
	}
	var env map[string]string
	if json.Unmarshal([]byte(out.String()), &env) != nil || env["GOROOT"] == "" || env["GOMODCACHE"] == "" {
		return nil
	}
	for _, option := range []string{"-modfile", "-overlay", "-toolexec", "-pgo"} { // they name other files
		if strings.Contains(env["GOFLAGS"], option) {
			return nil
		}
	}
	return env
}

// describe returns what a program depends on that is built now, with these settings, and of
// these packages; nil: that is not known.
func (s Source) describe(ctx context.Context, cache string, env map[string]string, packages []imported) *built {
	if env == nil {
		return nil
	}
	b, err := gamedir.Visit(ctx, s.visits, func() *built {
		b := &built{Packages: map[string]string{}, Files: map[string]string{}}
		for _, name := range []string{"VERSION", "go.env"} {
			b.add(filepath.Join(env["GOROOT"], name))
		}
		b.add(filepath.Join(s.Dir, "default.pgo")) // a profile for the compiler
		if work := env["GOWORK"]; filepath.IsAbs(work) {
			b.add(work)
		}
		for _, p := range packages {
			// The go command, too, takes the modules in its cache for unchangeable. That of
			// the host's SDK is part of the name of the description.
			if p.Standard || within(p.Dir, env["GOMODCACHE"]) || !s.inModule && strings.HasPrefix(p.Dir, filepath.Join(cache, "sdk-")) {
				continue
			}
			hash, err := hashPackage(p.Dir)
			real, failed := filepath.EvalSymlinks(p.Dir)
			if cmp.Or(err, failed) != nil {
				return nil
			}
			b.Packages[p.Dir] = hash
			b.addAround(p.Dir)
			b.addAround(real)
		}
		return b
	})
	if err != nil {
		return nil
	}
	return b
}

// moduleFiles are the files in a folder that choose the libraries of the packages below.
var moduleFiles = []string{"go.mod", "go.sum", "go.work", "go.work.sum", "vendor/modules.txt"}

// addAround adds the files in a folder and in those around it that choose libraries.
func (b *built) addAround(dir string) {
	for ; ; dir = filepath.Dir(dir) {
		for _, name := range moduleFiles {
			b.add(filepath.Join(dir, filepath.FromSlash(name)))
		}
		if dir == filepath.Dir(dir) {
			return
		}
	}
}

// add adds a file, and those of the modules in folders that it names.
func (b *built) add(path string) {
	if _, ok := b.Files[path]; ok {
		return
	}
	b.Files[path] = fileHash(path)
	if name := filepath.Base(path); b.Files[path] == noFile || b.Files[path] == unreadable || name != "go.mod" && name != "go.work" {
		return
	}
	text, _ := os.ReadFile(path) // fileHash has read it
	for _, word := range strings.Fields(string(text)) {
		folder := filepath.FromSlash(strings.Trim(word, "\"`"))
		switch {
		case filepath.IsAbs(folder):
		case folder == "." || folder == ".." || strings.HasPrefix(word, "./") || strings.HasPrefix(word, "../") || strings.HasPrefix(word, "\"."):
			folder = filepath.Join(filepath.Dir(path), folder)
		default:
			continue
		}
		for _, name := range moduleFiles {
			b.add(filepath.Join(folder, filepath.FromSlash(name)))
		}
	}
}

// current reports whether nothing has changed since the description was made.
func (b *built) current() bool {
	for path, hash := range b.Files {
		if hash == unreadable || fileHash(path) != hash {
			return false
		}
	}
	for dir, want := range b.Packages {
		if hash, err := hashPackage(dir); err != nil || hash != want {
			return false
		}
	}
	return len(b.Packages) > 0
}

// keep writes the description of a program, unless something has changed while it was
// built.
func (b *built) keep(s Source, compiler, cache, path, version string) error {
	if b == nil || !b.current() {
		return errUnknown
	}
	file, err := s.description(compiler, cache)
	if err != nil {
		return err
	}
	if b.Sum, err = hashFile(path); err != nil {
		return err
	}
	b.Program, b.Version = filepath.Base(path), version
	text, err := json.MarshalIndent(b, "", "\t")
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(cache, ".new-*")
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), file)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}

// mostDescriptions is how many programs of games with one name stay in the cache: of
// games in several folders, and with several toolchains.
const mostDescriptions = 4

// described returns the files of the programs of the game that have a description, and
// removes the descriptions that are too old.
func (s Source) described(cache string) map[string]bool {
	files, _ := filepath.Glob(filepath.Join(cache, s.Name+"-"+strings.Repeat("[0-9a-f]", hashDigits)+".json")) // the pattern is well formed
	age := map[string]int64{}
	for _, file := range files {
		if info, err := os.Stat(file); err == nil {
			age[file] = info.ModTime().UnixNano()
		}
	}
	slices.SortFunc(files, func(a, b string) int { return cmp.Compare(age[b], age[a]) })
	programs := map[string]bool{}
	for i, file := range files {
		var b built
		text, err := os.ReadFile(file)
		if i >= mostDescriptions || err != nil || json.Unmarshal(text, &b) != nil {
			_ = os.Remove(file)
			continue
		}
		programs[filepath.Join(cache, b.Program)] = true
	}
	return programs
}

// within reports whether a path is in a folder.
func within(path, folder string) bool {
	rel, err := filepath.Rel(folder, path)
	return err == nil && filepath.IsLocal(rel)
}

// Values of fileHash without a file that can be read.
const (
	noFile     = ""
	unreadable = "unreadable"
)

// fileHash returns the hash of a small file.
func fileHash(path string) string {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR):
		return noFile
	case err != nil || !info.Mode().IsRegular() || info.Size() > maxGoFile:
		return unreadable
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return unreadable
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
