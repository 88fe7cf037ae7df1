package match

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"sync"
	"time"

	"colosseum/coco/internal/journal"
	"colosseum/coco/internal/server"
	"colosseum/internal/locale"
	"colosseum/internal/terminal"
	"colosseum/protocol"
)

const (
	// attemptTimeout limits one attempt to resume. A host that was unreachable does
	// not answer packets of an older attempt.
	attemptTimeout = 10 * time.Second
	// resumeTimeout limits all attempts after a break. A host keeps a seat for a
	// shorter time, and refuses later attempts.
	resumeTimeout = 2 * time.Minute
	// returnTimeout replaces resumeTimeout for spectators, and when the host has stopped:
	// behind one address there can be others.
	returnTimeout = time.Minute
	// steady is how long a connection holds after which the next break is a new one, even
	// if the match was silent.
	steady = 30 * time.Second
	// acknowledgeEvery is the number of bytes of the stream between two
	// MatchReceived.
	acknowledgeEvery = 1 << 10

	// A connection on which nothing arrives for pingAfter is probed, and is broken
	// if nothing arrives for maxSilence.
	watchEvery = time.Second
	pingAfter  = 5 * time.Second
	maxSilence = 15 * time.Second
	// maxBusySilence replaces maxSilence if the player is further ahead than the host
	// reads. It then reads nothing, not even pings, until it needs a line.
	maxBusySilence = time.Minute
)

// delays are the times before each attempt to resume; the last one repeats.
var delays = []time.Duration{0, 250 * time.Millisecond, 500 * time.Millisecond, time.Second, 2 * time.Second, 5 * time.Second}

// errNoAnswer ends an attempt to resume.
var errNoAnswer error = &server.ConnectionError{Err: locale.Errorf("the server does not answer")}

// link is a client's connection to a match. With a ticket, or for a spectator, it survives
// breaks: every byte of the stream is received once, and every line reaches the host once.
// One goroutine can call receive while another calls send.
type link struct {
	match  string // the ID
	dial   func(context.Context) (*server.Conn, error)
	join   func(ctx context.Context, conn *server.Conn, ticket string) (protocol.MatchInfo, string, error) // takes a seat again while the match waits
	jitter func() float64                                                                                  // at least 0 and less than 1
	print  *terminal.Printer
	log    *journal.Journal // nil: none

	single   bool   // no ticket: a break is final
	spectate bool   // after a break the host sends the stream from its start
	again    bool   // the seat was that of another process, and is not taken over yet
	hold     uint64 // see Match.Hold

	// Only the goroutine that receives uses these.
	started      bool               // the match
	info         protocol.MatchInfo // when it last resumed
	acknowledged uint64             // bytes of the stream
	skip         uint64             // next bytes that a spectator has received before the break
	synced       bool               // a spectator has caught up once
	pending      []server.Frame
	attempts     int       // to resume, since a frame was received or the connection was steady
	broke        time.Time // before the first of these attempts
	back         time.Time // when it last resumed

	sending sync.Mutex // held while lines are written; mu can be taken while it is held

	mu       sync.Mutex    // guards the fields below
	conn     *server.Conn  // nil: it is broken
	changed  chan struct{} // closed and replaced when conn changes or lines are confirmed
	ticket   string
	received uint64 // bytes of the stream
	lines    sentLines
}

func newLink(id string, print *terminal.Printer, dial func(context.Context) (*server.Conn, error)) *link {
	return &link{match: id, dial: dial, jitter: rand.Float64, print: print, single: true, changed: make(chan struct{})}
}

// connected returns the connection, or nil if it is broken.
func (l *link) connected() *server.Conn {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.conn
}

// use makes conn the connection. The ticket can be empty. The host has taken the given
// number of the client's lines.
func (l *link) use(conn *server.Conn, ticket string, taken uint64) error {
	conn.OnPong(l.confirm)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.again {
		l.lines.first, l.again = taken, false
	}
	if err := l.lines.rewind(taken); err != nil {
		return err
	}
	l.conn, l.ticket = conn, ticket
	l.signalLocked()
	return nil
}

func (l *link) signalLocked() {
	close(l.changed)
	l.changed = make(chan struct{})
}

// receive returns the next frame. The caller must have handled the previous frame, whose
// bytes are never sent again. After a break, receive resumes first. Its error is final.
func (l *link) receive(ctx context.Context) (server.Frame, error) {
	for {
		if len(l.pending) > 0 {
			frame := l.pending[0]
			l.pending = l.pending[1:]
			return frame, nil
		}
		conn := l.connected()
		l.acknowledge(conn)
		frame, err := conn.Receive(ctx)
		if err == nil {
			if l.repeated(&frame) {
				continue
			}
			l.note(frame)
			return frame, nil
		}
		if err := l.restore(ctx, err); err != nil {
			return server.Frame{}, err
		}
	}
}

