package wire

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
)

// running is a queue that runs.
type running struct {
	*Queue[*HostFrame]
	batches [][]uint64 // the matches of the frames that were sent
	fail    error      // what send returns
	ended   chan error // what Run has returned
}

// start runs a queue; send waits for gate, unless it is nil.
func start(ctx context.Context, gate chan struct{}) *running {
	r := &running{Queue: NewQueue[*HostFrame](), ended: make(chan error, 1)}
	go func() { // ends with ctx
		r.ended <- r.Run(ctx, func(frames []*HostFrame) error {
			if gate != nil {
				<-gate
			}
			var batch []uint64
			for _, f := range frames {
				batch = append(batch, f.Match)
			}
			r.batches = append(r.batches, batch)
			return r.fail
		})
	}()
	return r
}

func TestFramesOfEachSenderKeepTheirOrderAndNoneIsLost(t *testing.T) {
	const senders, frames = 16, 5000
	ctx, cancel := context.WithCancel(t.Context())
	q := NewQueue[*HostFrame]()
	last := make([]uint64, senders)
	total := 0
	all := make(chan struct{})
	ended := make(chan error, 1)
	go func() { // ends with ctx
		ended <- q.Run(ctx, func(batch []*HostFrame) error {
			if len(batch) == 0 || len(batch) > batchFrames {
				t.Errorf("a batch of %d frames, want 1 to %d", len(batch), batchFrames)
			}
			for _, f := range batch {
				sender := f.Match / frames
				if n := f.Match%frames + 1; n != last[sender]+1 {
					t.Errorf("frame %d of sender %d came after %d, want them in order", n, sender, last[sender])
				} else {
					last[sender] = n
				}
			}
			if total += len(batch); total == senders*frames {
				close(all)
			}
			return nil
		})
	}()
	var group sync.WaitGroup
	for sender := range uint64(senders) {
		group.Go(func() {
			for n := range uint64(frames) {
				if !q.Push(&HostFrame{Match: sender*frames + n}) {
					t.Error("the queue is closed")
				}
			}
		})
	}
	group.Wait()
	<-all
	cancel()
	if err := <-ended; err != context.Canceled {
		t.Errorf("Run returned %v, want %v", err, context.Canceled)
	}
}

func TestWaitingFramesAreSentTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := make(chan struct{})
		q := start(t.Context(), gate)
		q.Push(&HostFrame{Match: 1})
		synctest.Wait() // it is being sent
		for n := uint64(2); n <= 4; n++ {
			q.Push(&HostFrame{Match: n})
		}
		close(gate)
		synctest.Wait()
		if want := [][]uint64{{1}, {2, 3, 4}}; !slices.EqualFunc(q.batches, want, slices.Equal) {
			t.Errorf("batches %v, want %v", q.batches, want)
		}
	})
}

func TestPushWaitsWhileTheQueueIsFull(t *testing.T) {
	line := make([]byte, 1<<20)
	tests := []struct {
		name  string
		frame *HostFrame
		fit   int // frames in the queue, without the one that is being sent
	}{
		{"small frames", &HostFrame{}, queueFrames},
		{"large frames", &HostFrame{Answers: []*Answer{{Line: line}}}, queueBytes / len(line)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				gate := make(chan struct{})
				q := start(t.Context(), gate)
				q.Push(tt.frame)
				synctest.Wait()
				pushed := 0
				go func() { // ends when all have been pushed
					for range tt.fit + 10 {
						if !q.Push(tt.frame) {
							t.Error("the queue is closed")
						}
						pushed++
					}
				}()
				synctest.Wait()
				if pushed != tt.fit {
					t.Errorf("%d frames went in, want %d", pushed, tt.fit)
				}
				close(gate)
				synctest.Wait()
				sent := 0
				for _, b := range q.batches {
					sent += len(b)
				}
				if pushed != tt.fit+10 || sent != pushed+1 {
					t.Errorf("%d frames pushed and %d sent, want %d and one more", pushed, sent, tt.fit+10)
				}
			})
		})
	}
}

func TestClosedQueueEndsPushesThatWait(t *testing.T) {
	broken := errors.New("broken")
	for _, how := range []string{"context", "send"} {
		t.Run(how, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				gate := make(chan struct{})
				q := start(ctx, gate)
				var want error = context.Canceled
				if how == "send" {
					q.fail, want = broken, broken
				}
				refused := make(chan bool, 3)
				for range cap(refused) {
					go func() { // ends when the queue is closed
						for q.Push(&HostFrame{}) {
						}
						refused <- true
					}()
				}
				synctest.Wait() // until they all wait
				if how == "context" {
					cancel()
				}
				gate <- struct{}{}
				synctest.Wait() // until that batch is sent
				if how == "context" {
					close(gate) // the queue might send once more
				}
				if err := <-q.ended; err != want {
					t.Errorf("Run returned %v, want %v", err, want)
				}
				for range cap(refused) {
					<-refused
				}
				if q.Push(&HostFrame{}) {
					t.Error("Push returned true for a closed queue, want false")
				}
			})
		})
	}
}

func TestBatchesAreBounded(t *testing.T) {
	frames := func(n, bytes int) (all []*GameFrame) {
		for range n {
			all = append(all, &GameFrame{Texts: []*Text{{Lines: make([]byte, bytes)}}})
		}
		return all
	}
	tests := []struct {
		name   string
		frames []*GameFrame
		want   int // in the first batch
	}{
		{"one", frames(1, 0), 1},
		{"as many as fit", frames(batchFrames, 10), batchFrames},
		{"more", frames(batchFrames+1, 10), batchFrames},
		{"long ones", frames(100, 300<<10), 3},
		{"one that is too long by itself", frames(2, 2*batchBytes), 1},
		{"a long one after a short one", append(frames(1, 1), frames(1, batchBytes)...), 1},
		{"answers of bots", []*GameFrame{{BotAnswers: []*Answer{{Line: make([]byte, batchBytes)}}}, {}}, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := fitting(tt.frames); got != tt.want {
				t.Errorf("%d frames, want %d", got, tt.want)
			}
		})
	}
}
