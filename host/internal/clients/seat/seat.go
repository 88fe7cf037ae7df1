// Package seat keeps the seats of clients in matches. If its client has asked for that, a
// seat outlives its connection: another one can take it over with a ticket.
// docs/decisions/resume.md has the reasons.
package seat

import (
	"sync"
	"time"

	"colosseum/host/internal/play/match"
	"colosseum/protocol"
)

// Seat is a client's seat in a match that waits or runs.
//
// The lobby and the match call its methods, some with their mutexes held. So the seat
// must not hold mu when it calls the lobby or the match, and who calls Line, Disconnected,
// Resume or Forget must hold no lock of a session.
type Seat struct {
	set    *Set
	player string // registered, or empty; a connection that resumes must have the same
	ticket string // empty: the seat ends with its connection

	feeding  chan struct{} // holds a value while a line is passed to the match, so that lines of two connections stay in order; nil without a ticket
	changing sync.Mutex    // held while the connection changes, until lobby and match know

	mu        sync.Mutex          // guards the fields below; the mutexes of a session and an outbox can be taken while it is held
	conn      *Conn               // nil: it has broken
	sentOn    *Conn               // the connection to which bytes were last sent
	id        string              // of the match
	info      *protocol.MatchInfo // as it was joined; only with a ticket
	match     *match.Match        // nil: it waits or has ended
	number    int                 // of the seat in the match
	started   bool
	over      bool                 // the client has left for good, or its time to come back has ended
	result    []byte               // the encoded MatchEnded; nil: the match has not ended
	sent      uint64               // bytes for the player
	taken     uint64               // lines of the player
	kept      []byte               // the last of the sent bytes, which the player might not have received; only with a ticket
	dropped   int                  // bytes dropped from the front of kept since it was last copied
	counted   int                  // bytes of kept in the sum of all seats, in steps of keptStep
	forgotten bool                 // bytes were dropped that the player might not have received
	until     time.Time            // when a seat without connection is lost; zero: it has a connection
	timer     *time.Timer          // ends the seat at until, or some time after the match
	pinger    *time.Timer          // measures the lag while the match runs
	away      map[string]time.Time // other players whose connections have broken, and when they lose their seats
}

// Joined implements lobby.Player.
func (t *Seat) Joined(info protocol.MatchInfo) {
	if t.ticket != "" {
		t.set.add(t)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.id = info.ID; t.ticket != "" {
		kept := info
		t.info = &kept
	}
	t.conn.session.Take(t, false)
	t.conn.out.Reply(protocol.Encode(protocol.NameLobbyJoinedMatch, protocol.JoinedReply{Info: protocol.Ok(info), Ticket: t.ticket}), false)
	t.conn.ping()
}

// Update implements lobby.Player.
func (t *Seat) Update(message []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.conn != nil {
		t.conn.out.Push(message)
	}
}

// Started implements lobby.Player.
func (t *Seat) Started(m *match.Match, number int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.match, t.number, t.started = m, number, true
	if t.conn != nil {
		t.conn.session.Take(t, true)
		t.conn.out.Push(protocol.Encode(protocol.NameMatchStarted, nil))
	}
	t.pinger = time.AfterFunc(lagInterval, t.ping)
}

// ping measures the lag each lagInterval while the match runs.
func (t *Seat) ping() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.match == nil {
		return
	}
	if t.conn != nil {
		t.conn.ping()
	}
	t.pinger.Reset(lagInterval)
}

// Expired implements lobby.Player.
func (t *Seat) Expired(id, reason string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.endLocked(protocol.Encode(protocol.NameLobbyDelete, protocol.LobbyDelete{ID: id, Reason: reason}))
	t.forgetLocked()
}

// Send implements match.Player.
func (t *Seat) Send(b []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.sent += uint64(len(b))
	t.keepLocked(b)
	t.sentOn = t.conn
	if t.conn != nil {
		t.conn.out.Send(b)
	}
}

