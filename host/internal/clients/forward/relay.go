package forward

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"colosseum/host/internal/clients/outbox"
	"colosseum/host/internal/cluster/relay"
	"colosseum/protocol"
)

// Session is a client's session as its relay uses it. Its lock is held in all calls.
type Session interface {
	// IdleLocked makes the session idle, and then sends the message about it; nil: it is
	// sent.
	IdleLocked(message []byte)
	// UnrelayedLocked makes the session forget its relay.
	UnrelayedLocked()
}

// Client is the client of a relay.
type Client struct {
	relay.Client
	Session Session
	Lock    *sync.Mutex // of the session
	Out     *outbox.Outbox
	Log     *slog.Logger
}

// Relay passes the messages of a client on to another host, and those of that host to the
// client. The session's goroutine writes to it, and run reads. It is over when the client
// is idle again. After the end of a match it stays until the client's next request, if the
// client can resume: if the connection breaks instead, the other host keeps the end.
//
// The session must not hold its lock when it calls a method.
type Relay struct {
	hosts   *Hosts
	client  Client
	conn    *websocket.Conn
	host    string
	request string        // for which it was opened
	replied chan struct{} // closed when the client has the reply, or is being disconnected

	// The lock of the session guards the fields below. With one of its own, a turn through
	// a relay took about 8 µs longer: the next line of the player did not wait until the
	// last bytes were written.
	mu        *sync.Mutex
	dropped   bool // the session has no relay any more: messages that still arrive are dropped
	answered  bool // replied is closed, or about to be
	resumable bool // the client has a ticket
	playing   bool // the match has started
	leaving   bool // the client leaves its waiting match, and expects an answer
	over      bool // the match has ended
}

// replyNames are the names of the replies to the requests that are relayed.
var replyNames = map[string]string{
	protocol.NameGameNew:        protocol.NameGameNew,
	protocol.NameLobbyFindMatch: protocol.NameLobbyJoinedMatch,
	protocol.NameLobbyJoinMatch: protocol.NameLobbyJoinedMatch,
	protocol.NameMatchResume:    protocol.NameMatchResumed,
	protocol.NameServe:          protocol.NameServing,
}

// Dial opens a relay to another host for a request. The session must have the relay before
// it calls Ask.
func (h *Hosts) Dial(ctx context.Context, host, request string, c Client) (*Relay, error) {
	conn, err := h.cluster.Dial(ctx, host, c.Client)
	if err != nil {
		return nil, err
	}
	h.relays.Add(1)
	r := &Relay{hosts: h, client: c, mu: c.Lock, conn: conn, host: host, request: request, replied: make(chan struct{})}
	conn.SetPingHandler(func(data string) error {
		if r.inUse() {
			c.Out.Ping([]byte(data)) // so that the other host measures the lag of the client
		}
		return nil
	})
	conn.SetPongHandler(func(data string) error {
		if r.inUse() {
			c.Out.Pong([]byte(data))
		}
		return nil
	})
	return r, nil
}

// Ask sends the request, and returns when the client has the reply or is being
// disconnected. With an error, the other host has not received it, and the relay has ended.
func (r *Relay) Ask(message []byte) error {
	_ = r.conn.SetReadDeadline(time.Now().Add(r.hosts.replyTimeout()))
	if err := r.conn.WriteMessage(websocket.TextMessage, message); err != nil {
		r.Cut()
		r.hosts.relays.Add(-1)
		return err
	}
	r.hosts.wait.Add(1)
	go r.run() // ends with the relay
	<-r.replied
	return nil
}

// Host returns the other host.
func (r *Relay) Host() string { return r.host }

// CanMove reports whether the client can continue through another host.
func (r *Relay) CanMove() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.resumable || r.Serves()
}

// Serves reports whether the client offers its player for matches.
func (r *Relay) Serves() bool { return r.request == protocol.NameServe }

// Playing reports whether the client's match has started.
func (r *Relay) Playing() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.playing
}

// inUse reports whether the session still has the relay.
func (r *Relay) inUse() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return !r.dropped
}

// Text passes a text of the client on. It reports false if the relay has ended in the
// meantime; then this host must answer.
func (r *Relay) Text(message []byte) bool {
	name, _, _ := protocol.Split(message) // the other host refuses what is not a message
	r.mu.Lock()
	if r.dropped || r.over {
		r.mu.Unlock()
		return false
	}
	if name == protocol.NameLobbyLeaveMatch && !r.playing {
		r.leaving = true
	}
	r.mu.Unlock()
	r.send(websocket.TextMessage, message)
	return true
}

// Bytes passes bytes of the player on.
func (r *Relay) Bytes(b []byte) { r.send(websocket.BinaryMessage, b) }

// send passes a message on. It waits while the other host does not read.
func (r *Relay) send(kind int, message []byte) {
	if err := r.conn.WriteMessage(kind, message); err != nil {
		r.Cut() // which ends run
	}
}

