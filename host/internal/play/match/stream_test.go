package match

import (
	"bytes"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"colosseum/protocol"
)

// reader is a spectator that reads whenever it is woken.
type reader struct {
	stream *Stream
	wakes  atomic.Int32
	gate   chan struct{} // Wake waits until it is closed; nil: it does not wait

	mu  sync.Mutex // guards the field below
	got []byte
}

func (r *reader) Wake() {
	r.wakes.Add(1)
	if r.gate != nil {
		<-r.gate
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	part, _ := r.stream.Read(len(r.got), 1<<20)
	r.got = append(r.got, part...)
}

func TestStreamIsReadInPartsFromAnywhere(t *testing.T) {
	s := NewStream()
	s.append([]byte("hello"))
	tests := []struct {
		name        string
		offset, max int
		want        string
	}{
		{"all", 0, 100, "hello"}, {"part", 0, 2, "he"}, {"next part", 2, 2, "ll"}, {"last part", 4, 2, "o"}, {"end", 5, 2, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if part, result := s.Read(tt.offset, tt.max); string(part) != tt.want || result != nil {
				t.Errorf("got %q and %v, want %q and no result", part, result, tt.want)
			}
		})
	}
	kept, _ := s.Read(0, 5)
	_ = append(kept, "!!"...) // must not reach the stream
	s.append([]byte(" world"))
	if got, _ := s.Read(0, 100); string(got) != "hello world" || string(kept) != "hello" || s.Len() != 11 {
		t.Errorf("got %q, kept %q, length %d, want hello world, hello, 11", got, kept, s.Len())
	}
}

// A long stream is neither copied while it grows, nor kept twice after its end.
func TestMemoryOfALongStream(t *testing.T) {
	var before, grown, whole runtime.MemStats
	const size = 16 << 20
	s, line := NewStream(), []byte(strings.Repeat("x", 999)+"\n")
	runtime.GC()
	runtime.ReadMemStats(&before)
	for s.Len() < size {
		s.append(line)
	}
	runtime.ReadMemStats(&grown)
	if n := grown.TotalAlloc - before.TotalAlloc; n > size*5/4 {
		t.Errorf("a stream of %d bytes has allocated %d, want at most a quarter more", size, n)
	}
	all := s.whole()
	runtime.GC()
	runtime.ReadMemStats(&whole)
	if n := int64(whole.HeapAlloc) - int64(before.HeapAlloc); n > size*5/4 {
		t.Errorf("afterwards %d bytes are in use, want at most a quarter more than %d", n, size)
	}
	var read []byte
	for {
		part, _ := s.Read(len(read), 10_007)
		if len(part) == 0 {
			break
		}
		read = append(read, part...)
	}
	if len(all) != s.Len() || !bytes.Equal(read, all) || !bytes.Equal(all, bytes.Repeat(line, len(all)/len(line))) {
		t.Errorf("read %d of %d bytes in parts, want all of them in order", len(read), len(all))
	}
}

func TestResultComesOnlyAtTheEndOfAnEndedStream(t *testing.T) {
	s := NewStream()
	s.append([]byte("ab"))
	if _, r := s.Read(2, 10); r != nil {
		t.Errorf("got %v before the end, want no result", r)
	}
	s.end(protocol.MatchResult{Reason: "over"})
	if part, r := s.Read(0, 10); string(part) != "ab" || r != nil {
		t.Errorf("got %q and %v, want ab and no result yet", part, r)
	}
	if part, r := s.Read(2, 10); len(part) != 0 || r == nil || r.Reason != "over" {
		t.Errorf("got %q and %v, want the result at the end", part, r)
	}
}

func TestEverySpectatorGetsEverythingAndASlowOneDelaysNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewStream()
		spectators := make([]*reader, 1000)
		for i := range spectators {
			spectators[i] = &reader{stream: s}
			s.Watch(spectators[i])
		}
		slow := &reader{stream: s, gate: make(chan struct{})}
		s.Watch(slow)
		for range 1000 {
			s.append([]byte("line\n")) // must not wait for the slow one
		}
		close(slow.gate)
		s.end(protocol.MatchResult{})
		time.Sleep(2 * wakeInterval) // fake time
		synctest.Wait()
		want := strings.Repeat("line\n", 1000)
		for i, w := range append(spectators, slow) {
			if string(w.got) != want {
				t.Fatalf("spectator %d got %d bytes, want all %d", i, len(w.got), len(want))
			}
		}
		if n := spectators[0].wakes.Load(); n > 3 {
			t.Errorf("woken %d times, want 3 at most", n)
		}
	})
}

