package web

import (
	"net/netip"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// PerAddress limits what the clients of one address do together. An address
// is one of IPv4, or a network of 64 bits of IPv6, since that is the least
// that anybody is given. A limit of 0 is none.
type PerAddress struct {
	Exempt      []netip.Prefix // have no limits; neither have clients of a Unix socket
	Connections int            // at the same time
	Handshakes  int            // new connections a second; in a burst, those of ten seconds
	Matches     int            // new ones a minute; in a burst, those of a minute
	Bytes       int            // read a second; in a burst, those of a second
	Reads       int            // points of requests that read, a second; in a burst, those of 20 seconds
}

// The limits that Counts knows.
const (
	limitConnections = "connections"
	limitAddress     = "address_connections"
	limitUnshaken    = "unshaken_connections" // of one address
	limitFiles       = "open_files"
	limitHandshakes  = "handshakes"
	limitNewMatches  = "new_matches"
	limitBytes       = "bytes"
	limitReads       = "reads"
	limitHostReads   = "host_reads"
	limitBusy        = "reads_waiting"
	limitBacklogs    = "backlogs"
	limitOrigin      = "origin"
	limitName        = "name"
	limitSlow        = "slow_client"
	limitMessage     = "message"
)

// What a burst may be, in seconds of the rate.
const (
	handshakeBurst = 10
	matchBurst     = 60
	readBurst      = 20
)

// minBurst is the smallest burst of bytes: a message may have so many.
const minBurst = 128 << 10

// forgetAfter is when all rates of an address that does nothing are as fresh
// as those of one that was never seen.
const forgetAfter = matchBurst * time.Second

// maxKnown bounds the memory for addresses, about half a KiB each. Full (an
// attack from many networks): new ones count as one.
const maxKnown = 1 << 16

// addresses knows what each address does.
type addresses struct {
	limits PerAddress

	mu    sync.Mutex // guards the fields below
	known map[netip.Prefix]*visitor
	rest  *visitor  // all for whom there was no room; nil: there was
	swept time.Time // when those that do nothing were forgotten last
}

// visitor is one address, while it does something.
type visitor struct {
	key         string // for the lobby
	connections int    // guarded by the addresses' mu
	left        time.Time
	handshakes  *rate.Limiter
	matches     *rate.Limiter
	bytes       *rate.Limiter // nil: no limit
	reads       *rate.Limiter // nil: no limit
}

func newAddresses(limits PerAddress) *addresses {
	return &addresses{limits: limits, known: map[netip.Prefix]*visitor{}, swept: time.Now()}
}

// arrive counts a new connection of an address. It returns nil when no limits
// apply, and else the visitor, or the limit that was met.
func (a *addresses) arrive(address string) (v *visitor, refused string) {
	key, limited := a.keyOf(address)
	if !limited {
		return nil, ""
	}
	now := time.Now()
	a.mu.Lock()
	defer a.mu.Unlock()
	v = a.know(key, now)
	if !v.handshakes.AllowN(now, 1) {
		return nil, limitHandshakes
	}
	if a.limits.Connections > 0 && v.connections >= a.limits.Connections {
		return nil, limitAddress
	}
	v.connections++
	return v, ""
}

// visit returns the visitor of an address that is not about to connect; nil: no
// limits apply.
func (a *addresses) visit(address string) *visitor {
	key, limited := a.keyOf(address)
	if !limited {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.know(key, time.Now())
}

// know returns a visitor that is known from now on. Called with mu held.
func (a *addresses) know(key netip.Prefix, now time.Time) *visitor {
	a.sweep(now)
	v := a.known[key]
	switch {
	case v != nil:
	case len(a.known) < maxKnown:
		v = a.newVisitor(key)
		a.known[key] = v
	default:
		if a.rest == nil {
			a.rest = a.newVisitor(netip.Prefix{})
		}
		v = a.rest
	}
	v.left = now
	return v
}

// leave ends what arrive began.
func (a *addresses) leave(v *visitor) {
	if v == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	v.connections--
	v.left = time.Now()
}

func (a *addresses) newVisitor(key netip.Prefix) *visitor {
	perSecond := func(n, burst int, seconds float64) *rate.Limiter {
		if n == 0 {
			return rate.NewLimiter(rate.Inf, 0)
		}
		return rate.NewLimiter(rate.Limit(float64(n)/seconds), burst)
	}
	v := &visitor{
		key:        key.String(),
		handshakes: perSecond(a.limits.Handshakes, a.limits.Handshakes*handshakeBurst, 1),
		matches:    perSecond(a.limits.Matches, a.limits.Matches, matchBurst),
	}
	if a.limits.Bytes > 0 {
		v.bytes = perSecond(a.limits.Bytes, max(a.limits.Bytes, minBurst), 1)
	}
	if a.limits.Reads > 0 {
		v.reads = perSecond(a.limits.Reads, a.limits.Reads*readBurst, 1)
	}
	return v
}

// sweep forgets addresses that have done nothing for a while. Called with mu
// held.
func (a *addresses) sweep(now time.Time) {
	if now.Sub(a.swept) < forgetAfter {
		return
	}
	a.swept = now
	for key, v := range a.known {
		if v.connections == 0 && now.Sub(v.left) >= forgetAfter {
			delete(a.known, key)
		}
	}
}

// keyOf returns what counts as one address, and whether limits apply to it.
func (a *addresses) keyOf(address string) (key netip.Prefix, limited bool) {
	addr, err := netip.ParseAddr(address)
	if err != nil {
		return key, false // a Unix socket
	}
	addr = addr.Unmap().WithZone("")
	for _, p := range a.limits.Exempt {
		if p.Contains(addr) {
			return key, false
		}
	}
	bits := 32
	if addr.Is6() {
		bits = 64
	}
	key, err = addr.Prefix(bits)
	return key, err == nil
}
