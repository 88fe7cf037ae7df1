// Package gamedir reads the folder of a game, whose author need not be trusted.
// Only regular files inside the folder are read, each and all of them together
// up to a limit, and nothing that stands in the folder can make a reader wait.
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

// Limits of what a folder may hold.
const (
	MaxEntries = 20_000 // files and folders, in all folders below too
	MaxDepth   = 32     // folders inside each other
)

// Folder is an open folder. Its methods may be called by several goroutines at
// once. Names are paths inside it, with slashes. A link is followed when it
// leads to a file of the same folder; the folder itself may be behind a link.
type Folder struct {
	root *os.Root
}

// Refused is the error for a file that exists and is not read.
type Refused struct {
	Name    string // inside the folder; empty: the folder itself
	Why     string // in words, as in "it is a named pipe"
	TooLong bool   // it is a file with more than may be read
}

func (r *Refused) Error() string {
	if r.Name == "" {
		return "the game's folder: " + r.Why
	}
	return r.Name + ": " + r.Why
}

// Open opens a folder, which must be closed.
func Open(dir string) (*Folder, error) {
	// OpenRoot would wait for a named pipe.
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

// Read opens a folder for a single file of it: see [Folder.Read].
func Read(dir, name string, max int64) ([]byte, error) {
	f, err := Open(dir)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.Read(name, max)
}

// Read returns what a file holds, which is max bytes at the most. The error is
// a [*Refused], or that of the system: fs.ErrNotExist when there is no such file.
func (f *Folder) Read(name string, max int64) ([]byte, error) {
	var b bytes.Buffer
	if _, err := f.Copy(&b, name, max); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// Copy is Read for files that need not be in memory. Of a file that is refused
// because it grew meanwhile, max bytes have been written.
func (f *Folder) Copy(w io.Writer, name string, max int64) (int64, error) {
	file, err := f.open(name)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	return drain(w, file, name, max)
}

// drain copies a file up to max bytes. Its size is not believed: the file may
// grow while it is read, and those of some file systems have none.
func drain(w io.Writer, file *os.File, name string, max int64) (int64, error) {
	info, err := file.Stat()
	if err != nil {
		return 0, err
	}
	if info.Size() > max {
		return 0, tooLong(name, max)
	}
	n, err := io.Copy(w, io.LimitReader(file, max))
	if err != nil || n < max {
		return n, err
	}
	if more, _ := io.ReadFull(file, make([]byte, 1)); more > 0 {
		return n, tooLong(name, max)
	}
	return n, nil
}

// Stat describes a regular file. Its errors are those of Read.
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

// IsFolder reports whether a name is that of a folder inside the folder, or of
// a link to one.
func (f *Folder) IsFolder(name string) bool {
	info, err := f.root.Stat(name)
	return err == nil && info.IsDir()
}

// open opens a regular file.
func (f *Folder) open(name string) (*os.File, error) {
	// Asked first, because to open a device may do something.
	if _, err := f.Stat(name); err != nil {
		return nil, err
	}
	// What stands there may have changed since. Without O_NONBLOCK a named pipe
	// would be waited for until somebody writes to it.
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

// List returns what stands in the folder, by name.
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

// Walk calls visit for all that is below the folder, each folder before what it
// holds. Links are not followed. An fs.SkipDir of visit leaves a folder out;
// any other error ends the walk. What goes meanwhile is left out.
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

// explain says in words what os.Root has refused.
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

// regular refuses what is no regular file.
func regular(name string, info fs.FileInfo) error {
	if kind := Kind(info.Mode()); kind != "" {
		return &Refused{Name: name, Why: "it is " + kind + ", and not a regular file"}
	}
	return nil
}

// Kind names what is no regular file; empty: it is one.
func Kind(mode fs.FileMode) string {
	switch {
	case mode.IsRegular():
		return ""
	case mode.IsDir():
		return "a folder"
	case mode&fs.ModeSymlink != 0:
		return "a link"
	case mode&fs.ModeNamedPipe != 0:
		return "a named pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	default:
		return "a device"
	}
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
