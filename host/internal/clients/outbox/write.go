package outbox

import (
	"encoding/binary"
	"net"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"colosseum/protocol"
)

const (
	chunkSize  = 1 << 20 // bytes of a part of a stream, and of any frame, at most
	keepBuffer = 4 << 10 // a buffer of up to this many bytes is kept for the next message
	keepQueue  = 64      // a queue with room for up to this many messages is kept while there is something to write
	idleQueue  = 2       // and afterwards one for up to this many
	headerSize = 10      // bytes of the longest header of a frame

	final = 0x80 // in the first byte of the last frame of a message
)

// writeNowLocked writes b, bytes of a match, and queues what the system has no room for. It
// reports whether it did: only short messages, and only when nothing else is to be written.
// A write that does not wait costs less than a goroutine for it.
func (o *Outbox) writeNowLocked(b []byte) bool {
	if o.direct == nil || o.writing || len(b) > keepBuffer {
		return false
	}
	frame := append(appendHeader(o.spare[:0], final|websocket.BinaryMessage, len(b)), b...)
	o.spare = nil
	rest := o.direct.write(frame)
	switch len(rest) {
	case 0:
		o.spare, o.writtenAt = frame, time.Now()
		o.budget.written.Add(uint64(len(b)))
	case len(frame):
		o.spare = frame
		return false
	default:
		o.queue = append(o.queue, message{rest: true, data: rest})
		o.unwritten += len(rest)
		o.addPushedLocked(len(rest))
	}
	return true
}

// appendHeader appends the header of a frame with n bytes of payload: RFC 6455, 5.2.
func appendHeader(b []byte, first byte, n int) []byte {
	switch b = append(b, first); {
	case n < 126:
		return append(b, byte(n))
	case n < 1<<16:
		return binary.BigEndian.AppendUint16(append(b, 126), uint16(n))
	default:
		return binary.BigEndian.AppendUint64(append(b, 127), uint64(n))
	}
}

// writeAll writes until nothing is left. It runs on one goroutine at a time.
func (o *Outbox) writeAll() {
	for {
		o.mu.Lock()
		if len(o.queue) == 0 {
			m, more := o.nextLocked()
			if !more {
				o.writing = false
				o.queue, o.spareQueue = idle(o.queue), idle(o.spareQueue)
				o.mu.Unlock()
				return
			}
			o.mu.Unlock()
			if !o.write(m) {
				return
			}
			o.budget.written.Add(uint64(len(m.data)))
			continue
		}
		batch := o.queue
		o.queue, o.spareQueue = o.spareQueue[:0], nil
		o.mu.Unlock()
		for _, m := range batch {
			if !o.write(m) {
				return
			}
		}
		o.mu.Lock()
		o.finishLocked(batch)
		o.mu.Unlock()
	}
}

// idle returns an empty queue, without its memory if that is more than a player needs that
// gets a message a turn.
func idle(queue []message) []message {
	if cap(queue) > idleQueue {
		return nil
	}
	return queue
}

// finishLocked stops counting written messages as waiting, and keeps their
// memory for the next ones.
func (o *Outbox) finishLocked(batch []message) {
	o.writes++
	bytes, now := 0, time.Now()
	for _, m := range batch {
		bytes += len(m.data)
		switch {
		case m.reply:
			o.replies -= len(m.data)
			continue
		case m.binary || m.rest || m.timed:
			o.unwritten -= len(m.data)
			o.writtenAt = now
		}
		o.pushed -= len(m.data)
	}
	o.budget.written.Add(uint64(bytes))
	o.reportLocked()
	o.progress.Broadcast()
	if last := batch[len(batch)-1]; last.binary && !last.reply && cap(last.data) <= keepBuffer {
		o.spare = last.data
	}
	if cap(batch) <= keepQueue {
		clear(batch)
		o.spareQueue = batch
	}
}

