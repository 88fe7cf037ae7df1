package source

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"colosseum"
	"colosseum/internal/gamedir"
	"colosseum/sdk/script/symbols"
)

// maxModule is the size limit of a go.mod, in bytes.
const maxModule = 1 << 20

// offersSDK matches a go.mod of the module with the SDK, or of one that requires it.
var offersSDK = regexp.MustCompile(`(?m)^(module|require|\s)\s*"?colosseum"?(\s|$)`)

// findModule reports whether the go command compiles the game as it is: its folder has a
// go.mod, or is in a module that has the SDK, and then around is the folder of that.
func findModule(f *gamedir.Folder, dir string) (around string, ok bool) {
	if _, err := f.Stat("go.mod"); !errors.Is(err, fs.ErrNotExist) {
		return "", true
	}
	real, err := filepath.EvalSymlinks(dir) // the go command looks above the real folder
	if err != nil {
		return "", false
	}
	for parent := filepath.Dir(real); ; parent = filepath.Dir(parent) {
		if text, err := gamedir.Read(parent, "go.mod", maxModule); err == nil {
			if offersSDK.Match(text) {
				return parent, true
			}
			return "", false // the go command looks no further
		}
		if parent == filepath.Dir(parent) {
			return "", false
		}
	}
}

// buildSDK compiles the packages that most games share, once for all of them: other games
// and processes wait meanwhile. The error is cantCompile if the module of the game is in
// order, but the SDK can't be compiled: because the go command is too old, or because its
// libraries are neither in the cache of modules nor can be downloaded.
func (s Source) buildSDK(ctx context.Context, compiler, cache string) error {
	if s.inModule && !s.importsSDK {
		return nil
	}
	unlock, err := Source{Name: sdkLock}.lock(ctx, cache)
	if err != nil {
		return err
	}
	defer unlock()
	err = s.run(ctx, compiler, nil, "build", "-v", symbols.SDK+"/plugin")
	switch {
	case err == nil || ctx.Err() != nil:
		return err
	case !s.inModule:
		return cantCompile{fmt.Errorf("its folder has no go.mod, and the host's SDK can't be compiled: %w", firstReason(err))}
	case ownModule.MatchString(err.Error()):
		return err
	default:
		return cantCompile{fmt.Errorf("the SDK that its go.mod names can't be compiled: %w", firstReason(err))}
	}
}

// sdkLock is the name of the lock on the SDK in the cache.
const sdkLock = ".sdk"

// ownModule matches errors that the author of a module must mend.
var ownModule = regexp.MustCompile(`go\.mod:\d+:|errors parsing go\.(mod|work)|no required module provides package|missing go\.sum entry|updates to go\.mod needed`)

// firstReason returns an error of the go command without the lines that have no reason and
// without the place of an import.
func firstReason(err error) error {
	text := goStatus.ReplaceAllString(err.Error(), "")
	return errors.New(position.ReplaceAllString(text, ""))
}

var (
	goStatus = regexp.MustCompile(`(?m)^go build: .*\n`) // a line of run without a reason
	position = regexp.MustCompile(`^\S+\.go:\d+:\d+: `)
)

// join makes the folder of a game without a module, dir, one that uses the SDK of this
// host: for the go command alone, by an overlay in the cache. Others are the packages that
// the game imports from elsewhere. It returns the path of the overlay.
func (s Source) join(ctx context.Context, cache string, others []string) (overlay string, err error) {
	files := colosseum.SDK()
	unlock, err := Source{Name: sdkLock}.lock(ctx, cache) // games of this host and of others share it
	if err != nil {
		return "", err
	}
	sdk, err := unpack(cache, files)
	unlock()
	if err != nil {
		return "", fmt.Errorf("unpack the SDK: %w", err)
	}
	folder := filepath.Join(cache, s.Name+".module")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", err
	}
	own := files["go.mod"]
	if slices.ContainsFunc(others, isLibrary) {
		own = colosseum.Module()
	}
	module, sums := filepath.Join(folder, "go.mod"), filepath.Join(sdk, "go.sum")
	if err := os.WriteFile(module, moduleText(s.Name, sdk, own), 0o600); err != nil {
		return "", err
	}
	text, err := json.Marshal(map[string]any{"Replace": map[string]string{
		filepath.Join(s.Dir, "go.mod"): module, filepath.Join(s.Dir, "go.sum"): sums,
	}})
	if err != nil {
		return "", err
	}
	overlay = filepath.Join(folder, "overlay.json")
	if err := os.WriteFile(overlay, text, 0o600); err != nil {
		return "", err
	}
	return overlay, nil
}

// unpack writes the files of the SDK into a folder of the cache, unless it is there and
// complete, and returns the folder. It is named after its content. Only one process at a
// time can call it for a cache.
func unpack(cache string, files map[string][]byte) (string, error) {
	folder := filepath.Join(cache, sdkFolder(files))
	defer removeUnused(cache)
	if holds(folder, files) {
		now := time.Now()
		return folder, os.Chtimes(folder, now, now) // it is used
	}
	// The system ended while it was written, or something removed old files.
	if err := os.RemoveAll(folder); err != nil {
		return "", err
	}
	begun, err := os.MkdirTemp(cache, ".sdk-*") // only complete folders get the name
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(begun)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		path := filepath.Join(begun, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return "", err
		}
		if err := os.WriteFile(path, files[name], 0o600); err != nil {
			return "", err
		}
	}
	return folder, os.Rename(begun, folder)
}

