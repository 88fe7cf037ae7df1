// Package guess limits how often secrets are guessed. Only wrong tries count: those
// of each address, and those at each secret from all addresses together, so that
// many addresses can't share the work.
package guess

import (
	"errors"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Limits are wrong tries per minute, which can come all at once. 0: no limit.
type Limits struct {
	Address int // of one address, at all secrets
	Secret  int // at one secret, of all addresses
}

// Errors of Try.
var (
	ErrWrong   = errors.New("it is wrong")
	ErrAddress = errors.New("too many wrong tries from one address")
	ErrSecret  = errors.New("too many wrong tries at one secret")
)

// Limiter counts wrong tries. Its methods can be called from any goroutine.
type Limiter struct {
	mu        sync.Mutex // guards the fields below
	limits    Limits
	addresses map[string]*rate.Limiter // with wrong tries in the last minute
	secrets   map[string]*rate.Limiter // the same
	swept     time.Time                // when entries without wrong tries were last removed
}

// New returns a limiter without tries.
func New(limits Limits) *Limiter {
	return &Limiter{limits: limits, addresses: map[string]*rate.Limiter{}, secrets: map[string]*rate.Limiter{}, swept: time.Now()}
}

// SetLimits changes the limits. If they differ, all tries are forgotten.
func (l *Limiter) SetLimits(limits Limits) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if limits != l.limits {
		l.limits = limits
		clear(l.addresses)
		clear(l.secrets)
	}
}

// Try returns nil if right returns true, otherwise one of the errors above. With an
// empty address or secret, only the limit of the other one applies.
//
// Right must compare in constant time. It is called with the limiter locked, so
// that concurrent tries can't exceed a limit. It is not called beyond a limit,
// because its answer would be another guess.
func (l *Limiter) Try(address, secret string, right func() bool) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	l.sweepLocked(now)
	switch {
	case used(l.addresses, address, now):
		return ErrAddress
	case used(l.secrets, secret, now):
		return ErrSecret
	case right():
		return nil
	}
	count(l.addresses, address, l.limits.Address, now)
	count(l.secrets, secret, l.limits.Secret, now)
	return ErrWrong
}

// Spent reports whether an address has no try left. It counts nothing.
func (l *Limiter) Spent(address string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return used(l.addresses, address, time.Now())
}

// period is the time to which limits apply.
const period = time.Minute

// used reports whether no try is left.
func used(tries map[string]*rate.Limiter, key string, now time.Time) bool {
	t := tries[key]
	return t != nil && t.TokensAt(now) < 1
}

// count counts a wrong try.
func count(tries map[string]*rate.Limiter, key string, limit int, now time.Time) {
	if key == "" || limit == 0 {
		return
	}
	t := tries[key]
	if t == nil {
		t = rate.NewLimiter(rate.Limit(float64(limit)/period.Seconds()), limit)
		tries[key] = t
	}
	t.AllowN(now, 1)
}

// sweepLocked removes, once per period, entries that have all their tries again.
func (l *Limiter) sweepLocked(now time.Time) {
	if now.Sub(l.swept) < period {
		return
	}
	l.swept = now
	for _, tries := range []map[string]*rate.Limiter{l.addresses, l.secrets} {
		for key, t := range tries {
			if t.TokensAt(now) >= float64(t.Burst()) {
				delete(tries, key)
			}
		}
	}
}
