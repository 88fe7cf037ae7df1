package limit

import (
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"
)

// bucket is the budget of an address for one limit. Its use on other hosts is taken from
// the tokens in the bucket; if they are not enough, the rest is owed, and paid with a part
// of the tokens that are added later. So the address gets its limit from all hosts
// together, and keeps a share of it here even if it has used too much elsewhere: no client
// is disconnected for that.
type bucket struct {
	limiter *rate.Limiter // nil: no limit
	used    atomic.Int64  // here, since the last report
	owes    atomic.Bool   // owed is not 0, to be fast without other hosts

	mu   sync.Mutex // guards the fields below
	owed float64
	part float64   // of the tokens that are added, to pay with
	paid time.Time // tokens that were added before this time have been counted
}

// set sets the limit: n in the given seconds, and a burst. 0 is no limit.
func (b *bucket) set(n, burst int, seconds float64) {
	if n > 0 {
		b.limiter = rate.NewLimiter(rate.Limit(float64(n)/seconds), burst)
	}
}

// allow uses 1 and reports whether the limit allows it.
func (b *bucket) allow(now time.Time) bool {
	if b.limiter == nil {
		return true
	}
	b.pay(now)
	ok := b.limiter.AllowN(now, 1)
	if ok {
		b.used.Add(1)
	}
	return ok
}

// reserve uses n, at most the burst, and returns how long to wait for it. If that is
// longer than most, it uses nothing.
func (b *bucket) reserve(n int, most time.Duration) (wait time.Duration) {
	if b.limiter == nil {
		return 0
	}
	b.pay(time.Now())
	if wait = reserve(b.limiter, n, most); wait <= most {
		b.used.Add(int64(n))
	}
	return wait
}

// charge takes n tokens that were used on another host. Others is the number of other
// hosts.
func (b *bucket) charge(n int64, others int, now time.Time) {
	if b.limiter == nil || n <= 0 {
		return
	}
	b.pay(now)
	burst := b.limiter.Burst()
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.owed == 0 {
		b.paid = now
	}
	there := int64(max(0, b.limiter.TokensAt(now)))
	b.limiter.ReserveN(now, int(min(n, there)))
	b.owed = min(b.owed+float64(n-min(n, there)), float64(others*burst))
	b.part = float64(others) / float64(others+1)
	b.owes.Store(b.owed > 0)
}

// pay pays with a part of the tokens that were added since the last call. It must be
// called before the bucket is full, because a full bucket gets no tokens.
func (b *bucket) pay(now time.Time) {
	if !b.owes.Load() {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	speed := float64(b.limiter.Limit()) * b.part
	n := int(min(b.owed, speed*now.Sub(b.paid).Seconds(), float64(b.limiter.Burst())))
	if n < 1 && b.owed >= 1 {
		return
	}
	b.limiter.ReserveN(now, n)
	b.paid = b.paid.Add(time.Duration(float64(n) / speed * float64(time.Second)))
	b.owed -= float64(n)
	b.owes.Store(b.owed >= 1)
}
