// Package exported offers the exports of records in a folder. Like package downloads it reads
// only regular files, and nothing in the folder can make a reader wait.
package exported

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"colosseum/host/internal/records/export"
	"colosseum/internal/gamedir"
)

// timeout bounds a visit to the folder.
const timeout = 5 * time.Second

// maxExports is the most exports that are offered: enough for 80 years.
const maxExports = 1000

// pattern matches the names of exports. Those that are not complete have a dot.
var pattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$`)

// Export is a folder that can be downloaded.
type Export struct {
	Name     string
	Manifest *export.Manifest // shared: it must not be changed
	Signed   bool             // there is a signature
	hash     string           // of the text of the manifest
	stamp    stamp
}

// Files returns all files: those of the manifest, it, and its signature.
func (x *Export) Files() []export.File {
	files := append(slices.Clone(x.Manifest.Files), export.File{Name: export.ManifestFile, Bytes: x.stamp.bytes})
	if x.Signed {
		files = append(files, export.File{Name: export.SignatureFile})
	}
	return files
}

// Key returns the fingerprint of the key of the signature; "": there is none.
func (x *Export) Key() string {
	if !x.Signed {
		return ""
	}
	return export.Fingerprint(x.Manifest.Key)
}

// stamp is a state of a manifest, which is parsed once for each.
type stamp struct {
	bytes    int64
	modified int64
	signed   bool
}

// Folder is a folder of exports. Its methods can run concurrently.
type Folder struct {
	path   string
	visits *gamedir.Visits

	mu    sync.Mutex // guards the field below
	known map[string]*Export
}

// Open returns the folder at a path; empty: it has no exports. It reads nothing yet.
func Open(path string) *Folder {
	return &Folder{path: path, visits: gamedir.NewVisits(nil), known: map[string]*Export{}}
}

// List returns the exports, the one with the last matches first. It leaves out those whose
// manifest cannot be read. The error is [gamedir.ErrSilent].
func (f *Folder) List() ([]*Export, error) {
	if f.path == "" {
		return nil, nil
	}
	list, err := visit(f, f.look)
	slices.SortFunc(list, func(a, b *Export) int {
		return cmp.Or(b.Manifest.Until.Compare(a.Manifest.Until), strings.Compare(a.Name, b.Name))
	})
	return list, err
}

// Get opens a file of an export, and returns a text that changes with its content. The
// caller closes it. The error is fs.ErrNotExist, [gamedir.ErrSilent] or one of the system.
func (f *Folder) Get(name, file string) (opened *os.File, hash string, err error) {
	if f.path == "" || !pattern.MatchString(name) {
		return nil, "", fs.ErrNotExist
	}
	type found struct {
		file *os.File
		hash string
		err  error
	}
	got, err := visit(f, func() found {
		file, hash, err := f.open(name, file)
		return found{file, hash, err}
	})
	if err != nil {
		return nil, "", err
	}
	return got.file, got.hash, got.err
}

// look reads the manifests that are new.
func (f *Folder) look() (list []*Export) {
	dir, err := gamedir.Open(f.path)
	if err != nil {
		return nil
	}
	defer dir.Close()
	entries, err := dir.List()
	if err != nil {
		return nil
	}
	known := map[string]*Export{}
	for _, e := range entries {
		if !pattern.MatchString(e.Name()) || len(list) == maxExports {
			continue
		}
		if x, err := f.read(dir, e.Name()); err == nil {
			known[e.Name()] = x
			list = append(list, x)
		}
	}
	f.mu.Lock()
	f.known = known
	f.mu.Unlock()
	return list
}

// read returns an export, which must have a manifest.
func (f *Folder) read(dir *gamedir.Folder, name string) (*Export, error) {
	info, err := dir.Stat(name + "/" + export.ManifestFile)
	if err != nil {
		return nil, err
	}
	_, err = dir.Stat(name + "/" + export.SignatureFile)
	now := stamp{info.Size(), info.ModTime().UnixNano(), err == nil}
	f.mu.Lock()
	known := f.known[name]
	f.mu.Unlock()
	if known != nil && known.stamp == now {
		return known, nil
	}
	text, err := dir.Read(name+"/"+export.ManifestFile, export.MaxManifest)
	if err != nil {
		return nil, err
	}
	m, err := export.ParseManifest(text)
	if err != nil {
		return nil, err
	}
	hash := sha256.Sum256(text)
	return &Export{Name: name, Manifest: m, Signed: now.signed, hash: hex.EncodeToString(hash[:]), stamp: now}, nil
}

// open opens a file that the manifest names, or the manifest or its signature.
func (f *Folder) open(name, file string) (opened *os.File, hash string, err error) {
	dir, err := gamedir.Open(f.path)
	if err != nil {
		return nil, "", err
	}
	defer dir.Close()
	x, err := f.read(dir, name)
	if err != nil {
		return nil, "", fmt.Errorf("%w: %w", fs.ErrNotExist, err)
	}
	bytes := int64(-1)
	switch i := slices.IndexFunc(x.Manifest.Files, func(f export.File) bool { return f.Name == file }); {
	case i >= 0:
		hash, bytes = x.Manifest.Files[i].SHA256, x.Manifest.Files[i].Bytes
	case file == export.ManifestFile:
		hash, bytes = x.hash, x.stamp.bytes
	case file == export.SignatureFile && x.Signed:
		hash = x.hash + "-sig"
	default:
		return nil, "", fs.ErrNotExist
	}
	opened, err = dir.File(name + "/" + file)
	if err != nil {
		return nil, "", err
	}
	info, err := opened.Stat()
	if err == nil && bytes >= 0 && info.Size() != bytes {
		err = errors.New("it is not the file of the manifest")
	}
	if err != nil {
		_ = opened.Close()
		return nil, "", fmt.Errorf("%s of the export %s: %w", file, name, err)
	}
	return opened, hash, nil
}

func visit[T any](f *Folder, look func() T) (T, error) {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	return gamedir.Visit(ctx, f.visits, look)
}
