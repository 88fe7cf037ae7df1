package web

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"

	"colosseum/host/internal/match"
	"colosseum/protocol"
)

// Sizes and times of writing.
const (
	chunkSize    = 1 << 20         // bytes of a part of a stream, and of any frame, at most
	closeTimeout = 2 * time.Second // for what is queued, for the close frame, and for the client's answer to it
	closeLimit   = time.Minute     // for all of this, however busy the host is
	keepBuffer   = 4 << 10         // a buffer up to this size is kept for the next message
	keepQueue    = 64              // likewise a queue with room for so many messages
	maxReason    = 123             // bytes of the reason in a close frame: RFC 6455, 5.5
)

const tooSlow = "the client does not read what is sent"

// writer writes what is queued for one client. It has a goroutine only while
// there is something to write, so an idle connection costs none.
type writer struct {
	conn    *websocket.Conn
	backlog int // bytes that may wait; more: the client is too slow and is cut
	ping    time.Duration
	grain   time.Duration // so exactly is known when the client was heard last
	last    atomic.Int64  // when the client was heard last, as load.clock tells
	shut    atomic.Bool   // the connection is being closed: what the client says is ignored
	load    *load         // shared with all others
	workers *workers      // likewise

	until time.Time // for flush's goroutine alone: when what is queued must be written, once shut

	mu      sync.Mutex // guards the fields below
	room    *sync.Cond // signals that something was written, or the connection ended
	queue   []outgoing // bounded by backlog, and by settle for answers
	empty   []outgoing // the slice of the last round, for the next
	spare   []byte     // a buffer for the next binary message
	pushed  int        // bytes not yet written that the client did not ask for
	replies int        // bytes not yet written that it did ask for
	told    int        // how much of both the load has been told
	dropped bool       // nothing is written any more but a close frame
	active  bool       // a goroutine writes
	written time.Time  // when it wrote all there was
	follow  *follow
	closing bool
	code    int
	reason  string
	pinger  *time.Timer
	rounds  uint64    // of writing, and long frames, counted at their ends
	seen    uint64    // rounds when the pinger looked last
	stuck   time.Time // when it first saw this number
}

// outgoing is a message: bytes of a match, or a text.
type outgoing struct {
	binary  bool
	closing bool // the close frame
	reply   bool // to a request
	data    []byte
}

// follow is a spectator's place in the stream of a match. The stream is read
// when all queued messages have been written.
type follow struct {
	stream *match.Stream
	offset int
	target int // the stream's length when the client came; beyond it is live
	synced bool
	ended  func(r protocol.MatchResult)
}

func (w *writer) init(conn *websocket.Conn, backlog int, ping time.Duration, load *load, workers *workers) {
	w.load, w.workers = load, workers
	w.conn, w.backlog, w.ping, w.grain = conn, backlog, ping, min(time.Second, ping/4)
	w.room = sync.NewCond(&w.mu)
	w.heard()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stuck = time.Now()
	w.pinger = time.AfterFunc(ping, w.pingIfSilent)
}

// Send queues bytes of a match. Those that wait are joined into one message.
func (w *writer) Send(b []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closing {
		return
	}
	if n := len(w.queue); n > 0 && w.queue[n-1].binary && !w.queue[n-1].reply && len(w.queue[n-1].data)+len(b) <= chunkSize {
		w.queue[n-1].data = append(w.queue[n-1].data, b...)
	} else {
		w.queue = append(w.queue, outgoing{binary: true, data: append(w.spare[:0], b...)})
		w.spare = nil
	}
	w.count(len(b))
}

// push queues a message that the client did not ask for. It is not copied.
func (w *writer) push(message []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closing {
		return
	}
	w.queue = append(w.queue, outgoing{data: message})
	w.count(len(message))
}

// reply queues the answer to a request, which is not copied. Settle bounds
// what is queued so.
func (w *writer) reply(message []byte, binary bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closing {
		return
	}
	w.queue = append(w.queue, outgoing{binary: binary, reply: true, data: message})
	w.replies += len(message)
	w.weigh()
	w.start()
}

// settle waits, before a request is handled, until the client has taken
// earlier answers, or is gone.
func (w *writer) settle() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.replies > w.backlog && !w.closing {
		w.room.Wait()
	}
}

