package loadtest

import (
	"bytes"
	"context"
	"time"

	"colosseum/coco/internal/server"
	"colosseum/internal/locale"
	"colosseum/protocol"
)

// The first player wins every round: its moves are one ahead of the second's.
var (
	names = []string{"winner", "loser"}
	moves = [][]byte{[]byte("PAPER\n"), []byte("ROCK\n"), []byte("SCISSORS\n")} // each beats the next
)

// header is the number of lines before the first round: names and rounds.
const header = 3

// client is a player or a spectator. Only one goroutine can use it.
type client struct {
	conn           *server.Conn
	rounds         int
	seat           int  // in names
	bots           bool // the winner is not known
	spectator      bool
	times          []time.Duration
	received, sent int64
	err            error

	lines int  // received so far
	ended bool // the match has ended
}

// play plays a whole match.
func (m *client) play(ctx context.Context) error {
	m.times = make([]time.Duration, 0, m.rounds)
	for m.lines < header && !m.ended {
		if err := m.receive(ctx); err != nil {
			return err
		}
	}
	for round := range m.rounds {
		begin := time.Now()
		move := moves[(round+m.seat)%len(moves)]
		if err := m.conn.SendStream(move); err != nil {
			return err
		}
		m.sent += int64(len(move))
		for m.lines < header+round+1 && !m.ended {
			if err := m.receive(ctx); err != nil {
				return err
			}
		}
		m.times = append(m.times, time.Since(begin))
	}
	return m.finish(ctx, header+m.rounds)
}

// finish reads to the end of the match, and checks the number of lines received in
// all.
func (m *client) finish(ctx context.Context, lines int) error {
	for !m.ended {
		if err := m.receive(ctx); err != nil {
			return err
		}
	}
	if m.lines != lines {
		return locale.Errorf("a match ended after %d lines instead of %d", m.lines, lines)
	}
	return nil
}

// receive reads one message.
func (m *client) receive(ctx context.Context) error {
	frame, err := m.conn.Receive(ctx)
	if err != nil {
		return err
	}
	if frame.Binary {
		m.received += int64(len(frame.Stream))
		m.lines += bytes.Count(frame.Stream, []byte{'\n'})
		return nil
	}
	switch frame.Name {
	case protocol.NameMatchEnded, protocol.NameSpectateEnded:
		m.ended = true
		return m.check(frame)
	case protocol.NameLobbyDelete:
		return locale.Errorf("a match expired before it began")
	}
	return nil
}

// check compares the result with the expected one, if the server sends one.
func (m *client) check(frame server.Frame) error {
	var reply protocol.EndedReply
	if err := protocol.Decode(frame.Name, frame.Body, &reply); err != nil || reply.Result == nil {
		return err
	}
	if reply.Result.Aborted {
		return locale.Errorf("a match was aborted: %s", reply.Result.Reason)
	}
	for _, p := range reply.Result.Players {
		score := 0.0
		if p.Name == names[0] {
			score = float64(m.rounds)
		}
		if p.Ended != protocol.EndedFinished || !m.bots && p.Score != score {
			return locale.Errorf("a result is wrong: %s has %v points and ended as %s", p.Name, p.Score, p.Ended)
		}
	}
	return nil
}