// sdkFolder returns the name of the folder of an SDK in the cache.
func sdkFolder(files map[string][]byte) string {
	h := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(h, "%q %d\n", name, len(files[name]))
		h.Write(files[name])
	}
	return "sdk-" + digits(h)
}

// unusedAfter is how long the SDK of another version of the host stays in the cache after its
// last use. It is much longer than a build, which reads the SDK without a lock.
const unusedAfter = 30 * 24 * time.Hour

// removeUnused removes the SDKs of other versions that no host has used for long, and what
// a killed host has left. Only one process at a time can call it for a cache.
func removeUnused(cache string) {
	for _, pattern := range []string{"sdk-" + strings.Repeat("[0-9a-f]", hashDigits), ".sdk-*"} {
		old, _ := filepath.Glob(filepath.Join(cache, pattern)) // the pattern is well formed
		for _, folder := range old {
			if info, err := os.Lstat(folder); err == nil && info.IsDir() && time.Since(info.ModTime()) > unusedAfter {
				_ = os.RemoveAll(folder) // a later call tries again
			}
		}
	}
}

// holds reports whether a folder has all files.
func holds(folder string, files map[string][]byte) bool {
	for name, want := range files {
		if got, err := gamedir.Read(folder, name, int64(len(want))); err != nil || !bytes.Equal(got, want) {
			return false
		}
	}
	return true
}

// The parts of Colosseum's go.mod or the SDK's that the go.mod of a game repeats.
var (
	goLine       = regexp.MustCompile(`(?m)^go \S+$`)
	requirements = regexp.MustCompile(`(?m)^(require|exclude) (\((.|\n)*?^\)|[^(\n]+)\n`)
	modulePart   = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]*$`)
)

// moduleName is the path of the module with the SDK.
const moduleName = "colosseum"

// modulePath returns the path of a game's module: the one that the game has in the source
// tree.
func modulePath(name string) string {
	if !modulePart.MatchString(name) {
		name = "game"
	}
	return moduleName + "/plugins/" + name
}

// moduleText returns the go.mod of a game. It has the requirements of own, so that the go
// command looks for no others.
func moduleText(name, sdk string, own []byte) []byte {
	text := fmt.Appendf(nil, "module %s\n\n%s\n\nrequire %s v0.0.0\n\nreplace %s => %q\n\n", modulePath(name), goLine.Find(own), moduleName, moduleName, sdk)
	return append(text, bytes.Join(requirements.FindAll(own, -1), []byte("\n"))...)
}

// required matches the path of a module in the requirements of a go.mod.
var required = regexp.MustCompile(`(?m)^(?:require )?\s*(\S+) v\d`)

// isLibrary reports whether a package is in a module that Colosseum requires.
func isLibrary(path string) bool {
	return slices.ContainsFunc(required.FindAllSubmatch(colosseum.Module(), -1), func(m [][]byte) bool {
		return strings.HasPrefix(path+"/", string(m[1])+"/")
	})
}

// otherImports returns the packages that a game without a module imports, directly or by
// packages in its folder, if they are neither in the standard library nor in the SDK, nor
// in its folder.
func (s Source) otherImports(ctx context.Context) ([]string, error) {
	type found struct {
		others []string
		err    error
	}
	got, err := gamedir.Visit(ctx, s.visits, func() found {
		others, err := otherImports(s.Dir, modulePath(s.Name))
		return found{others, err}
	})
	return got.others, cmp.Or(err, got.err)
}

func otherImports(dir, module string) (others []string, err error) {
	seen := map[string]bool{module: true}
	for name := range colosseum.SDK() {
		seen[moduleName+"/"+path.Dir(name)] = true
	}
	var add func(folder string) error
	add = func(folder string) error {
		f, err := gamedir.Open(folder)
		if err != nil {
			return err
		}
		defer f.Close()
		c, err := listPackage(f)
		if err != nil {
			return err
		}
		for _, name := range c.imports {
			if seen[name] {
				continue
			}
			seen[name] = true
			first, _, _ := strings.Cut(name, "/")
			sub, inside := strings.CutPrefix(name, module+"/")
			switch {
			case inside && filepath.IsLocal(filepath.FromSlash(sub)):
				err := add(filepath.Join(dir, filepath.FromSlash(sub)))
				if errors.Is(err, fs.ErrNotExist) {
					others = append(others, name)
				} else if err != nil {
					return err
				}
			case strings.Contains(first, ".") || first == moduleName:
				others = append(others, name)
			}
		}
		return nil
	}
	return others, add(dir)
}

// explain adds what to do to the error of a build of a game without a module, which imports
// other packages. What the go command reports then depends on its cache and network.
func explain(err error, others []string) error {
	for _, path := range others {
		switch {
		case isLibrary(path):
		case path == moduleName || strings.HasPrefix(path, moduleName+"/"):
			return fmt.Errorf("%w\nGames whose folder has no go.mod can import %s, %s/plugin and the standard library, not %s", err, symbols.SDK, symbols.SDK, path)
		default:
			return fmt.Errorf("%w\nIt imports %s, which is in neither the standard library nor the SDK: give its folder a go.mod that requires it (host new NAME creates a folder with a go.mod; then go get %s)", err, path, path)
		}
	}
	return err
}
