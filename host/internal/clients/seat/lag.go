package seat

import (
	"encoding/binary"
	"sync/atomic"
	"time"
)

// lagInterval is the time between two measurements of a player's lag in a running match.
const lagInterval = 5 * time.Second

// lagWeight is the weight of earlier measurements against the newest one.
const lagWeight = 3

// lag measures how long a connection needs from the host to the client and back,
// with one ping at a time.
type lag struct {
	began    time.Time     // of the measurements
	average  atomic.Int64  // nanoseconds; recent measurements weigh more; 0: not measured yet
	pinged   atomic.Int64  // nanoseconds since began, of the ping that is not answered; 0: there is none
	sequence atomic.Uint64 // of that ping
}

// get returns the lag. A ping that is not answered yet counts with its age.
func (l *lag) get() time.Duration {
	d := time.Duration(l.average.Load())
	if at := l.pinged.Load(); at != 0 {
		d = max(d, time.Since(l.began)-time.Duration(at))
	}
	return d
}

// ping begins a measurement, and returns the payload of the ping to send. It is not ok
// while the last ping is not answered.
func (l *lag) ping() (payload []byte, ok bool) {
	if !l.pinged.CompareAndSwap(0, max(1, int64(time.Since(l.began)))) {
		return nil, false
	}
	return binary.BigEndian.AppendUint64(nil, l.sequence.Add(1)), true
}

// pong ends the measurement of a ping, at the arrival of its answer. It ignores other
// payloads, and reports whether it was the first measurement.
func (l *lag) pong(payload string, at time.Time) (first bool) {
	pinged := l.pinged.Load()
	if pinged == 0 || len(payload) != 8 || binary.BigEndian.Uint64([]byte(payload)) != l.sequence.Load() {
		return false
	}
	last := max(1, int64(at.Sub(l.began))-pinged)
	before := l.average.Load()
	if before != 0 {
		last = (lagWeight*before + last) / (lagWeight + 1)
	}
	l.average.Store(last)
	l.pinged.Store(0)
	return before == 0
}
