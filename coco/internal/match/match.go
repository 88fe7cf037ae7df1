// Package match plays or watches one match: it joins, forwards the stream both
// ways, and prints how the match goes.
package match

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"colosseum/coco/internal/journal"
	"colosseum/coco/internal/player"
	"colosseum/coco/internal/server"
	"colosseum/internal/locale"
	"colosseum/internal/terminal"
	"colosseum/protocol"
)

const (
	// leaveTimeout is how long to wait for the server to close the connection after
	// leave.
	leaveTimeout = time.Second
	// endGrace is how long to wait for the end of the match after the program's
	// exit. If the program has failed, coco then leaves: the other players wait.
	endGrace = 500 * time.Millisecond
)

// ErrLetGo is the cause for ending a match without giving up the seat: a later Match with
// the same ticket and Again takes it over.
var ErrLetGo = errors.New("the match goes on without coco")

// errViewerGone is the cause for leaving a match when its viewer exits, which is not
// a failure.
var errViewerGone = locale.Errorf("the viewer was closed")

// Match is one match to play or to watch. Run can be called once.
type Match struct {
	ID       string
	Name     string // in the match; empty: that of the registered player, or a random one
	Password *string
	Spectate bool
	Linger   time.Duration // how long the stream can be silent after the program's exit
	Dial     func(context.Context) (*server.Conn, error)
	Conn     *server.Conn // to join with, if it still works; nil: a new one. Run closes it
	Player   *player.Player
	Print    *terminal.Printer // nil: nothing is printed
	Log      *journal.Journal  // nil: none
	Server   string            // its address, for the log

	Ticket   string                                      // of the seat, see protocol.ValidTicket; empty: a random one
	Again    bool                                        // take over the seat with the ticket, which another process had
	Hold     uint64                                      // bytes of the stream that another process can receive again
	Joined   func(info protocol.MatchInfo, started bool) // called when the player has its seat, and when the match starts; or nil
	Question func(protocol.MatchQuestion)                // called for each question, after Player has its text; nil: the server is not asked for them

	trace     trace
	link      *link
	connected []string      // names that were printed last
	begun     atomic.Bool   // started is closed
	started   chan struct{} // closed when the match starts
	drained   chan struct{} // closed when all of the player's output is read
	moves     atomic.Uint64 // frames of the stream both ways
}

// Run returns nil when the match has ended, or when a spectator's viewer was
// closed. When ctx ends, it leaves the match and returns the cause.
func (m *Match) Run(ctx context.Context) error {
	m.started, m.drained = make(chan struct{}), make(chan struct{})
	m.trace.log = m.Log
	m.Player.OnStderr(m.Log.Stderr)
	m.link = newLink(m.ID, m.Print, m.Dial)
	m.link.log, m.link.spectate = m.Log, m.Spectate
	defer m.link.close()
	if err := m.enter(ctx); err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if m.Player.Out == nil {
		close(m.drained)
	} else {
		go m.forward(ctx) // until the player's output ends
	}
	go m.watch(ctx, cancel) // until ctx ends
	if !m.link.single {
		go m.link.watch(ctx) // until ctx ends
	}
	ended := make(chan error, 1)
	go func() { ended <- m.follow(ctx) }() // until the match ends or the connection is closed
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	if errors.Is(context.Cause(ctx), ErrLetGo) {
		m.link.abort()
		<-ended
		m.link.abort() // it can have come back
		return ErrLetGo
	}
	m.leave()
	select {
	case <-ended:
	case <-time.After(leaveTimeout): // follow can also be blocked by a stopped terminal
	}
	if err := context.Cause(ctx); !errors.Is(err, errViewerGone) {
		return err
	}
	return nil
}

// randomName returns a user name of 13 characters with 40 random bits.
func randomName() string {
	return "coco-" + strings.ToLower(rand.Text()[:8])
}

