package web

import (
	"errors"
	"sync"
	"time"

	"colosseum/host/internal/play/match"
	"colosseum/protocol"
)

// seat is a client's seat in a match that waits or runs. If the client joined with
// resume, the seat outlives its connection: another one can take it over with the
// ticket. docs/decisions/resume.md has the reasons.
//
// The lobby and the match call its methods, some with their mutexes held. So the seat
// must not hold mu when it calls the lobby or the match.
type seat struct {
	server *Server
	player string // registered, or empty; a connection that resumes must have the same
	ticket string // empty: the seat ends with its connection

	feeding  chan struct{} // holds a value while a line is passed to the match, so that lines of two connections stay in order; nil without a ticket
	changing sync.Mutex    // held while the connection changes, until lobby and match know

	mu        sync.Mutex // guards the fields below; a session's and an outbox's mutex can be taken while it is held
	session   *session   // the connection; nil: it has broken
	sentOn    *session   // the connection to which bytes were last sent
	info      protocol.MatchInfo
	match     *match.Match // nil: it waits or has ended
	number    int          // of the seat in the match
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

// newSeat returns a seat for a session. With resume it has a ticket: the given one, which
// the client has chosen, or a new one if that is empty. The error is for the client.
func newSeat(s *session, resume bool, ticket string) (*seat, error) {
	t := &seat{server: s.server, session: s, player: s.player}
	if resume && s.server.limits.Resume > 0 {
		switch {
		case ticket == "":
			ticket = newTicket()
		case !protocol.ValidTicket(ticket):
			return nil, errWeakTicket
		case s.server.tickets.used(ticket):
			return nil, errUsedTicket
		}
		t.ticket, t.feeding = ticket, make(chan struct{}, 1)
	}
	return t, nil
}

// Joined implements lobby.Player.
func (t *seat) Joined(info protocol.MatchInfo) {
	if t.ticket != "" {
		t.server.tickets.add(t)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.info = info
	t.session.take(t, joined)
	t.session.out.Reply(protocol.Encode(protocol.NameLobbyJoinedMatch, protocol.JoinedReply{Info: protocol.Ok(info), Ticket: t.ticket}), false)
	t.session.ping()
}

// Update implements lobby.Player.
func (t *seat) Update(message []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.session != nil {
		t.session.out.Push(message)
	}
}

// Started implements lobby.Player.
func (t *seat) Started(m *match.Match, number int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.match, t.number, t.started = m, number, true
	if t.session != nil {
		t.session.take(t, playing)
		t.session.out.Push(protocol.Encode(protocol.NameMatchStarted, nil))
	}
	t.pinger = time.AfterFunc(lagInterval, t.ping)
}

// ping measures the lag each lagInterval while the match runs.
func (t *seat) ping() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.match == nil {
		return
	}
	if t.session != nil {
		t.session.ping()
	}
	t.pinger.Reset(lagInterval)
}

// Expired implements lobby.Player.
func (t *seat) Expired(id, reason string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.endLocked(protocol.Encode(protocol.NameLobbyDelete, protocol.LobbyDelete{ID: id, Reason: reason}))
	t.forgetLocked()
}

// Send implements match.Player.
func (t *seat) Send(b []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.sent += uint64(len(b))
	t.keepLocked(b)
	t.sentOn = t.session
	if t.session != nil {
		t.session.out.Send(b)
	}
}

// Written implements match.Player. For a player that is away, or that got the last
// question on an earlier connection, the clock has run since the question.
func (t *seat) Written() (since time.Time, done bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.session == nil || t.sentOn != t.session {
		return time.Time{}, true
	}
	return t.session.out.Written()
}

// Unread implements match.Player.
func (t *seat) Unread(before time.Time) bool {
	s := t.connection()
	return s != nil && s.arrivals != nil && s.arrivals.Unread(before)
}

// Lag implements match.Player.
func (t *seat) Lag() time.Duration {
	if s := t.connection(); s != nil {
		return s.lag.get()
	}
	return 0
}

// Probe implements match.Player.
func (t *seat) Probe() {
	if s := t.connection(); s != nil {
		s.ping()
	}
}

// Cut implements match.Player.
func (t *seat) Cut() {
	if s := t.connection(); s != nil {
		s.out.CloseTooSlow()
	}
}

// Away implements match.Player.
func (t *seat) Away(name string, until time.Time) {
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
	if t.session != nil {
		t.session.pushAway(name, until)
	}
}

// Ended implements match.Player.
func (t *seat) Ended(r protocol.MatchResult) {
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
		t.setTimerLocked(t.server.limits.Resume)
	}
}

// id returns the ID of the match.
func (t *seat) id() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.info.ID
}

// connection returns the session of the seat, or nil.
func (t *seat) connection() *session {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.session
}

// endLocked sends the client the message with which its seat ends.
func (t *seat) endLocked(message []byte) {
	t.result = message
	if t.session != nil {
		t.session.release(t, message)
	}
}

