//go:build go1.21

package main

import (
	"strconv"

	"colosseum/sdk"
)

// play is the referee. Seat 0 is black.
func play(m *sdk.Match) error {
	m.TellAll(m.Name(black))
	m.TellAll(m.Name(white))
	for seat := 0; seat < 2; seat++ {
		m.Tell(seat, strconv.Itoa(seat))
	}
	b := newBoard()
	for !b.over() {
		legal := b.legal(nil)
		next := legal[0]
		if b.blocked() {
			m.TellAll(b.line(next))
		} else {
			m.Judge(func(thinking func() bool) (float64, string) { return judge(thinking, b) })
			line, err := m.Ask(b.side, lines(b, legal))
			if err != nil {
				m.TellOthers(b.side, "RETIRE")
				m.Score(1-b.side, 1)
				return nil
			}
			m.TellOthers(b.side, line)
			next, _ = b.find(line)
		}
		b.play(next)
		if !b.over() {
			m.Pace(m.Float("pace"))
		}
	}
	winner, loser := m.Name(1-b.side), m.Name(b.side)
	m.Score(1-b.side, 1)
	if b.reached {
		m.Reason(winner + " reached the far row")
	} else {
		m.Reason("deadlock, brought about by " + loser)
	}
	return nil
}

// lines returns moves in the form in which players send them.
func lines(b *board, legal []move) []string {
	text := make([]string, len(legal))
	for i := range legal {
		text[i] = b.line(legal[i])
	}
	return text
}
