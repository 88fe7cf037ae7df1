package source

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"

	"colosseum/host/internal/base/config"
	"colosseum/internal/gamedir"
)

// Folders reads the folders of games, with time limits for those that do not
// answer. Its methods can be called from any goroutine, except Watch. The zero
// Folders is ready for use, and reports no changes.
type Folders struct {
	// Changed, if it is not nil, is called with the folder of a game when the
	// folder answers again, and by Run when it might have changed.
	Changed func(dir string)

	watcher *fsnotify.Watcher // nil: no folder is watched
	parents []string          // that are watched; absolute
	log     *slog.Logger      // of the watcher
	visits  sync.Map          // by folder: *gamedir.Visits
}

// lookTimeout is the limit on looking for a game in a folder, and on reading one
// description.
const lookTimeout = 5 * time.Second

// Visits returns the visits of a folder. All reading of the folder must happen in
// one of them.
func (f *Folders) Visits(dir string) *gamedir.Visits {
	v, _ := f.visits.LoadOrStore(dir, gamedir.NewVisits(func() {
		if f.Changed != nil {
			f.Changed(dir)
		}
	}))
	return v.(*gamedir.Visits)
}

// IsGame reports whether a folder holds a game, or does not answer.
func (f *Folders) IsGame(ctx context.Context, dir string) bool {
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	ok, err := gamedir.Visit(ctx, f.Visits(dir), func() bool {
		_, ok, _ := look(dir)
		return ok
	})
	return ok || err != nil
}

// Examine reads the game in a folder, until ctx ends. If ok is false, there is none;
// with an error, the game can't be loaded. After Watch, changes in its folders are
// reported from now on.
func (f *Folders) Examine(ctx context.Context, dir string, cfg *config.Config) (s Source, ok bool, err error) {
	type found struct {
		s   Source
		ok  bool
		err error
	}
	var watch func([]string)
	if f.watcher != nil {
		watch = f.watch
	}
	r, err := gamedir.Visit(ctx, f.Visits(dir), func() found {
		s, ok, err := examine(dir, cfg, watch)
		s.visits = f.Visits(dir)
		return found{s, ok, err}
	})
	if err != nil {
		return Source{}, true, err
	}
	return r.s, r.ok, r.err
}

// ReadText reads a description in the folder of a game.
func (f *Folders) ReadText(dir, file string) Text {
	ctx, cancel := context.WithTimeout(context.Background(), lookTimeout)
	defer cancel()
	t, err := gamedir.Visit(ctx, f.Visits(dir), func() Text {
		folder, err := gamedir.Open(dir)
		if err != nil {
			return Text{Fault: err.Error()}
		}
		defer folder.Close()
		return readText(folder, file)
	})
	if err != nil {
		return Text{Fault: err.Error()}
	}
	return t
}

// Candidates lists the subfolders of some folders. It looks only into those with the
// same name, so that a folder that does not answer delays nothing.
func (f *Folders) Candidates(ctx context.Context, folders []string) (dirs []string, err error) {
	seen := map[string]string{}
	for _, folder := range folders {
		entries, err := os.ReadDir(folder)
		if err != nil {
			if dir, absolute := filepath.Abs(folder); absolute == nil {
				folder = dir // "plugins" alone does not say where it was looked for
			}
			if failed, ok := errors.AsType[*fs.PathError](err); ok {
				err = failed.Err // without the path
			}
			return nil, fmt.Errorf("look for games in %s: %w: start the host in the folder that has plugins, or set plugins.folders in a configuration (--config FILE)", folder, err)
		}
		for _, e := range entries {
			if hidden(e.Name()) || !e.IsDir() && e.Type()&fs.ModeSymlink == 0 {
				continue
			}
			dir, err := filepath.Abs(filepath.Join(folder, e.Name()))
			if err != nil {
				return nil, err
			}
			other, twice := seen[e.Name()]
			switch {
			case !twice:
			case !f.IsGame(ctx, dir):
				continue
			case f.IsGame(ctx, other):
				return nil, fmt.Errorf("two folders are named %s: %s and %s", e.Name(), other, dir)
			default:
				dirs = slices.DeleteFunc(dirs, func(d string) bool { return d == other })
			}
			seen[e.Name()] = dir
			dirs = append(dirs, dir)
		}
	}
	return dirs, nil
}

// Find lists the games in some folders, with only Name and Dir set: the subfolders
// with Go files or an executable, and those that do not answer.
func (f *Folders) Find(ctx context.Context, folders []string) ([]Source, error) {
	dirs, err := f.Candidates(ctx, folders)
	if err != nil {
		return nil, err
	}
	games := make([]bool, len(dirs))
	var looks sync.WaitGroup
	for i, dir := range dirs {
		looks.Go(func() { games[i] = f.IsGame(ctx, dir) }) // ends after lookTimeout at the latest
	}
	looks.Wait()
	var sources []Source
	for i, dir := range dirs {
		if games[i] {
			sources = append(sources, Source{Name: filepath.Base(dir), Dir: dir})
		}
	}
	return sources, nil
}
