package wire

import (
	"encoding/binary"
	"runtime"
	"sync"
)

// Limits of the frames that wait to be sent. Beyond one of them Push blocks, and so slows
// a referee that sends too much.
const (
	queueFrames = 8192
	queueBytes  = 16 << 20
)

// keptSize is how large a buffer for sending can grow, in bytes, and still be used
// again. A larger one was for a receiver that did not read for a while.
const keptSize = 1 << 20

// lengthSize is the number of bytes before each frame that have the number of the frame's
// bytes, the least significant first.
const lengthSize = 4

// Conn is one end of the connection between a host and a game: it sends and receives the
// frames of all matches, over a socket or over gRPC. Frames that are pushed at the same
// moment are sent together. Whoever pushes the first of them sends them all, as far as that
// needs no waiting, so that in most cases no other goroutine has to run. Read is for one
// goroutine; the other methods can be called concurrently.
type Conn[Out, In any] struct {
	way    transport
	encode func(b []byte, f Out) []byte
	read   []*In                    // what Read returns
	add    func(frame []byte) error // adds to read

	mu      sync.Mutex // guards the fields below
	room    *sync.Cond // signals that frames were taken, or the connection was closed, or nobody writes any more
	waiting []byte     // frames to write
	frames  int        // in waiting
	empty   []byte     // memory for the next waiting
	writing bool       // somebody writes, and then takes what is waiting
	closed  bool
}

// The ends of a connection.
type (
	HostConn = Conn[HostFrame, GameFrame]
	GameConn = Conn[GameFrame, HostFrame]
)

// transport carries encoded frames. To write, each has its length before it.
type transport interface {
	// writeNow writes what can be written without waiting. It returns how many bytes.
	writeNow(frames []byte) (n int, err error)
	// write writes all, and waits for the receiver.
	write(frames []byte) error
	// read waits for frames and passes on all that have arrived. Their bytes are valid
	// until next returns.
	read(next func(frame []byte) error) error
	// endReading makes read return what has arrived, and then an error.
	endReading()
	close()
}

func newHostConn(way transport) *HostConn { return newConn(way, appendHostFrame, decodeGameFrame) }
func newGameConn(way transport) *GameConn { return newConn(way, appendGameFrame, decodeHostFrame) }

func newConn[Out, In any](way transport, encode func([]byte, Out) []byte, decode func([]byte) (*In, error)) *Conn[Out, In] {
	c := &Conn[Out, In]{way: way, encode: encode}
	c.add = func(frame []byte) error {
		f, err := decode(frame)
		c.read = append(c.read, f)
		return err
	}
	c.room = sync.NewCond(&c.mu)
	return c
}

// Push sends a frame, which can be changed afterwards. It blocks while too much waits. It
// returns false, and drops the frame, when the connection is closed.
func (c *Conn[Out, In]) Push(f Out) bool { return c.push(true, f) }

// PushSoon is Push for a sender that works on and is about to push more, such as a referee that
// has asked a bot: another goroutine sends the frame, with those that come until it runs.
func (c *Conn[Out, In]) PushSoon(f Out) bool {
	first, ok := c.queue(true, f)
	if first {
		go c.flush() // ends when all has been written, or the connection is closed
	}
	return ok
}

// PushNow is Push for frames that are bounded by other means. It does not block, so that
// every match can end even if the other side has stopped reading. Several frames are sent
// together.
func (c *Conn[Out, In]) PushNow(frames ...Out) bool { return c.push(false, frames...) }

func (c *Conn[Out, In]) push(wait bool, frames ...Out) bool {
	first, ok := c.queue(wait, frames...)
	if first {
		c.flush()
	}
	return ok
}

// queue adds frames to those that wait to be written. It reports whether nobody is writing,
// so that the caller must call flush.
func (c *Conn[Out, In]) queue(wait bool, frames ...Out) (first, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for wait && (c.frames >= queueFrames || len(c.waiting) >= queueBytes) && !c.closed {
		c.room.Wait()
	}
	if c.closed {
		return false, false
	}
	for _, f := range frames {
		start := len(c.waiting)
		c.waiting = c.encode(append(c.waiting, make([]byte, lengthSize)...), f)
		binary.LittleEndian.PutUint32(c.waiting[start:], uint32(len(c.waiting)-start-lengthSize))
	}
	c.frames += len(frames)
	first, c.writing = !c.writing, true
	return first, true
}

// flush writes what is waiting, as far as that needs no waiting.
func (c *Conn[Out, In]) flush() {
	// Other goroutines are about to push too: one yield doubles the rate with a hundred
	// matches and costs nothing with one.
	runtime.Gosched()
	bytes := c.take()
	n, err := c.way.writeNow(bytes)
	if rest := bytes[n:]; !c.wrote(bytes, rest, err) {
		go c.write(bytes, rest) // ends when all has been written, or the connection is closed
	}
}

// write writes the rest of frames, and then what is waiting.
func (c *Conn[Out, In]) write(frames, rest []byte) {
	for {
		err := c.way.write(rest)
		if c.wrote(frames, nil, err) {
			return
		}
		runtime.Gosched()
		frames = c.take()
		rest = frames
	}
}

// take swaps the waiting frames for an empty buffer.
func (c *Conn[Out, In]) take() []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	frames := c.waiting
	c.waiting, c.frames, c.empty = c.empty, 0, nil
	c.room.Broadcast()
	return frames
}

// wrote notes that frames were written except the rest. It returns false if there is
// more to write.
func (c *Conn[Out, In]) wrote(frames, rest []byte, err error) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil {
		c.closeLocked()
		c.way.endReading()
	}
	switch {
	case c.closed:
		c.writing = false
		c.room.Broadcast()
		return true
	case len(rest) > 0:
		return false
	case cap(frames) <= keptSize:
		c.empty = frames[:0]
	}
	c.writing = len(c.waiting) > 0
	return !c.writing
}

// Len returns the number of frames that wait to be sent.
func (c *Conn[Out, In]) Len() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.frames
}

// Read waits for frames and returns all that have arrived. The slice is valid until the
// next call; the frames belong to the caller. The error is io.EOF when the other side has
// closed the connection.
func (c *Conn[Out, In]) Read() ([]*In, error) {
	clear(c.read)
	c.read = c.read[:0]
	for len(c.read) == 0 {
		if err := c.way.read(c.add); err != nil {
			return nil, err
		}
	}
	return c.read, nil
}

// Close closes the connection. It drops the frames that wait, and those that are pushed
// later.
func (c *Conn[Out, In]) Close() {
	c.mu.Lock()
	c.closeLocked()
	c.mu.Unlock()
	c.way.close()
}

func (c *Conn[Out, In]) closeLocked() {
	c.closed = true
	c.waiting, c.empty, c.frames = nil, nil, 0
	c.room.Broadcast()
}

// await waits until nobody writes to the closed connection.
func (c *Conn[Out, In]) await() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.writing {
		c.room.Wait()
	}
}
