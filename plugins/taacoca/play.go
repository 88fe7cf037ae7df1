//go:build go1.21

package main

import (
	"strconv"

	"colosseum/sdk"
)

// sides has the names of the sides, for the reason of a result.
var sides = [2]string{"white", "black"}

// goals has the names of the rows to reach, by side.
var goals = [2]string{"I", "A"}

// play is the referee. White is on seat 0.
func play(m *sdk.Match) error {
	for seat := 0; seat < 2; seat++ {
		m.TellAll(m.Name(seat))
	}
	for seat := 0; seat < 2; seat++ {
		m.Tell(seat, strconv.Itoa(seat))
	}
	p := start
	pace := m.Float("pace")
	judged := func(thinking func() bool) (float64, string) { return judge(thinking, p) }
	examples := func(seat int) []string { return p.Lines() }
	for {
		seat := p.Side
		m.Judge(judged)
		m.Examples(examples)
		line, err := m.AskLine(seat)
		move, legal := p.Parse(line)
		if err == nil && !legal {
			err = sdk.ErrIllegal
			m.Forfeit(seat, err)
		}
		if err != nil {
			m.TellOthers(seat, "RETIRE")
			m.Score(1-seat, 1)
			return nil
		}
		m.TellOthers(seat, p.Line(move))
		p = p.After(move)
		m.Pace(pace)
		if why := lost(p); why != "" {
			m.Score(seat, 1)
			m.Reason(why)
			return nil
		}
	}
}

// lost returns why the side to move has lost, or "" if the match goes on.
func lost(p Position) string {
	switch {
	case p.Enemy&goal[1-p.Side] != 0:
		return sides[1-p.Side] + " has reached row " + goals[1-p.Side]
	case p.Own == 0:
		return sides[p.Side] + " has no stones left"
	case !p.CanMove():
		return sides[p.Side] + " has no moves left"
	}
	return ""
}
