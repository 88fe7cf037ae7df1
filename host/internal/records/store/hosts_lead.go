package store

import (
	"context"

	"colosseum/host/internal/records/postgres"
)

// Lock is a lock among the hosts. It is lost together with its connection to PostgreSQL.
type Lock struct{ held *postgres.Session }

// Lead returns the leadership, which one host has at a time; nil: another host has it.
func (h *Hosts) Lead(ctx context.Context) (*Lock, error) {
	return h.take(ctx, "become the leader", `SELECT pg_try_advisory_lock($1)`, lockLead)
}

// WithNATS returns the lock of the hosts that are connected to NATS; nil: one stands in for
// all without it.
func (h *Hosts) WithNATS(ctx context.Context) (*Lock, error) {
	return h.take(ctx, "join the hosts with NATS", `SELECT pg_try_advisory_lock_shared($1)`, lockNATS)
}

// StandIn returns the lock of the host that stands in for all while none is connected to
// NATS; nil: another one has it, or one is connected.
func (h *Hosts) StandIn(ctx context.Context) (*Lock, error) {
	return h.take(ctx, "stand in for the hosts without NATS", `SELECT pg_try_advisory_lock($1)`, lockNATS)
}

func (h *Hosts) take(ctx context.Context, what, text string, key int64) (*Lock, error) {
	held, err := h.d.Hold(ctx, text, []any{key})
	if err != nil {
		return nil, h.wrap(what, err)
	}
	if held == nil {
		return nil, nil
	}
	return &Lock{held}, nil
}

// Lost is closed when the lock was lost, seconds after the connection has broken, and after
// Release.
func (l *Lock) Lost() <-chan struct{} { return l.held.Lost() }

// Release gives the lock to another host. It can be called several times.
func (l *Lock) Release() { l.held.Close() }
