package seat

import (
	"bytes"
	"math/rand/v2"
	"testing"
	"time"
)

func TestSeatThatEndsLeavesTheTicketOfALaterOneValid(t *testing.T) {
	s := NewSet(nil, Limits{Resume: time.Minute, Backlog: 1 << 20})
	first, second := &Seat{set: s, ticket: "T"}, &Seat{set: s, ticket: "T"}
	second.Send([]byte("kept"))
	s.add(first)
	s.add(second) // both had asked before
	first.Forget()
	if got, err := s.Find("", "T"); got != second {
		t.Errorf("got seat %p, %v, want %p", got, err, second)
	}
	second.Forget()
	if got := s.kept.Load(); got != 0 {
		t.Errorf("kept %d bytes, want none", got)
	}
	if got, err := s.Find("", "T"); err != ErrTicket {
		t.Errorf("got seat %p, %v, want %v", got, err, ErrTicket)
	}
}

func TestReportsOfSingleBytesDoNotCopyTheRest(t *testing.T) {
	const size = 2 * reusable
	s := NewSet(nil, Limits{Resume: time.Minute, Backlog: 1 << 20})
	seat := &Seat{set: s, ticket: "T"}
	all := make([]byte, size)
	_, _ = rand.NewChaCha8([32]byte{}).Read(all)
	seat.Send(all)
	copied := 0 // bytes
	for i := range size {
		seat.Received(uint64(i + 1))
		if !bytes.Equal(seat.kept, all[i+1:]) {
			t.Fatalf("after %d bytes: got other bytes than those that follow", i+1)
		}
		if seat.dropped == 0 {
			copied += len(seat.kept)
		}
	}
	if copied > size {
		t.Errorf("copied %d bytes for %d that were received, want at most as many", copied, size)
	}
	if got := s.kept.Load(); got != 0 || cap(seat.kept) > reusable {
		t.Errorf("kept %d bytes in %d, want none in at most %d", got, cap(seat.kept), reusable)
	}
}

func TestBytesThatAPlayerMightLackAreBounded(t *testing.T) {
	for _, tt := range []struct {
		name   string
		limits Limits
	}{
		{"of one seat", Limits{Resume: time.Minute, Backlog: 64 << 10}},
		{"of all seats", Limits{Resume: time.Minute, Backlog: 1 << 20, Backlogs: 64 << 10}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := NewSet(nil, tt.limits)
			seat := &Seat{set: s, ticket: "T"}
			for range 3 {
				seat.Send(make([]byte, 30<<10))
			}
			if got := s.kept.Load(); got != 0 {
				t.Errorf("kept %d bytes, want none", got)
			}
			seat.mu.Lock()
			defer seat.mu.Unlock()
			if !seat.forgotten || seat.kept != nil {
				t.Error("the player can resume, want its bytes forgotten")
			}
		})
	}
}
