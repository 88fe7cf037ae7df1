// Package downloads offers the client coco, built for several systems, from a folder. It
// reads the folder like that of a game: only regular files, and nothing in it can make a
// reader wait.
package downloads

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"sync"
	"time"

	"colosseum/internal/gamedir"
)

// MaxBytes is the size of the largest file that is offered.
const MaxBytes = 64 << 20

// timeout bounds a visit to the folder. One that takes longer goes on, so that a later
// call finds its checksums.
const timeout = 5 * time.Second

// pattern matches the names of files that are offered: at most twelve in a folder.
var pattern = regexp.MustCompile(`^coco-(linux|darwin|windows)-(amd64|arm64)(\.exe)?$`)

// File is a program that can be downloaded.
type File struct {
	Name         string
	System       string // as Go calls it: linux, darwin or windows
	Architecture string // amd64 or arm64
	Bytes        int64
	SHA256       string // in hexadecimal digits
	modified     time.Time
}

// Folder is a folder of programs. Its methods can run concurrently.
type Folder struct {
	path   string
	visits *gamedir.Visits

	mu   sync.Mutex // guards the field below
	sums map[stamp]string
}

// stamp is a state of a file. Its checksum is computed once for each.
type stamp struct {
	name     string
	bytes    int64
	modified int64
}

// Open returns the folder at a path; empty: it has no files. It reads nothing yet.
func Open(path string) *Folder {
	return &Folder{path: path, visits: gamedir.NewVisits(nil), sums: map[stamp]string{}}
}

// Current reports whether List needs to compute no checksum.
func (f *Folder) Current() bool {
	files, err := visit(f, func() []File { return f.look(nil) })
	if err != nil {
		return false
	}
	for _, file := range files {
		if file.SHA256 == "" {
			return false
		}
	}
	return true
}

// List returns the files, sorted by name. The error is [gamedir.ErrSilent].
func (f *Folder) List() ([]File, error) {
	return visit(f, func() []File { return f.look(sum) })
}

// Get opens a file of List. The caller closes it. The error is fs.ErrNotExist,
// [gamedir.ErrSilent] or one of the system.
func (f *Folder) Get(name string) (File, *os.File, error) {
	files, err := f.List()
	if err != nil {
		return File{}, nil, err
	}
	for _, file := range files {
		if file.Name != name {
			continue
		}
		type opened struct {
			file *os.File
			err  error
		}
		o, err := visit(f, func() opened {
			file, err := f.open(file)
			return opened{file, err}
		})
		if err != nil {
			return File{}, nil, err
		}
		return file, o.file, o.err
	}
	return File{}, nil, fs.ErrNotExist
}

// open opens a file, unless it has changed since it was listed.
func (f *Folder) open(listed File) (*os.File, error) {
	dir, err := gamedir.Open(f.path)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	file, err := dir.File(listed.Name)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err == nil && (info.Size() != listed.Bytes || !info.ModTime().Equal(listed.modified)) {
		err = fmt.Errorf("%s is being replaced: %w", listed.Name, fs.ErrNotExist)
	}
	if err != nil {
		_ = file.Close()
		return nil, err
	}
	return file, nil
}

// look lists the files. With compute it computes the checksums that are not known.
func (f *Folder) look(compute func(dir *gamedir.Folder, name string) (string, error)) (files []File) {
	if f.path == "" {
		return nil
	}
	dir, err := gamedir.Open(f.path)
	if err != nil {
		return nil
	}
	defer dir.Close()
	entries, err := dir.List()
	if err != nil {
		return nil
	}
	for _, e := range entries {
		parts := pattern.FindStringSubmatch(e.Name())
		if parts == nil || (parts[1] == "windows") != (parts[3] != "") {
			continue
		}
		info, err := dir.Stat(e.Name())
		if err != nil || info.Size() > MaxBytes {
			continue
		}
		file := File{Name: e.Name(), System: parts[1], Architecture: parts[2], Bytes: info.Size(), modified: info.ModTime()}
		if file.SHA256, err = f.checksum(dir, file, compute); err == nil {
			files = append(files, file)
		}
	}
	return files
}

func (f *Folder) checksum(dir *gamedir.Folder, file File, compute func(dir *gamedir.Folder, name string) (string, error)) (string, error) {
	key := stamp{file.Name, file.Bytes, file.modified.UnixNano()}
	f.mu.Lock()
	known, ok := f.sums[key]
	f.mu.Unlock()
	if ok || compute == nil {
		return known, nil
	}
	digits, err := compute(dir, file.Name)
	if err != nil {
		return "", err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for old := range f.sums {
		if old.name == file.Name {
			delete(f.sums, old)
		}
	}
	f.sums[key] = digits
	return digits, nil
}

func sum(dir *gamedir.Folder, name string) (string, error) {
	h := sha256.New()
	if _, err := dir.Copy(h, name, MaxBytes); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

func visit[T any](f *Folder, look func() T) (T, error) {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	return gamedir.Visit(ctx, f.visits, look)
}
