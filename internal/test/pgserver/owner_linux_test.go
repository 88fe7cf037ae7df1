package pgserver

import (
	"fmt"
	"os"
	"runtime"
	"syscall"
	"testing"

	"colosseum/internal/test/poll"
)

// A goroutine that ends without runtime.UnlockOSThread takes its thread along.
func TestServerOutlivesTheThreadThatCallsRun(t *testing.T) {
	s := Start(t, false)
	s.Stop()
	path, failed := "", make(chan error)
	go onOtherThread(func() { // ends when the server takes connections
		runtime.LockOSThread()
		path = fmt.Sprintf("/proc/self/task/%d", syscall.Gettid())
		failed <- s.Run()
	})
	if err := poll.Receive(t, "the server runs", failed); err != nil {
		t.Fatal(err)
	}
	poll.Until(t, "the thread has ended", func() bool { _, err := os.Stat(path); return os.IsNotExist(err) })
	// With the thread, the system has sent its signal, which a server obeys before it takes
	// the next connection.
	if !s.ready() {
		t.Error("the server takes no connections, want that it runs")
	}
}

// onOtherThread runs f in a goroutine on a thread that can end: the first thread of a process
// never does.
func onOtherThread(f func()) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if syscall.Gettid() != os.Getpid() {
		f()
		return
	}
	done := make(chan struct{})
	go func() { // while this goroutine keeps the first thread, it gets another one
		defer close(done)
		onOtherThread(f)
	}()
	<-done
}