// Question is match.Participant.Hints of a player that has asked for hints.
func (t *Seat) Question(q protocol.MatchQuestion) {
	message := protocol.Encode(protocol.NameMatchQuestion, q)
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.conn != nil {
		t.conn.out.PushQuestion(message)
	}
}

// Sent is match.Participant.Sent.
func (t *Seat) Sent(line string) {
	message := protocol.Encode(protocol.NameMatchSent, protocol.MatchSent{Line: line})
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.conn != nil {
		t.conn.out.Push(message)
	}
}

// Playing returns the running match of the seat and its number there; nil: it does not run.
func (t *Seat) Playing() (m *match.Match, number int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.match, t.number
}

// Player returns the registered player of the seat; empty: none.
func (t *Seat) Player() string { return t.player }

// Written implements match.Player. For a player that is away, or that got the last
// question on an earlier connection, the clock has run since the question.
func (t *Seat) Written() (since time.Time, done bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.conn == nil || t.sentOn != t.conn {
		return time.Time{}, true
	}
	return t.conn.out.Written()
}

// Unread implements match.Player.
func (t *Seat) Unread(before time.Time) bool {
	c := t.connection()
	return c != nil && c.arrivals != nil && c.arrivals.Unread(before)
}

// Lag implements match.Player.
func (t *Seat) Lag() time.Duration {
	if c := t.connection(); c != nil {
		return c.lag.get()
	}
	return 0
}

// Probe implements match.Player.
func (t *Seat) Probe() {
	if c := t.connection(); c != nil {
		c.ping()
	}
}

// Cut implements match.Player.
func (t *Seat) Cut() {
	if c := t.connection(); c != nil {
		c.out.CloseTooSlow()
	}
}

// Away implements match.Player.
func (t *Seat) Away(name string, until time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ticket == "" {
		return // the client might not know the message
	}
	if until.IsZero() {
		delete(t.away, name)
	} else {
		if t.away == nil {
			t.away = map[string]time.Time{}
		}
		t.away[name] = until
	}
	if t.conn != nil {
		t.conn.pushAway(name, until)
	}
}

// Ended implements match.Player.
func (t *Seat) Ended(r protocol.MatchResult) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.match = nil
	if t.pinger != nil {
		t.pinger.Stop()
	}
	t.endLocked(protocol.Encode(protocol.NameMatchEnded, protocol.EndedReply{Result: &r}))
	if t.over || t.ticket == "" {
		t.forgetLocked()
	} else {
		// The result might be lost with the connection. The client's next request
		// shows that it was not.
		t.setTimerLocked(t.set.limits.Resume)
	}
}

// MaxLine returns how many bytes a line of the player can have in the running match, if the
// host's limit is lower.
func (t *Seat) MaxLine() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.match == nil {
		return 0
	}
	return t.match.MaxLine()
}

// Resumable reports whether the seat has a ticket.
func (t *Seat) Resumable() bool { return t.ticket != "" }

// ID returns the ID of the match.
func (t *Seat) ID() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.id
}

// connection returns the connection of the player, or nil.
func (t *Seat) connection() *Conn {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.conn
}

// endLocked sends the client the message with which its seat ends.
func (t *Seat) endLocked(message []byte) {
	t.result = message
	if t.conn != nil {
		t.conn.session.Release(t, message)
	}
}

// Line passes a line of the player, which came on the given connection, to the
// match. It waits while the player is too far ahead.
func (t *Seat) Line(c *Conn, text string, at time.Time) {
	if t.feeding != nil {
		t.feeding <- struct{}{}
		defer func() { <-t.feeding }()
	}
	t.mu.Lock()
	m, number := t.match, t.number
	if t.conn != c {
		m = nil // the client sends the line again on its new connection
	}
	if m != nil {
		t.taken++
	}
	t.mu.Unlock()
	if m != nil {
		m.Line(number, text, at)
	}
}
