package store

import (
	"context"
	"errors"
	"log/slog"
	"strings"
)

// inPostgres reports whether records are in PostgreSQL, and not in a file.
func inPostgres(where string) bool {
	return strings.HasPrefix(where, "postgres://") || strings.HasPrefix(where, "postgresql://")
}

var errNotYet = errors.New("PostgreSQL is not supported yet: use a file")

// OpenAs is like Open for one of several hosts with the same records, which have different
// names. It needs PostgreSQL. It waits at most 10 s for the end of another process with
// this name.
func OpenAs(ctx context.Context, where, host string, log *slog.Logger) (*Store, error) {
	return nil, errNotYet
}

// Hosts are the hosts that share the records in PostgreSQL. Their methods can be called
// concurrently.
type Hosts struct{}

// HostRow is a host as the others see it. Its beat changes as long as it lives, and its
// generation with each start.
type HostRow struct {
	Name             string
	Generation, Beat int64
}

// Lead is the leadership among the hosts, which one has at a time.
type Lead struct{ lost chan struct{} }

// Hosts returns the hosts that share these records; nil: the records are in SQLite.
func (s *Store) Hosts() *Hosts { return nil }

// Available reports whether matches can begin: false while records could not be written
// for some time, or too many wait. With SQLite it is always true.
func (s *Store) Available() bool { return true }

// Beat is a sign of life. After another host has fenced this one, its error is
// record.ErrFenced.
func (h *Hosts) Beat(ctx context.Context) error { return errNotYet }

// List returns all hosts that have ever started, by name.
func (h *Hosts) List(ctx context.Context) ([]HostRow, error) { return nil, errNotYet }

// Fence records the running matches of a dead host as aborted, and prevents it from
// recording anything more. It returns their IDs, and whether the host was fenced: it is
// not if the row has changed, because the host lives or another one was faster.
func (h *Hosts) Fence(ctx context.Context, dead HostRow) (aborted []string, fenced bool, err error) {
	return nil, false, errNotYet
}

// Renew begins a new generation of this host after it was fenced. Matches that have begun
// before cannot be recorded.
func (h *Hosts) Renew(ctx context.Context) error { return errNotYet }

// Lead returns the leadership among the hosts; nil: another host has it.
func (h *Hosts) Lead(ctx context.Context) (*Lead, error) { return nil, errNotYet }

// Lost is closed when the leadership was lost.
func (l *Lead) Lost() <-chan struct{} { return l.lost }

// Release gives the leadership to another host.
func (l *Lead) Release() {}