// count adds bytes that the client did not ask for. Called with mu held.
func (w *writer) count(n int) {
	w.pushed += n
	if w.pushed > w.backlog {
		w.close(protocol.CloseTooSlow, tooSlow)
		return
	}
	w.weigh()
	w.start()
}

// weigh tells the load how much waits, in large steps. Called with mu held.
func (w *writer) weigh() {
	n := (w.pushed + w.replies) / loadGrain * loadGrain
	if w.dropped {
		n = 0
	}
	if n != w.told {
		w.load.change(n - w.told)
		w.told = n
	}
}

// waits is how much waits for the client.
func (w *writer) waits() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.told
}

// start begins to write. Called with mu held.
func (w *writer) start() {
	if !w.active {
		w.active = true
		w.workers.flush(w)
	}
}

// Written tells whether all that was sent is on its way, and since when.
func (w *writer) Written() (time.Time, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.written, !w.active
}

// Wake says that the stream has grown.
func (w *writer) Wake() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.follow != nil {
		w.start()
	}
}

// watch begins to write a stream after all that is queued; ended is called
// when all of it is written and the match has ended.
func (w *writer) watch(s *match.Stream, ended func(protocol.MatchResult)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.follow = &follow{stream: s, target: s.Len(), ended: ended}
	s.Watch(w)
	w.start()
}

// unfollow ends watch.
func (w *writer) unfollow() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.follow != nil {
		w.follow.stream.Unwatch(w)
		w.follow = nil
	}
}

// cut closes the connection with a code and a reason.
func (w *writer) cut(code int, reason string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.close(code, reason)
}

// drop is cut for a client that does not read: what waits for it is dropped.
func (w *writer) drop(code int, reason string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.forget()
	w.close(code, reason)
}

// forget drops what is queued. Called with mu held.
func (w *writer) forget() {
	w.queue, w.dropped = nil, true
	w.weigh()
}

// close is cut with mu held. What is queued is still written, but for a client
// that does not read.
func (w *writer) close(code int, reason string) {
	if w.closing {
		return
	}
	if len(reason) > maxReason {
		reason = strings.ToValidUTF8(reason[:maxReason], "")
	}
	w.closing, w.code, w.reason = true, code, reason
	w.shut.Store(true)
	w.room.Broadcast()
	if code == protocol.CloseTooSlow {
		w.load.slow.Add(1)
		w.forget()
	}
	now := time.Now()
	_ = w.conn.NetConn().SetWriteDeadline(now.Add(closeTimeout)) // a write that hangs fails then
	// The client's time to answer begins when the frame is written: until then
	// all delay is the host's.
	_ = w.conn.SetReadDeadline(now.Add(closeLimit))
	w.start()
}

// stop ends the writer when the connection has ended.
func (w *writer) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closing = true
	w.shut.Store(true)
	w.forget()
	w.room.Broadcast()
	w.pinger.Stop()
}

// extend puts the read deadline off, unless the connection is being closed:
// then close has set it. Called by the goroutine that reads.
func (w *writer) extend(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.closing {
		_ = w.conn.SetReadDeadline(time.Now().Add(d))
	}
}

// flush writes until nothing is left.
func (w *writer) flush() {
	for {
		w.mu.Lock()
		if len(w.queue) == 0 {
			message, more := w.next()
			if !more {
				w.active, w.written = false, time.Now()
				w.mu.Unlock()
				return
			}
			w.mu.Unlock()
			if !w.write(message) {
				return
			}
			w.load.written.Add(uint64(len(message.data)))
			continue
		}
		batch := w.queue
		w.queue, w.empty = w.empty[:0], nil
		w.mu.Unlock()
		for _, m := range batch {
			if !w.write(m) {
				return
			}
		}
		w.mu.Lock()
		w.wrote(batch)
		w.mu.Unlock()
	}
}

// wrote takes written messages off the books and keeps what can be used again.
// Called with mu held.
func (w *writer) wrote(batch []outgoing) {
	w.rounds++
	bytes := 0
	for _, m := range batch {
		bytes += len(m.data)
		if m.reply {
			w.replies -= len(m.data)
		} else {
			w.pushed -= len(m.data)
		}
	}
	w.load.written.Add(uint64(bytes))
	w.weigh()
	w.room.Broadcast()
	if last := batch[len(batch)-1]; last.binary && !last.reply && cap(last.data) <= keepBuffer {
		w.spare = last.data
	}
	if cap(batch) <= keepQueue {
		clear(batch)
		w.empty = batch
	}
}

