package seat

import (
	"errors"
	"time"

	"colosseum/protocol"
)

// Disconnected ends the connection of the seat. If left is true, the client has given
// up its seat or broken the protocol; otherwise it can resume the seat.
func (t *Seat) Disconnected(c *Conn, left bool) {
	t.changing.Lock()
	defer t.changing.Unlock()
	t.mu.Lock()
	if t.conn != c {
		t.mu.Unlock()
		return // another connection has the seat
	}
	t.conn = nil
	waiting, id := !t.started && t.result == nil, t.id
	t.mu.Unlock()
	if waiting {
		if t.set.lobby.Leave(t, id) {
			t.Forget()
			return
		}
		// It has just started or expired.
	}
	t.mu.Lock()
	switch {
	case t.result != nil:
		if left {
			t.forgetLocked()
		}
	case left || t.ticket == "":
		t.over = true
	default:
		t.over = t.forgotten
		t.until = time.Now().Add(t.set.limits.Resume)
		t.setTimerLocked(t.set.limits.Resume)
	}
	t.mu.Unlock()
	t.reportLocked()
}

// Errors of Resume. ErrTicket is also the one of a ticket that no seat has.
var (
	ErrTicket    = errors.New("the ticket is not valid: the match has ended, the time to come back is over, or the host was restarted")
	ErrNotYours  = errors.New("the ticket belongs to another player")
	ErrForgotten = errors.New("the host no longer has the bytes that the client lacks")
	ErrNotSent   = errors.New("the client counts more bytes than the host has sent")
)

// Resume gives the seat to another connection of the client, whose player must be the same
// and has received the given number of bytes. It sends the reply and everything that the
// client lacks. The error is for the client.
func (t *Seat) Resume(c *Conn, player string, received uint64) error {
	t.changing.Lock()
	defer t.changing.Unlock()
	if err := t.attach(c, player, received); err != nil {
		return err
	}
	t.reportLocked()
	return nil
}

// attach makes c the connection of the seat.
func (t *Seat) attach(c *Conn, player string, received uint64) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.over:
		return ErrTicket
	case t.player != player:
		return ErrNotYours
	case received > t.sent:
		return ErrNotSent
	case t.forgotten || received < t.sent-uint64(len(t.kept)):
		return ErrForgotten
	}
	if old := t.conn; old != nil && old != c {
		old.session.Replace(t)
	}
	t.conn, t.until = c, time.Time{}
	if t.result == nil && t.timer != nil {
		t.timer.Stop()
	}
	t.dropLocked(received)
	c.session.Take(t, t.started)
	c.out.Reply(protocol.Encode(protocol.NameMatchResumed, protocol.MatchResumedReply{Info: protocol.Ok(*t.info), Taken: t.taken, Started: t.started}), false)
	if len(t.kept) > 0 {
		c.out.Send(t.kept)
	}
	for name, until := range t.away {
		c.pushAway(name, until)
	}
	if t.result != nil {
		c.session.Release(t, t.result)
	}
	c.ping()
	return nil
}

// reportLocked reports to the match whether the player is connected, away or gone. The lock
// that must be held is changing; mu must not be.
func (t *Seat) reportLocked() {
	t.mu.Lock()
	m, number, until, over := t.match, t.number, t.until, t.over
	t.mu.Unlock()
	switch {
	case m == nil:
	case over:
		m.Leave(number)
		t.Forget()
	default:
		m.Away(number, until)
	}
}

// setTimerLocked calls expire after the time d.
func (t *Seat) setTimerLocked(d time.Duration) {
	if t.timer != nil {
		t.timer.Stop()
	}
	t.timer = time.AfterFunc(d, t.expire)
}

// expire ends the seat if its time to come back is over, and forgets it if the match has
// ended.
func (t *Seat) expire() {
	t.changing.Lock()
	defer t.changing.Unlock()
	t.mu.Lock()
	ended := t.result != nil
	if !ended && t.conn == nil && (t.forgotten || !time.Now().Before(t.until)) {
		t.over = true
	}
	t.mu.Unlock()
	if ended {
		t.Forget()
	} else {
		t.reportLocked()
	}
}

// Forget ends the seat: its ticket is no longer valid.
func (t *Seat) Forget() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.forgetLocked()
}

func (t *Seat) forgetLocked() {
	t.over, t.kept = true, nil
	t.countLocked()
	if t.timer != nil {
		t.timer.Stop()
	}
	if t.ticket != "" {
		t.set.remove(t)
	}
}
