package export

import (
	"context"
	"crypto/ed25519"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"
)

const (
	// monthlyEvery is the time between two looks whether a month is over.
	monthlyEvery = 10 * time.Minute
	// monthlyAfter is how long after its end a month is exported: by then the matches that
	// ended in it are recorded.
	monthlyAfter = time.Hour
	// monthlyRest leaves the processor to the matches.
	monthlyRest = 3
)

// MonthLayout is the form of the name of a month.
const MonthLayout = "2006-01"

// ParseMonth returns the beginnings of a month, like 2026-10, and of the next one, in UTC.
func ParseMonth(name string) (since, until time.Time, err error) {
	if since, err = time.Parse(MonthLayout, name); err != nil {
		return since, until, err
	}
	return since, since.AddDate(0, 1, 0), nil
}

// Monthly exports each month when it is over.
type Monthly struct {
	Records Records
	Folder  string             // of all exports; each has the name of its month
	Host    string             // of the manifests
	Key     ed25519.PrivateKey // nil: they are not signed
	Log     *slog.Logger
}

// Run works until ctx ends. Only one Run should work with a folder; a second one writes
// nothing while the first one writes.
func (m *Monthly) Run(ctx context.Context) {
	tick := time.NewTicker(monthlyEvery)
	defer tick.Stop()
	failing := false
	for {
		err := m.write(ctx, time.Now())
		if err != nil && ctx.Err() == nil && !failing {
			m.Log.Error("could not export the records of the last month; trying again", "folder", m.Folder, "error", err)
		}
		failing = err != nil
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// write exports the last month that is over, unless that is done.
func (m *Monthly) write(ctx context.Context, now time.Time) error {
	now = now.UTC().Add(-monthlyAfter)
	until := time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, time.UTC)
	since := until.AddDate(0, -1, 0)
	folder := filepath.Join(m.Folder, since.Format(MonthLayout))
	if _, err := os.Lstat(folder); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	begun := time.Now()
	done, err := Write(ctx, m.Records, folder, Options{Since: since, Until: until, Host: m.Host, Key: m.Key, Rest: monthlyRest})
	switch {
	case errors.Is(err, ErrExists), errors.Is(err, ErrWriting):
		return nil
	case err != nil:
		return err
	}
	m.Log.Info("exported the records of a month", "folder", folder, "matches", done.Matches, "took", time.Since(begun).Round(time.Second).String())
	return nil
}
