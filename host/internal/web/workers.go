package web

import "sync"

// maxIdle is how many goroutines wait for work at most; more end.
const maxIdle = 128

// workers are the goroutines on which writers write. A new goroutine has a
// small stack, and growing it to what a write needs is most of what starting one
// costs: a tenth of the host's CPU time when they ended after each message. So
// they stay for the next writer, whoever that is.
type workers struct {
	mu     sync.Mutex     // guards the fields below
	idle   []chan *writer // of those who wait; the last is taken first: its stack may still be in the cache
	closed bool
}

// flush lets w write all that it has to, on a goroutine of its own for so long.
// It does not block.
func (ws *workers) flush(w *writer) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	if n := len(ws.idle); n > 0 {
		ws.idle[n-1] <- w
		ws.idle = ws.idle[:n-1]
		return
	}
	go ws.work(w) // ends when there are enough others, or with close
}

func (ws *workers) work(w *writer) {
	next := make(chan *writer, 1)
	for w != nil {
		w.flush()
		if !ws.rest(next) {
			return
		}
		w = <-next
	}
}

// rest notes that a goroutine waits for work on the channel, unless enough do.
func (ws *workers) rest(next chan *writer) bool {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	if ws.closed || len(ws.idle) >= maxIdle {
		return false
	}
	ws.idle = append(ws.idle, next)
	return true
}

// close ends those who wait, and the others when they have written.
func (ws *workers) close() {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	ws.closed = true
	for _, next := range ws.idle {
		next <- nil
	}
	ws.idle = nil
}
