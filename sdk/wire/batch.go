package wire

import (
	"context"
	"runtime"
	"sync"
)

// Limits of one batch, and of the frames that wait in a queue. When a queue is
// full, Push blocks and so slows a referee that sends too much. Bytes are
// approximate.
const (
	batchFrames = 1024    // so that the receiver can start early
	batchBytes  = 1 << 20 // many gRPC libraries take messages of at most 4 MiB
	queueFrames = 8192
	queueBytes  = 16 << 20
)

// Window is how many bytes can be sent in each direction before they are read.
// Without a fixed window gRPC estimates one with a ping for each batch, which with
// few matches costs both sides as much as the batch.
const Window = 1 << 20

// frame is a *HostFrame or a *GameFrame.
type frame interface {
	weight() int // approximate bytes on the wire
}

// Queue gathers frames of many matches and sends them in batches: one system call
// carries the frames that hundreds of matches send at the same moment. Push,
// PushNow and Len can run concurrently.
type Queue[F frame] struct {
	mu     sync.Mutex // guards the fields below
	room   *sync.Cond // signals that frames were taken, or the queue was closed
	frames []F
	weight int // of the frames together
	closed bool

	ready chan struct{} // signals that there are frames
}

// NewQueue returns an empty queue. Run sends its frames.
func NewQueue[F frame]() *Queue[F] {
	q := &Queue[F]{ready: make(chan struct{}, 1)}
	q.room = sync.NewCond(&q.mu)
	return q
}

// Push adds a frame. It blocks while the queue is full. It returns false, and drops
// the frame, when the queue is closed.
func (q *Queue[F]) Push(f F) bool { return q.push(f, true) }

// PushNow is Push for frames that are bounded by other means. It does not block,
// so that every match can end even if the other side has stopped reading.
func (q *Queue[F]) PushNow(f F) bool { return q.push(f, false) }

func (q *Queue[F]) push(f F, wait bool) bool {
	weight := f.weight()
	q.mu.Lock()
	for wait && (len(q.frames) >= queueFrames || q.weight >= queueBytes) && !q.closed {
		q.room.Wait()
	}
	if q.closed {
		q.mu.Unlock()
		return false
	}
	q.frames = append(q.frames, f)
	q.weight += weight
	first := len(q.frames) == 1
	q.mu.Unlock()
	if first {
		select {
		case q.ready <- struct{}{}:
		default:
		}
	}
	return true
}

// Len returns the number of frames that wait.
func (q *Queue[F]) Len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.frames)
}

// Run sends batches until ctx ends or send fails, and closes the queue. It is
// called once.
func (q *Queue[F]) Run(ctx context.Context, send func([]F) error) error {
	defer q.close()
	var batch []F
	for {
		select {
		case <-q.ready:
		case <-ctx.Done():
			return ctx.Err()
		}
		// Other goroutines are about to push too: one yield doubles the rate with
		// a hundred matches and costs nothing with one.
		runtime.Gosched()
		batch = q.take(batch)
		for rest := batch; len(rest) > 0; {
			n := fitting(rest)
			if err := send(rest[:n]); err != nil {
				return err
			}
			rest = rest[n:]
		}
		clear(batch)
	}
}

// fitting returns how many of the first frames make up one batch, at least one.
func fitting[F frame](frames []F) int {
	weight := 0
	for n, f := range frames {
		weight += f.weight()
		if n == batchFrames || n > 0 && weight > batchBytes {
			return n
		}
	}
	return len(frames)
}

// take swaps the waiting frames for an empty slice.
func (q *Queue[F]) take(empty []F) []F {
	q.mu.Lock()
	defer q.mu.Unlock()
	batch := q.frames
	q.frames, q.weight = empty[:0], 0
	q.room.Broadcast()
	return batch
}

func (q *Queue[F]) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.frames = nil
	q.room.Broadcast()
}

// frameWeight is the weight of a frame or a part of one without its lines.
const frameWeight = 16

func (f *HostFrame) weight() int {
	if f.Start != nil {
		return 1 << 10 // once in a match
	}
	return answersWeight(f.Answers)
}

func (f *GameFrame) weight() int {
	weight := answersWeight(f.BotAnswers)
	for _, t := range f.Texts {
		weight += frameWeight + len(t.Lines)
	}
	return weight
}

func answersWeight(answers []*Answer) int {
	weight := frameWeight
	for _, a := range answers {
		weight += frameWeight + len(a.Line)
	}
	return weight
}