// Control passes a ping or pong of the client on.
func (r *Relay) Control(kind int, data string) {
	if err := r.conn.WriteControl(kind, []byte(data), time.Time{}); err != nil {
		r.Cut()
	}
}

// End ends the relay, which the session does not have any more. If the client has left, it
// leaves its match on the other host, and otherwise it can resume its seat.
func (r *Relay) End(left bool) {
	r.mu.Lock()
	r.dropped = true
	r.mu.Unlock()
	if left {
		closeRelay(r.conn)
	} else {
		r.Cut()
	}
}

// Cut ends the relay without a close frame: the client can resume its seat. Unless its
// match has ended, its connection is closed.
func (r *Relay) Cut() { cutRelay(r.conn) }

// run passes messages to the client until the relay ends.
func (r *Relay) run() {
	defer r.hosts.wait.Done()
	defer r.hosts.relays.Add(-1)
	err := r.read()
	r.Cut()
	r.mu.Lock()
	used, over, answered := !r.dropped, r.over, r.answered
	if used {
		r.dropLocked()
	}
	r.answered = true
	r.mu.Unlock()
	if code, reason := closeOf(err); used && (!over || code == protocol.CloseReplaced) {
		r.client.Log.Debug("the relay ended", "host", r.host, "reason", err)
		r.client.Out.Close(code, reason)
	}
	if !answered {
		close(r.replied)
	}
}

// dropLocked makes the session forget the relay.
func (r *Relay) dropLocked() {
	r.dropped = true
	r.client.Session.UnrelayedLocked()
}

// read passes messages to the client. It drops them once the session has dropped the
// relay, and returns when it has ended.
func (r *Relay) read() error {
	for {
		kind, from, err := r.conn.NextReader()
		if err == nil && kind == websocket.BinaryMessage {
			err = r.bytes(from)
		} else if err == nil {
			err = r.text(from)
		}
		if err != nil {
			return err
		}
	}
}

var readBuffers = sync.Pool{New: func() any { return new([4096]byte) }}

// bytes passes bytes of the match to the client.
func (r *Relay) bytes(from io.Reader) error {
	buffer := readBuffers.Get().(*[4096]byte)
	defer readBuffers.Put(buffer)
	for {
		n, err := from.Read(buffer[:])
		if n > 0 {
			r.mu.Lock()
			if !r.dropped {
				r.client.Out.Send(buffer[:n])
			}
			r.mu.Unlock()
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// text passes a text to the client, and ends the relay if the client is idle then.
func (r *Relay) text(from io.Reader) error {
	message, err := readText(from)
	if err != nil {
		return err
	}
	name, body, err := protocol.Split(message)
	if err != nil {
		return fmt.Errorf("the other host does not speak the protocol: %w", err)
	}
	r.mu.Lock()
	over := !r.dropped && r.passLocked(name, body, message)
	if over {
		r.dropLocked()
	}
	replied := r.answered
	r.mu.Unlock()
	if replied && name == replyNames[r.request] {
		r.release()
	}
	if over {
		closeRelay(r.conn)
	}
	return nil
}

// release lets the session continue after the reply.
func (r *Relay) release() {
	select {
	case <-r.replied: // it is a later reply to Serve
	default:
		close(r.replied)
	}
}

// passLocked passes a text to the client. It reports whether the relay is over: the
// client is idle, and has received everything.
func (r *Relay) passLocked(name string, body, message []byte) (over bool) {
	session := r.client.Session
	if !r.answered && name == replyNames[r.request] {
		r.answered = true
		_ = r.conn.SetReadDeadline(time.Time{}) // the system notices that the other host is gone
		r.client.Out.Reply(message, false)
		var answer reply
		if protocol.Decode(name, body, &answer) != nil || answer.refused() || name == protocol.NameGameNew {
			session.IdleLocked(nil)
			return true
		}
		r.resumable = answer.Ticket != "" || name == protocol.NameMatchResumed
		return false
	}
	idle := false
	switch name {
	case protocol.NameMatchStarted:
		r.playing, r.leaving = true, false
	case protocol.NameMatchEnded:
		r.over, idle = true, true
		keep := r.hosts.resume
		if over = !r.resumable || keep <= 0; !over {
			_ = r.conn.SetReadDeadline(time.Now().Add(keep)) // then the other host has forgotten the end
		}
	case protocol.NameLobbyDelete:
		over = !r.leaving
	case protocol.NameLobbyLeavedMatch:
		over = !r.over
	}
	if idle || over {
		session.IdleLocked(message)
	} else {
		r.client.Out.Push(message)
	}
	return over
}

// reply is what all replies to relayed requests have in common.
type reply struct {
	ID, Info, Player struct {
		Err *string `json:"Err"`
	}
	Ticket string `json:"ticket"`
}

func (r reply) refused() bool { return r.ID.Err != nil || r.Info.Err != nil || r.Player.Err != nil }