// next returns what to write when the queue is empty: the close frame, or the
// next part of the stream that is followed. Called with mu held.
func (w *writer) next() (message outgoing, more bool) {
	if w.closing {
		if w.reason == "" {
			return message, false
		}
		frame := websocket.FormatCloseMessage(w.code, w.reason)
		w.reason = ""
		return outgoing{closing: true, data: frame}, true
	}
	f := w.follow
	if f == nil {
		return message, false
	}
	w.rounds++
	part, result := f.stream.Read(f.offset, chunkSize)
	switch {
	case !f.synced && f.offset >= f.target:
		f.synced = true
		return outgoing{data: protocol.Encode(protocol.NameSpectateSynced, nil)}, true
	case len(part) > 0:
		f.offset += len(part)
		return outgoing{binary: true, data: part}, true
	case result != nil:
		f.stream.Unwatch(w)
		w.follow = nil
		go f.ended(*result) // ends at once; it queues, which needs mu
		return message, false
	default:
		return message, false
	}
}

// write writes one message. On an error it drops the connection, and the
// writer stays active for good so that nothing is tried again.
func (w *writer) write(m outgoing) bool {
	var err error
	switch {
	case m.closing:
		err = w.conn.WriteControl(websocket.CloseMessage, m.data, time.Now().Add(closeTimeout))
		_ = w.conn.SetReadDeadline(time.Now().Add(closeTimeout)) // the client must answer by then
	case m.binary:
		err = w.message(websocket.BinaryMessage, m.data)
	default:
		err = w.message(websocket.TextMessage, m.data)
	}
	if err != nil {
		_ = w.conn.Close()
		w.stop() // whoever waits in settle waits no more
		return false
	}
	return true
}

// message writes a message, in several frames if it is long: the original
// client drops a connection on which a frame of more than 16 MiB comes, and the
// stream in a record may have 64.
func (w *writer) message(kind int, data []byte) error {
	w.hurry()
	if len(data) <= chunkSize {
		return w.conn.WriteMessage(kind, data)
	}
	frames, err := w.conn.NextWriter(kind)
	if err != nil {
		return err
	}
	for part := range slices.Chunk(data, chunkSize) {
		w.hurry()
		if _, err := frames.Write(part); err != nil { // one frame, for it is longer than the buffer
			return err
		}
		w.mu.Lock()
		w.rounds++ // a client that takes its time for each part is no dead one
		w.mu.Unlock()
	}
	return frames.Close()
}

// hurry bounds the time for what is still queued when the connection is being
// closed. Each message that is written sets the deadline of its own, so that of
// close holds for one alone.
func (w *writer) hurry() {
	if !w.shut.Load() {
		return
	}
	if w.until.IsZero() {
		w.until = time.Now().Add(closeTimeout)
	}
	_ = w.conn.SetWriteDeadline(w.until)
}

// heard notes that the client lives.
func (w *writer) heard() { w.last.Store(w.load.clock(time.Now())) }

// heardAt is heard for a time already known. It tells whether the last time was
// long enough ago to put the read deadline off.
func (w *writer) heardAt(t time.Time) bool {
	now := w.load.clock(t)
	if now-w.last.Load() < int64(w.grain) {
		return false
	}
	w.last.Store(now)
	return true
}

// pingIfSilent runs when the client may have been silent for a while.
func (w *writer) pingIfSilent() {
	silent := time.Duration(w.load.clock(time.Now()) - w.last.Load())
	wait := w.ping - silent
	if wait <= 0 {
		wait = w.ping
		_ = w.conn.WriteControl(websocket.PingMessage, nil, time.Now().Add(w.ping))
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	// A client may send on and on but read nothing.
	now := time.Now()
	if !w.active || w.rounds != w.seen {
		w.seen, w.stuck = w.rounds, now
	} else if now.Sub(w.stuck) >= 3*w.ping {
		w.close(protocol.CloseTooSlow, tooSlow)
	}
	if !w.closing {
		w.pinger.Reset(wait)
	}
}
