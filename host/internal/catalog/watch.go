package catalog

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"
)

// settle is how long a folder must be quiet before it is looked at: editors
// write in several steps.
const settle = 20 * time.Millisecond

// watch looks after the folders until the catalog closes.
func (c *Catalog) watch(folders []string) error {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return fmt.Errorf("watch the plugins' folders: %w", err)
	}
	for _, folder := range folders {
		games, _ := filepath.Glob(filepath.Join(folder, "*")) // the pattern is well formed
		list := []string{folder}
		for _, dir := range games {
			list = append(list, tree(dir, dir)...)
		}
		for _, dir := range list {
			if err := w.Add(dir); err != nil {
				_ = w.Close()
				return fmt.Errorf("watch %s: %w", dir, err)
			}
		}
	}
	c.wait.Go(func() { // ends when the catalog closes
		defer w.Close()
		c.follow(w, folders)
	})
	return nil
}

// follow hands what happens in the folders to those who tend the games.
func (c *Catalog) follow(w *fsnotify.Watcher, folders []string) {
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
			// Of a new folder, what it already holds is seen when it is looked at.
			for _, folder := range tree(dir, e.Name) {
				if err := w.Add(folder); err != nil {
					c.log.Warn("the game's folder is not watched", "folder", folder, "error", err)
				}
			}
			if t := quiet[dir]; t != nil {
				t.Reset(settle)
			} else {
				quiet[dir] = time.AfterFunc(settle, func() { c.touched(dir) })
			}
		}
	}
}

// tree returns the folders to watch from a path on, in a game's folder: if that
// is a package of Go, there are none below it.
func tree(game, path string) (folders []string) {
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		return nil
	}
	s, _ := look(game)
	_ = fs.WalkDir(os.DirFS(path), ".", func(below string, e fs.DirEntry, err error) error {
		dir := filepath.Join(path, below)
		switch {
		case err != nil || !e.IsDir():
			return nil // also what went while we looked
		case dir != game && (s.goFiles || hidden(filepath.Base(dir))):
			return fs.SkipDir
		}
		folders = append(folders, dir)
		return nil
	})
	return folders
}

// touched makes somebody look at a game's folder.
func (c *Catalog) touched(dir string) {
	name := filepath.Base(dir)
	c.mu.Lock()
	p := c.plugins[name]
	c.mu.Unlock()
	if p != nil {
		p.look()
		return
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return
	}
	if s, ok := look(abs); ok {
		c.adopt(c.life, []source{s})
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
