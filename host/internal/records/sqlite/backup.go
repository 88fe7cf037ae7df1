package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"modernc.org/sqlite"

	"colosseum/host/internal/base/config"
	"colosseum/host/internal/base/disk"
	"colosseum/host/internal/records/dialect"
)

const (
	// A backup copies backupPages pages (1 MiB), writes them to the disk, and then
	// pauses for backupPause times as long, at most for maxPause.
	backupPages = 256
	backupPause = 3
	maxPause    = 250 * time.Millisecond
)

// ErrExists is the error of Backup if its file exists and must not be replaced.
var ErrExists = errors.New("it exists")

// BackupProgress is the progress of a backup, in bytes of the database.
type BackupProgress struct {
	Copied, Total int64
	Checking      bool // the copy is complete and is being checked
}

// Content describes the content of a backup.
type Content struct {
	Matches int64 // ended and running
	Bytes   int64 // of the file
}

// Backup writes a complete copy of a file of records, of any version, to another file.
// It creates that file with mode 0600; it replaces an existing one only if replace is
// set. A host can run; the copy has everything that was committed when Backup was
// called. The copy gets its name when it is complete, checked and on the disk; after
// an error there is none. If report is not nil, it is called after each step.
func Backup(ctx context.Context, path, to string, replace bool, report func(BackupProgress)) (content Content, err error) {
	if config.InPostgres(path) {
		return Content{}, errors.New("the records are in PostgreSQL: back them up with its program pg_dump")
	}
	if report == nil {
		report = func(BackupProgress) {}
	}
	done := make(chan struct{})
	go func() { // ends with the backup; a goroutine, because lowerPriority keeps its thread
		defer close(done)
		content, err = backup(ctx, path, to, replace, report)
	}()
	<-done
	return content, err
}

func backup(ctx context.Context, path, to string, replace bool, report func(BackupProgress)) (content Content, err error) {
	path = At(path).path
	if err := canReplace(path, to, replace); err != nil {
		return Content{}, fmt.Errorf("write the backup %s: %w", to, err)
	}
	source, err := connect(path, 1, true)
	if err != nil {
		return Content{}, err
	}
	defer source.Close()
	if version, err := identify(ctx, source); err != nil {
		return Content{}, fmt.Errorf("back up the records in %s: %w", path, File{path}.Explain(err))
	} else if version == 0 {
		return Content{}, fmt.Errorf("back up the records in %s: there are none", path)
	}
	// In the same folder, because a rename works only within a file system.
	f, err := os.CreateTemp(filepath.Dir(to), "."+filepath.Base(to)+"-*") // with mode 0600
	if err != nil {
		return Content{}, fmt.Errorf("write the backup %s: %w", to, err)
	}
	complete := false
	defer func() {
		f.Close() // does nothing if the copy is complete
		if !complete {
			_ = os.Remove(f.Name())
		}
	}()
	if err := copyPages(ctx, source, path, f, report); err != nil {
		return Content{}, fmt.Errorf("copy the records in %s to %s: %w", path, to, File{path}.Explain(err))
	}
	source.Close()
	checkpoint(ctx, path)
	lowerPriority() // not before: on a busy machine, the snapshot would last too long
	if content, err = checkBackup(ctx, f.Name()); err != nil {
		return Content{}, fmt.Errorf("check the copy of %s: %w", path, File{path}.Explain(err))
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return Content{}, fmt.Errorf("write the backup %s: %w", to, err)
	}
	// Another process can have created the file in the meantime. Nothing prevents that
	// between this check and the rename.
	if err := canReplace(path, to, replace); err != nil {
		return Content{}, fmt.Errorf("write the backup %s: %w", to, err)
	}
	if err := os.Rename(f.Name(), to); err != nil {
		return Content{}, fmt.Errorf("write the backup %s: %w", to, err)
	}
	complete = true
	return content, disk.SyncFolder(filepath.Dir(to))
}

