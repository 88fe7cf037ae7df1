//go:build go1.21

package main

import (
	"strconv"
	"strings"

	"colosseum/sdk"
)

// The Italian protocol of the original Code Colosseum server. White is seat 0.

var (
	colours   = [2]string{"bianchi", "neri"} // of the players, by side
	turns     = [2]string{"Turno bianco!", "Turno nero!"}
	sideNames = [2]string{"white", "black"} // for the record
	pieceSet  = [2]string{"bB", "nN"}       // man and king on the board, by side
)

const boardHeader = "   A  B  C  D  E  F  G  H"

// playClassic is the referee of all rules except damath. The match begins at
// position.
func playClassic(m *sdk.Match, r *Rules, position Position) error {
	for seat := 0; seat < 2; seat++ {
		m.TellAll(m.Name(seat))
	}
	m.TellAll("Avvio la partita di dama...")
	past := newHistory(r, m.Int("draw_after"), &position)
	m.TellAll(boardText(&position))
	m.Tell(White, "Sei i Bianchi")
	m.Tell(Black, "Sei i Neri")
	m.Show("Il giocatore " + m.Name(White) + " è i bianchi e il giocatore " + m.Name(Black) + " è i neri.")

	for !endClassic(m, r, &position, past) {
		side := position.Turn
		m.Tell(side, turns[side])
		m.Tell(1-side, "Attendi il tuo turno!")
		m.Show(turns[side])
		move, err := askClassic(m, r, &position)
		if err != nil {
			abandon(m, side, err)
			break
		}
		m.Tell(1-side, pathText(&move, classicNames, " ")+" ")
		past.note(&position, &move)
		position.Play(&move)
		m.TellAll(boardText(&position))
		m.Pace(m.Float("pace"))
	}
	m.TellAll("Game Over ;)\n")
	return nil
}

// askClassic asks the side to move until it sends a legal move or forfeits. All
// attempts are one turn.
func askClassic(m *sdk.Match, r *Rules, p *Position) (Move, error) {
	examples := func() []string {
		var paths []string
		moves := p.Moves(r, nil)
		for i := range moves {
			paths = append(paths, pathText(&moves[i], classicNames, " "))
		}
		return paths
	}
	for {
		m.Tell(p.Turn, "Inserisci la pedina che vuoi muovere e poi le mosse che vuoi fare\n"+
			"Es > 6A 5B oppure 6A 4C 2A oppure 6A 4C 2A ...")
		line, err := m.AskLine(p.Turn, examples)
		if err != nil {
			return Move{}, err
		}
		move, refusal := readClassic(r, p, line)
		if refusal == "" {
			return move, nil
		}
		if err := m.Refuse(p.Turn, "\n"+refusal); err != nil {
			return Move{}, err
		}
	}
}

// endClassic reports whether the match is over. If it is, endClassic sends the result
// and scores.
func endClassic(m *sdk.Match, r *Rules, p *Position, past *history) bool {
	for side := 0; side < 2; side++ {
		if p.Pieces[side] == 0 {
			result := victory(1 - side)
			m.Tell(side, "Non hai più pedine disponibili.\n"+result)
			m.TellOthers(side, result)
			m.Score(1-side, 1)
			m.Reason(sideNames[side] + " has no pieces left")
			return true
		}
	}
	if len(p.Moves(r, nil)) == 0 {
		side := p.Turn
		result := victory(1 - side)
		m.Tell(side, "Non hai più mosse disponibili.\n"+result)
		m.TellOthers(side, "I "+colours[side]+" non hanno più mosse disponibili.\n"+result)
		m.Score(1-side, 1)
		m.Reason(sideNames[side] + " has no moves left")
		return true
	}
	why, reason := "", ""
	switch {
	case past.repeated():
		why, reason = "La stessa posizione si è presentata tre volte.", "draw: the same position three times"
	case past.tooQuiet():
		n := strconv.Itoa(past.limit / 2)
		why, reason = "Nessuna presa e nessuna mossa di pedina da "+n+" mosse.", "draw: "+n+" moves of each side by kings alone without a capture"
	default:
		return false
	}
	m.TellAll(why + "\nLa partita è patta!\n")
	m.Score(White, 0.5)
	m.Score(Black, 0.5)
	m.Reason(reason)
	return true
}

// victory returns the announcement that a side wins, with an empty line after it.
func victory(side int) string { return "I " + colours[side] + " vincono la partita!\n" }

// abandon ends the match after a late answer, a lost connection, or too many
// refusals.
func abandon(m *sdk.Match, side int, why error) {
	if why == sdk.ErrTimeout {
		m.Tell(side, "\nTempo scaduto, hai esaurito il tempo per fare una mossa!")
	}
	m.Tell(1-side, "\nI "+colours[side]+" hanno abbandonato la partita.\n"+victory(1-side))
	m.Score(1-side, 1)
}

// boardText returns the board with an empty line before and after it.
func boardText(p *Position) string {
	var b strings.Builder
	b.WriteString("\n" + boardHeader + "\n")
	for row := 7; row >= 0; row-- {
		label := strconv.Itoa(8 - row)
		b.WriteString(label + " ")
		for col := 0; col < 8; col++ {
			b.WriteString("[" + letterAt(p, row, col) + "]")
		}
		b.WriteString(" " + label + "\n")
	}
	b.WriteString(boardHeader + "\n")
	return b.String()
}

func letterAt(p *Position, row, col int) string {
	square, ok := squareAt(row, col)
	for side := 0; ok && side < 2; side++ {
		if p.Pieces[side]>>uint(square)&1 != 0 {
			king := int(p.Kings >> uint(square) & 1)
			return pieceSet[side][king : king+1]
		}
	}
	return " "
}

// pathText returns the squares of a move with a separator between them.
func pathText(m *Move, names *squareNames, separator string) string {
	text := names[m.From()]
	for i := 1; i < int(m.Len); i++ {
		text += separator + names[m.Path[i]]
	}
	return text
}
