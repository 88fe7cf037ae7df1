// Package outbox writes messages to clients. Each connection has an Outbox,
// which takes messages without blocking and writes them in order. It has a
// goroutine only while there is something to write, so an idle connection costs
// none. Only the outbox writes to its connection.
package outbox

import (
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"

	"colosseum/host/internal/play/match"
	"colosseum/protocol"
)

const (
	// CloseTimeout bounds each step of closing a connection: to write what is
	// queued, to write the close frame, and to get the client's answer to it.
	CloseTimeout = 2 * time.Second

	closeLimit = time.Minute // for all these steps, however busy the host is
	maxReason  = 123         // bytes of the reason in a close frame: RFC 6455, 5.5
)

// Outbox is the writing side of one connection. Its methods can be called
// concurrently unless they say otherwise. After Close or Stop, messages are dropped.
type Outbox struct {
	conn       net.Conn
	direct     *direct // nil: nothing is written at once
	maxBacklog int     // bytes; beyond it, what is pushed closes the connection, and replies delay requests
	ping       time.Duration
	resolution time.Duration // of lastHeard
	lastHeard  atomic.Int64  // budget.clock when the client sent something
	closing    atomic.Bool   // set with mu held
	budget     *Budget

	writeBy time.Time // for writeAll's goroutine: when queued messages must be written once closing

	mu         sync.Mutex   // guards the fields below
	progress   *sync.Cond   // signals that a batch was written or the connection is closing
	queue      []message    // bounded by maxBacklog; replies by WaitForReplies
	spareQueue []message    // the slice of the last batch, for reuse
	spare      []byte       // the buffer of a written binary message, for reuse
	pushed     int          // bytes not yet written that the client did not ask for
	replies    int          // bytes not yet written that the client asked for
	reported   int          // bytes of both that the budget has counted
	discarded  bool         // nothing more is written except a close frame
	writing    bool         // writeAll runs
	unwritten  int          // bytes of Send and PushQuestion
	writtenAt  time.Time    // when the last of them were written
	followings []*following // the next one to read first
	closeFrame []byte       // the payload of the close frame to write; nil: none, or it is written
	ended      bool         // nothing more is written
	pinger     *time.Timer
	writes     uint64    // batches and parts of long messages that were written
	writesSeen uint64    // writes at the pinger's last look
	stuckSince time.Time // when the pinger first saw this number
}

// message is bytes of a match, a text, or the close frame.
type message struct {
	binary  bool
	rest    bool // of a binary message, of which a part has been written
	ping    bool
	pong    bool
	closing bool // data is the payload of the close frame
	reply   bool // to a request
	timed   bool // a text that the player must have read before it answers
	data    []byte
}

// New returns the outbox of the server's end of a WebSocket, in which up to backlog bytes
// can wait. A client that sends nothing for the time ping gets a ping.
func New(conn net.Conn, backlog int, ping time.Duration, budget *Budget) *Outbox {
	now := time.Now()
	o := &Outbox{
		conn: conn, direct: newDirect(conn), maxBacklog: backlog, ping: ping, resolution: min(time.Second, ping/4),
		budget: budget, stuckSince: now,
	}
	o.progress = sync.NewCond(&o.mu)
	o.lastHeard.Store(budget.clock(now))
	o.mu.Lock()
	defer o.mu.Unlock()
	o.pinger = time.AfterFunc(ping, o.pingIfSilent)
	return o
}

// Send queues a copy of b, bytes of a match. Waiting bytes become one message.
func (o *Outbox) Send(b []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closing.Load() || o.writeNowLocked(b) {
		return
	}
	if n := len(o.queue); n > 0 && o.queue[n-1].binary && !o.queue[n-1].reply && len(o.queue[n-1].data)+len(b) <= chunkSize {
		o.queue[n-1].data = append(o.queue[n-1].data, b...)
	} else {
		o.queue = append(o.queue, message{binary: true, data: append(o.spare[:0], b...)})
		o.spare = nil
	}
	o.unwritten += len(b)
	o.addPushedLocked(len(b))
}

// Ping queues a ping, whose answer has the same payload of at most 125 bytes.
func (o *Outbox) Ping(payload []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closing.Load() {
		return
	}
	o.queue = append(o.queue, message{ping: true, data: payload})
	o.addPushedLocked(len(payload))
}

// Pong queues the answer to a client's ping.
func (o *Outbox) Pong(payload []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closing.Load() {
		return
	}
	o.queue = append(o.queue, message{pong: true, data: payload})
	o.addPushedLocked(len(payload))
}

// Push queues a text that the client did not ask for. The caller must not
// change it afterwards.
func (o *Outbox) Push(text []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closing.Load() {
		return
	}
	o.queue = append(o.queue, message{data: text})
	o.addPushedLocked(len(text))
}

// PushQuestion is Push for a text that belongs to a question: Written waits for it.
func (o *Outbox) PushQuestion(text []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closing.Load() {
		return
	}
	o.queue = append(o.queue, message{timed: true, data: text})
	o.unwritten += len(text)
	o.addPushedLocked(len(text))
}

// Reply queues the reply to a request. The caller must not change it afterwards.
// WaitForReplies bounds these bytes.
func (o *Outbox) Reply(data []byte, binary bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closing.Load() {
		return
	}
	o.queue = append(o.queue, message{binary: binary, reply: true, data: data})
	o.replies += len(data)
	o.reportLocked()
	o.startLocked()
}