// enter connects, and joins the match. If the connection breaks before the reply, it
// tries again, if the server knows tickets: the ticket shows whether the host has given it a seat.
func (m *Match) enter(ctx context.Context) error {
	conn, err := m.Conn, error(nil)
	kept := conn != nil
	if m.Conn = nil; !kept {
		conn, err = m.Dial(ctx)
	}
	if err != nil {
		return err
	}
	m.Name = cmp.Or(m.Name, conn.Player, randomName())
	if m.Question != nil && !conn.Has(protocol.FeatureHints) {
		conn.Close()
		return &server.Refused{Text: locale.Errorf("the server sends no questions: leave out --questions")}
	}
	resume := conn.Has(protocol.FeatureResume) && !m.Spectate
	if resume {
		m.link.ticket = cmp.Or(m.Ticket, rand.Text())
	}
	m.link.join, m.link.hold = m.join, m.Hold
	if m.Again {
		return m.takeOver(ctx, conn)
	}
	info, ticket, err := m.join(ctx, conn, m.link.ticket)
	if err == nil {
		m.link.single = ticket == "" && !m.Spectate
		m.announce(info)
		return m.link.use(conn, ticket, 0)
	}
	if !server.Broken(err) && !(resume && canRetry(err)) {
		conn.Close()
		return err
	}
	conn.Abort()
	if kept && !resume { // it can have broken while the program started
		return m.enter(ctx)
	}
	if ctx.Err() != nil || !resume || !canRetry(err) {
		return err
	}
	return m.enterAgain(ctx, err)
}

// enterAgain repeats an attempt to join that has failed because of cause, as patiently as
// after a break during the match: the host can hold the seat, with a clock that runs.
func (m *Match) enterAgain(ctx context.Context, cause error) error {
	m.link.attempts, m.link.broke = 1, time.Now()
	err := m.link.retry(ctx, cause)
	switch {
	case err == nil:
		m.link.single = false
		m.announce(m.link.info)
	case ctx.Err() != nil:
		m.leave()
	case canRetry(err):
		err = &server.ConnectionError{Text: locale.Errorf("%w; the server can still hold a seat for %s", err, m.Name), Err: err}
	}
	return err
}

// takeOver takes over the seat of another process, with its ticket.
func (m *Match) takeOver(ctx context.Context, conn *server.Conn) error {
	m.link.single, m.link.again = false, true
	if err := m.link.resumeOn(ctx, conn); err != nil {
		return err
	}
	m.trace.know(m.link.info)
	m.announce(m.link.info)
	return nil
}

// announce prints the match that was joined.
func (m *Match) announce(info protocol.MatchInfo) {
	if m.Spectate { // without escapes, like the original client
		m.Print.Line(`Joined spectators for "%s" (%s)`, info.Name, info.Game)
	} else {
		m.Print.Line(`Joined "%s" (%s)`, info.Name, info.Game)
	}
	if m.Joined != nil {
		m.Joined(info, false)
	}
	m.Print.Line("Waiting for game to start")
	m.printConnected(info)
}

// join requests a seat with a ticket, or with none if that is empty, or a place of a
// spectator. It returns the ticket that the host accepted.
func (m *Match) join(ctx context.Context, conn *server.Conn, ticket string) (info protocol.MatchInfo, accepted string, err error) {
	request, want := protocol.Encode(protocol.NameLobbyJoinMatch, protocol.LobbyJoinMatch{ID: m.ID, Name: m.Name, Password: m.Password, Resume: ticket != "", Ticket: ticket, Hints: m.Question != nil}), protocol.NameLobbyJoinedMatch
	if m.Spectate {
		request, want = protocol.Encode(protocol.NameSpectateJoin, protocol.MatchID{ID: m.ID}), protocol.NameSpectateJoined
	}
	var reply protocol.JoinedReply
	if err := conn.Ask(ctx, request, want, &reply); err != nil {
		return info, "", err
	}
	if info, err = reply.Info.Get(); err != nil {
		return info, "", m.refused(err)
	}
	m.trace.know(info)
	return info, reply.Ticket, nil
}

// Note sends a note about the next line of the player, if the server keeps notes. It is lost
// if the connection is broken.
func (m *Match) Note(text string) {
	if conn := m.link.connected(); conn != nil && conn.Has(protocol.FeatureNotes) {
		conn.Send(protocol.Encode(protocol.NameMatchNote, protocol.MatchNote{Text: text})) // after an error receive fails too
	}
}

// refused returns the server's refusal to let the client into the match.
func (m *Match) refused(err error) error {
	text := locale.Errorf("cannot join match %s: %w", m.ID, err)
	switch { // texts of the original server, which all servers send
	case strings.HasSuffix(err.Error(), "does not exists"):
		text = locale.Errorf("cannot join match %s: %w; if it has ended, coco history %[1]s shows it", m.ID, err)
	case strings.HasSuffix(err.Error(), "Wrong password") && m.Password == nil:
		text = locale.Errorf("cannot join match %s: %w; give the match's password with -p", m.ID, err)
	}
	return &server.Refused{Text: text}
}

