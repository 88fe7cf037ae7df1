//go:build go1.21

package main

import (
	"strconv"
	"strings"

	"colosseum/sdk"
)

// coins are the four coins of one roll: 1 is heads, 0 is tails.
type coins [4]int

func (c coins) String() string {
	return strconv.Itoa(c[0]) + " " + strconv.Itoa(c[1]) + " " + strconv.Itoa(c[2]) + " " + strconv.Itoa(c[3])
}

// heads returns the number of cells that the roll moves a token.
func (c coins) heads() int { return c[0] + c[1] + c[2] + c[3] }

// play is the referee with fair coins.
func play(m *sdk.Match) error {
	return referee(m, func() coins {
		return coins{m.Rand(2), m.Rand(2), m.Rand(2), m.Rand(2)}
	})
}

// referee plays a match. It calls toss once for each roll.
func referee(m *sdk.Match, toss func() coins) error {
	m.TellAll(m.Name(0))
	m.TellAll(m.Name(1))
	for seat := 0; seat < 2; seat++ {
		m.Tell(seat, strconv.Itoa(seat))
	}
	var b board
	mover := 0
	for {
		m.Judge(func(thinking func() bool) (float64, string) { return judge(thinking, &b, mover, -1) })
		roll := toss()
		m.TellAll(roll.String())
		again := false
		if legal := b.legal(mover, roll.heads()); len(legal) == 0 {
			m.Pace(m.Float("pace"))
		} else {
			m.Judge(func(thinking func() bool) (float64, string) { return judge(thinking, &b, mover, roll.heads()) })
			m.Examples(func(seat int) []string { return lines(legal) })
			line, err := m.AskLine(mover)
			token := read(line, legal)
			if err == nil && token < 0 {
				err = sdk.ErrIllegal
				m.Forfeit(mover, err)
			}
			m.Pace(m.Float("pace")) // between the roll and the move
			if err != nil {
				m.TellOthers(mover, "RETIRE")
				m.Score(1-mover, 1)
				return nil
			}
			m.TellOthers(mover, strconv.Itoa(token))
			again = b.move(mover, token, roll.heads())
			if b.won(mover) {
				m.Score(mover, 1)
				m.Reason(m.Name(mover) + " brought all tokens home")
				return nil
			}
			m.Pace(m.Float("pace"))
		}
		if !again {
			mover = 1 - mover
		}
	}
}

// read returns the legal token of a line, or -1. As on the original server the number
// can begin with a plus and zeros.
func read(line string, legal []int) int {
	n, err := strconv.ParseUint(strings.TrimPrefix(line, "+"), 10, 64)
	if err == nil {
		for _, token := range legal {
			if uint64(token) == n {
				return token
			}
		}
	}
	return -1
}

// lines returns tokens in the form in which players send them.
func lines(list []int) []string {
	text := make([]string, len(list))
	for i, token := range list {
		text[i] = strconv.Itoa(token)
	}
	return text
}
