package export

import (
	"cmp"
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/klauspost/compress/zstd"

	"colosseum/host/internal/base/disk"
	"colosseum/host/internal/records/dialect"
	"colosseum/host/internal/records/record"
	"colosseum/host/internal/records/store"
	"colosseum/internal/filelock"
)

// ErrExists is the error of Write for a folder that exists.
var ErrExists = errors.New("there is already such an export")

// ErrWriting is the error of Write while another process writes the same export.
var ErrWriting = errors.New("another process writes this export now")

const (
	// pageMatches are read at once, between two looks at the size of a file.
	pageMatches = 100
	// partBytes is the size of a compressed file after which the next one begins: a
	// download on a slow line can end in time, and an export that was stopped goes on
	// after its last whole file.
	partBytes = 64 << 20
	// partialSuffix is that of the folder of an export that is not complete.
	partialSuffix = ".partial"
	progressFile  = ".progress.json"
	lockFile      = ".lock"
)

// Records are the records of a store.
type Records interface {
	Ended(ctx context.Context, q store.Range, limit int, visit func(*record.Match) error) (next string, err error)
}

// Options say what an export has.
type Options struct {
	Since, Until time.Time          // the matches ended from Since, and before Until
	Game         string             // empty: all
	Host         string             // of the manifest
	Key          ed25519.PrivateKey // nil: it is not signed
	// Rest is how long Write rests after each page of records, as a multiple of the time
	// that the page took. A host that plays matches wants some.
	Rest int
	// Progress, if not nil, is called after each page with the number of matches.
	Progress func(matches int64)

	part int64 // 0: partBytes
}

// progress is what an export that is not complete has.
type progress struct {
	Since   time.Time        `json:"since"`
	Until   time.Time        `json:"until"`
	Game    string           `json:"game"`
	After   string           `json:"after"` // cursor
	Over    bool             `json:"over"`  // there are no more matches
	Matches int64            `json:"matches"`
	Games   map[string]int64 `json:"games"`
	Files   []File           `json:"files"`
}

