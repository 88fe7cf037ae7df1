package testpostgres

import (
	"fmt"
	"os"
	"runtime"
	"syscall"
	"testing"
	"time"
)

// A goroutine that ends without runtime.UnlockOSThread takes its thread along.
func TestServerOutlivesTheThreadThatCallsRun(t *testing.T) {
	s := Start(t, false)
	s.Stop()
	thread, failed := make(chan string), make(chan error)
	go func() { // ends at once
		runtime.LockOSThread()
		thread <- fmt.Sprintf("/proc/self/task/%d", syscall.Gettid())
		failed <- s.Run()
	}()
	path := <-thread
	if err := <-failed; err != nil {
		t.Fatal(err)
	}
	for { // until the thread has ended
		if _, err := os.Stat(path); os.IsNotExist(err) {
			break
		}
		time.Sleep(time.Millisecond)
	}
	select {
	case <-s.exited:
		t.Error("the server has ended with the thread, want that it runs")
	case <-time.After(300 * time.Millisecond):
	}
	if !s.ready() {
		t.Error("the server takes no connections, want that it runs")
	}
}
