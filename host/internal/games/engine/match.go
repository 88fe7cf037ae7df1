package engine

import (
	"colosseum/sdk/driver"
	"colosseum/sdk/wire"
)

// Match is one match in the child.
type Match interface {
	// Answer sends the answers to the last question. It does not block, nor call the
	// receiver.
	Answer(answers []driver.Answer)
	// Stop ends the match unless the game has; no frame follows. It can be called
	// repeatedly.
	Stop()
}

type match struct {
	game *Game
	id   uint64
}

// Receiver gets the frames of one match. Its methods are not called concurrently. They
// must not block, because the child's other matches wait for them.
type Receiver interface {
	Put(f *driver.Frame) // the next frame, which then belongs to the receiver
	Close(err error)     // no frame follows, although the match has not ended
}

// Open starts a match, whose seats are those in Names of the setup. The receiver gets its
// frames, possibly even before Open returns. The error is ErrGone when the child is ending.
func (g *Game) Open(setup *driver.Setup, in Receiver) (Match, error) {
	g.mu.Lock()
	if g.closing {
		g.mu.Unlock()
		return nil, ErrGone
	}
	g.last++
	m := &match{game: g, id: g.last}
	g.matches[m.id] = in
	g.mu.Unlock()
	if !g.conn.PushNow(wire.HostFrame{Match: m.id, Start: setup}) {
		m.forget()
		return nil, ErrGone
	}
	return m, nil
}

// Answer implements Match. If it waited, the match of a game that asks without end
// and reads nothing could not be aborted. The limit on a record's answers bounds
// how much a match can queue.
func (m *match) Answer(answers []driver.Answer) {
	m.game.conn.PushNow(wire.HostFrame{Match: m.id, Answers: answers})
}

// AnswerAll sends the answers for several matches together, those of one child in one
// write: answers[i] to the last question of list[i]. Like Answer, it does not block.
func AnswerAll(list []Match, answers [][]driver.Answer) {
	batches := map[*Game][]wire.HostFrame{}
	for i, in := range list {
		m, ok := in.(*match)
		if !ok { // of a test
			in.Answer(answers[i])
			continue
		}
		batches[m.game] = append(batches[m.game], wire.HostFrame{Match: m.id, Answers: answers[i]})
	}
	for game, frames := range batches {
		game.conn.PushNow(frames...)
	}
}

// Stop implements Match.
func (m *match) Stop() {
	if m.forget() {
		m.game.conn.PushNow(wire.HostFrame{Match: m.id, Stop: true})
	}
}

// forget reports whether the match was running.
func (m *match) forget() bool {
	m.game.mu.Lock()
	defer m.game.mu.Unlock()
	_, known := m.game.matches[m.id]
	delete(m.game.matches, m.id)
	return known
}
