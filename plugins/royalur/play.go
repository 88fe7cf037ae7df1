//go:build go1.21

package main

import (
	"strconv"
	"strings"

	"colosseum/sdk"
)

// coins are the four coins of one roll: a bit is 1 for heads.
type coins int

// shown has the line of each roll: 1 is heads, 0 is tails.
var shown = [16]string{
	"0 0 0 0", "0 0 0 1", "0 0 1 0", "0 0 1 1", "0 1 0 0", "0 1 0 1", "0 1 1 0", "0 1 1 1",
	"1 0 0 0", "1 0 0 1", "1 0 1 0", "1 0 1 1", "1 1 0 0", "1 1 0 1", "1 1 1 0", "1 1 1 1",
}

// heads has the number of cells that each roll moves a token.
var heads = [16]int{0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4}

// play is the referee with fair coins.
func play(m *sdk.Match) error {
	return referee(m, func() coins {
		return coins(8*m.Rand(2) + 4*m.Rand(2) + 2*m.Rand(2) + m.Rand(2))
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
	var legal []int
	mover, n := 0, -1 // n is the roll in cells; -1: not yet rolled
	pace := m.Float("pace")
	// A script copies the variables of a function for each function literal, so these are
	// not in the loop.
	judged := func(thinking func() bool) (float64, string) { return judge(thinking, &b, mover, n) }
	examples := func(seat int) []string { return lines(legal) }
	for {
		n = -1
		m.Judge(judged)
		roll := toss()
		m.TellAll(shown[roll])
		n = heads[roll]
		legal = b.legal(mover, n)
		if len(legal) == 0 {
			m.Pace(pace)
			mover = 1 - mover
			continue
		}
		m.Judge(judged)
		m.Examples(examples)
		line, err := m.AskLine(mover)
		token := read(line, legal)
		if err == nil && token < 0 {
			err = sdk.ErrIllegal
			m.Forfeit(mover, err)
		}
		m.Pace(pace) // between the roll and the move
		if err != nil {
			m.TellOthers(mover, "RETIRE")
			m.Score(1-mover, 1)
			return nil
		}
		m.TellOthers(mover, strconv.Itoa(token))
		again := b.move(mover, token, n)
		if b.won(mover) {
			m.Score(mover, 1)
			m.Reason(m.Name(mover) + " brought all tokens home")
			return nil
		}
		m.Pace(pace)
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
