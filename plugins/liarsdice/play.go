//go:build go1.21

package main

import (
	"strconv"
	"strings"

	"colosseum/sdk"
)

// play is the referee.
func play(m *sdk.Match) error {
	t := newTable(m.Players(), m.Int("dice"), m.Choice("wild") == "yes")
	m.TellAll(numbers("GAME", m.Players(), m.Int("dice")) + " " + m.Choice("wild"))
	for seat := 0; seat < m.Players(); seat++ {
		m.TellAll(numbers("PLAYER", seat) + " " + m.Name(seat))
	}
	for seat := 0; seat < m.Players(); seat++ {
		m.Tell(seat, numbers("YOU", seat))
	}
	gone := 0 // seats that are out, which is the score of the next one that goes
	for round := 1; t.left() > 1; round++ {
		t.roll(func(n int) int { return m.Rand(n) })
		m.TellAll(numbers("ROUND "+strconv.Itoa(round), t.dice...))
		for seat, hand := range t.hands {
			if len(hand) > 0 {
				line := numbers("DICE "+strconv.Itoa(seat), hand...)
				m.Tell(seat, line)
				m.Show(line)
			}
		}
		if out := playRound(m, t); out >= 0 {
			m.Score(out, float64(gone))
			gone++
		}
	}
	winner := t.turn // the only seat that has dice
	m.TellAll(numbers("WINS", winner))
	m.Score(winner, float64(gone))
	return nil
}

// playRound plays a round after the roll. It returns the seat that is out after it, or -1.
func playRound(m *sdk.Match, t *table) int {
	for {
		seat := t.turn
		m.TellAll(numbers("TURN", seat))
		bids := higher(t.bid, t.total(), t.wild)
		line, err := m.Ask(seat, lines(bids, t.bid.count > 0))
		if err != nil {
			t.remove(seat)
			m.TellAll(numbers("RETIRE", seat))
			return seat
		}
		if line == liar {
			return reveal(m, t)
		}
		for _, b := range bids {
			if b.line() == line {
				t.raise(b)
				break
			}
		}
		m.TellAll(numbers("BID", seat, t.bid.count, t.bid.face))
		m.Pace(m.Float("pace"))
	}
}

// reveal ends a round by a challenge. It returns the seat that is out after it, or -1.
func reveal(m *sdk.Match, t *table) int {
	m.TellAll(numbers("LIAR", t.turn))
	for seat, hand := range t.hands {
		if len(hand) > 0 {
			m.TellAll(numbers("SHOW "+strconv.Itoa(seat), hand...))
		}
	}
	count, loser := t.challenge()
	m.TellAll(numbers("COUNT", count))
	m.TellAll(numbers("LOSES", loser))
	if t.dice[loser] == 0 {
		m.TellAll(numbers("OUT", loser))
	}
	if t.left() == 1 {
		m.Reason(m.Name(t.turn) + " is the last player with dice")
	} else {
		m.Pace(3 * m.Float("pace")) // people want to see the dice
	}
	if t.dice[loser] == 0 {
		return loser
	}
	return -1
}

// lines returns bids in the form in which players send them, and liar if there is a bid to
// challenge.
func lines(bids []bid, challenge bool) []string {
	var list []string
	for _, b := range bids {
		list = append(list, b.line())
	}
	if challenge {
		list = append(list, liar)
	}
	return list
}

// numbers returns a line of a word and numbers.
func numbers(word string, list ...int) string {
	fields := []string{word}
	for _, n := range list {
		fields = append(fields, strconv.Itoa(n))
	}
	return strings.Join(fields, " ")
}
