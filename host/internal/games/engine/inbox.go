package engine

import (
	"context"
	"errors"
	"sync"

	"colosseum/sdk/driver"
)

// ErrFlood is the error of an [Inbox] that was full.
var ErrFlood = errors.New("the game sends too much")

// Memory of the parts of a frame on top of their texts, in bytes, on 64-bit systems.
const (
	answerSize = 72
	textSize   = 40
	resultSize = 40 // of a seat
	seatSize   = 8  // in a question
	hintSize   = 40
	lineSize   = 16 // of a hint
)

// Inbox is a [Receiver] that holds the frames until its one reader takes them by Next.
// The other methods can be called concurrently.
//
// It is bounded by a number of frames and of bytes in them. A frame beyond that and
// all later ones are dropped, and the reader gets ErrFlood after the earlier frames.
// So the child's other matches never wait for a slow reader.
type Inbox struct {
	maxFrames, maxBytes int
	wake                chan struct{} // of size 1: a second signal adds nothing

	mu     sync.Mutex // guards the fields below
	frames []*driver.Frame
	bytes  int   // in frames
	err    error // why no frame follows; nil: more can come
}

// NewInbox returns an empty inbox with its bounds.
func NewInbox(maxFrames, maxBytes int) *Inbox {
	return &Inbox{maxFrames: maxFrames, maxBytes: maxBytes, wake: make(chan struct{}, 1)}
}

// Put adds a frame, which then belongs to the reader. It does not block.
func (in *Inbox) Put(f *driver.Frame) {
	size := sizeOf(f)
	in.mu.Lock()
	switch {
	case in.err != nil:
	case len(in.frames) >= in.maxFrames || in.bytes+size > in.maxBytes:
		in.err = ErrFlood
	default:
		in.frames = append(in.frames, f)
		in.bytes += size
	}
	in.mu.Unlock()
	in.signal()
}

// Close says that no frame follows, and why.
func (in *Inbox) Close(err error) {
	in.mu.Lock()
	if in.err == nil {
		in.err = err
	}
	in.mu.Unlock()
	in.signal()
}

// signal wakes the reader.
func (in *Inbox) signal() {
	select {
	case in.wake <- struct{}{}:
	default:
	}
}

// Take removes and returns the frames, in their order. The error is not nil when no
// frame follows: ErrFlood, or that of Close.
func (in *Inbox) Take() ([]*driver.Frame, error) {
	in.mu.Lock()
	defer in.mu.Unlock()
	frames := in.frames
	in.frames, in.bytes = nil, 0
	return frames, in.err
}

// Next waits for the next frame and removes it. When no frame follows it returns
// the error of Take; when ctx ends first, that of ctx.
func (in *Inbox) Next(ctx context.Context) (*driver.Frame, error) {
	for {
		if f, err := in.first(); f != nil || err != nil {
			return f, err
		}
		select {
		case <-in.wake:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// first removes and returns the first frame, if there is one.
func (in *Inbox) first() (*driver.Frame, error) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if len(in.frames) == 0 {
		return nil, in.err
	}
	f := in.frames[0]
	in.frames = in.frames[1:]
	in.bytes -= sizeOf(f)
	return f, nil
}

// sizeOf estimates the memory of a frame, in bytes.
func sizeOf(f *driver.Frame) int {
	size := 0
	for _, t := range f.Texts {
		size += len(t.Lines) + textSize
	}
	for _, a := range f.BotAnswers {
		size += len(a.Line) + len(a.Note) + answerSize
	}
	if q := f.Question; q != nil {
		size += seatSize * (len(q.Seats) + len(q.Resumed))
		for _, h := range q.Hints {
			size += hintSize
			for _, line := range h.Answers {
				size += len(line) + lineSize
			}
		}
	}
	if f.End != nil {
		size += len(f.End.Reason) + resultSize*len(f.End.Seats)
	}
	return size
}