func TestSpectatorsSeeADelayedStreamLaterAndAllOfItAtTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const delay = 10 * time.Second
		s := NewDelayedStream(delay)
		early := &reader{stream: s}
		s.Watch(early)
		see := func(when, want string) {
			t.Helper()
			synctest.Wait()
			if part, result := s.Read(0, 100); string(part) != want || string(early.got) != want || s.Len() != len(want) || result != nil {
				t.Errorf("%s: a late spectator gets %q and %v, and an early one %q, want %q and no result", when, part, result, early.got, want)
			}
		}
		if n := s.append([]byte("one\n")); n != 4 || string(s.whole()) != "one\n" {
			t.Errorf("got the length %d and %q, want 4 and all of it at once", n, s.whole())
		}
		time.Sleep(4 * time.Second)
		s.append([]byte("two\n"))
		see("after 4 s", "")
		time.Sleep(6*time.Second - time.Nanosecond)
		see("just before the delay", "")
		const late = delay/delayMarks + wakeInterval
		time.Sleep(late)
		see("after the delay", "one\n")
		time.Sleep(4*time.Second - late)
		see("just before the delay of the second line", "one\n")
		time.Sleep(late)
		see("after it", "one\ntwo\n")
		s.append([]byte("three\n"))
		time.Sleep(time.Second)
		see("a second later", "one\ntwo\n")
		s.append([]byte("four\n"))
		s.end(protocol.MatchResult{})
		see("at the end", "one\ntwo\nthree\nfour\n")
		if _, result := s.Read(s.Len(), 100); result == nil {
			t.Error("after the end: got no result, want one")
		}
		if s.reveal.Stop() {
			t.Error("a timer runs after the end, want none")
		}
	})
}

func TestDelayedStreamRemembersFewMomentsAndDelaysEachByte(t *testing.T) {
	for _, delay := range []time.Duration{time.Nanosecond, 300 * time.Millisecond, time.Minute} {
		synctest.Test(t, func(t *testing.T) {
			s := NewDelayedStream(delay)
			most := 0
			seen := []time.Time{} // when each byte was seen
			begin := time.Now()
			const step = 10007 * time.Microsecond
			appends := int(3*delay/step) + 50
			for range appends {
				s.append([]byte{'x'})
				most = max(most, len(s.marks))
				time.Sleep(step)
				for len(seen) < s.Len() {
					seen = append(seen, time.Now())
				}
			}
			if most > delayMarks+2 {
				t.Errorf("a delay of %v: got %d marks, want at most %d", delay, most, delayMarks+2)
			}
			if s.reveal != nil {
				t.Errorf("a delay of %v: a timer runs, want none without spectators", delay)
			}
			if len(seen) < 40 {
				t.Fatalf("a delay of %v: got %d bytes, want 40 or more", delay, len(seen))
			}
			for i, at := range seen {
				if took := at.Sub(begin.Add(time.Duration(i) * step)); took < delay || took > delay+delay/delayMarks+step {
					t.Fatalf("a delay of %v: byte %d was seen after %v", delay, i, took)
				}
			}
		})
	}
}

func TestSpectatorThatIsGoneIsNotWoken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewStream()
		gone, stays := &reader{stream: s}, &reader{stream: s}
		s.Watch(gone)
		s.Watch(stays)
		s.append([]byte("a"))
		synctest.Wait()
		s.Unwatch(gone)
		s.append([]byte("b"))
		time.Sleep(wakeInterval) // fake time
		synctest.Wait()
		got := []string{string(gone.got), string(stays.got)}
		if !slices.Equal(got, []string{"a", "ab"}) {
			t.Errorf("got %q, want a and ab", got)
		}
	})
}
