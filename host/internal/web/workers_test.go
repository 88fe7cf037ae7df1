package web

import (
	"runtime"
	"sync"
	"testing"
	"time"
)

// nothingToWrite is a writer that was told to write what it no longer has.
func nothingToWrite() *writer { return &writer{active: true} }

func TestWorkersStayForTheNextWriter(t *testing.T) {
	before := runtime.NumGoroutine()
	var ws workers
	wait := func(n int, when string) {
		t.Helper()
		got := -1
		for range 10_000 { // 10 s
			ws.mu.Lock()
			got = len(ws.idle)
			ws.mu.Unlock()
			if got == n {
				return
			}
			time.Sleep(time.Millisecond)
		}
		t.Fatalf("%d goroutines wait %s, want %d", got, when, n)
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
	for range 10_000 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Errorf("%d goroutines are left, there were %d", runtime.NumGoroutine(), before)
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
