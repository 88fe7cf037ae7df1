package source

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io/fs"
	"path"
	"slices"
	"strings"

	"colosseum/internal/gamedir"
)

// Names of files and folders that do not belong to the version of a program, because
// a run writes them or only readers and developers see them. The table in
// docs/writing-a-game.md lists them.
var (
	otherFolders = []string{".*", "__pycache__", "test", "tests", "testdata"}
	otherFiles   = []string{".*", "*~", "*.pyc", "*.md", "LICENSE", "*_test.*", "*.test.*", "test_*.*"}
	otherPaths   = []string{"viewer.js", PictureFile, "picture-*.png", "players", "matches/*.json"} // players: example players; matches: transcripts of host play
)

// content lists the parts of a game in its folder.
type content struct {
	files   []string // on which its version depends
	folders []string // of these files, "." first, and of packages that it imports
	imports []string // of a Go package, which might not be complete
}

// list returns the content of the game in a folder.
func (s Source) list(f *gamedir.Folder, mode string) (content, error) {
	if mode == modeProgram {
		return listProgram(f)
	}
	c, err := listPackage(f)
	if err != nil || mode != ModeCompiled || !importsOthers(c.imports) {
		return c, err
	}
	err = f.Walk(func(name string, e fs.DirEntry) error { // packages that it imports can be below
		switch {
		case !e.IsDir():
		case hidden(e.Name()) || e.Name() == "testdata":
			return fs.SkipDir
		default:
			c.folders = append(c.folders, name)
		}
		return nil
	})
	slices.Sort(c.folders)
	c.folders = slices.Compact(c.folders)
	return c, err
}

func listProgram(f *gamedir.Folder) (content, error) {
	c := content{folders: []string{"."}}
	err := f.Walk(func(name string, e fs.DirEntry) error {
		switch {
		case e.IsDir() && (matchesAny(otherFolders, e.Name()) || matchesAny(otherPaths, name)):
			return fs.SkipDir
		case e.IsDir():
			c.folders = append(c.folders, name)
		case isFile(f, name, e) && !matchesAny(otherFiles, e.Name()) && !matchesAny(otherPaths, name):
			c.files = append(c.files, name)
		}
		return nil
	})
	return c, err
}

func matchesAny(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		ok, _ := path.Match(p, name) // the patterns are well formed
		return ok
	})
}

// isFile reports whether an entry is a regular file or a link to one in the folder.
func isFile(f *gamedir.Folder, name string, e fs.DirEntry) bool {
	if e.Type()&fs.ModeSymlink == 0 {
		return e.Type().IsRegular()
	}
	_, err := f.Stat(name)
	return err == nil
}

// hashFiles returns the hash of the names and contents of files in a folder. It leaves
// out all except regular files.
func hashFiles(f *gamedir.Folder, files []string) (string, error) {
	h := sha256.New()
	left := int64(maxContent)
	for _, name := range files {
		fmt.Fprintf(h, "%q\n", name)
		n, err := f.Copy(h, name, left)
		left -= n
		var refused *gamedir.Refused
		switch {
		case errors.As(err, &refused) && refused.TooLong:
			return "", &gamedir.Refused{Why: fmt.Sprintf("with %s its files have more than %d MiB together", name, maxContent>>20)}
		case errors.As(err, &refused), errors.Is(err, fs.ErrNotExist):
			// It was removed after it was listed, which causes another change, or the
			// game can't be loaded.
		case err != nil:
			return "", err
		}
	}
	return digits(h), nil
}

// hashDigits is the number of hexadecimal digits of a hash, and so of a version.
const hashDigits = 16

// digits returns the first hexadecimal digits of a hash.
func digits(h hash.Hash) string { return hex.EncodeToString(h.Sum(nil))[:hashDigits] }

// checkBuild refuses files that could make the compiler wait or read forever, or
// include other files. The compiler opens all files except hidden ones.
func (s Source) checkBuild(f *gamedir.Folder) error {
	return f.Walk(func(name string, e fs.DirEntry) error {
		switch {
		case hidden(e.Name()) && e.IsDir():
			return fs.SkipDir
		case hidden(e.Name()) || e.IsDir():
			return nil
		}
		info, err := f.Stat(name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil // it was removed after it was listed, or is a link to nothing
		case err != nil && e.Type()&fs.ModeSymlink != 0 && f.IsFolder(name):
			return nil // the compiler does not follow it
		case err != nil:
			return err
		case strings.HasSuffix(strings.ToLower(name), ".s"):
			return &gamedir.Refused{Name: name, Why: "games can't have files for the assembler, which could include any file of the host: use Go"}
		case strings.HasSuffix(name, ".go") && info.Size() > maxGoFile:
			return &gamedir.Refused{Name: name, Why: fmt.Sprintf("it has more than %d MiB", maxGoFile>>20)}
		}
		return nil
	})
}
