package queue

import (
	"context"
	"errors"
	"sync"
	"time"

	"colosseum/host/internal/records/store"
)

// flushEvery is how long the output of a build is gathered before it is stored, so that a
// chatty build costs few writes.
const flushEvery = 300 * time.Millisecond

// maxGathered is how many bytes of output are gathered at most. More makes the build wait.
const maxGathered = 64 << 10

// output stores the output of a build as it comes. Its methods can be called concurrently.
type output struct {
	store func(text []byte)

	mu       sync.Mutex // guards the fields below
	gathered []byte
	timer    *time.Timer // calls flush; nil: nothing is gathered
	writing  sync.Mutex  // held while output is stored, so that it keeps its order
}

// logOf returns the output of a version. Output that cannot be stored is lost, and logged.
func (q *Queue) logOf(ctx context.Context, number int64) *output {
	return &output{store: func(text []byte) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
		defer cancel()
		if err := q.config.Store.AddLog(ctx, number, text); err != nil && !errors.Is(err, store.ErrNoSubmission) {
			q.config.Log.Warn("could not store the output of a build", "submission", number, "error", err)
		}
	}}
}

// Write implements io.Writer. It never fails.
func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	o.gathered = append(o.gathered, b...)
	full := len(o.gathered) >= maxGathered
	if o.timer == nil {
		o.timer = time.AfterFunc(flushEvery, o.flush)
	}
	o.mu.Unlock()
	if full {
		o.flush()
	}
	return len(b), nil
}

// flush stores what was written.
func (o *output) flush() {
	o.writing.Lock()
	defer o.writing.Unlock()
	o.mu.Lock()
	text := o.gathered
	o.gathered = nil
	if o.timer != nil {
		o.timer.Stop()
		o.timer = nil
	}
	o.mu.Unlock()
	if len(text) > 0 {
		o.store(text)
	}
}
