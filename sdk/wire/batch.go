package wire

import (
	"context"
	"runtime"
	"sync"
)

// Limits of one batch and of the frames that wait for it.
const (
	batchFrames = 1024     // in one message, so that the receiver starts early
	batchBytes  = 1 << 20  // likewise, about; many a gRPC takes messages of at most 4 MiB
	queueFrames = 8192     // waiting; full: Push blocks, and so slows who talks too much
	queueBytes  = 16 << 20 // likewise, about
)

// Window is how many bytes may be on their way in each direction unread. Without
// a fixed one gRPC measures the line with a ping for each batch, which at few
// matches costs both sides as much as the batch does.
const Window = 1 << 20

// frame is a *HostFrame or a *GameFrame.
type frame interface {
	weight() int // about its bytes on the wire
}

// Queue gathers frames of many matches and sends them in batches: one system
// call carries what hundreds of matches say in the same moment.
type Queue[F frame] struct {
	mu     sync.Mutex // guards the fields below
	room   *sync.Cond // signals that frames were taken, or the queue was closed
	frames []F
	weight int // of the frames together
	closed bool

	ready chan struct{} // 1: there are frames; a second signal would say the same
}

// NewQueue returns an empty queue. Run sends what is pushed.
func NewQueue[F frame]() *Queue[F] {
	q := &Queue[F]{ready: make(chan struct{}, 1)}
	q.room = sync.NewCond(&q.mu)
	return q
}

// Push adds a frame. It blocks while the queue is full, and returns false when
// the queue was closed: the frame is lost then.
func (q *Queue[F]) Push(f F) bool { return q.push(f, true) }

// PushNow is Push for what is bounded by other means: it does not wait, so that
// a side that has stopped reading keeps no match from its end.
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

// Len is the number of frames that wait.
func (q *Queue[F]) Len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.frames)
}

// Run sends batches until ctx ends or send fails, and closes the queue.
func (q *Queue[F]) Run(ctx context.Context, send func([]F) error) error {
	defer q.close()
	var batch []F
	for {
		select {
		case <-q.ready:
		case <-ctx.Done():
			return ctx.Err()
		}
		// Those who run now are about to push too: one yield doubles the rate
		// at a hundred matches and costs nothing at one.
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

// fitting is how many of the first frames make up one batch, at least one.
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

// frameWeight is what a frame or a part of one costs besides its lines.
const frameWeight = 16

func (f *HostFrame) weight() int {
	if f.Start != nil {
		return 1 << 10 // it comes once a match
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
