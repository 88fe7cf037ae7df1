package wire

import (
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"colosseum/internal/test/poll"
	"colosseum/sdk/driver"
)

// gated is a transport whose writes wait.
type gated struct {
	gate    chan struct{} // write waits for it; nil: it does not
	fail    error         // of write
	batches [][]uint64    // the matches of the frames that were written at once
	ended   int           // calls of endReading
}

func (g *gated) writeNow([]byte) (int, error)    { return 0, nil }
func (g *gated) read(func(b []byte) error) error { select {} }
func (g *gated) endReading()                     { g.ended++ }
func (g *gated) close()                          {}

func (g *gated) write(frames []byte) error {
	if g.gate != nil {
		<-g.gate
	}
	var batch []uint64
	for len(frames) > 0 {
		end := lengthSize + binary.LittleEndian.Uint32(frames)
		f, err := decodeHostFrame(frames[lengthSize:end])
		if err != nil {
			return err
		}
		batch, frames = append(batch, f.Match), frames[end:]
	}
	g.batches = append(g.batches, batch)
	return g.fail
}

// idle reports whether all that was pushed has been written.
func (c *Conn[Out, In]) idle() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !c.writing
}

func TestFramesOfEachSenderKeepTheirOrderAndNoneIsLost(t *testing.T) {
	const senders, frames = 16, 5000
	way := &gated{}
	c := newHostConn(way)
	var group sync.WaitGroup
	for sender := range uint64(senders) {
		push := []func(HostFrame) bool{c.Push, c.PushSoon}[sender%2]
		group.Go(func() {
			for n := range uint64(frames) {
				if !push(HostFrame{Match: sender*frames + n}) {
					t.Error("the connection is closed")
				}
			}
		})
	}
	group.Wait()
	poll.Until(t, "all is written", c.idle)
	next := make([]uint64, senders)
	for _, match := range slices.Concat(way.batches...) {
		sender := match / frames
		if n := match % frames; n != next[sender] {
			t.Fatalf("frame %d of sender %d came instead of %d, want them in order", n, sender, next[sender])
		}
		next[sender]++
	}
	for sender, n := range next {
		if n != frames {
			t.Errorf("%d frames of sender %d came, want %d", n, sender, frames)
		}
	}
}

func TestWaitingFramesAreSentTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		way := &gated{gate: make(chan struct{})}
		c := newHostConn(way)
		c.PushSoon(HostFrame{Match: 1})
		synctest.Wait() // it is being sent
		c.Push(HostFrame{Match: 2})
		c.PushSoon(HostFrame{Match: 3})
		c.Push(HostFrame{Match: 4})
		if n := c.Len(); n != 3 {
			t.Errorf("%d frames wait, want 3", n)
		}
		close(way.gate)
		synctest.Wait()
		if want := [][]uint64{{1}, {2, 3, 4}}; !slices.EqualFunc(way.batches, want, slices.Equal) {
			t.Errorf("batches %v, want %v", way.batches, want)
		}
	})
}

func TestPushWaitsWhileTooMuchWaits(t *testing.T) {
	line := strings.Repeat("x", 1<<20)
	tests := []struct {
		name  string
		frame HostFrame
		fit   int // frames that wait, without the one that is being sent
	}{
		{"small frames", HostFrame{}, queueFrames},
		{"large frames", HostFrame{Answers: []driver.Answer{{Line: line}}}, queueBytes / len(line)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				way := &gated{gate: make(chan struct{})}
				c := newHostConn(way)
				c.Push(tt.frame)
				synctest.Wait()
				pushed := 0
				go func() { // ends when all have been pushed
					for range tt.fit + 10 {
						if !c.Push(tt.frame) {
							t.Error("the connection is closed")
						}
						pushed++
					}
				}()
				synctest.Wait()
				if pushed != tt.fit {
					t.Errorf("%d frames went in, want %d", pushed, tt.fit)
				}
				if !c.PushNow(tt.frame) || c.Len() != tt.fit+1 {
					t.Errorf("PushNow was refused, or %d frames wait, want %d", c.Len(), tt.fit+1)
				}
				close(way.gate)
				synctest.Wait()
				if sent := len(slices.Concat(way.batches...)); pushed != tt.fit+10 || sent != pushed+2 {
					t.Errorf("%d frames pushed and %d sent, want %d and two more", pushed, sent, tt.fit+10)
				}
			})
		})
	}
}

func TestClosedConnectionEndsPushesThatWait(t *testing.T) {
	for _, how := range []string{"Close", "write"} {
		t.Run(how, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				way := &gated{gate: make(chan struct{})}
				c := newHostConn(way)
				refused := make(chan bool, 3)
				for range cap(refused) {
					go func() { // ends when the connection is closed
						for c.Push(HostFrame{}) {
						}
						refused <- true
					}()
				}
				synctest.Wait() // until they all wait
				if how == "Close" {
					c.Close()
				} else {
					way.fail = errors.New("broken")
				}
				close(way.gate)
				for range cap(refused) {
					<-refused
				}
				c.await()
				if c.Push(HostFrame{}) || c.PushNow(HostFrame{}) || c.Len() != 0 {
					t.Errorf("a frame went into a closed connection, or %d wait; want none", c.Len())
				}
				if len(way.batches) != 1 || (way.ended == 1) != (how == "write") {
					t.Errorf("%d batches were written, and reading was ended %d times", len(way.batches), way.ended)
				}
			})
		})
	}
}
