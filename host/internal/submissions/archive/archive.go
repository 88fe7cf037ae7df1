// Package archive reads the programs that players hand in: an archive or one source file
// becomes a tree of regular files, and nothing else.
package archive

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"
)

// File is a regular file.
type File struct {
	Path       string // relative, with slashes, without ".."
	Executable bool
	Data       []byte
}

// Tree is all files of a program, sorted by path. Folders have no entries of their own.
type Tree []File

// Limits bound a tree; 0 means no limit.
type Limits struct {
	Files int   // files
	Bytes int64 // of all files together
	Ratio int64 // how many times as long as the archive they can be; the first MiB is free
	Path  int   // bytes of a path
}

// Error is a fault of the archive, with a text for its author.
type Error struct{ Text string }

func (e *Error) Error() string { return e.Text }

func errorf(format string, args ...any) error { return &Error{fmt.Sprintf(format, args...)} }

// Find returns the file at a path.
func (t Tree) Find(path string) (File, bool) {
	i, found := slices.BinarySearchFunc(t, path, func(f File, path string) int { return cmp.Compare(f.Path, path) })
	if !found {
		return File{}, false
	}
	return t[i], true
}

// Bytes returns the length of all files together.
func (t Tree) Bytes() (n int64) {
	for _, f := range t {
		n += int64(len(f.Data))
	}
	return n
}

// Hash returns a SHA-256 of all paths, modes and contents. It does not depend on how the
// tree was packed.
func (t Tree) Hash() [32]byte {
	h := sha256.New()
	for _, f := range t {
		mode := "-"
		if f.Executable {
			mode = "x"
		}
		for _, part := range [][]byte{[]byte(f.Path), []byte(mode), f.Data} {
			_ = binary.Write(h, binary.BigEndian, int64(len(part))) // a hash takes everything
			h.Write(part)
		}
	}
	return [32]byte(h.Sum(nil))
}

func (f File) mode() fs.FileMode {
	if f.Executable {
		return 0o755
	}
	return 0o644
}

// Pack returns a tar.gz, which has the same bytes for the same tree.
func (t Tree) Pack() []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for _, f := range t {
		// A buffer takes everything, and the path has been checked.
		_ = w.WriteHeader(&tar.Header{Name: f.Path, Mode: int64(f.mode()), Size: int64(len(f.Data)), Format: tar.FormatPAX})
		_, _ = w.Write(f.Data)
	}
	_ = w.Close()
	_ = z.Close()
	return b.Bytes()
}

// Open returns the tree that Pack has packed. The ratio is not limited.
func Open(b []byte, l Limits) (Tree, error) {
	l.Ratio = 0
	c := collector{limits: l}
	if err := c.tarGz(b); err != nil {
		return nil, err
	}
	return c.tree()
}

// Zip returns the tree as a zip, for its author.
func (t Tree) Zip() []byte {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, f := range t {
		h := &zip.FileHeader{Name: f.Path, Method: zip.Deflate}
		h.SetMode(f.mode())
		if part, err := w.CreateHeader(h); err == nil { // the path has been checked
			_, _ = part.Write(f.Data) // a buffer takes everything
		}
	}
	_ = w.Close()
	return b.Bytes()
}

// Write writes the files into a folder, where none of them must exist.
func (t Tree) Write(dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, f := range t {
		if err := root.MkdirAll(path.Dir(f.Path), 0o755); err != nil {
			return err
		}
		file, err := root.OpenFile(f.Path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, f.mode())
		if err != nil {
			return err
		}
		_, err = file.Write(f.Data)
		if err = errors.Join(err, file.Close()); err != nil {
			return err
		}
	}
	return nil
}

// ReadFolder returns the regular files of a folder. It follows no links, and leaves out
// what is not a regular file. An *Error says which limit or rule the files break.
func ReadFolder(dir string, l Limits) (Tree, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	l.Ratio = 0
	c := collector{limits: l}
	err = fs.WalkDir(root.FS(), ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		return c.readFile(root, name)
	})
	if err != nil {
		return nil, err
	}
	return c.tree()
}

// readFile adds a file that was a regular one a moment ago.
func (c *collector) readFile(root *os.Root, name string) error {
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if now, err := root.Lstat(name); err != nil || !os.SameFile(now, info) || !info.Mode().IsRegular() {
		return errorf("%s is not a regular file", quote(name))
	}
	return c.add(name, info.Mode()&0o111 != 0, f)
}

// quote returns a name as it can be shown in a text.
func quote(name string) string {
	const most = 200
	if len(name) > most {
		name = name[:most] + "…"
	}
	return fmt.Sprintf("%q", strings.ToValidUTF8(name, "\uFFFD"))
}
