package source

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"
)

// debounce is how long a folder must be unchanged before a change is reported,
// because editors write in several steps. A change in the middle of two steps is read
// again after the second one.
const debounce = 5 * time.Millisecond

// Watch prepares watching the folders that the games' folders are in. It must be
// called before Examine, which adds the folders of each game. Run must be called
// after it.
func (f *Folders) Watch(folders []string, log *slog.Logger) error {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return fmt.Errorf("watch the plugins' folders: %w", err)
	}
	for _, folder := range folders {
		dir, err := filepath.Abs(folder)
		if err == nil {
			err = w.Add(dir)
		}
		if err != nil {
			_ = w.Close()
			return fmt.Errorf("watch %s: %w", folder, err)
		}
		f.parents = append(f.parents, dir)
	}
	f.watcher, f.log = w, log
	return nil
}

// watch adds folders of a game, some of which might already be watched.
func (f *Folders) watch(folders []string) {
	for i, folder := range folders {
		err := f.watcher.Add(folder)
		if err == nil || errors.Is(err, fs.ErrNotExist) || errors.Is(err, fsnotify.ErrClosed) {
			continue // a folder that has been removed needs no watcher
		}
		f.log.Warn("could not watch folders of the game: send SIGHUP after a change", "folder", folder, "folders", len(folders)-i, "error", err)
		return
	}
}

// Run calls Changed with each game's folder that has changed, until ctx ends.
func (f *Folders) Run(ctx context.Context) {
	defer f.watcher.Close()
	timers := map[string]*time.Timer{} // by the game's folder
	defer func() {
		for _, t := range timers {
			t.Stop()
		}
	}()
	for {
		select {
		case <-ctx.Done():
			return
		case err, ok := <-f.watcher.Errors:
			if !ok {
				return
			}
			f.log.Warn("could not watch the plugins' folders", "error", err)
		case e, ok := <-f.watcher.Events:
			if !ok {
				return
			}
			dir := gameFolder(f.parents, e.Name)
			if dir == "" {
				continue
			}
			if t := timers[dir]; t != nil {
				t.Reset(debounce)
			} else {
				timers[dir] = time.AfterFunc(debounce, func() { f.Changed(dir) })
			}
		}
	}
}

// gameFolder returns the folder of the game that a path is in, or is; empty:
// none. Parents are the folders that games' folders are in.
func gameFolder(parents []string, path string) string {
	for _, parent := range parents {
		for dir := path; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
			if filepath.Dir(dir) != filepath.Clean(parent) {
				continue
			}
			if hidden(filepath.Base(dir)) {
				return ""
			}
			return dir
		}
	}
	return ""
}