// acknowledge reports to the host how many bytes were received. It does nothing while a
// line is written, because that lasts until the host reads.
func (l *link) acknowledge(conn *server.Conn) {
	if l.single || l.spectate {
		return
	}
	_, received := l.ticketAndReceived()
	if received < l.hold || received-l.acknowledged < acknowledgeEvery || !l.sending.TryLock() {
		return
	}
	defer l.sending.Unlock()
	l.acknowledged = received
	conn.Send(protocol.Encode(protocol.NameMatchReceived, protocol.MatchReceived{Bytes: received})) // after an error receive fails too
}

// repeated removes from a frame what a spectator has received before the break. It reports
// whether nothing is left.
func (l *link) repeated(frame *server.Frame) bool {
	switch {
	case frame.Binary && l.skip > 0:
		n := min(l.skip, uint64(len(frame.Stream)))
		l.skip -= n
		frame.Stream = frame.Stream[n:]
		return len(frame.Stream) == 0
	case frame.Name == protocol.NameSpectateSynced:
		before := l.synced
		l.synced = true
		return before
	}
	return false
}

func (l *link) note(frame server.Frame) {
	if l.skip == 0 { // otherwise a host that soon closes each connection would be asked without a pause
		l.attempts = 0
	}
	switch {
	case frame.Binary:
		l.mu.Lock()
		l.received += uint64(len(frame.Stream))
		l.mu.Unlock()
	case frame.Name == protocol.NameMatchStarted, frame.Name == protocol.NameSpectateStarted:
		l.started = true
	}
}

// restore resumes after the connection has failed. Its error is final.
func (l *link) restore(ctx context.Context, cause error) error {
	stopped, tooSlow := server.CloseCode(cause) == protocol.CloseShutdown, server.CloseCode(cause) == protocol.CloseTooSlow
	switch {
	case ctx.Err() != nil || l.single:
		return cause
	case !server.Broken(cause) && !stopped:
		return cause
	case l.spectate && tooSlow: // it would be again, and the host would send everything again
		return cause
	}
	l.drop()
	l.log.Note("the connection was lost: %v", cause)
	if l.attempts == 0 || time.Since(l.back) > steady {
		l.attempts, l.broke = 0, time.Now()
	}
	return l.retry(ctx, cause)
}

// retry tries to resume until it succeeds, or too much time has passed since the break.
func (l *link) retry(ctx context.Context, cause error) error {
	stopped := server.CloseCode(cause) == protocol.CloseShutdown
	limit := resumeTimeout
	if stopped || l.spectate {
		limit = returnTimeout
	}
	l.print.Line("Connection lost, reconnecting")
	for {
		delay := delays[min(l.attempts, len(delays)-1)]
		wait(ctx, nil, delay/2+time.Duration(l.jitter()*float64(delay/2)))
		l.attempts++
		err := l.resume(ctx)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err == nil:
			l.back = time.Now()
			l.print.Line("Reconnected")
			l.log.Note("reconnected")
			return nil
		case !canRetry(err):
			return err
		case time.Since(l.broke) > limit && stopped && l.started && !l.spectate:
			return &server.Refused{Text: locale.Errorf("the host stopped, and the match with it; coco history %s shows it", l.match), Err: cause}
		case time.Since(l.broke) > limit:
			return &server.ConnectionError{Err: locale.Errorf("the connection was lost, and did not come back within %v: %w", limit, err)}
		}
	}
}

// canRetry reports whether a later attempt to resume can succeed.
func canRetry(err error) bool {
	switch server.CloseCode(err) {
	case protocol.CloseLimit, protocol.CloseShutdown: // for example, too many connections of one address
		return true
	}
	return server.Broken(err)
}

// drop ends the connection without the close frame that would give up the seat.
func (l *link) drop() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.conn.Abort()
	l.conn = nil
}

// resume connects, and takes over the seat with its ticket. If the match still waits, it
// joins again, because the host does not keep such a seat.
func (l *link) resume(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, attemptTimeout, errNoAnswer)
	defer cancel()
	conn, err := l.dial(ctx)
	if err != nil {
		return err
	}
	if l.spectate {
		return l.watchAgain(ctx, conn)
	}
	return l.resumeOn(ctx, conn)
}

