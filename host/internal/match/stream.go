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

// Stream holds all bytes that the spectators of one match receive. It only grows.
// Spectators read it at their own speed, so a slow one costs no memory and never
// delays the match. All methods can be called concurrently.
type Stream struct {
	mu         sync.Mutex // guards the fields below
	bytes      []byte     // appended to, never changed: readers can keep parts
	ended      bool
	result     protocol.MatchResult
	spectators map[Spectator]struct{}
	woken      bool // less than a wakeInterval ago
	again      bool // spectators must be woken after the interval
}

// Spectator reads a stream. Wake says that there is more to read; it does not
// block.
type Spectator interface{ Wake() }

// NewStream returns an empty stream.
func NewStream() *Stream { return &Stream{spectators: map[Spectator]struct{}{}} }

// Read returns at most max bytes from an offset on, which the caller must not
// change. At the end of an ended match it returns the result instead.
func (s *Stream) Read(offset, max int) (part []byte, result *protocol.MatchResult) {
	s.mu.Lock()
	defer s.mu.Unlock()
	part = s.bytes[offset:]
	if len(part) > max {
		part = part[:max]
	}
	if len(part) == 0 && s.ended {
		result = &s.result
	}
	return part[:len(part):len(part)], result
}

// Len returns the number of bytes so far.
func (s *Stream) Len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.bytes)
}

// Watch makes the stream wake a spectator from now on.
func (s *Stream) Watch(w Spectator) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.spectators[w] = struct{}{}
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
	s.bytes = append(s.bytes, b...)
	s.wakeLocked()
	return len(s.bytes)
}

func (s *Stream) end(result protocol.MatchResult) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended, s.result = true, result
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
