package match

import (
	"maps"
	"slices"
	"sync"
	"time"

	"colosseum/protocol"
)

// wakeInterval is the shortest time between two wakes of the spectators. Programs
// play thousands of turns a second, and a write for each turn and spectator would
// cost far more than the match itself.
const wakeInterval = 50 * time.Millisecond

// A stream with a delay remembers when bytes were added in at most delayMarks steps, each
// of which is delayed by up to a step longer.
const delayMarks = 1000

// partSize is the number of bytes of each part of a stream but the last, so that a long
// stream is never copied while it grows, and a short one needs little memory.
const partSize = 64 << 10

// Stream holds all bytes that the spectators of one match receive. It only grows.
// Spectators read it at their own speed, so a slow one costs no memory and never
// delays the match. All methods can be called concurrently.
type Stream struct {
	delay time.Duration // by which spectators see bytes later, until the end

	mu         sync.Mutex  // guards the fields below
	parts      [][]byte    // appended to, never changed: readers can keep parts
	length     int         // of all parts
	shown      int         // how many of them spectators see
	marks      []mark      // of the other bytes, the earliest first
	reveal     *time.Timer // runs until spectators must be woken for a mark; nil: it does not
	ended      bool
	result     protocol.MatchResult
	spectators map[Spectator]struct{}
	woken      bool // less than a wakeInterval ago
	again      bool // spectators must be woken after the interval
}

// Spectator reads a stream. Wake says that there is more to read; it does not
// block.
type Spectator interface{ Wake() }

// mark is a length of a stream, and when spectators see that much of it.
type mark struct {
	length int
	at     time.Time
}

// NewStream returns an empty stream.
func NewStream() *Stream { return NewDelayedStream(0) }

// NewDelayedStream returns an empty stream that spectators see later by a delay. The end of
// the match ends the delay.
func NewDelayedStream(delay time.Duration) *Stream {
	return &Stream{delay: delay, spectators: map[Spectator]struct{}{}}
}

// Read returns at least one and at most max bytes from an offset on, which the caller must
// not change, of those that spectators see now; none if there are no more. At the end of an
// ended match it returns the result instead.
func (s *Stream) Read(offset, max int) (part []byte, result *protocol.MatchResult) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.showLocked()
	if n := min(max, s.shown-offset, partSize-offset%partSize); n > 0 {
		part = s.parts[offset/partSize][offset%partSize:][:n]
	}
	if len(part) == 0 && s.ended {
		result = &s.result
	}
	return part[:len(part):len(part)], result
}

// Len returns the number of bytes that spectators see now.
func (s *Stream) Len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.showLocked()
	return s.shown
}

// whole returns all bytes so far, which the caller must not change. They and the stream
// share their memory afterwards.
func (s *Stream) whole() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := slices.Concat(s.parts...)
	for i, part := range s.parts {
		begin := i * partSize
		end := begin + len(part)
		s.parts[i] = all[begin:end:end]
	}
	return all
}

// Watch makes the stream wake a spectator from now on.
func (s *Stream) Watch(w Spectator) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.spectators[w] = struct{}{}
	s.revealLocked()
}

// Unwatch ends Watch. One Wake can still come.
func (s *Stream) Unwatch(w Spectator) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.spectators, w)
}

// Append adds bytes to a stream that no match writes, the copy of another host's, and
// returns its length. It must not be called after End.
func (s *Stream) Append(b []byte) int { return s.append(b) }

// End ends a stream that no match writes. It must be called at most once.
func (s *Stream) End(result protocol.MatchResult) { s.end(result) }

// append adds bytes and returns the length of the stream.
func (s *Stream) append(b []byte) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.length += len(b)
	for len(b) > 0 {
		last := len(s.parts) - 1
		if last < 0 || len(s.parts[last]) == partSize {
			var part []byte
			if last++; last > 0 {
				part = make([]byte, 0, partSize)
			}
			s.parts = append(s.parts, part)
		}
		n := min(len(b), partSize-len(s.parts[last]))
		s.parts[last] = append(s.parts[last], b[:n]...)
		b = b[n:]
	}
	if s.delay > 0 {
		s.markLocked()
	} else {
		s.shown = s.length
		s.wakeLocked()
	}
	return s.length
}

// markLocked makes spectators see all bytes so far after the delay.
func (s *Stream) markLocked() {
	s.showLocked()
	at := time.Now().Add(s.delay)
	if last := len(s.marks) - 1; last >= 0 && !at.After(s.marks[last].at) {
		s.marks[last].length = s.length
		return
	}
	s.marks = append(s.marks, mark{s.length, at.Add(s.delay / delayMarks)})
	s.revealLocked()
}

// showLocked shows the bytes that are due.
func (s *Stream) showLocked() {
	if len(s.marks) == 0 {
		return
	}
	now, due := time.Now(), 0
	for due < len(s.marks) && !now.Before(s.marks[due].at) {
		s.shown = s.marks[due].length
		due++
	}
	s.marks = slices.Delete(s.marks, 0, due)
}

// revealLocked starts the timer for the next bytes to see, if there are spectators.
func (s *Stream) revealLocked() {
	if s.reveal != nil || len(s.marks) == 0 || len(s.spectators) == 0 {
		return
	}
	s.reveal = time.AfterFunc(max(wakeInterval, time.Until(s.marks[0].at)), func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.reveal = nil
		if !s.ended {
			s.showLocked()
			s.wakeLocked()
			s.revealLocked()
		}
	})
}

func (s *Stream) end(result protocol.MatchResult) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended, s.result = true, result
	s.shown, s.marks = s.length, nil
	if s.reveal != nil {
		s.reveal.Stop()
	}
	go s.wakeAll() // ends when all have been woken
}

// wakeLocked wakes the spectators, now or after the interval. It does so in another
// goroutine, because waking a thousand of them takes longer than a turn.
func (s *Stream) wakeLocked() {
	switch {
	case len(s.spectators) == 0:
	case s.woken:
		s.again = true
	default:
		s.woken = true
		go s.wakeAll() // ends when all have been woken
		time.AfterFunc(wakeInterval, s.wakeAgain)
	}
}

func (s *Stream) wakeAgain() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.woken = false
	if s.again {
		s.again = false
		s.wakeLocked()
	}
}

func (s *Stream) wakeAll() {
	s.mu.Lock()
	spectators := slices.AppendSeq(make([]Spectator, 0, len(s.spectators)), maps.Keys(s.spectators))
	s.mu.Unlock()
	for _, w := range spectators {
		w.Wake()
	}
}