// resumeOn is resume on a new connection, as a player.
func (l *link) resumeOn(ctx context.Context, conn *server.Conn) error {
	ticket, received := l.ticketAndReceived()
	reply, err := askResume(ctx, conn, protocol.MatchResume{Ticket: ticket, Received: received, ID: l.match})
	if err != nil {
		conn.Abort()
		return err
	}
	info, err := reply.Info.Get()
	switch {
	case err != nil && l.started:
		conn.Close()
		return &server.Refused{Text: locale.Errorf("the host did not let you return to the match: %v; if it has ended, coco history %s shows it", err, l.match)}
	case err != nil:
		why := err
		if info, ticket, err = l.join(ctx, conn, ticket); err != nil {
			conn.Abort()
			if l.again && !canRetry(err) {
				return &server.Refused{Text: locale.Errorf("the host did not let you return to the match: %v; if it has ended, coco history %s shows it", why, l.match)}
			}
			return err
		}
		l.info = info
		return l.use(conn, ticket, 0)
	}
	if err := l.use(conn, ticket, reply.Taken); err != nil {
		conn.Close()
		return err
	}
	l.acknowledged, l.info = received, info
	switch {
	case !reply.Started:
		body, _ := json.Marshal(protocol.LobbyEvent{Info: info})
		l.pending = append(l.pending, server.Frame{Name: protocol.NameLobbyUpdate, Body: body})
	case !l.started:
		l.started = true
		l.pending = append(l.pending, server.Frame{Name: protocol.NameMatchStarted, Body: json.RawMessage("{}")})
	}
	go l.flush() // until everything is sent, or the connection breaks
	return nil
}

// watchAgain takes a place of a spectator again.
func (l *link) watchAgain(ctx context.Context, conn *server.Conn) error {
	info, _, err := l.join(ctx, conn, "")
	if err == nil && info.ID != l.match {
		err = &server.ConnectionError{Err: locale.Errorf("the server sent match %q instead of %s", info.ID, l.match)}
	}
	if err != nil {
		conn.Abort()
		return err
	}
	if !l.started {
		body, _ := json.Marshal(protocol.LobbyEvent{Info: info})
		l.pending = append(l.pending, server.Frame{Name: protocol.NameLobbyUpdate, Body: body})
	}
	_, l.skip = l.ticketAndReceived()
	return l.use(conn, "", 0)
}

func (l *link) ticketAndReceived() (string, uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.ticket, l.received
}

func askResume(ctx context.Context, conn *server.Conn, r protocol.MatchResume) (reply protocol.MatchResumedReply, err error) {
	err = conn.Ask(ctx, protocol.Encode(protocol.NameMatchResume, r), protocol.NameMatchResumed, &reply)
	return reply, err
}

// watch ends a silent connection, so that receive resumes. It ends with ctx.
func (l *link) watch(ctx context.Context) {
	ticks := time.NewTicker(watchEvery)
	defer ticks.Stop()
	var probed *server.Conn
	var silent time.Duration // when it was last probed
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
		}
		l.mu.Lock()
		conn, busy := l.conn, l.lines.ahead()
		l.mu.Unlock()
		if conn == nil {
			continue
		}
		silence, limit := conn.Silence(), maxSilence
		if busy {
			limit = maxBusySilence
		}
		if conn != probed || silence < silent {
			probed, silent = conn, 0
		}
		switch {
		case silence >= limit:
			conn.Abort()
		case silence >= silent+pingAfter:
			silent = silence
			go conn.Ping("") // until it is written, or the connection ends
		}
	}
}

// leave gives up the seat, or the place of a spectator: it sends a message, if there is
// one, and a close frame. If the connection is broken, it tries once to resume first.
func (l *link) leave(message []byte) {
	conn := l.connected()
	if conn == nil && l.spectate {
		return
	}
	if conn == nil {
		ctx, cancel := context.WithTimeout(context.Background(), leaveTimeout)
		defer cancel()
		var err error
		if conn, err = l.dial(ctx); err != nil {
			return
		}
		defer conn.Abort()
		ticket, received := l.ticketAndReceived()
		if _, err := askResume(ctx, conn, protocol.MatchResume{Ticket: ticket, Received: received}); err != nil {
			return
		}
	}
	if message != nil {
		conn.Send(message)
	}
	conn.SendClose()
}

// abort ends the connection without a close frame, so that the host keeps the seat.
func (l *link) abort() {
	if conn := l.connected(); conn != nil {
		conn.Abort()
	}
}

// close ends the connection with a close frame.
func (l *link) close() {
	if conn := l.connected(); conn != nil {
		conn.Close()
	}
}
