//go:build go1.21

package main

import (
	"math/bits"
	"strings"
)

// readClassic returns the one of the legal moves that a line like "6e 5d" names, or nil.
func readClassic(b *Board, legal []Move, line string) *Move {
	path := parsePath(b, line)
	if len(path) < 2 {
		return nil
	}
	from := path[0]
	for i := range legal {
		if cells[legal[i].Path[0]] == from && follows(&legal[i], path) {
			return &legal[i]
		}
	}
	return nil
}

// whyNot returns a text for the player that says why a line is not a legal move.
func whyNot(r *Rules, p *Position, line string) string {
	path := parsePath(r.Board, line)
	if len(path) < 2 {
		return "Mossa non valida riprova!"
	}
	if text := refusal(r, p, path); text != "" {
		return text
	}
	return "Presa obbligatoria!"
}

// parsePath reads squares, row then column, separated by spaces. Like
// the original server it drops tabs and CRs anywhere in the line, so that players
// that send them are not refused.
func parsePath(b *Board, line string) []cell {
	var path []cell
	line = strings.ReplaceAll(strings.ReplaceAll(line, "\t", ""), "\r", "")
	for _, word := range strings.Split(line, " ") {
		if word == "" {
			continue
		}
		if c, ok := b.named[word]; ok {
			path = append(path, c)
		} else {
			return nil
		}
	}
	return path
}

// follows reports whether a move has that path.
func follows(m *Move, path []cell) bool {
	if int(m.Len) != len(path) {
		return false
	}
	for i, c := range path {
		if cells[m.Path[i]] != c {
			return false
		}
	}
	return true
}

// refusal returns a text about the first illegal hop of a path, or "" if the piece on
// its first square can move like that. It does not check whether another capture is
// due.
func refusal(r *Rules, p *Position, path []cell) string {
	side, from := p.Turn, path[0]
	square, ok := r.Board.squareAt(from.row, from.col)
	if !ok || p.Pieces[side]>>uint(square)&1 == 0 {
		return "Non hai selezionato una tua pedina!\nRicorda che sei i " + colours[side] + "."
	}
	king := p.Kings>>uint(square)&1 != 0
	occupied := p.Pieces[White] | p.Pieces[Black]
	if r.CanReturn {
		occupied &^= bit(square)
	}
	prey := p.Pieces[1-side]
	forward := 1
	if side == Black {
		forward = -1
	}
	for _, to := range path[1:] {
		rows, cols := to.row-from.row, to.col-from.col
		diagonal := rows == cols || rows == -cols
		over := uint64(0) // pieces between from and to
		if diagonal {
			over = between(from, to) & occupied
		}
		step := len(path) == 2 && (rows == forward || king && rows == -forward)
		jump := rows == 2*forward || rows == -2*forward && (king || r.MenTakeBack)
		if king && r.Flying {
			step = len(path) == 2 && rows != 0 && over == 0
			jump = rows != 0 && !step
		}
		hop := cellName(r.Board.size, from) + " -> " + cellName(r.Board.size, to)
		what := "Spostamento " + hop + " non valido!\n"
		if jump {
			what = "Cattura " + hop + " non valida!\n"
		}
		edible := prey
		if !king && !r.MenTakeKings {
			edible &^= p.Kings
		}
		switch {
		case !step && !jump && rows == 0:
			return what + "Puoi muoverti solo in diagonale."
		case !step && !jump && king:
			return what + "Le righe sono troppo distanti."
		case !step && !jump:
			return what + "Le righe sono troppo distanti o ti stai muovendo nel verso sbagliato."
		case isOn(occupied, to):
			return what + "La posizione scelta è gia occupata."
		case !diagonal || jump && (bits.OnesCount64(over) != 1 || over&edible == 0):
			return what + "Non ti stai spostando in diagonale o ti sei mosso di troppe colonne."
		}
		prey &^= over // a piece is jumped once
		king = king || r.CrownInPassing && isOn(r.Board.far[side], to)
		from = to
	}
	return ""
}

// between returns the squares strictly between two cells of a diagonal.
func between(from, to cell) uint64 {
	dr, dc := sign(to.row-from.row), sign(to.col-from.col)
	set := uint64(0)
	for row, col := from.row+dr, from.col+dc; row != to.row; row, col = row+dr, col+dc {
		set |= bit(squareOf(row, col)) // a dark one, like both ends
	}
	return set
}

func sign(n int) int {
	switch {
	case n > 0:
		return 1
	case n < 0:
		return -1
	default:
		return 0
	}
}

func isOn(set uint64, c cell) bool {
	return (c.row+c.col)%2 == 0 && set>>uint(squareOf(c.row, c.col))&1 != 0
}
