//go:build go1.21

package main

import (
	"slices"
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
	pace := m.Float("pace")
	judged := func(thinking func() bool) (float64, string) { return judge(thinking, b) }
	for {
		legal := b.legal(nil)
		texts := lines(b, legal)
		next := legal[0]
		if b.stays(next) {
			m.TellAll(texts[0])
		} else {
			m.Judge(judged)
			line, err := m.Ask(b.side, texts)
			if err != nil {
				m.TellOthers(b.side, "RETIRE")
				m.Score(1-b.side, 1)
				return nil
			}
			m.TellOthers(b.side, line)
			next = legal[slices.Index(texts, line)]
		}
		b.play(next)
		if b.over() {
			break
		}
		m.Pace(pace)
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
