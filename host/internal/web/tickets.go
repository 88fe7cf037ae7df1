package web

import (
	"crypto/rand"
	"crypto/sha256"
	"sync"
	"sync/atomic"

	"colosseum/host/internal/guess"
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
	delete(ts.seats, sha256.Sum256([]byte(t.ticket)))
}

// find returns the seat of a ticket, or the error for the client. Wrong tickets of
// an address are limited.
func (ts *tickets) find(address, ticket string) (*seat, error) {
	var t *seat
	err := ts.guesses.Try(address, "", func() bool {
		ts.mu.Lock()
		defer ts.mu.Unlock()
		t = ts.seats[sha256.Sum256([]byte(ticket))]
		return t != nil
	})
	switch err {
	case nil:
		return t, nil
	case guess.ErrAddress:
		return nil, errTickets
	default:
		return nil, errTicket
	}
}

// used reports whether a seat has a ticket.
func (ts *tickets) used(ticket string) bool {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	return ts.seats[sha256.Sum256([]byte(ticket))] != nil
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