// nextLocked returns what to write when the queue is empty: the close frame, or
// the next part of a stream that is followed.
func (o *Outbox) nextLocked() (m message, more bool) {
	if o.closing.Load() {
		frame := o.closeFrame
		if frame == nil {
			return m, false
		}
		o.closeFrame = nil
		return message{closing: true, data: frame}, true
	}
	o.writes++
	for range len(o.followings) {
		last := len(o.followings) - 1
		f := o.followings[0]
		copy(o.followings, o.followings[1:])
		o.followings[last] = f
		part, result := f.stream.Read(f.offset, chunkSize)
		switch {
		case !f.synced && f.offset >= f.target:
			f.synced = true
			return message{data: f.syncedMessage()}, true
		case len(part) > 0:
			f.offset += len(part)
			return message{binary: true, data: f.frame(part)}, true
		case result != nil:
			f.stream.Unwatch(o)
			o.followings[last] = nil
			o.followings = o.followings[:last]
			go f.ended(*result) // ends at once; it queues a message, which needs mu
		}
	}
	return m, false
}

// frame returns the message with a part of the stream.
func (f *following) frame(part []byte) []byte {
	if f.id == "" {
		return part
	}
	return append(append(append(make([]byte, 0, len(f.id)+1+len(part)), f.id...), '\n'), part...)
}

func (f *following) syncedMessage() []byte {
	if f.id == "" {
		return protocol.Encode(protocol.NameSpectateSynced, nil)
	}
	return protocol.Encode(protocol.NameSpectateSynced, protocol.MatchID{ID: f.id})
}

// write writes one message. On an error it closes the connection and returns
// false; writing stays true, so that no other message is tried.
func (o *Outbox) write(m message) bool {
	var err error
	switch {
	case m.closing:
		_ = o.conn.SetWriteDeadline(time.Now().Add(CloseTimeout))
		err = o.writeFrame(final|websocket.CloseMessage, m.data)
		_ = o.conn.SetReadDeadline(time.Now().Add(CloseTimeout)) // the client must answer by then
	case m.ping:
		err = o.writeMessage(websocket.PingMessage, m.data)
	case m.pong:
		err = o.writeMessage(websocket.PongMessage, m.data)
	case m.rest:
		o.setWriteDeadline()
		_, err = o.conn.Write(m.data)
	case m.binary:
		err = o.writeMessage(websocket.BinaryMessage, m.data)
	default:
		err = o.writeMessage(websocket.TextMessage, m.data)
	}
	if err != nil {
		o.Stop() // ends WaitForReplies
		_ = o.conn.Close()
		return false
	}
	if m.closing {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.ended = true
		o.progress.Broadcast()
	}
	return true
}

// writeMessage writes a message, in several frames if it is long: the original
// client drops a connection that sends a frame of more than 16 MiB, and the
// stream in a record can have 64 MiB.
func (o *Outbox) writeMessage(kind byte, data []byte) error {
	for len(data) > chunkSize {
		o.setWriteDeadline()
		if err := o.writeFrame(kind, data[:chunkSize]); err != nil {
			return err
		}
		kind, data = 0, data[chunkSize:] // what follows continues the message
		o.mu.Lock()
		o.writes++ // a client that reads slowly is not stuck
		o.mu.Unlock()
	}
	o.setWriteDeadline()
	return o.writeFrame(final|kind, data)
}

var frameBuffers = sync.Pool{New: func() any { return new([headerSize + keepBuffer]byte) }}

// writeFrame writes one frame, with its first byte. While writing is true, nothing else
// writes to the connection.
func (o *Outbox) writeFrame(first byte, data []byte) error {
	if len(data) > keepBuffer {
		parts := net.Buffers{appendHeader(nil, first, len(data)), data}
		_, err := parts.WriteTo(o.conn)
		return err
	}
	buffer := frameBuffers.Get().(*[headerSize + keepBuffer]byte)
	defer frameBuffers.Put(buffer)
	_, err := o.conn.Write(append(appendHeader(buffer[:0], first, len(data)), data...))
	return err
}

// setWriteDeadline bounds the time for all messages still queued when the
// connection is closing. It begins with the first of them, not with closeLocked: until
// then, any delay is the host's.
func (o *Outbox) setWriteDeadline() {
	if !o.closing.Load() {
		return
	}
	if o.writeBy.IsZero() {
		o.writeBy = time.Now().Add(CloseTimeout)
	}
	_ = o.conn.SetWriteDeadline(o.writeBy)
}
