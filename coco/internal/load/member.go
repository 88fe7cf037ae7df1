package load

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"colosseum/coco/internal/server"
	"colosseum/protocol"
)

// The first player wins every round: its moves are one ahead of the other's.
var (
	names = []string{"winner", "loser"}
	moves = [][]byte{[]byte("PAPER\n"), []byte("ROCK\n"), []byte("SCISSORS\n")} // each wins over the next
)

// header is the number of lines before the first round: names and rounds.
const header = 3

// member is a player or a spectator.
type member struct {
	conn           *server.Conn
	rounds         int
	seat           int  // in names
	bots           bool // nobody knows who wins
	spectator      bool
	times          []time.Duration
	received, sent int64
	err            error

	lines int  // received so far
	ended bool // and its result is as it should be
}

// play plays a whole match.
func (m *member) play(ctx context.Context) error {
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

// watch reads a whole match.
func (m *member) watch(ctx context.Context) error { return m.finish(ctx, header+2*m.rounds) }

// finish reads to the end of the match, by which time so many lines came.
func (m *member) finish(ctx context.Context, lines int) error {
	for !m.ended {
		if err := m.receive(ctx); err != nil {
			return err
		}
	}
	if m.lines != lines {
		return fmt.Errorf("a match ended after %d lines instead of %d", m.lines, lines)
	}
	return nil
}

// receive takes one message.
func (m *member) receive(ctx context.Context) error {
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
		return m.judge(frame)
	case protocol.NameLobbyDelete:
		return fmt.Errorf("a match expired before it began")
	}
	return nil
}

// judge compares the result, when the server sends one, with what it must be.
func (m *member) judge(frame server.Frame) error {
	var reply protocol.EndedReply
	if err := protocol.Decode(frame.Name, frame.Body, &reply); err != nil || reply.Result == nil {
		return err
	}
	if reply.Result.Aborted {
		return fmt.Errorf("a match was aborted: %s", reply.Result.Reason)
	}
	for _, p := range reply.Result.Players {
		score := 0.0
		if p.Name == names[0] {
			score = float64(m.rounds)
		}
		if p.Ended != protocol.EndedFinished || !m.bots && p.Score != score {
			return fmt.Errorf("a result is wrong: %s has %v points and ended as %s", p.Name, p.Score, p.Ended)
		}
	}
	return nil
}
