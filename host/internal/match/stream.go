package match

import (
	"sync"
	"time"

	"colosseum/protocol"
)

// Spectators are woken at most once in this time: programs play thousands of
// turns a second, nobody watches so fast, and a write for each turn and
// spectator would cost far more than the match itself.
const breath = 50 * time.Millisecond

// Stream is all that the spectators of one match receive, from its first byte.
// It only grows. Spectators read it at their own speed from where they are, so
// a slow one costs no memory and never holds up the match.
type Stream struct {
	mu       sync.Mutex // guards the fields below
	bytes    []byte     // appended to, never changed: readers may keep parts
	ended    bool
	result   protocol.MatchResult
	watchers map[Watcher]struct{}
	resting  bool // the watchers were woken less than a breath ago
	again    bool // and must be woken when it is over
}

// Watcher is told that the stream has more to read. Wake does not block.
type Watcher interface{ Wake() }

// NewStream returns an empty stream.
func NewStream() *Stream { return &Stream{watchers: map[Watcher]struct{}{}} }

// Read returns what stands at an offset, at most max bytes, which the caller
// must not change; and, when the offset is the end of an ended match, its
// result.
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

// Len is the number of bytes so far.
func (s *Stream) Len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.bytes)
}

// Watch makes the stream wake a watcher from now on.
func (s *Stream) Watch(w Watcher) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.watchers[w] = struct{}{}
}

// Unwatch ends Watch. One Wake may still come.
func (s *Stream) Unwatch(w Watcher) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.watchers, w)
}

// append adds bytes and returns the length of the stream.
func (s *Stream) append(b []byte) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bytes = append(s.bytes, b...)
	s.wake()
	return len(s.bytes)
}

func (s *Stream) end(result protocol.MatchResult) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended, s.result = true, result
	go s.wakeAll() // ends when all have been woken
}

// wake tells the watchers, beside the match's goroutine: a thousand of them
// take longer than a turn. Called with mu held.
func (s *Stream) wake() {
	switch {
	case len(s.watchers) == 0:
	case s.resting:
		s.again = true
	default:
		s.resting = true
		go s.wakeAll() // ends when all have been woken
		time.AfterFunc(breath, s.rested)
	}
}

func (s *Stream) rested() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.resting = false
	if s.again {
		s.again = false
		s.wake()
	}
}

func (s *Stream) wakeAll() {
	s.mu.Lock()
	watchers := make([]Watcher, 0, len(s.watchers))
	for w := range s.watchers {
		watchers = append(watchers, w)
	}
	s.mu.Unlock()
	for _, w := range watchers {
		w.Wake()
	}
}
