package env

import (
	"bytes"
	"fmt"
	"slices"
	"sync"

	"colosseum/host/internal/games/engine"
	"colosseum/sdk/driver"
)

// slot is a match, and the engine's receiver of it.
type slot struct {
	server  *server
	number  int
	setup   *driver.Setup
	watched bool // its states have what spectators see

	// For the goroutine of the server.
	match   engine.Match      // nil: it could not be started
	answers [][]driver.Answer // of players, by question
	size    int               // bytes of answers
	replay  [][]driver.Answer // of a copy, still to be given

	mu         sync.Mutex // guards the fields below
	awaited    bool
	texts      [][]byte // by seat, since the last answers
	spectators []byte   // likewise
	written    int      // bytes in them
	frames     int      // since the last answers
	question   *driver.Question
	seats      []int // of question, without bots
	end        *driver.Result
}

func (m *slot) await() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.awaited = true
	if m.texts == nil {
		m.texts = make([][]byte, len(m.setup.Names))
	}
	for seat := range m.texts {
		m.texts[seat] = m.texts[seat][:0]
	}
	m.spectators = m.spectators[:0]
	m.written, m.frames, m.question, m.seats = 0, 0, nil, m.seats[:0]
}

// Put implements engine.Receiver.
func (m *slot) Put(f *driver.Frame) {
	m.server.frames.Add(1)
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.awaited {
		return // it has failed
	}
	m.frames++
	for _, t := range f.Texts {
		m.textLocked(t)
	}
	switch {
	case m.written > maxText:
		m.failLocked(fmt.Sprintf("the referee sent more than %d KiB between two questions", maxText>>10))
	case f.End != nil:
		m.end = f.End
		if n := len(f.End.Seats); n != len(m.setup.Names) {
			m.end = driver.Aborted(len(m.setup.Names), fmt.Sprintf("the referee gave results for %d seats", n))
		}
		m.arrivedLocked()
	case f.Question != nil:
		m.questionLocked(f.Question)
	case m.frames > maxPauses:
		m.failLocked("the referee pauses without end")
	}
}

// textLocked adds a text to what its receivers get. Bots get it from the game.
func (m *slot) textLocked(t driver.Text) {
	for seat := range m.texts {
		if !m.setup.Bots[seat] && t.For(seat) {
			m.texts[seat] = append(m.texts[seat], t.Lines...)
			m.written += len(t.Lines)
		}
	}
	if m.watched && t.ForSpectators() {
		m.spectators = append(m.spectators, t.Lines...)
		m.written += len(t.Lines)
	}
}

// questionLocked takes a question, unless it is for bots alone.
func (m *slot) questionLocked(q *driver.Question) {
	for _, seat := range q.Seats {
		if seat < 0 || seat >= len(m.setup.Bots) || slices.Contains(m.seats, seat) {
			m.failLocked("the referee asked a seat that does not exist, or one twice")
			return
		}
		if !m.setup.Bots[seat] {
			m.seats = append(m.seats, seat)
		}
	}
	if len(m.seats) > 0 {
		m.question = q
		m.arrivedLocked()
	}
}

// Close implements engine.Receiver.
func (m *slot) Close(err error) { m.fail(err.Error()) }

// giveUp ends the match as aborted if the server still waits for it.
func (m *slot) giveUp(why string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.awaited {
		m.failLocked(why)
	}
}

// fail ends the match as aborted, unless it has ended.
func (m *slot) fail(why string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.failLocked(why)
}

func (m *slot) failLocked(why string) {
	if m.end != nil {
		return
	}
	m.end, m.question = driver.Aborted(len(m.setup.Names), why), nil
	m.arrivedLocked()
}

// arrivedLocked tells the server that the match need not be awaited any more.
func (m *slot) arrivedLocked() {
	if !m.awaited {
		return
	}
	m.awaited = false
	if m.server.pending.Add(-1) == 0 {
		select {
		case m.server.ready <- struct{}{}:
		default:
		}
	}
}

// same reports whether two matches are in the same state.
func (m *slot) same(other *slot) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	other.mu.Lock()
	defer other.mu.Unlock()
	if (m.end == nil) != (other.end == nil) || m.end != nil && !slices.Equal(m.end.Seats, other.end.Seats) {
		return false
	}
	return slices.Equal(m.seats, other.seats) && slices.EqualFunc(m.texts, other.texts, bytes.Equal)
}

// asks returns the seats whose players are asked, or why there are none.
func (m *slot) asks() ([]int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.end == nil:
		return m.seats, nil
	case m.end.Aborted:
		return nil, fmt.Errorf("match %d was aborted: %s", m.number, m.end.Reason)
	default:
		return nil, fmt.Errorf("match %d has ended: reset it", m.number)
	}
}
