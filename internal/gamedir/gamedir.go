// Package gamedir reads the folder of a game without trusting its author. It reads
// only regular files inside the folder, up to limits, and nothing in the folder can
// make a reader wait.
package gamedir

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"
)

// Limits of a folder.
const (
	MaxEntries = 20_000 // files and folders, including those in folders below
	MaxDepth   = 32     // nested folders
)

// Folder is an open folder. Its methods can run concurrently. Names are paths inside
// it, with slashes. Links to files of the same folder are followed; the folder itself
// can be behind a link.
type Folder struct {
	root *os.Root
}

// Refused is the error for a file that exists but is not read.
type Refused struct {
	Name    string // inside the folder; empty: the folder itself
	Why     string // such as "it is a named pipe"
	TooLong bool   // the file is longer than the limit
}

func (r *Refused) Error() string {
	if r.Name == "" {
		return "the game's folder: " + r.Why
	}
	return r.Name + ": " + r.Why
}

// Open opens a folder. Close must be called.
func Open(dir string) (*Folder, error) {
	// Checked first, because OpenRoot would wait for a named pipe.
	info, err := os.Stat(dir)
	if err == nil && !info.IsDir() {
		err = &fs.PathError{Op: "open", Path: dir, Err: syscall.ENOTDIR}
	}
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return &Folder{root}, nil
}

// Close closes the folder.
func (f *Folder) Close() { _ = f.root.Close() }

// Read is [Folder.Read] for a single file.
func Read(dir, name string, max int64) ([]byte, error) {
	f, err := Open(dir)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.Read(name, max)
}

// Read returns the content of a file with at most max bytes. The error is a
// [*Refused] or the system's, such as fs.ErrNotExist.
func (f *Folder) Read(name string, max int64) ([]byte, error) {
	var b bytes.Buffer
	if _, err := f.Copy(&b, name, max); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// Copy writes the content of a file to w and returns the number of bytes, with the
// errors of Read. If the file grows beyond max bytes during the copy, it has written
// max bytes.
func (f *Folder) Copy(w io.Writer, name string, max int64) (int64, error) {
	file, err := f.open(name)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return 0, err
	}
	if info.Size() > max {
		return 0, tooLong(name, max)
	}
	// The size is not enough: the file can grow, and on some file systems it is 0.
	n, err := io.Copy(w, io.LimitReader(file, max))
	if err != nil || n < max {
		return n, err
	}
	if more, _ := io.ReadFull(file, make([]byte, 1)); more > 0 {
		return n, tooLong(name, max)
	}
	return n, nil
}

// File opens a regular file for reading, with the errors of Read. The caller closes it.
// It can be longer than any limit.
func (f *Folder) File(name string) (*os.File, error) { return f.open(name) }

// Stat describes a regular file, with the errors of Read.
func (f *Folder) Stat(name string) (fs.FileInfo, error) {
	info, err := f.root.Stat(name)
	if err != nil {
		return nil, f.explain(name, err)
	}
	if err := regular(name, info); err != nil {
		return nil, err
	}
	return info, nil
}

// IsFolder reports whether name is a folder inside the folder, or a link to one.
func (f *Folder) IsFolder(name string) bool {
	info, err := f.root.Stat(name)
	return err == nil && info.IsDir()
}

// open opens a regular file.
func (f *Folder) open(name string) (*os.File, error) {
	// Checked first, because opening a device can have effects.
	if _, err := f.Stat(name); err != nil {
		return nil, err
	}
	// It might have been replaced since. Without O_NONBLOCK, opening a named pipe
	// would wait for a writer.
	file, err := f.root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, f.explain(name, err)
	}
	info, err := file.Stat()
	if err == nil {
		err = regular(name, info)
	}
	if err != nil {
		_ = file.Close()
		return nil, err
	}
	return file, nil
}

// List returns the entries of the folder, sorted by name.
func (f *Folder) List() ([]fs.DirEntry, error) {
	return f.list(".", MaxEntries)
}

func (f *Folder) list(name string, max int) ([]fs.DirEntry, error) {
	dir, err := f.root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, f.explain(name, err)
	}
	defer dir.Close()
	var entries []fs.DirEntry
	for {
		some, err := dir.ReadDir(256)
		entries = append(entries, some...)
		if len(entries) > max {
			return nil, &Refused{Why: fmt.Sprintf("it holds more than %d files and folders", MaxEntries)}
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, nil
}

// Walk calls visit for everything below the folder, for each folder before its
// entries. Links are not followed. If visit returns fs.SkipDir, the entries of
// the folder are skipped; any other error ends the walk. Folders that are removed
// during the walk are skipped.
func (f *Folder) Walk(visit func(name string, e fs.DirEntry) error) error {
	left := MaxEntries
	return f.walk(".", 0, &left, visit)
}

func (f *Folder) walk(dir string, depth int, left *int, visit func(name string, e fs.DirEntry) error) error {
	if depth > MaxDepth {
		return &Refused{Why: fmt.Sprintf("it holds more than %d folders inside each other", MaxDepth)}
	}
	entries, err := f.list(dir, *left)
	if errors.Is(err, fs.ErrNotExist) && dir != "." {
		return nil
	}
	if err != nil {
		return err
	}
	*left -= len(entries)
	for _, e := range entries {
		name := path.Join(dir, e.Name())
		err := visit(name, e)
		if e.IsDir() && err == nil {
			err = f.walk(name, depth+1, left, visit)
		}
		if err != nil && !errors.Is(err, fs.SkipDir) {
			return err
		}
	}
	return nil
}

// explain turns a refusal of os.Root into a Refused.
func (f *Folder) explain(name string, err error) error {
	var number syscall.Errno
	if errors.As(err, &number) {
		if number == syscall.ELOOP {
			return &Refused{Name: name, Why: "its links lead in a circle"}
		}
		return err
	}
	return &Refused{Name: name, Why: "it is or lies behind a link that leads out of the folder; a link inside must be relative"}
}

// regular returns a Refused unless the file is a regular one.
func regular(name string, info fs.FileInfo) error {
	kind := "a device"
	switch mode := info.Mode(); {
	case mode.IsRegular():
		return nil
	case mode.IsDir():
		kind = "a folder"
	case mode&fs.ModeNamedPipe != 0:
		kind = "a named pipe"
	case mode&fs.ModeSocket != 0:
		kind = "a socket"
	}
	return &Refused{Name: name, Why: "it is " + kind + ", and not a regular file"}
}

func tooLong(name string, max int64) error {
	size := fmt.Sprintf("%d bytes", max)
	switch {
	case max >= 1<<20 && max%(1<<20) == 0:
		size = fmt.Sprintf("%d MiB", max>>20)
	case max >= 1<<10 && max%(1<<10) == 0:
		size = fmt.Sprintf("%d KiB", max>>10)
	}
	return &Refused{Name: name, Why: "it has more than " + size, TooLong: true}
}
