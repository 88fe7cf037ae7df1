package cluster

import (
	"crypto/sha256"
	"sync"
	"time"

	"colosseum/host/internal/play/lobby"
)

// hostStopped is the reason for the end of the matches of a dead host.
const hostStopped = "the host of the match stopped"

// elsewhere are the matches of the other hosts as this host knows them. Its mu can be
// held while the lobby is called; the lobby never calls it.
type elsewhere struct {
	mu    sync.Mutex // guards the fields below
	known map[string]*known
	epoch int         // counts the watches
	since time.Time   // the start of the last one
	id    string      // of its buckets
	own   []lostMatch // of this host, before its last start; see setMatch
}

// known is a match of another host.
type known struct {
	host     string
	sequence int64
	revision uint64    // in the buckets of the epoch
	epoch    int       // in which it was seen the last time
	seen     time.Time // by this host's monotonic clock
	sum      [sha256.Size]byte
	gone     bool
	deleted  bool // it is kept only so that old copies of it are ignored
	listing  lobby.Listing
}

// lostMatch is a listing in NATS of a match that its host lost when it died.
type lostMatch struct {
	id       string
	revision uint64
	sequence int64
	listing  lobby.Listing
}

func (e *elsewhere) len() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	n := 0
	for _, k := range e.known {
		if !k.gone && !k.deleted {
			n++
		}
	}
	return n
}

// begin begins an epoch.
func (e *elsewhere) begin(buckets string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.epoch++
	e.since, e.id, e.own = time.Now(), buckets, nil
}

// buckets returns the id of the buckets of the epoch.
func (e *elsewhere) buckets() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.id
}