// canReplace returns an error if a backup must not be written to a file.
func canReplace(path, to string, replace bool) error {
	info, err := os.Lstat(to)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	folder := filepath.Dir(to)
	if real, err := filepath.EvalSymlinks(folder); err == nil {
		folder = real
	}
	if folder, err = filepath.Abs(folder); err != nil {
		return err
	}
	if path, err = filepath.Abs(path); err != nil {
		return err
	}
	for _, suffix := range []string{"", "-wal", "-shm", "-journal", ".lock"} {
		own, statErr := os.Lstat(path + suffix)
		if path+suffix == filepath.Join(folder, filepath.Base(to)) || err == nil && statErr == nil && info != nil && os.SameFile(own, info) {
			return errors.New("it belongs to the host: choose another name")
		}
	}
	switch {
	case info == nil:
		return nil
	case info.IsDir():
		return errors.New("it is a folder: name a file in it")
	case !replace:
		return ErrExists
	}
	return nil
}

// copyPages copies a database to an empty file in small steps, with pauses. It holds
// one snapshot: otherwise each commit between two steps would restart SQLite's backup.
// During that time the host cannot reuse its log. While the log is long, copyPages
// makes no pauses, since a long log costs commits more than the copy
// (docs/decisions/store.md).
func copyPages(ctx context.Context, source *sql.DB, path string, f *os.File, report func(BackupProgress)) error {
	conn, err := source.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, "BEGIN DEFERRED"); err != nil {
		return err
	}
	var pageSize, tables int64
	if err := conn.QueryRowContext(ctx, "PRAGMA page_size").Scan(&pageSize); err != nil {
		return err
	}
	if err := conn.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema").Scan(&tables); err != nil { // takes the snapshot
		return err
	}
	return conn.Raw(func(driver any) error {
		// Without journal, locks and syncs: no other process uses the file, and it is
		// removed after an error.
		b, err := driver.(interface {
			NewBackup(uri string) (*sqlite.Backup, error)
		}).NewBackup(uri(f.Name(), "mode=rw&nolock=1&_error_rc=1&_pragma=journal_mode(off)&_pragma=synchronous(off)"))
		if err != nil {
			return err
		}
		for more := true; more && err == nil; {
			begun := time.Now()
			if more, err = b.Step(backupPages); err != nil {
				break
			}
			total := int64(b.PageCount())
			report(BackupProgress{Copied: (total - int64(b.Remaining())) * pageSize, Total: total * pageSize})
			if err = f.Sync(); err != nil {
				break
			}
			wait := min(backupPause*time.Since(begun), maxPause)
			if logIsLong(path) {
				wait = 0
			}
			err = dialect.Pause(ctx, wait)
		}
		err = errors.Join(err, b.Finish())
		if err == nil {
			report(BackupProgress{Checking: true})
		}
		return err
	})
}

// checkpoint moves everything that a host has committed during a backup from the log
// to the database, since otherwise the host's next commit would do it. Its errors do
// not matter, because the host then does it.
func checkpoint(ctx context.Context, path string) {
	db, err := connect(path, 1, false)
	if err != nil {
		return
	}
	defer db.Close()
	// The second one moves the little that is committed during the first.
	for range 2 {
		_, _ = db.ExecContext(ctx, "PRAGMA wal_checkpoint(PASSIVE)")
	}
}

// CheckBackup reads all of a backup, and returns an error if it is damaged or not a
// file of records. It does not change the file.
func CheckBackup(ctx context.Context, path string) (Content, error) {
	content, err := checkBackup(ctx, path)
	if err != nil {
		return Content{}, fmt.Errorf("%s: %w", path, File{path}.Explain(err))
	}
	return content, nil
}

func checkBackup(ctx context.Context, path string) (content Content, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return Content{}, err
	}
	if !info.Mode().IsRegular() {
		return Content{}, errors.New("it is not a regular file")
	}
	options := "mode=ro&_error_rc=1"
	if _, err := os.Stat(path + "-wal"); err != nil {
		options += "&immutable=1" // so that SQLite creates no files next to it
	}
	db, err := sql.Open("sqlite", uri(path, options))
	if err != nil {
		return Content{}, err
	}
	defer db.Close()
	version, err := identify(ctx, db)
	if err != nil {
		return Content{}, err
	}
	if version == 0 {
		return Content{}, errors.New("it has no records")
	}
	damage, err := quickCheck(ctx, db)
	if err != nil {
		return Content{}, err
	}
	if damage != "" {
		return Content{}, fmt.Errorf("it is damaged (%s): use another backup", damage)
	}
	content.Bytes = info.Size()
	return content, db.QueryRowContext(ctx, "SELECT count(*) FROM matches").Scan(&content.Matches)
}
