package hosted

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"colosseum/host/internal/games/program"
	"colosseum/host/internal/records/store"
	"colosseum/host/internal/submissions/archive"
)

// installation is a version with its files in a folder.
type installation struct {
	ready   chan struct{} // closed when the fields below have their values
	command program.Command
	err     error

	// The mu of Programs guards these.
	uses int // matches
	used time.Time
}

// keepInstalled is how long the files of a version stay that does not play.
const keepInstalled = 10 * time.Minute

// install returns the command of a version, whose files stay until release is called.
func (p *Programs) install(ctx context.Context, s store.Submission) (c program.Command, release func(), err error) {
	p.mu.Lock()
	i := p.installed[keyOf(s)]
	isNew := i == nil
	if isNew {
		i = &installation{ready: make(chan struct{})}
		p.installed[keyOf(s)] = i
	}
	i.uses++
	p.mu.Unlock()
	release = func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		i.uses--
		i.used = time.Now()
	}
	if isNew {
		i.command, i.err = p.write(ctx, s)
		if i.err != nil { // the next match tries again
			p.mu.Lock()
			delete(p.installed, keyOf(s))
			p.mu.Unlock()
		}
		close(i.ready)
	}
	select {
	case <-i.ready:
		err = i.err
	case <-ctx.Done():
		err = ctx.Err()
	}
	if err != nil {
		release()
		return c, nil, err
	}
	return i.command, release, nil
}

// installationKey identifies the files of a version: it can be built again.
type installationKey struct {
	number  int64
	changed int64 // Unix time in nanoseconds
}

func keyOf(s store.Submission) installationKey {
	return installationKey{s.Number, s.Changed.UnixNano()}
}

func (p *Programs) folder(k installationKey) string {
	return filepath.Join(p.config.Folder, fmt.Sprintf("%d-%d", k.number, k.changed))
}

// write writes the files of a version, and returns its command.
func (p *Programs) write(ctx context.Context, s store.Submission) (c program.Command, err error) {
	packed, err := p.config.Store.Program(ctx, s.Number)
	if err != nil {
		return c, err
	}
	files, err := archive.Open(packed, p.config.Archive)
	if err != nil {
		return c, err
	}
	folder := p.folder(keyOf(s))
	if err := os.RemoveAll(folder); err != nil {
		return c, err
	}
	defer func() {
		if err != nil {
			_ = os.RemoveAll(folder) // otherwise the next attempt says why
		}
	}()
	if err := os.Mkdir(folder, 0o755); err != nil {
		return c, err
	}
	if err := files.Write(folder); err != nil {
		return c, err
	}
	if err := protect(folder); err != nil {
		return c, err
	}
	return p.config.Command(s, folder)
}

// protect makes all files below a folder read-only. Folders stay as they are, so that an
// operator can remove them.
func protect(folder string) error {
	return filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		return os.Chmod(path, info.Mode().Perm()&^0o222)
	})
}

// sweep removes the files of versions that have not played for some time.
func (p *Programs) sweep(now time.Time) {
	p.mu.Lock()
	active := map[installationKey]bool{}
	for _, s := range p.active {
		active[keyOf(s)] = true
	}
	for key, i := range p.installed {
		if i.uses > 0 || active[key] || now.Sub(i.used) < keepInstalled {
			continue
		}
		delete(p.installed, key)
		if err := os.RemoveAll(p.folder(key)); err != nil { // with mu: nobody installs it meanwhile
			p.config.Log.Warn("could not remove the files of a program", "submission", key.number, "error", err)
		}
	}
	p.mu.Unlock()
}
