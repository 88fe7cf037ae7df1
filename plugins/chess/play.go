//go:build go1.21

package main

import (
	"strconv"
	"strings"

	"colosseum/sdk"
)

// maxOffers is how many draws a player can offer in one turn. In the original there is no
// limit, so a losing player could keep the other one answering for ever.
const maxOffers = 3

var winner = [2]string{"WINNER <WHITE>", "WINNER <BLACK>"} // by side

// play is the referee. White is seat 0.
func play(m *sdk.Match) error {
	for seat := 0; seat < 2; seat++ {
		m.TellAll(m.Name(seat))
	}
	g, err := newMatch(m.Text("start"))
	if err != nil {
		return err
	}
	if g.start != usual {
		m.TellAll("START <" + g.start + ">") // before the seat's number, after which White can move
	}
	for seat := 0; seat < 2; seat++ {
		m.Tell(seat, strconv.Itoa(seat))
	}
	analyst := newAnalyst()
	for !ended(m, g) {
		m.Judge(func(thinking func() bool) (float64, string) { return analyst.judge(thinking, g) })
		if !turn(m, g) {
			return nil
		}
		if len(g.legal) > 0 {
			m.Pace(m.Float("pace"))
		}
	}
	return nil
}

// ended reports whether the match is over at the beginning of a turn. If it is, ended sends
// the result and scores.
func ended(m *sdk.Match, g *match) bool {
	if g.mated() {
		m.TellAll(winner[1-g.side()])
		m.Score(1-g.side(), 1)
		m.Reason("checkmate")
		return true
	}
	repeated, quiet := 3, 50
	if m.Choice("draws") == "claimed" {
		repeated, quiet = 5, 75 // FIDE's Laws of Chess 2023, 9.6
	}
	return drew(m, g.draw(repeated, quiet))
}

// drew ends the match as a draw, if there is a reason, and reports whether there is.
func drew(m *sdk.Match, why drawn) bool {
	if why == (drawn{}) {
		return false
	}
	m.TellAll("DRAW <" + why.word + ">")
	share(m, why.reason)
	return true
}

func share(m *sdk.Match, reason string) {
	m.Score(white, 0.5)
	m.Score(black, 0.5)
	m.Reason(reason)
}

// turn asks the side to move until it moves. It returns false if the match is over
// instead: the side has lost, or the draw that it claimed or offered stands.
func turn(m *sdk.Match, g *match) bool {
	side := g.side()
	for offers := 0; ; offers++ {
		m.Examples(func(seat int) []string { return g.lines() })
		text, err := m.AskLine(side)
		if err != nil {
			lose(m, side, err)
			return false
		}
		if move, ok := g.find(text); ok {
			m.TellAll("OK <" + strings.Join(g.board.words(move), "> <") + ">")
			g.play(move)
			return true
		}
		switch {
		case text == "RETIRE":
			lose(m, side, sdk.ErrResigned)
			return false
		case text != "DRAW" || offers == maxOffers:
			lose(m, side, sdk.ErrIllegal)
			return false
		case m.Choice("draws") == "claimed" && drew(m, g.draw(3, 50)):
			return false
		case !refused(m, 1-side):
			return false
		}
		m.Resume(side)
	}
}

// refused passes an offer of a draw on to a seat. It returns false if the match is over
// because the seat accepts, or fails to answer.
func refused(m *sdk.Match, seat int) bool {
	m.TellAll("DRAW <PROPOSED>")
	m.Examples(func(seat int) []string { return []string{"DRAW", "NO"} })
	answer, err := m.AskLine(seat)
	switch {
	case err != nil:
		lose(m, seat, err)
		return false
	case answer == "":
		lose(m, seat, sdk.ErrIllegal)
		return false
	case answer == "DRAW":
		m.TellOthers(seat, "DRAW <ACCEPTED>")
		share(m, "draw by agreement")
		return false
	}
	m.TellOthers(seat, "DRAW <REFUSED>")
	return true
}

// lose ends the match with the loss of a seat. As in the original, a winner is announced
// after a late answer and a resignation, and not after an illegal line or a lost
// connection.
func lose(m *sdk.Match, seat int, why error) {
	m.Forfeit(seat, why)
	m.TellOthers(seat, "RETIRE")
	if why == sdk.ErrTimeout || why == sdk.ErrResigned {
		m.TellAll(winner[1-seat])
	}
	m.Score(1-seat, 1)
}
