package web

import (
	"crypto/rand"
	"crypto/sha256"
	"sync"
	"sync/atomic"

	"colosseum/host/internal/base/guess"
)

// tickets finds the seats that can be resumed.
type tickets struct {
	guesses *guess.Limiter // of wrong tickets
	kept    atomic.Int64   // bytes that all seats keep, in steps of keptStep

	mu    sync.Mutex                  // guards the field below; it is taken last
	seats map[[sha256.Size]byte]*seat // by the hash of the ticket, so that the time of a lookup reveals nothing
}

// newTicket returns a secret of at least 128 random bits.
func newTicket() string { return rand.Text() }

func (ts *tickets) add(t *seat) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	ts.seats[sha256.Sum256([]byte(t.ticket))] = t
}

func (ts *tickets) remove(t *seat) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	hash := sha256.Sum256([]byte(t.ticket))
	if ts.seats[hash] == t { // two connections of a client can have joined with one ticket at the same time
		delete(ts.seats, hash)
	}
}

// find returns the seat of a ticket, or the error for the client. Wrong tickets of
// an address are counted and limited. The right one is never refused: nobody can guess
// it, and otherwise clients with old tickets, for example after a failure of the
// network, would cost all others behind their address their seats.
func (ts *tickets) find(address, ticket string) (*seat, error) {
	if t := ts.get(ticket); t != nil {
		return t, nil
	}
	if ts.guesses.Try(address, "", func() bool { return false }) == guess.ErrAddress {
		return nil, errTickets
	}
	return nil, errTicket
}

// used reports whether a seat has a ticket.
func (ts *tickets) used(ticket string) bool { return ts.get(ticket) != nil }

func (ts *tickets) get(ticket string) *seat {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	return ts.seats[sha256.Sum256([]byte(ticket))]
}

// all returns all seats with a ticket.
func (ts *tickets) all() []*seat {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	var list []*seat
	for _, t := range ts.seats {
		list = append(list, t)
	}
	return list
}
