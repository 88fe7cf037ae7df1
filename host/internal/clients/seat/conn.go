package seat

import (
	"time"

	"colosseum/host/internal/base/arrival"
	"colosseum/host/internal/clients/outbox"
	"colosseum/protocol"
)

// Session is a client's session as its seat uses it. The seat's lock is held in all calls.
type Session interface {
	// Take gives the session a seat in a match that waits or runs.
	Take(t *Seat, running bool)
	// Release makes the session idle and sends the message about it, if it has the seat.
	Release(t *Seat, message []byte)
	// Replace closes the connection, because another one has taken over the seat.
	Replace(t *Seat)
}

// Conn is the connection of a session, for the seats that its client takes one after the
// other.
type Conn struct {
	session  Session
	out      *outbox.Outbox
	arrivals *arrival.Reader // nil: arrival times of bytes are not known
	lag      lag
}

// NewConn returns the connection of a session. Arrivals can be nil.
func NewConn(session Session, out *outbox.Outbox, arrivals *arrival.Reader) *Conn {
	return &Conn{session: session, out: out, arrivals: arrivals, lag: lag{began: time.Now()}}
}

// Pong passes on a pong of the client, which came at a time. It reports whether that was
// the first measurement of the client's lag.
func (c *Conn) Pong(payload string, at time.Time) (first bool) { return c.lag.pong(payload, at) }

// pushAway reports that another player is away, or is back if until is zero.
func (c *Conn) pushAway(name string, until time.Time) {
	a := protocol.PlayerAway{Name: name}
	if !until.IsZero() {
		a.Seconds = max(0.001, time.Until(until).Seconds()) // 0 is a player that is back
	}
	c.out.Push(protocol.Encode(protocol.NamePlayerAway, a))
}

// ping measures the lag, unless that is under way.
func (c *Conn) ping() {
	if payload, ok := c.lag.ping(); ok {
		c.out.Ping(payload)
	}
}