// line passes a line of the player, which came on the given connection, to the
// match. It waits while the player is too far ahead.
func (t *seat) line(s *session, text string, at time.Time) {
	if t.feeding != nil {
		t.feeding <- struct{}{}
		defer func() { <-t.feeding }()
	}
	t.mu.Lock()
	m, number := t.match, t.number
	if t.session != s {
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

// received forgets the bytes that the player has received.
func (t *seat) received(bytes uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if bytes <= t.sent {
		t.dropLocked(bytes)
	}
}

// disconnected ends the connection of the seat. If left is true, the client has given
// up its seat or broken the protocol; otherwise it can resume the seat.
func (t *seat) disconnected(s *session, left bool) {
	t.changing.Lock()
	defer t.changing.Unlock()
	t.mu.Lock()
	if t.session != s {
		t.mu.Unlock()
		return // another connection has the seat
	}
	t.session = nil
	waiting, id := !t.started && t.result == nil, t.info.ID
	t.mu.Unlock()
	if waiting {
		if t.server.lobby.Leave(t, id) {
			t.forget()
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
		t.until = time.Now().Add(t.server.limits.Resume)
		t.setTimerLocked(t.server.limits.Resume)
	}
	t.mu.Unlock()
	t.reportLocked()
}

// Errors of resume for the client.
var (
	errTicket     = errors.New("the ticket is not valid: the match has ended, the time to come back is over, or the host was restarted")
	errNotYours   = errors.New("the ticket belongs to another player")
	errForgotten  = errors.New("the host no longer has the bytes that the client lacks")
	errWeakTicket = errors.New("a ticket has 26 to 64 letters, digits, hyphens and underscores")
	errUsedTicket = errors.New("the ticket is in use: send MatchResume")
	errNotSent    = errors.New("the client counts more bytes than the host has sent")
)

// resume gives the seat to another connection of the client, which has received the
// given number of bytes. It sends the reply and everything that the client lacks.
func (t *seat) resume(s *session, received uint64) error {
	t.changing.Lock()
	defer t.changing.Unlock()
	if err := t.attach(s, received); err != nil {
		return err
	}
	t.reportLocked()
	return nil
}

// attach makes s the connection of the seat.
func (t *seat) attach(s *session, received uint64) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.over:
		return errTicket
	case t.player != s.player:
		return errNotYours
	case received > t.sent:
		return errNotSent
	case t.forgotten || received < t.sent-uint64(len(t.kept)):
		return errForgotten
	}
	if old := t.session; old != nil && old != s {
		old.replace(t)
	}
	t.session, t.until = s, time.Time{}
	if t.result == nil && t.timer != nil {
		t.timer.Stop()
	}
	t.dropLocked(received)
	state := joined
	if t.started {
		state = playing
	}
	s.take(t, state)
	s.out.Reply(protocol.Encode(protocol.NameMatchResumed, protocol.MatchResumedReply{Info: protocol.Ok(t.info), Taken: t.taken, Started: t.started}), false)
	if len(t.kept) > 0 {
		s.out.Send(t.kept)
	}
	for name, until := range t.away {
		s.pushAway(name, until)
	}
	if t.result != nil {
		s.release(t, t.result)
	}
	s.ping()
	return nil
}

// reportLocked reports to the match whether the player is connected, away or gone. The
// mutex changing must be held, and mu must not.
func (t *seat) reportLocked() {
	t.mu.Lock()
	m, number, until, over := t.match, t.number, t.until, t.over
	t.mu.Unlock()
	switch {
	case m == nil:
	case over:
		m.Leave(number)
		t.forget()
	default:
		m.Away(number, until)
	}
}

// setTimerLocked calls expire after the time d.
func (t *seat) setTimerLocked(d time.Duration) {
	if t.timer != nil {
		t.timer.Stop()
	}
	t.timer = time.AfterFunc(d, t.expire)
}

// expire ends the seat if its time to come back is over, and forgets it if the match has
// ended.
func (t *seat) expire() {
	t.changing.Lock()
	defer t.changing.Unlock()
	t.mu.Lock()
	ended := t.result != nil
	if !ended && t.session == nil && (t.forgotten || !time.Now().Before(t.until)) {
		t.over = true
	}
	t.mu.Unlock()
	if ended {
		t.forget()
	} else {
		t.reportLocked()
	}
}

// forget ends the seat: its ticket is no longer valid.
func (t *seat) forget() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.forgetLocked()
}

func (t *seat) forgetLocked() {
	t.over, t.kept = true, nil
	t.countLocked()
	if t.timer != nil {
		t.timer.Stop()
	}
	if t.ticket != "" {
		t.server.tickets.remove(t)
	}
}

// keepLocked keeps bytes until the player has received them. Beyond the limits they
// are forgotten, and the player can no longer resume.
func (t *seat) keepLocked(b []byte) {
	if t.ticket == "" || t.over || t.forgotten {
		return
	}
	t.kept = append(t.kept, b...)
	if len(t.kept) > t.server.limits.Backlog || !t.countLocked() {
		t.forgotten, t.kept = true, nil
		t.countLocked()
		if t.session == nil {
			t.setTimerLocked(0) // the match, which is calling, cannot be called here
		}
	}
}

// reusable is the size, in bytes, of the largest array for kept bytes that is used
// again.
const reusable = 16 << 10

// dropLocked forgets the bytes before an offset in everything that was sent.
func (t *seat) dropLocked(offset uint64) {
	first := t.sent - uint64(len(t.kept))
	if offset <= first {
		return
	}
	n := int(offset - first)
	rest := t.kept[n:]
	t.dropped += n
	switch {
	case t.dropped < len(rest): // not copied each time: a client can report each byte
		t.kept = rest
	case cap(t.kept) <= reusable:
		t.kept, t.dropped = append(t.kept[:0], rest...), 0
	default:
		t.kept, t.dropped = append([]byte(nil), rest...), 0
	}
	t.countLocked()
}

// keptStep is the step, in bytes, in which seats count what they keep.
const keptStep = 4 << 10

// countLocked updates the sum of the bytes that all seats keep. It returns false if
// the seat keeps more than before, and the sum is beyond the limit for all clients.
func (t *seat) countLocked() bool {
	n := (len(t.kept) + keptStep - 1) / keptStep * keptStep
	if n == t.counted {
		return true
	}
	more := int64(n - t.counted)
	t.counted = n
	sum, limit := t.server.tickets.kept.Add(more), t.server.limits.Backlogs
	return more < 0 || limit == 0 || sum <= limit
}
