// Package limit bounds what the clients of one address do together, and how
// much work readers cause, so that neither slows down matches.
package limit

import (
	"net/netip"
	"slices"
	"sync"
	"time"
)

// PerAddress limits what the clients of one address do together. An address is an
// IPv4 address, or an IPv6 network of 64 bits, the smallest that a user of IPv6
// gets. 0 is no limit.
type PerAddress struct {
	Exempt      []netip.Prefix // have no limits, like clients of a Unix socket
	Connections int            // at the same time
	Handshakes  int            // new connections a second; in a burst, those of ten seconds
	Matches     int            // new matches a minute; in a burst, those of a minute
	Bytes       int            // read a second; in a burst, those of a second
	Reads       int            // points of requests that read, a second; in a burst, those of 20 seconds
}

// The names by which refusals are counted.
const (
	Connections        = "connections"
	AddressConnections = "address_connections"
	Unshaken           = "unshaken_connections" // of one address
	Files              = "open_files"
	Handshakes         = "handshakes"
	NewMatches         = "new_matches"
	Bytes              = "bytes"
	Reads              = "reads"
	HostReads          = "host_reads"
	ReadsWaiting       = "reads_waiting"
	Backlogs           = "backlogs"
	Origin             = "origin"
	Name               = "name"
	SlowClient         = "slow_client"
	Message            = "message"
	Tickets            = "tickets" // refused attempts to resume a seat
)

// The bursts, in seconds of the rate.
const (
	handshakeBurst = 10
	matchBurst     = 60
	readBurst      = 20
)

// minBurst is the smallest burst of bytes: that of two of the longest messages.
const minBurst = 128 << 10

// forgetAfter is the time without activity after which all rates of an address
// are as fresh as those of a new one.
const forgetAfter = matchBurst * time.Second

// maxKnown bounds the memory for addresses, about 700 bytes each. When full,
// as in an attack from many networks, all new addresses count as one.
const maxKnown = 1 << 16

// Addresses counts what each address uses of its limits.
type Addresses struct {
	limits PerAddress

	mu       sync.Mutex // guards the fields below
	known    map[netip.Prefix]*Address
	overflow *Address  // all that came while known was full; nil: none
	swept    time.Time // when inactive addresses were last removed
	// elsewhere has the last reports of other hosts; nil: there are none.
	elsewhere map[string]*report
}

// Address counts what one address uses of its limits. A nil Address has no limits.
type Address struct {
	key                               string
	handshakes, matches, bytes, reads bucket

	// Guarded by Addresses.mu.
	connections int
	held        int       // users of Hold
	active      time.Time // when it was last used
}

// NewAddresses returns addresses that have used nothing yet.
func NewAddresses(limits PerAddress) *Addresses {
	return &Addresses{limits: limits, known: map[netip.Prefix]*Address{}, swept: time.Now()}
}

// Connect counts a new connection of an address, until Disconnect. It returns
// the limit that refuses it, if any.
func (a *Addresses) Connect(address string) (from *Address, refused string) {
	key, limited := a.Key(address)
	if !limited {
		return nil, ""
	}
	now := time.Now()
	a.mu.Lock()
	defer a.mu.Unlock()
	from = a.getLocked(key, now)
	if !from.handshakes.allow(now) {
		return nil, Handshakes
	}
	if a.limits.Connections > 0 && from.connections+a.elsewhereLocked(key, now) >= a.limits.Connections {
		return nil, AddressConnections
	}
	from.connections++
	return from, ""
}

// Disconnect ends a connection that Connect has counted.
func (a *Addresses) Disconnect(from *Address) {
	if from == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	from.connections--
	from.active = time.Now()
}

// Hold returns an address for a client whose connection another host has counted, until
// Release.
func (a *Addresses) Hold(address string) *Address {
	key, limited := a.Key(address)
	if !limited {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	from := a.getLocked(key, time.Now())
	from.held++
	return from
}

// Release ends Hold.
func (a *Addresses) Release(from *Address) {
	if from == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	from.held--
	from.active = time.Now()
}

// Get returns an address without counting a connection.
func (a *Addresses) Get(address string) *Address {
	key, limited := a.Key(address)
	if !limited {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.getLocked(key, time.Now())
}

// Key returns the network that counts as one address, and whether limits apply
// to it.
func (a *Addresses) Key(address string) (key netip.Prefix, limited bool) {
	addr, err := netip.ParseAddr(address)
	if err != nil {
		return key, false // a Unix socket
	}
	addr = addr.Unmap().WithZone("")
	if slices.ContainsFunc(a.limits.Exempt, func(p netip.Prefix) bool { return p.Contains(addr) }) {
		return key, false
	}
	bits := 32
	if addr.Is6() {
		bits = 64
	}
	key, err = addr.Prefix(bits)
	return key, err == nil
}

func (a *Addresses) getLocked(key netip.Prefix, now time.Time) *Address {
	a.sweepLocked(now)
	from := a.known[key]
	switch {
	case from != nil:
	case len(a.known) < maxKnown:
		from = a.newAddress(key)
		a.known[key] = from
	default:
		if a.overflow == nil {
			a.overflow = a.newAddress(netip.Prefix{})
		}
		from = a.overflow
	}
	from.active = now
	return from
}

func (a *Addresses) newAddress(key netip.Prefix) *Address {
	from := &Address{key: key.String()}
	from.handshakes.set(a.limits.Handshakes, a.limits.Handshakes*handshakeBurst, 1)
	from.matches.set(a.limits.Matches, a.limits.Matches, matchBurst)
	from.bytes.set(a.limits.Bytes, max(a.limits.Bytes, minBurst), 1)
	from.reads.set(a.limits.Reads, a.limits.Reads*readBurst, 1)
	return from
}

// sweepLocked removes inactive addresses.
func (a *Addresses) sweepLocked(now time.Time) {
	if now.Sub(a.swept) < forgetAfter {
		return
	}
	a.swept = now
	for key, from := range a.known {
		if from.connections+from.held == 0 && now.Sub(from.active) >= forgetAfter {
			delete(a.known, key)
		}
	}
}

// Key identifies the address in other limits. It is empty for a nil Address.
func (a *Address) Key() string {
	if a == nil {
		return ""
	}
	return a.key
}

// AllowMatch counts a new match and reports whether the limit allows it.
func (a *Address) AllowMatch() bool { return a == nil || a.matches.allow(time.Now()) }

// TakeBytes counts n bytes that were read. It returns how long to wait before the
// next read. If that is longer than most, ok is false and the bytes do not count.
func (a *Address) TakeBytes(n int, most time.Duration) (wait time.Duration, ok bool) {
	if a == nil {
		return 0, true
	}
	wait = a.bytes.reserve(n, most)
	return wait, wait <= most
}
