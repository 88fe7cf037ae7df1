package players

import (
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// maxAddresses bounds the memory for addresses. When full, as in an attack from many
// networks, all new addresses count as one.
const maxAddresses = 1 << 16

// perHour limits the events of one address in an hour, which can come all at once.
type perHour struct {
	mu        sync.Mutex // guards the fields below
	limit     int        // 0: none
	addresses map[string]*rate.Limiter
	overflow  *rate.Limiter // of the addresses that came while addresses was full
	swept     time.Time     // when addresses with their whole limit left were last removed
}

func newPerHour(limit int) *perHour {
	p := &perHour{swept: time.Now()}
	p.resetLocked(limit)
	return p
}

func (p *perHour) resetLocked(limit int) {
	p.limit, p.addresses = limit, map[string]*rate.Limiter{}
	p.overflow = p.newLimiterLocked()
}

func (p *perHour) newLimiterLocked() *rate.Limiter {
	return rate.NewLimiter(rate.Limit(float64(p.limit)/time.Hour.Seconds()), p.limit)
}

// setLimit changes the limit. If it differs, all addresses begin again.
func (p *perHour) setLimit(limit int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if limit != p.limit {
		p.resetLocked(limit)
	}
}

// allow counts an event and reports whether the limit allows it. An empty address has no
// limit.
func (p *perHour) allow(address string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if address == "" || p.limit == 0 {
		return true
	}
	now := time.Now()
	p.sweepLocked(now)
	l := p.addresses[address]
	switch {
	case l != nil:
	case len(p.addresses) < maxAddresses:
		l = p.newLimiterLocked()
		p.addresses[address] = l
	default:
		l = p.overflow
	}
	return l.AllowN(now, 1)
}

func (p *perHour) sweepLocked(now time.Time) {
	if now.Sub(p.swept) < time.Minute {
		return
	}
	p.swept = now
	for address, l := range p.addresses {
		if l.TokensAt(now) >= float64(p.limit) {
			delete(p.addresses, address)
		}
	}
}
