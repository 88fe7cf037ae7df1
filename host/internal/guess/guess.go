// Package guess limits how often secrets are guessed. Only wrong tries count:
// those of one address, and those at one secret by all addresses together, so
// that many addresses can't share the work.
package guess

import (
	"errors"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Limits are wrong tries in a minute; a first minute's may come at once.
// 0: any number.
type Limits struct {
	Address int // of one address, at all secrets
	Secret  int // at one secret, of all addresses
}

// What Try returns for a secret that was not right.
var (
	ErrWrong   = errors.New("it is wrong")
	ErrAddress = errors.New("too many wrong tries from one address")
	ErrSecret  = errors.New("too many wrong tries at one secret")
)

// Limiter counts wrong tries. Its methods may be called from any goroutine.
type Limiter struct {
	mu        sync.Mutex // guards the fields below
	limits    Limits
	addresses map[string]*rate.Limiter // those with wrong tries in the last minute
	secrets   map[string]*rate.Limiter // the same
	swept     time.Time                // when those without were forgotten last
}

// New returns a limiter that has seen no try.
func New(limits Limits) *Limiter {
	return &Limiter{limits: limits, addresses: map[string]*rate.Limiter{}, secrets: map[string]*rate.Limiter{}, swept: time.Now()}
}

// SetLimits changes the limits. Other ones begin with no tries counted.
func (l *Limiter) SetLimits(limits Limits) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if limits != l.limits {
		l.limits = limits
		clear(l.addresses)
		clear(l.secrets)
	}
}

// Try tells whether a secret was guessed: nil, or one of the errors above.
// Address says who tries; empty: somebody to whom no limit of an address
// applies. Secret says what is tried; empty: a secret that only addresses
// limit. Right compares, in constant time. It is called with the limiter
// locked, so that tries at the same time can't exceed a limit, and it is not
// called beyond one: an answer there would be a guess more.
func (l *Limiter) Try(address, secret string, right func() bool) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	l.sweep(now)
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

// period is the time that limits are about.
const period = time.Minute

// used tells whether no try is left.
func used(tries map[string]*rate.Limiter, key string, now time.Time) bool {
	t := tries[key]
	return t != nil && t.TokensAt(now) < 1
}

// count notes a wrong try.
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

// sweep forgets, once a minute, what has all its tries again. Called with mu
// held.
func (l *Limiter) sweep(now time.Time) {
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
