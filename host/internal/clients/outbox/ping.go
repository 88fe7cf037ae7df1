package outbox

import (
	"time"
)

// Resolution returns how exactly the outbox knows when the client last sent
// something: to a second, or a quarter of the ping interval if that is shorter.
func (o *Outbox) Resolution() time.Duration { return o.resolution }

// Heard records that the client sent something at the given time, unless the last
// record is newer than Resolution. It returns true if it recorded the time; the
// caller must then extend the read deadline.
func (o *Outbox) Heard(at time.Time) bool {
	now := o.budget.clock(at)
	if now-o.lastHeard.Load() < int64(o.resolution) {
		return false
	}
	o.lastHeard.Store(now)
	return true
}

// ExtendRead lets the connection's reads wait for the time d from now, unless it is
// closing. It must be called by the goroutine that reads.
func (o *Outbox) ExtendRead(d time.Duration) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.closing.Load() {
		_ = o.conn.SetReadDeadline(time.Now().Add(d))
	}
}

// pingIfSilent pings a client that has sent nothing for the ping interval, and
// closes the connection if nothing could be written for three of them.
func (o *Outbox) pingIfSilent() {
	silent := time.Duration(o.budget.clock(time.Now()) - o.lastHeard.Load())
	wait := o.ping - silent
	if wait <= 0 {
		wait = o.ping
		o.Ping(nil)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	now := time.Now()
	if !o.writing || o.writes != o.writesSeen {
		o.writesSeen, o.stuckSince = o.writes, now
	} else if now.Sub(o.stuckSince) >= 3*o.ping {
		o.closeTooSlowLocked() // even if it sends, it does not read
	}
	if !o.closing.Load() {
		o.pinger.Reset(wait)
	}
}
