package wire

import (
	"encoding/binary"
	"errors"
	"io"
	"os"
	"runtime"
	"sync"
	"syscall"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// Over a socket frames travel without gRPC, one after the other. Before each are
// its bytes' number, in lengthSize bytes, the least significant first.
const lengthSize = 4

// readSize is the size of the buffer for reading, in bytes: a thousand short frames.
const readSize = 64 << 10

// keptSize is how large a buffer for writing can grow, in bytes, and still be used
// again. A larger one was for a game that did not read for a while.
const keptSize = 1 << 20

// ErrTooLong is the error of a frame that is longer than its receiver takes.
var ErrTooLong = errors.New("a frame is too long")

// encoder is a frame that can be written to a socket.
type encoder interface {
	appendTo(b []byte) []byte
}

// Writer writes frames of many matches to a socket, together those that are pushed at
// the same moment. Whoever pushes the first of them writes them all, so that in most
// cases no other goroutine has to run. Its methods can be called concurrently.
type Writer[F encoder] struct {
	socket *os.File
	raw    syscall.RawConn

	mu      sync.Mutex // guards the fields below
	room    *sync.Cond // signals that frames were taken, or the writer was closed
	waiting []byte     // frames to write
	frames  int        // in waiting
	empty   []byte     // memory for the next waiting
	writing bool       // somebody writes, and then takes what is waiting
	closed  bool
}

// NewWriter returns a writer to a socket. The caller closes the socket after it. When the
// other side no longer reads, a reader of the socket gets what was sent, and then its end.
func NewWriter[F encoder](socket *os.File) *Writer[F] {
	raw, err := socket.SyscallConn()
	w := &Writer[F]{socket: socket, raw: raw, closed: err != nil}
	w.room = sync.NewCond(&w.mu)
	return w
}

// Push adds a frame, like [Queue.Push].
func (w *Writer[F]) Push(f F) bool { return w.push(f, true) }

// PushNow adds a frame, like [Queue.PushNow]. It does not wait for the receiver.
func (w *Writer[F]) PushNow(f F) bool { return w.push(f, false) }

func (w *Writer[F]) push(f F, wait bool) bool {
	w.mu.Lock()
	for wait && (w.frames >= queueFrames || len(w.waiting) >= queueBytes) && !w.closed {
		w.room.Wait()
	}
	if w.closed {
		w.mu.Unlock()
		return false
	}
	w.waiting = appendFrame(w.waiting, f)
	w.frames++
	if w.writing {
		w.mu.Unlock()
		return true
	}
	w.writing = true
	w.mu.Unlock()
	// Other goroutines are about to push too.
	runtime.Gosched()
	frames := w.take()
	n, err := writeNow(w.raw, frames)
	if rest := frames[n:]; !w.wrote(frames, rest, err) {
		go w.write(frames, rest) // ends when all has been written, or the writer is closed
	}
	return true
}

// appendFrame appends a frame with its length.
func appendFrame(b []byte, f encoder) []byte {
	start := len(b)
	b = f.appendTo(append(b, make([]byte, lengthSize)...))
	binary.LittleEndian.PutUint32(b[start:], uint32(len(b)-start-lengthSize))
	return b
}

// write writes the rest of frames, and then what is waiting.
func (w *Writer[F]) write(frames, rest []byte) {
	for {
		_, err := w.socket.Write(rest)
		if w.wrote(frames, nil, err) {
			return
		}
		runtime.Gosched()
		frames = w.take()
		rest = frames
	}
}

// take swaps the waiting frames for an empty buffer.
func (w *Writer[F]) take() []byte {
	w.mu.Lock()
	defer w.mu.Unlock()
	frames := w.waiting
	w.waiting, w.frames, w.empty = w.empty, 0, nil
	w.room.Broadcast()
	return frames
}

// wrote notes that frames were written except the rest. It returns false if there is
// more to write.
func (w *Writer[F]) wrote(frames, rest []byte, err error) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err != nil {
		w.close()
		endReading(w.raw)
	}
	switch {
	case w.closed:
		return true
	case len(rest) > 0:
		return false
	case cap(frames) <= keptSize:
		w.empty = frames[:0]
	}
	w.writing = len(w.waiting) > 0
	return !w.writing
}