// WaitForReplies waits while the client has more than the backlog of replies to
// read, unless the connection is closing. Call it before handling a request.
func (o *Outbox) WaitForReplies() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for o.replies > o.maxBacklog && !o.closing.Load() {
		o.progress.Wait()
	}
}

// Sleep waits for the time d, or until the connection is closing.
func (o *Outbox) Sleep(d time.Duration) {
	if d <= 0 {
		return
	}
	over := false // guarded by mu
	timer := time.AfterFunc(d, func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		over = true
		o.progress.Broadcast()
	})
	defer timer.Stop()
	o.mu.Lock()
	defer o.mu.Unlock()
	for !over && !o.closing.Load() {
		o.progress.Wait()
	}
}

// Backlog returns how many bytes wait for the client, rounded down to 4 KiB.
func (o *Outbox) Backlog() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.reported
}

// Written reports whether all bytes of Send and PushQuestion have been written, and since when.
func (o *Outbox) Written() (since time.Time, done bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.writtenAt, o.unwritten == 0
}

// Closing reports whether the connection is closing or has ended. If so, the
// client's messages must be ignored.
func (o *Outbox) Closing() bool { return o.closing.Load() }

// Close writes what is queued and then a close frame. The connection's reads
// fail when the client has answered, or after CloseTimeout.
func (o *Outbox) Close(code int, reason string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closeLocked(code, reason)
}

// Answer writes what is queued and then the answer to the client's close frame, which has
// the same code.
func (o *Outbox) Answer(code int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closeWithLocked(websocket.FormatCloseMessage(code, ""))
}

// WaitForEnd returns when the close frame is written, or when no more can be written. It
// must be called after Close or Answer.
func (o *Outbox) WaitForEnd() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for !o.ended {
		o.progress.Wait()
	}
}

// DiscardAndClose discards what is queued and writes a close frame.
func (o *Outbox) DiscardAndClose(code int, reason string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.discardLocked()
	o.closeLocked(code, reason)
}

// CloseTooSlow is DiscardAndClose for a client that does not read.
func (o *Outbox) CloseTooSlow() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closeTooSlowLocked()
}

// Stop discards what is queued and ends the outbox without a close frame. It
// must be called when the connection has ended.
func (o *Outbox) Stop() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closing.Store(true)
	o.ended = true
	o.discardLocked()
	o.progress.Broadcast()
	o.pinger.Stop()
}

func (o *Outbox) closeTooSlowLocked() {
	if o.closing.Load() {
		return
	}
	o.budget.tooSlow.Add(1)
	o.discardLocked()
	o.closeLocked(protocol.CloseTooSlow, "the client does not read what is sent")
}

// discardLocked drops what is queued, except for the rest of a message, because no frame
// can come before it.
func (o *Outbox) discardLocked() {
	if len(o.queue) > 0 && o.queue[0].rest {
		o.queue = o.queue[:1:1]
	} else {
		o.queue = nil
	}
	o.discarded = true
	o.reportLocked()
}

func (o *Outbox) closeLocked(code int, reason string) {
	if len(reason) > maxReason {
		reason = strings.ToValidUTF8(reason[:maxReason], "")
	}
	o.closeWithLocked(websocket.FormatCloseMessage(code, reason))
}

func (o *Outbox) closeWithLocked(frame []byte) {
	if o.closing.Load() {
		return
	}
	o.closeFrame = frame
	o.closing.Store(true)
	o.progress.Broadcast()
	now := time.Now()
	_ = o.conn.SetWriteDeadline(now.Add(CloseTimeout)) // also ends a write that hangs now
	// The client's time to answer begins when the close frame is written: any
	// delay until then is the host's.
	_ = o.conn.SetReadDeadline(now.Add(closeLimit))
	o.startLocked()
}

func (o *Outbox) addPushedLocked(n int) {
	o.pushed += n
	if o.pushed > o.maxBacklog {
		o.closeTooSlowLocked()
		return
	}
	o.reportLocked()
	o.startLocked()
}

// reportLocked reports to the budget how much waits, in steps of reportStep.
func (o *Outbox) reportLocked() {
	n := (o.pushed + o.replies) / reportStep * reportStep
	if o.discarded {
		n = 0
	}
	if n != o.reported {
		o.budget.add(n - o.reported)
		o.reported = n
	}
}

// startLocked has what is queued written, on a goroutine of its own.
func (o *Outbox) startLocked() {
	if !o.writing {
		o.writing = true
		go o.writeAll() // ends when nothing is left
	}
}

// following is a spectator's place in the stream of a match. The stream is read
// when all queued messages have been written.
type following struct {
	id     string // see Follow
	stream *match.Stream
	offset int
	target int // the stream's length when Follow was called; what follows is live
	synced bool
	ended  func(protocol.MatchResult)
}

// Follow writes a stream after all that is queued. It calls ended on another
// goroutine when all of the stream is written and its match has ended. Several streams have
// different IDs, which their messages begin with, and are written by turns; the ID of an
// only one is empty.
func (o *Outbox) Follow(id string, s *match.Stream, ended func(protocol.MatchResult)) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.followings = append(o.followings, &following{id: id, stream: s, target: s.Len(), ended: ended})
	s.Watch(o)
	o.startLocked()
}

// Unfollow stops writing the stream of an ID.
func (o *Outbox) Unfollow(id string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.followings = slices.DeleteFunc(o.followings, func(f *following) bool {
		if f.id == id {
			f.stream.Unwatch(o)
		}
		return f.id == id
	})
}

// Wake implements match.Watcher: the stream has grown or ended.
func (o *Outbox) Wake() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.followings) > 0 {
		o.startLocked()
	}
}