// Describe connects and asks the server about the match, before Run joins it with the
// same connection. The result is false if the server cannot describe one match. The
// caller must call Run, or close Conn.
func (m *Match) Describe(ctx context.Context) (info protocol.MatchInfo, ok bool, err error) {
	for attempt, delay := range delays {
		wait(ctx, nil, delay)
		var conn *server.Conn
		if conn, err = m.Dial(ctx); err == nil {
			m.Conn, m.Name = conn, cmp.Or(m.Name, conn.Player, randomName())
			if !conn.Has(protocol.FeatureFind) {
				return info, false, nil
			}
			var reply protocol.LobbyMatchReply
			err = conn.Ask(ctx, protocol.Encode(protocol.NameLobbyMatch, protocol.MatchID{ID: m.ID}), protocol.NameLobbyMatch, &reply)
			if err == nil {
				if info, err = reply.Info.Get(); err != nil {
					err = m.refused(err)
				}
				return info, err == nil, err
			}
		}
		if ctx.Err() != nil || attempt == 0 && conn == nil || !server.Broken(err) {
			break
		}
	}
	return info, false, err
}

// follow handles the messages of the server until the match ends.
func (m *Match) follow(ctx context.Context) error {
	for {
		frame, err := m.link.receive(ctx)
		if err != nil {
			return err
		}
		if frame.Binary {
			if len(frame.Stream) == 0 { // the original server sends many of them
				continue
			}
			m.moves.Add(1)
			m.trace.received(frame.Stream)
			if err := m.Player.Write(frame.Stream); err != nil {
				return err
			}
			continue
		}
		switch frame.Name {
		case protocol.NameLobbyUpdate:
			var update protocol.LobbyEvent
			if protocol.Decode(frame.Name, frame.Body, &update) == nil && (m.Spectate || !m.begun.Load()) {
				m.trace.know(update.Info)
				m.printConnected(update.Info)
			}
		case protocol.NameLobbyDelete:
			if !m.begun.Load() {
				var deleted protocol.LobbyDelete
				if protocol.Decode(frame.Name, frame.Body, &deleted) == nil && deleted.Reason != "" {
					m.trace.closed(deleted.Reason)
					return &server.Refused{Text: locale.Errorf("the match was closed before it could start: %s", deleted.Reason)}
				}
				return &server.Refused{Text: locale.Errorf("the match expired before it could start")}
			}
		case protocol.NameMatchStarted, protocol.NameSpectateStarted:
			if !m.begun.Swap(true) {
				m.Print.Line("Game started")
				if m.Joined != nil {
					m.Joined(m.trace.known(), true)
				}
				m.beginLog()
				close(m.started)
			}
		case protocol.NameMatchQuestion:
			var q protocol.MatchQuestion
			if m.Question != nil && protocol.Decode(frame.Name, frame.Body, &q) == nil {
				m.Question(q)
			}
		case protocol.NamePlayerAway:
			var away protocol.PlayerAway
			if protocol.Decode(frame.Name, frame.Body, &away) == nil {
				m.Print.Line("%v", awayLine(away))
				m.trace.note("%v", awayLine(away))
			}
		case protocol.NameSpectateSynced:
			m.Print.Line("Reached current game status")
		case protocol.NameMatchEnded, protocol.NameSpectateEnded:
			m.Print.Line("Game ended")
			m.trace.note("the match ended")
			var end protocol.EndedReply
			if protocol.Decode(frame.Name, frame.Body, &end) != nil || end.Result == nil {
				return nil // an older server
			}
			lines := resultLines(end.Result)
			for _, line := range lines {
				m.Print.Line("%v", line)
			}
			if text := advice(end.Result, m.Name); text != nil && !m.Spectate {
				m.Print.Line("%v", text)
			}
			m.explain(end.Result, lines)
			if end.Result.Aborted {
				return &server.Refused{Text: locale.Errorf("the server aborted the match")}
			}
			return nil
		}
		// Ignore other messages: later servers can send more of them.
	}
}

func (m *Match) printConnected(info protocol.MatchInfo) {
	slices.Sort(info.Connected)
	if m.connected != nil && slices.Equal(m.connected, info.Connected) {
		return
	}
	m.connected = append([]string{}, info.Connected...)
	m.Print.Line("%v", connectedLine(info))
}

// leave tries to leave the match, and sends a close frame.
func (m *Match) leave() {
	var message []byte
	switch {
	case m.Spectate:
		message = protocol.Encode(protocol.NameSpectateLeave, nil)
	case !m.begun.Load():
		message = protocol.Encode(protocol.NameLobbyLeaveMatch, nil)
	}
	m.link.leave(message)
}
