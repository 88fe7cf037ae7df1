package build

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"colosseum/host/internal/games/sandbox"
	"colosseum/host/internal/submissions/language"
)

// Prepare builds once, into a folder of the host's data, what all builds of a language need,
// such as the standard library of Go. Later calls, also of later hosts, find it there. It
// does nothing for a language without `prepare`. Only one call at a time must use the folder.
// All errors are the host's; builds work without it, but are slower.
//
// Builds get links to these files, and can't write them.
func Prepare(ctx context.Context, l *language.Language, data string, limits Limits, level sandbox.Level) error {
	if l.Prepare.Folder == "" {
		return nil
	}
	tools, err := l.Toolchain(ctx)
	if err != nil {
		return err
	}
	kind, err := json.Marshal([]any{tools, l.Prepare, l.Environment})
	if err != nil {
		return err
	}
	hash := sha256.Sum256(kind)
	if data, err = sandbox.RealPath(data); err != nil {
		return err
	}
	target := filepath.Join(data, l.Name+"-"+hex.EncodeToString(hash[:8]))
	if _, err := os.Stat(target); err == nil {
		l.SetPrepared(target)
		return nil
	}
	folder, err := os.MkdirTemp(data, ".prepare-")
	if err != nil {
		return err
	}
	defer func() { _ = Remove(folder) }() // what remains uses only space
	var out strings.Builder
	b, err := newBuilder(ctx, l, folder, limits, level, &out)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, limits.Time)
	defer cancel()
	for _, args := range l.Prepare.Build {
		if err := b.run(ctx, args, b.source); err != nil {
			return fmt.Errorf("prepare %s: %w: %.500s", l.Title, err, out.String())
		}
	}
	made := b.env[l.Prepare.Folder]
	if !sandbox.Within(made, b.private) {
		return fmt.Errorf("prepare %s: %s is not in {private}", l.Title, l.Prepare.Folder)
	}
	if err := os.Rename(made, target); err != nil {
		return err
	}
	l.SetPrepared(target)
	return nil
}

// linkPrepared gives the build a folder of its own with links to all files that were
// prepared: it can add files, but writes none of these.
func (b *builder) linkPrepared() error {
	from, to := b.language.Prepared(), b.env[b.language.Prepare.Folder]
	if from == "" {
		return nil
	}
	return filepath.WalkDir(from, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		below, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		if e.IsDir() {
			return os.MkdirAll(filepath.Join(to, below), 0o700)
		}
		return os.Symlink(path, filepath.Join(to, below))
	})
}