// Write writes an export into a new folder, which appears when it is complete. Until then
// its files are in a folder with another name; after an error or a crash, Write with the same
// options goes on there. It needs memory for a few records, however many there are. The same
// records give the same files.
func Write(ctx context.Context, records Records, folder string, o Options) (_ *Manifest, err error) {
	if _, err := os.Lstat(folder); err == nil {
		return nil, fmt.Errorf("%s: %w", folder, ErrExists)
	}
	w := &writer{records: records, options: o, folder: folder + partialSuffix}
	if err := os.MkdirAll(w.folder, 0o755); err != nil {
		return nil, err
	}
	lock, err := os.OpenFile(filepath.Join(w.folder, lockFile), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	defer filelock.Release(lock)
	if err := filelock.Try(lock); errors.Is(err, filelock.ErrLocked) {
		return nil, fmt.Errorf("%s: %w", folder, ErrWriting)
	} else if err != nil {
		return nil, err
	}
	if err := w.resume(); err != nil {
		return nil, err
	}
	for !w.done.Over {
		if err := w.part(ctx); err != nil {
			return nil, err
		}
	}
	m, err := w.finish()
	if err != nil {
		return nil, err
	}
	// Windows renames no folder with an open file. Nobody else writes here: the progress
	// is gone, and a second Write would begin again and fail at the rename.
	_ = filelock.Release(lock)
	if err := os.Remove(lock.Name()); err != nil {
		return nil, err
	}
	if err := os.Rename(w.folder, folder); err != nil {
		return nil, err
	}
	return m, disk.SyncFolder(filepath.Dir(folder))
}

type writer struct {
	records Records
	options Options
	folder  string
	done    progress
}

// resume reads what an earlier Write has done, and removes what it has begun.
func (w *writer) resume() error {
	w.done = progress{Since: w.options.Since.UTC(), Until: w.options.Until.UTC(), Game: w.options.Game, Games: map[string]int64{}}
	text, err := os.ReadFile(filepath.Join(w.folder, progressFile))
	if err == nil {
		var old progress
		if err := json.Unmarshal(text, &old); err != nil || !old.Since.Equal(w.done.Since) || !old.Until.Equal(w.done.Until) || old.Game != w.done.Game || old.Games == nil {
			return fmt.Errorf("%s has the beginning of another export: remove it", w.folder)
		}
		w.done = old
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	keep := map[string]bool{progressFile: true, lockFile: true}
	for _, f := range w.done.Files {
		info, err := os.Lstat(filepath.Join(w.folder, f.Name))
		if err != nil || !info.Mode().IsRegular() || info.Size() != f.Bytes {
			return fmt.Errorf("%s has changed since this export was stopped: remove the folder %s", f.Name, w.folder)
		}
		keep[f.Name] = true
	}
	entries, err := os.ReadDir(w.folder)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !keep[e.Name()] && !fileName.MatchString(e.Name()) && e.Name()[0] != '.' {
			return fmt.Errorf("%s has %s, which is of no export: remove the folder", w.folder, e.Name())
		}
		if !keep[e.Name()] {
			if err := os.Remove(filepath.Join(w.folder, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// part writes the next file and then the progress.
func (w *writer) part(ctx context.Context) (err error) {
	next := w.done
	next.Games = map[string]int64{}
	for game, n := range w.done.Games {
		next.Games[game] = n
	}
	name := fmt.Sprintf("matches-%04d.ndjson.zst", len(w.done.Files)+1)
	f, err := create(filepath.Join(w.folder, name))
	if err != nil {
		return err
	}
	defer f.file.Close()
	// One goroutine: the same input gives the same bytes, and other cores stay free.
	zipped, err := zstd.NewWriter(f, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedBetterCompression), zstd.WithWindowSize(1<<20))
	if err != nil {
		return err
	}
	defer zipped.Close()
	part := File{Name: name}
	for !next.Over && f.bytes < cmp.Or(w.options.part, partBytes) {
		begun := time.Now()
		q := store.Range{Game: next.Game, Since: next.Since, Until: next.Until, After: next.After}
		next.After, err = w.records.Ended(ctx, q, pageMatches, func(m *record.Match) error {
			line, err := record.EncodeTranscript(m)
			if err != nil {
				return fmt.Errorf("match %s: %w", m.ID, err)
			}
			part.Matches++
			part.Plain += int64(len(line))
			next.Games[m.Game]++
			runtime.Gosched() // running matches come first
			_, err = zipped.Write(line)
			return err
		})
		if err != nil {
			return err
		}
		next.Over = next.After == ""
		if w.options.Progress != nil {
			w.options.Progress(w.done.Matches + part.Matches)
		}
		if err := dialect.Pause(ctx, time.Duration(w.options.Rest)*time.Since(begun)); err != nil {
			return err
		}
	}
	if err := zipped.Close(); err != nil {
		return err
	}
	if err := f.close(&part); err != nil {
		return err
	}
	if part.Matches > 0 || len(next.Files) == 0 {
		next.Files = append(next.Files[:len(next.Files):len(next.Files)], part)
	}
	next.Matches += part.Matches
	text, err := json.Marshal(next)
	if err != nil {
		return err
	}
	if err := disk.WriteFile(filepath.Join(w.folder, progressFile), text, 0o644); err != nil {
		return err
	}
	w.done = next
	if part.Matches == 0 && len(next.Files) > 1 {
		return os.Remove(filepath.Join(w.folder, name))
	}
	return nil
}

// finish writes the schema, the manifest and the signature.
func (w *writer) finish() (*Manifest, error) {
	m := &Manifest{
		Format: Format, Host: w.options.Host, Created: time.Now().UTC().Truncate(time.Second), Since: w.done.Since, Until: w.done.Until, Game: w.done.Game,
		Lines: record.TranscriptFormat, Matches: w.done.Matches, Games: w.done.Games, Files: w.done.Files,
	}
	hashed := sha256.Sum256(record.Schema())
	m.Files = append(m.Files[:len(m.Files):len(m.Files)], File{Name: SchemaFile, Bytes: int64(len(record.Schema())), SHA256: hex.EncodeToString(hashed[:])})
	if w.options.Key != nil {
		m.Key = w.options.Key.Public().(ed25519.PublicKey)
	}
	text, err := m.encode()
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{SchemaFile: record.Schema(), ManifestFile: text}
	if w.options.Key != nil {
		files[SignatureFile] = ed25519.Sign(w.options.Key, text)
	}
	for name, text := range files {
		if err := disk.WriteFile(filepath.Join(w.folder, name), text, 0o644); err != nil {
			return nil, err
		}
	}
	return m, os.Remove(filepath.Join(w.folder, progressFile))
}

// file is a file whose bytes are counted and hashed.
type file struct {
	file  *os.File
	hash  hash.Hash
	both  io.Writer
	bytes int64
}

func create(path string) (*file, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return nil, err
	}
	h := sha256.New()
	return &file{file: f, hash: h, both: io.MultiWriter(f, h)}, nil
}

func (f *file) Write(b []byte) (int, error) {
	n, err := f.both.Write(b)
	f.bytes += int64(n)
	return n, err
}

// close writes the file to the disk, and its size and hash into part.
func (f *file) close(part *File) error {
	part.Bytes, part.SHA256 = f.bytes, hex.EncodeToString(f.hash.Sum(nil))
	return errors.Join(f.file.Sync(), f.file.Close())
}
