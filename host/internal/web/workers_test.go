package web

import (
	"fmt"
	"runtime"
	"sync"
	"testing"
)

// nothingToWrite is a writer that was told to write what it no longer has.
func nothingToWrite() *writer { return &writer{active: true} }

func TestWorkersStayForTheNextWriter(t *testing.T) {
	before := runtime.NumGoroutine()
	var ws workers
	wait := func(n int, when string) {
		t.Helper()
		eventually(t, fmt.Sprintf("%d goroutines wait %s", n, when), func() bool {
			ws.mu.Lock()
			defer ws.mu.Unlock()
			return len(ws.idle) == n
		})
	}
	for range 3 {
		ws.flush(nothingToWrite())
		wait(1, "after one writer at a time")
	}
	all := make([]*writer, 2*maxIdle)
	for i := range all {
		all[i] = nothingToWrite()
		all[i].mu.Lock() // it does not come to its end
		ws.flush(all[i])
	}
	wait(0, "while all write")
	for _, w := range all {
		w.mu.Unlock()
	}
	for _, w := range all {
		for done := false; !done; _, done = w.Written() {
			runtime.Gosched()
		}
	}
	wait(maxIdle, "after many at once")
	ws.close()
	wait(0, "after the end")
	eventually(t, "all goroutines end", func() bool { return runtime.NumGoroutine() <= before })
}

func TestWorkersWriteForAll(t *testing.T) {
	var ws workers
	defer ws.close()
	var callers sync.WaitGroup
	for range 8 {
		callers.Go(func() {
			for range 500 {
				w := nothingToWrite()
				ws.flush(w)
				for done := false; !done; _, done = w.Written() {
					runtime.Gosched()
				}
			}
		})
	}
	callers.Wait()
}