// Len returns the number of frames that wait.
func (w *Writer[F]) Len() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.frames
}

// Close drops the frames that wait, and those that are pushed later.
func (w *Writer[F]) Close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.close()
}

// close is Close with w.mu held.
func (w *Writer[F]) close() {
	w.closed = true
	w.waiting, w.empty, w.frames = nil, nil, 0
	w.room.Broadcast()
}

// Reader reads frames from a socket. One goroutine can use it.
type Reader[F any] struct {
	socket   io.Reader
	decode   func([]byte) (F, error)
	kind     protoreflect.MessageDescriptor
	longest  int    // frame, in bytes
	buffer   []byte // of readSize, or longer for one frame
	from, to int    // what has been read and not decoded
	frames   []F
}

// NewHostReader returns a reader of what a host sends, at most longest bytes for a frame.
func NewHostReader(socket io.Reader, longest int) *Reader[*HostFrame] {
	return newReader(socket, longest, decodeHostFrame, (*HostFrame)(nil))
}

// NewGameReader returns a reader of what a game sends, at most longest bytes for a frame.
func NewGameReader(socket io.Reader, longest int) *Reader[*GameFrame] {
	return newReader(socket, longest, decodeGameFrame, (*GameFrame)(nil))
}

func newReader[F any](socket io.Reader, longest int, decode func([]byte) (F, error), kind proto.Message) *Reader[F] {
	return &Reader[F]{socket: socket, decode: decode, kind: kind.ProtoReflect().Descriptor(), longest: longest, buffer: make([]byte, readSize)}
}

// Read waits for frames and returns all that have arrived; the slice is valid until the
// next call. The error is io.EOF when the other side has closed the socket.
func (r *Reader[F]) Read() ([]F, error) {
	clear(r.frames)
	r.frames = r.frames[:0]
	for len(r.frames) == 0 {
		if err := r.fill(); err != nil {
			return nil, err
		}
		for {
			frame, err := r.next()
			if err != nil {
				return nil, err
			}
			if frame == nil {
				break
			}
			if err := CheckParts(frame, r.kind); err != nil {
				return nil, err
			}
			f, err := r.decode(frame)
			if err != nil {
				return nil, err
			}
			r.frames = append(r.frames, f)
		}
	}
	return r.frames, nil
}

// next returns the next frame in the buffer, or nil if it is not complete.
func (r *Reader[F]) next() ([]byte, error) {
	unread := r.buffer[r.from:r.to]
	if len(unread) < lengthSize {
		return nil, nil
	}
	n := binary.LittleEndian.Uint32(unread)
	if uint64(n) > uint64(r.longest) {
		return nil, ErrTooLong
	}
	end := lengthSize + int(n)
	if len(unread) < end {
		return nil, nil
	}
	r.from += end
	return unread[lengthSize:end], nil
}

// fill reads once, into a buffer that has room for the whole next frame.
func (r *Reader[F]) fill() error {
	unread := r.buffer[r.from:r.to]
	size := readSize
	if len(unread) >= lengthSize {
		size = max(size, lengthSize+int(binary.LittleEndian.Uint32(unread))) // next has checked it
	}
	if size != len(r.buffer) {
		r.buffer = make([]byte, size)
	}
	r.from, r.to = 0, copy(r.buffer, unread)
	n, err := r.socket.Read(r.buffer[r.to:])
	r.to += n
	switch {
	case n > 0:
		return nil
	case err == io.EOF && r.to > 0:
		return io.ErrUnexpectedEOF
	case err == nil:
		return io.ErrNoProgress
	default:
		return err
	}
}
