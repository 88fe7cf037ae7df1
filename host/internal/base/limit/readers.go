package limit

import (
	"context"
	"runtime"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"
)

// PointBytes is how much of an answer costs a point in addition to those of the
// request. A point is at most about a quarter of a millisecond of a core.
const PointBytes = 16 << 10

const (
	// hostBurst is how many seconds of all addresses' budget can be used at once.
	hostBurst = 0.5
	// hostCharge is the most points that the length of an answer takes from the
	// budget of all addresses, so that a few long answers do not stop all other
	// readers. Slots and the client's own speed bound longer ones.
	hostCharge = 16
	// maxWaiting is how many callers of Work wait at most; more are refused.
	maxWaiting = 64
	// cooldownAfter is how long work takes after which its slot stays taken for the
	// same time again: matches then have all cores half of the time, however many
	// readers wait.
	cooldownAfter = time.Millisecond
	// maxCooldown limits that time: work that takes longer waits for the disk rather than
	// uses a core, and others must not wait for it twice.
	maxCooldown = 250 * time.Millisecond
)

// Readers keeps requests that read from slowing down matches, by three bounds:
// a budget of points a second for each address, one for all addresses together,
// including exempt ones, and a few slots for work that takes long. WebSockets
// and HTTP share them.
type Readers struct {
	all     *rate.Limiter // nil: no limit
	slots   chan struct{} // holds one value for each slot that is taken
	waiting atomic.Int64  // callers of Work
}

// NewReaders returns readers that together have the given points a second; 0: no
// limit. There is one slot, or two with four processors or more, so that matches
// have at least half of them.
func NewReaders(points int) *Readers {
	r := &Readers{slots: make(chan struct{}, max(1, min(2, runtime.GOMAXPROCS(0)/2)))}
	if points > 0 {
		r.all = rate.NewLimiter(rate.Limit(points), max(1, int(float64(points)*hostBurst)))
	}
	return r
}

// Take takes points from the budgets of an address and of all addresses. It
// returns how long the client must wait before its request is answered. If that
// is longer than most, it also returns the limit that refuses the request.
func (r *Readers) Take(from *Address, points int, most time.Duration) (wait time.Duration, refused string) {
	if wait = from.takeReads(points, most); wait > most {
		return wait, Reads
	}
	all := reserve(r.all, points, most)
	if all > most {
		return all, HostReads
	}
	return max(wait, all), ""
}

// Charge takes the points for the length of an answer. It never refuses. It
// returns how long the client would have had to wait because of its address.
func (r *Readers) Charge(from *Address, bytes int) (wait time.Duration) {
	points := bytes / PointBytes
	if points == 0 {
		return 0
	}
	reserve(r.all, min(points, hostCharge), rate.InfDuration)
	return from.takeReads(points, rate.InfDuration)
}

// Work waits for a slot, in the order of the calls. The caller has it until it
// calls done. If too many others wait, or ctx ends, ok is false.
func (r *Readers) Work(ctx context.Context) (done func(), ok bool) {
	defer r.waiting.Add(-1)
	if r.waiting.Add(1) > maxWaiting {
		return nil, false
	}
	return r.WorkOfConnection(ctx)
}

// WorkOfConnection is Work for a connection that waits with one request at a time, and
// that exists anyway: however many others wait, it is refused only when ctx ends.
func (r *Readers) WorkOfConnection(ctx context.Context) (done func(), ok bool) {
	select {
	case r.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, false
	}
	began := time.Now()
	return func() {
		if worked := time.Since(began); worked >= cooldownAfter {
			time.AfterFunc(min(worked, maxCooldown), func() { <-r.slots })
		} else {
			<-r.slots
		}
	}, true
}

func (a *Address) takeReads(points int, most time.Duration) (wait time.Duration) {
	if a == nil {
		return 0
	}
	return a.reads.reserve(points, most)
}

// reserve takes points from a budget, at most its burst, and returns how long to
// wait for them. If that is longer than most, it takes none.
func reserve(budget *rate.Limiter, points int, most time.Duration) (wait time.Duration) {
	if budget == nil {
		return 0
	}
	now := time.Now()
	r := budget.ReserveN(now, min(points, budget.Burst()))
	if wait = r.DelayFrom(now); wait > most {
		r.CancelAt(now)
	}
	return wait
}
