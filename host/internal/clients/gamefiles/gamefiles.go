// Package gamefiles reads what pages show of the folders of games: viewers, pictures and
// example players. Games are untrusted, and disks can hang: it reads only regular files
// inside the folders, of a bounded size, and waits for a folder for at most 5 s.
package gamefiles

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"sync"
	"time"

	"colosseum/host/internal/games/catalog"
	"colosseum/internal/gamedir"
)

// timeout bounds reading from a folder.
const timeout = 5 * time.Second

// Files are the files of games in their folders. The methods can run concurrently. Their
// errors are for people, or [gamedir.ErrSilent] if the folder does not answer.
type Files struct {
	log *slog.Logger

	mu       sync.Mutex                 // guards the fields below
	visits   map[string]*gamedir.Visits // by folder
	pictures map[string]*Picture        // last one of each game: a file that has not changed is not read again
}

// Picture is a picture in a game's folder.
type Picture struct {
	PNG   []byte
	Hash  string // of PNG, in hexadecimal digits
	stamp string // identifies a state of the file
}

// file is a file as it was read.
type file struct {
	text []byte
	tag  string
}

// New returns the files of games. Errors of the system are logged.
func New(log *slog.Logger) *Files {
	return &Files{log: log, visits: map[string]*gamedir.Visits{}, pictures: map[string]*Picture{}}
}

// look calls read with the folder of a game.
func look[T any](f *Files, o *catalog.Offer, read func(folder *gamedir.Folder) (T, error)) (found T, err error) {
	if o.Dir == "" {
		return found, fs.ErrNotExist
	}
	return visit(f, o, func() (none T, _ error) {
		folder, err := gamedir.Open(o.Dir)
		if err != nil {
			return none, err
		}
		defer folder.Close()
		return read(folder)
	})
}

// visit calls read, which reads from the folder of a game, unless the folder does not answer.
func visit[T any](f *Files, o *catalog.Offer, read func() (T, error)) (T, error) {
	type result struct {
		found T
		err   error
	}
	ctx, cancel := context.WithTimeout(context.Background(), timeout) // not the request's, since a client that leaves is no fault of the folder
	defer cancel()
	r, err := gamedir.Visit(ctx, f.visitsOf(o), func() result {
		found, err := read()
		return result{found, err}
	})
	if err != nil {
		r.err = err
	}
	return r.found, r.err
}

// visitsOf returns the visits of the folder of a game.
func (f *Files) visitsOf(o *catalog.Offer) *gamedir.Visits {
	f.mu.Lock()
	defer f.mu.Unlock()
	visits := f.visits[o.Dir]
	if visits == nil {
		visits = gamedir.NewVisits(nil)
		f.visits[o.Dir] = visits
	}
	return visits
}

// forPeople returns the error for people when a file of a game could not be read. It logs
// errors of the system, with what the file is.
func (f *Files) forPeople(err error, o *catalog.Offer, what, name string) error {
	_, refused := errors.AsType[*gamedir.Refused](err)
	switch {
	case err == nil, refused, errors.Is(err, gamedir.ErrSilent):
		return err
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("it has no %s", name)
	default:
		f.log.Error("could not read "+what, "game", o.Name, "error", err)
		return fmt.Errorf("could not read its %s", name)
	}
}

// tag returns the ETag of a file in its present state, without reading it.
func tag(info fs.FileInfo) string {
	return fmt.Sprintf(`"%x-%x"`, info.ModTime().UnixNano(), info.Size())
}
