package source

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"colosseum/internal/gamedir"
)

// tree returns the folders that hold files of the game: for a Go package, only its
// own folder.
func (s Source) tree(f *gamedir.Folder) (folders []string, err error) {
	folders = []string{s.Dir}
	if s.goFiles {
		return folders, nil
	}
	err = f.Walk(func(name string, e fs.DirEntry) error {
		switch {
		case !e.IsDir():
		case hidden(e.Name()):
			return fs.SkipDir
		default:
			folders = append(folders, filepath.Join(s.Dir, filepath.FromSlash(name)))
		}
		return nil
	})
	return folders, err
}

// content returns the hash of the files that make up the game: those in its folder
// and, unless the game is a Go package, in the folders below, except tests, hidden
// files and editors' backups.
func (s Source) content(f *gamedir.Folder) (string, error) {
	h := sha256.New()
	left := int64(maxContent)
	err := f.Walk(func(name string, e fs.DirEntry) error {
		switch {
		case e.IsDir() && (s.goFiles || hidden(e.Name())):
			return fs.SkipDir
		case !e.Type().IsRegular() || hidden(e.Name()) || strings.HasSuffix(e.Name(), "_test.go") || strings.HasSuffix(e.Name(), "~"):
			return nil
		}
		fmt.Fprintf(h, "%q\n", name)
		n, err := f.Copy(h, name, left)
		left -= n
		var refused *gamedir.Refused
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil // it was removed after it was listed, which causes another change
		case errors.As(err, &refused) && refused.TooLong:
			return &gamedir.Refused{Why: fmt.Sprintf("with %s its files have more than %d MiB together", name, maxContent>>20)}
		}
		return err
	})
	if err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)[:versionDigits/2]), nil
}

// checkBuild refuses files that could make the compiler wait or read forever. The
// compiler opens all files except hidden ones.
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
		case strings.HasSuffix(name, ".go") && info.Size() > maxGoFile:
			return &gamedir.Refused{Name: name, Why: fmt.Sprintf("it has more than %d MiB", maxGoFile>>20)}
		}
		return nil
	})
}
