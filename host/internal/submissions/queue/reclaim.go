package queue

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"time"

	"colosseum/host/internal/records/store"
)

// Claims are the versions on which hosts work. See *store.Submissions.
type Claims interface {
	List(ctx context.Context, q store.SubmissionQuery) ([]store.Submission, error)
	Release(ctx context.Context, host string) (int, error)
}

// Hosts are those that live. See *store.Hosts.
type Hosts interface {
	// List returns the hosts without those that have ended or were fenced. A host lives
	// before it claims a version.
	List(ctx context.Context) ([]store.HostRow, error)
}

// reclaimEvery is the time between two looks for versions of hosts that are gone, which are
// fenced only after some seconds.
const reclaimEvery = 2 * time.Second

// Reclaim queues again what hosts were building or trying that are gone, until ctx ends. One
// host of the cluster does so. If such a host comes back, it gets store.ErrNotClaimed.
func Reclaim(ctx context.Context, claims Claims, hosts Hosts, log *slog.Logger) {
	failing := false
	for {
		err := reclaim(ctx, claims, hosts, log)
		if err != nil && ctx.Err() == nil && !failing {
			log.Error("could not look for builds of hosts that are gone; trying again", "error", err)
		}
		failing = err != nil
		if !sleep(ctx, reclaimEvery) {
			return
		}
	}
}

func reclaim(ctx context.Context, claims Claims, hosts Hosts, log *slog.Logger) error {
	owners := map[string]bool{}
	for _, state := range []store.SubmissionState{store.Building, store.Trying} {
		list, err := claims.List(ctx, store.SubmissionQuery{State: state})
		if err != nil {
			return err
		}
		for _, s := range list {
			owners[s.Host] = true
		}
	}
	if len(owners) == 0 {
		return nil
	}
	live, err := hosts.List(ctx) // after the claims: an owner that is not listed has gone since
	if err != nil {
		return err
	}
	for _, h := range live {
		delete(owners, h.Name)
	}
	for _, host := range slices.Sorted(maps.Keys(owners)) {
		n, err := claims.Release(ctx, host)
		if err != nil {
			return err
		}
		if n > 0 {
			log.Warn("a host that is gone was building programs: they are built again", "host", host, "programs", n)
		}
	}
	return nil
}
