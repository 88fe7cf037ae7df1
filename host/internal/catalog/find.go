package catalog

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"colosseum/internal/gamedir"
)

// looker looks into folders that may not answer.
type looker struct {
	back func(dir string) // called when a folder answers again; nil: nobody is interested

	mu     sync.Mutex                 // guards the field below
	visits map[string]*gamedir.Visits // by folder
}

// lookTime is how long a folder may take to tell whether it holds a game.
const lookTime = 5 * time.Second

// visit returns the visits of a folder.
func (l *looker) visit(dir string) *gamedir.Visits {
	l.mu.Lock()
	defer l.mu.Unlock()
	v := l.visits[dir]
	if v == nil {
		v = gamedir.NewVisits(func() {
			if l.back != nil {
				l.back(dir)
			}
		})
		if l.visits == nil {
			l.visits = map[string]*gamedir.Visits{}
		}
		l.visits[dir] = v
	}
	return v
}

// isGame reports whether a folder holds a game. One that does not answer may hold
// one.
func (l *looker) isGame(ctx context.Context, dir string) bool {
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	ok, err := gamedir.Visit(ctx, l.visit(dir), func() bool {
		_, ok, _ := look(dir)
		return ok
	})
	return ok || err != nil
}

// candidates lists the subfolders of some folders, which may hold games. It
// does not look into them, for one that does not answer must not be waited for.
func (l *looker) candidates(ctx context.Context, folders []string) (dirs []string, err error) {
	seen := map[string]string{}
	for _, folder := range folders {
		entries, err := os.ReadDir(folder)
		if err != nil {
			return nil, fmt.Errorf("look for games: %w", err)
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
			case !l.isGame(ctx, dir):
				continue
			case l.isGame(ctx, other):
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

// find lists the games in some folders. A subfolder without Go files and
// without an executable is no game; one that does not answer may be one.
func (l *looker) find(ctx context.Context, folders []string) ([]source, error) {
	dirs, err := l.candidates(ctx, folders)
	if err != nil {
		return nil, err
	}
	games := make([]bool, len(dirs))
	var looks sync.WaitGroup
	for i, dir := range dirs {
		looks.Go(func() { games[i] = l.isGame(ctx, dir) }) // ends with ctx at the latest
	}
	looks.Wait()
	var sources []source
	for i, dir := range dirs {
		if games[i] {
			sources = append(sources, source{name: filepath.Base(dir), dir: dir})
		}
	}
	return sources, nil
}
