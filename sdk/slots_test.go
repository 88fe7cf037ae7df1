package sdk

import "testing"

func TestBotsThatSearchTakeTurns(t *testing.T) {
	first := make([]slot, cap(slots))
	for i := range first {
		first[i].take()
		if !first[i].held {
			t.Fatalf("search %d of %d waits, want that it runs", i+1, len(first))
		}
	}
	var late slot
	late.take() // until slotWait
	if late.held {
		t.Error("one search more than there are cores has a turn, want that it goes on without one")
	}
	late.release() // does nothing
	done := make(chan struct{})
	var next slot
	go func() { // ends at the latest after slotWait
		next.take()
		close(done)
	}()
	first[0].release()
	<-done
	next.release()
	for i := range first {
		first[i].release()
	}
	if len(slots) > 0 {
		t.Errorf("%d turns are left, want none", len(slots))
	}
}
