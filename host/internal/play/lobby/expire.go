package lobby

import (
	"time"

	"colosseum/protocol"
)

// touchLocked restarts the time after which a waiting match expires, unless that is
// fixed.
func (l *Lobby) touchLocked(e *entry) {
	if e.fixed {
		return
	}
	l.expireAtLocked(e, time.Now().Add(l.limits.Expiry))
}

// expireAtLocked changes when a waiting match expires.
func (l *Lobby) expireAtLocked(e *entry, at time.Time) {
	// The order matters: the timer must not fire before expires.
	e.expires = at
	e.info.Time = at.Unix()
	e.expiry.Reset(max(0, time.Until(at)))
}

// expire is called by the match's timer.
func (l *Lobby) expire(e *entry) {
	l.mu.Lock()
	defer l.mu.Unlock()
	// A join can reset the timer while it fires.
	if l.entries[e.info.ID] == e && !e.info.Running && !time.Now().Before(e.expires) {
		l.log.Info("match expired", "match", e.info.ID)
		l.countersLocked(e.info.Game).expired++
		missing := e.missingLocked()
		switch {
		case !e.fixed:
			l.removeLocked(e, "", nil)
		case e.hosted != nil && len(missing) == 0:
			l.removeLocked(e, "the host had no time for the programs of this match", nil)
		default:
			l.removeLocked(e, late(missing), missing)
		}
	}
}

// Remove removes a match if it waits, and reports whether it did. Its clients get
// the reason.
func (l *Lobby) Remove(id, reason string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	e := l.entries[id]
	if e == nil || e.info.Running {
		return false
	}
	l.log.Info("match removed", "match", id, "reason", reason)
	l.countersLocked(e.info.Game).expired++
	l.removeLocked(e, reason, nil)
	return true
}

// removeLocked removes a waiting match from the lobby. Clients get the reason,
// which can be empty. Absent are the players that did not join in time, if that is the
// reason.
func (l *Lobby) removeLocked(e *entry, reason string, absent []string) {
	l.stopWaitingLocked(e)
	delete(l.entries, e.info.ID)
	e.leaveLocked()
	l.generation.Add(1)
	l.fixtureChangedLocked(e.fixture)
	e.release()
	for _, p := range e.players {
		p.Expired(e.info.ID, reason)
	}
	for s := range e.spectators {
		s.Expired(e.info.ID, reason)
	}
	l.feedLocked(protocol.Encode(protocol.NameLobbyDelete, protocol.LobbyDelete{ID: e.info.ID, Reason: reason}))
	gone := Change{Gone: true, Absent: absent, Reason: reason}
	l.publishLocked(e, gone)
	e.reportLocked(gone)
}

// stopWaitingLocked stops the expiry and the move of a match that starts or is
// removed, and no longer counts it as one of its creator's waiting matches.
func (l *Lobby) stopWaitingLocked(e *entry) {
	e.expiry.Stop()
	l.forgetLocked(e)
	if e.moving != nil {
		e.moving()
	}
	if e.from == "" {
		return
	}
	if l.waiting[e.from]--; l.waiting[e.from] == 0 {
		delete(l.waiting, e.from)
	}
	e.from = ""
}
