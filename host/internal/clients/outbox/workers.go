package outbox

import "sync"

// maxIdle is how many workers wait for work at most; more end.
const maxIdle = 128

// Workers are the goroutines that write for the outboxes of a server. A new
// goroutine has a small stack, and growing it for a write is most of the cost of
// starting one. That took a tenth of the host's CPU time when workers ended after
// each message, so they stay and write for the next outbox. The zero value is ready.
type Workers struct {
	mu     sync.Mutex     // guards the fields below
	idle   []chan *Outbox // of waiting workers; the last is taken first, because its stack can still be in the cache
	closed bool
}

// writeAll calls o.writeAll on a worker. It does not block.
func (ws *Workers) writeAll(o *Outbox) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	if n := len(ws.idle); n > 0 {
		ws.idle[n-1] <- o
		ws.idle = ws.idle[:n-1]
		return
	}
	go ws.work(o) // ends when enough others wait, or with Close
}

func (ws *Workers) work(o *Outbox) {
	next := make(chan *Outbox, 1)
	for o != nil {
		o.writeAll()
		if !ws.addIdle(next) {
			return
		}
		o = <-next
	}
}

// addIdle lists a worker as waiting on its channel, unless enough do.
func (ws *Workers) addIdle(next chan *Outbox) bool {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	if ws.closed || len(ws.idle) >= maxIdle {
		return false
	}
	ws.idle = append(ws.idle, next)
	return true
}

// Close ends the waiting workers, and the others when they have written.
func (ws *Workers) Close() {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	ws.closed = true
	for _, next := range ws.idle {
		next <- nil
	}
	ws.idle = nil
}
