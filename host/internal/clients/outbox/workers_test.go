package outbox

import (
	"fmt"
	"runtime"
	"sync"
	"testing"

	"colosseum/internal/test/poll"
)

// emptyOutbox returns an outbox that has nothing to write.
func emptyOutbox() *Outbox { return &Outbox{writing: true} }

func awaitWritten(o *Outbox) {
	for done := false; !done; _, done = o.Written() {
		runtime.Gosched()
	}
}

func TestWorkersStayForTheNextOutbox(t *testing.T) {
	before := runtime.NumGoroutine()
	var ws Workers
	wait := func(n int, when string) {
		t.Helper()
		poll.Until(t, fmt.Sprintf("%d workers wait %s", n, when), func() bool {
			ws.mu.Lock()
			defer ws.mu.Unlock()
			return len(ws.idle) == n
		})
	}
	for range 3 {
		ws.writeAll(emptyOutbox())
		wait(1, "after one outbox at a time")
	}
	all := make([]*Outbox, 2*maxIdle)
	for i := range all {
		all[i] = emptyOutbox()
		all[i].mu.Lock() // it keeps its worker
		ws.writeAll(all[i])
	}
	wait(0, "while all write")
	for _, o := range all {
		o.mu.Unlock()
	}
	for _, o := range all {
		awaitWritten(o)
	}
	wait(maxIdle, "after many at once")
	ws.Close()
	wait(0, "after Close")
	poll.Until(t, "all goroutines end", func() bool { return runtime.NumGoroutine() <= before })
}

func TestWorkersWriteForConcurrentCallers(t *testing.T) {
	var ws Workers
	defer ws.Close()
	var callers sync.WaitGroup
	for range 8 {
		callers.Go(func() {
			for range 500 {
				o := emptyOutbox()
				ws.writeAll(o)
				awaitWritten(o)
			}
		})
	}
	callers.Wait()
}
