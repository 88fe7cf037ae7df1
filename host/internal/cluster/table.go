package cluster

import (
	"context"

	"colosseum/host/internal/records/store"
)

// Hosts is the table of hosts in PostgreSQL. Its methods are those of store.Hosts.
type Hosts interface {
	Beat(ctx context.Context) error
	List(ctx context.Context) ([]store.HostRow, error)
	Fence(ctx context.Context, dead store.HostRow) (aborted []string, fenced bool, err error)
	Renew(ctx context.Context) error
	Lead(ctx context.Context) (Lock, error)     // nil, nil: another host leads
	WithNATS(ctx context.Context) (Lock, error) // nil, nil: a host stands in
	StandIn(ctx context.Context) (Lock, error)  // nil, nil: another host stands in, or has NATS
}

// Lock is a lock among the hosts, until it is lost or released.
type Lock interface {
	Lost() <-chan struct{}
	Release()
}

// InStore returns the table of hosts of a store.
func InStore(h *store.Hosts) Hosts { return inStore{h} }

type inStore struct{ *store.Hosts }

func (s inStore) Lead(ctx context.Context) (Lock, error)     { return lockOf(s.Hosts.Lead(ctx)) }
func (s inStore) WithNATS(ctx context.Context) (Lock, error) { return lockOf(s.Hosts.WithNATS(ctx)) }
func (s inStore) StandIn(ctx context.Context) (Lock, error)  { return lockOf(s.Hosts.StandIn(ctx)) }

func lockOf(l *store.Lock, err error) (Lock, error) {
	if l == nil { // a Lock with a nil pointer would not be nil
		return nil, err
	}
	return l, err
}
