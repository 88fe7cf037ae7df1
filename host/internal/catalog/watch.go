package catalog

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"
)

// settle is how long a folder must be quiet before it is looked at: editors
// write in several steps.
const settle = 20 * time.Millisecond

// watcher tells of changes in the folders that it was given.
type watcher struct {
	*fsnotify.Watcher
	log *slog.Logger
}

// add watches folders of a game, some of which may be watched already.
func (w *watcher) add(folders []string) {
	for i, folder := range folders {
		err := w.Add(folder)
		if err == nil || errors.Is(err, fs.ErrNotExist) || errors.Is(err, fsnotify.ErrClosed) {
			continue // what went while we looked needs nobody
		}
		w.log.Warn("changes in folders of the game are not seen: send SIGHUP after one", "folder", folder, "folders", len(folders)-i, "error", err)
		return
	}
}

// follow looks after the folders until the catalog closes. Those of each game
// are added when somebody looks at it.
func (c *Catalog) follow(folders []string) error {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return fmt.Errorf("watch the plugins' folders: %w", err)
	}
	var absolute []string
	for _, folder := range folders {
		dir, err := filepath.Abs(folder)
		if err == nil {
			err = w.Add(dir)
		}
		if err != nil {
			_ = w.Close()
			return fmt.Errorf("watch %s: %w", folder, err)
		}
		absolute = append(absolute, dir)
	}
	c.watch = &watcher{w, c.log}
	c.wait.Go(func() { // ends when the catalog closes
		defer w.Close()
		c.hand(w, absolute)
	})
	return nil
}

// hand hands what happens in the folders to those who tend the games.
func (c *Catalog) hand(w *fsnotify.Watcher, folders []string) {
	quiet := map[string]*time.Timer{} // by the game's folder
	defer func() {
		for _, t := range quiet {
			t.Stop()
		}
	}()
	for {
		select {
		case <-c.life.Done():
			return
		case err, ok := <-w.Errors:
			if !ok {
				return
			}
			c.log.Warn("watching the plugins' folders", "error", err)
		case e, ok := <-w.Events:
			if !ok {
				return
			}
			dir := gameFolder(folders, e.Name)
			if dir == "" {
				continue
			}
			if t := quiet[dir]; t != nil {
				t.Reset(settle)
			} else {
				quiet[dir] = time.AfterFunc(settle, func() { c.touched(dir) })
			}
		}
	}
}

// touched makes somebody look at a game's folder.
func (c *Catalog) touched(dir string) {
	name := filepath.Base(dir)
	c.mu.Lock()
	p := c.plugins[name]
	c.mu.Unlock()
	if p != nil {
		p.look()
	} else {
		c.adopt(false, dir)
	}
}

// gameFolder returns the folder of the game that a path is in, or is; empty:
// none.
func gameFolder(folders []string, path string) string {
	for _, folder := range folders {
		for dir := path; ; {
			parent := filepath.Dir(dir)
			if parent == filepath.Clean(folder) {
				if hidden(filepath.Base(dir)) {
					return ""
				}
				return dir
			}
			if parent == dir {
				break
			}
			dir = parent
		}
	}
	return ""
}
