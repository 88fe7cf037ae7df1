package cluster

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"colosseum/host/internal/play/lobby"
)

// Bounds of what this host lists.
const (
	maxPuts    = 16     // at the same time
	maxGone    = 10_000 // listings of matches that are gone and wait to be put; more are dropped, see set
	retryPut   = 250 * time.Millisecond
	putTimeout = 2 * time.Second
)

// listed is what a key of the bucket of matches contains. The values of one key have a
// growing sequence, also after NATS has lost the bucket and counts revisions from 1 again.
type listed struct {
	Sequence int64           `json:"sequence"` // see Cluster.next
	Deleted  bool            `json:"deleted,omitempty"`
	Listing  json.RawMessage `json:"listing"`
}

// listings are the matches of this host, as they are and as NATS has them. The queue has
// each match at most once, with its latest state.
type listings struct {
	again, gone time.Duration // see times
	search      func()        // looks for listings of this host in NATS that have no match, and ends them; must not block

	mu        sync.Mutex // guards the fields below
	work      *sync.Cond // the queue has an entry, or a putter must end
	own       map[string]*own
	queue     []string // of own, to be put
	goneCount int      // number of own that are gone
	buckets   string   // in which everything must be listed; empty: there is no connection
	missing   int      // number of own with missing set
	dropped   bool     // ends of matches were dropped since the last begin
}

// own is a match of this host. The mu of listings guards it.
type own struct {
	listing lobby.Listing
	deleted bool          // the key must be deleted
	version int           // of the listing
	put     int           // the version that is in NATS
	at      time.Time     // of the last put, or of the end of the match
	queued  bool          // it is in the queue, or a putter has it
	missing bool          // it is not yet in the buckets
	done    chan struct{} // closed and replaced after each put; nil: nobody waits for it
}

func (l *listings) init(t times, search func()) {
	l.again, l.gone, l.search, l.own = t.again, t.gone, search, map[string]*own{}
	l.work = sync.NewCond(&l.mu)
}

// set is the lobby's callback. The ends of at most maxGone matches wait; the listings of
// the others are found in NATS when the queue is empty again.
func (l *listings) set(x lobby.Listing) {
	l.mu.Lock()
	defer l.mu.Unlock()
	id := x.Info.ID
	o := l.own[id]
	if o == nil {
		o = &own{}
		l.own[id] = o
	}
	if x.Gone && !o.listing.Gone {
		if l.goneCount >= maxGone {
			l.dropped = true
			l.removeLocked(id, o)
			return
		}
		l.goneCount++
	}
	o.listing, o.deleted, o.at = x, x.Gone && !kept(x), time.Now()
	l.queueLocked(id, o)
}

func (l *listings) queueLocked(id string, o *own) {
	o.version++
	if !o.queued {
		o.queued = true
		l.queue = append(l.queue, id)
		l.work.Signal()
	}
}

// removeLocked removes a match.
func (l *listings) removeLocked(id string, o *own) {
	delete(l.own, id)
	l.presentLocked(o)
	if o.listing.Gone {
		l.goneCount--
	}
	if o.done != nil {
		close(o.done)
		o.done = nil
	}
}

func (l *listings) presentLocked(o *own) {
	if o.missing {
		o.missing = false
		l.missing--
	}
}

// begin puts all matches again, because the buckets are new or can be. Empty: there is
// no connection.
func (l *listings) begin(buckets string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.buckets = buckets
	if buckets == "" {
		return
	}
	l.dropped = false
	for id, o := range l.own {
		if !o.missing {
			o.missing = true
			l.missing++
		}
		l.queueLocked(id, o)
	}
}

// complete returns the buckets in which all matches are listed; empty: none.
func (l *listings) complete() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.missing > 0 {
		return ""
	}
	return l.buckets
}

// has reports whether a match is one of this host.
func (l *listings) has(id string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.own[id] != nil
}

// list puts the listing of a match again, unless the match is gone.
func (l *listings) list(id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if o := l.own[id]; o != nil && !o.listing.Gone {
		l.queueLocked(id, o)
	}
}

// waiting returns the number of listings that are not yet in NATS.
func (l *listings) waiting() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.queue)
}

// due queues the listings that NATS would forget, and the deletion of those of matches
// that have been gone long enough.
func (l *listings) due() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for id, o := range l.own {
		switch age := time.Since(o.at); {
		case o.queued:
		case o.listing.Gone && age > l.gone:
			o.deleted = true
			l.queueLocked(id, o)
		case !o.listing.Gone && age > l.again:
			l.queueLocked(id, o)
		}
	}
}

// take waits for a listing to put. Not ok: ctx has ended.
func (l *listings) take(ctx context.Context) (id string, x lobby.Listing, deleted bool, version int, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for {
		for len(l.queue) == 0 && ctx.Err() == nil {
			l.work.Wait()
		}
		if ctx.Err() != nil {
			return "", lobby.Listing{}, false, 0, false
		}
		id, l.queue = l.queue[0], l.queue[1:]
		if o := l.own[id]; o != nil { // else it was removed
			return id, o.listing, o.deleted, o.version, true
		}
	}
}

// end ends what take began: a version was put, or could not be.
func (l *listings) end(id string, version int, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	o := l.own[id]
	if o == nil {
		return
	}
	if !ok || o.version != version {
		l.queue = append(l.queue, id) // queued is still set
		l.work.Signal()
	} else {
		o.queued = false
	}
	if !ok {
		return
	}
	if l.dropped && len(l.queue) == 0 {
		l.dropped = false
		l.search()
	}
	o.put = version
	if !o.listing.Gone {
		o.at = time.Now()
	}
	l.presentLocked(o)
	if o.done != nil {
		close(o.done)
		o.done = nil
	}
	if o.deleted && o.version == version {
		l.removeLocked(id, o)
	}
}

// wait waits until the current version of a match is in NATS, or until ctx ends.
func (l *listings) wait(ctx context.Context, id string) {
	for want := 0; ; {
		l.mu.Lock()
		o := l.own[id]
		if o != nil && want == 0 {
			want = o.version
		}
		if o == nil || o.put >= want {
			l.mu.Unlock()
			return
		}
		if o.done == nil {
			o.done = make(chan struct{})
		}
		done := o.done
		l.mu.Unlock()
		select {
		case <-done:
		case <-ctx.Done():
			return
		}
	}
}

// empty waits until all listings are in NATS, the connection breaks, or ctx ends.
func (l *listings) empty(ctx context.Context, connected func() bool) {
	for connected() && ctx.Err() == nil {
		l.mu.Lock()
		busy := ""
		for id, o := range l.own {
			if o.queued {
				busy = id
				break
			}
		}
		l.mu.Unlock()
		if busy == "" {
			return
		}
		l.wait(ctx, busy)
	}
}

// kept reports whether the listing of a match stays for some time after its end, so that
// the leader gets the reason.
func kept(x lobby.Listing) bool { return x.Assigned || x.Fixture != nil }
