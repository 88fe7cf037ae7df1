//go:build go1.21

package main

import (
	"errors"
	"math/bits"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// The sides, which are also the seats.
const (
	white = 0
	black = 1
)

const usual = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"

// match is a position with what counts of those before it.
type match struct {
	board board
	start string // in FEN
	legal []move
	seen  map[position]int // number of times that each position has occurred since the last move that cannot be undone
}

// position is a position as FIDE's rule of repetition compares it: the pieces, the side
// to move, and the moves that are possible (Laws of Chess 2023, 9.2.3).
type position struct {
	kinds                  [6]uint64
	sides                  [2]uint64
	side, castling, passed uint8 // passed: noSquare unless a capture en passant is legal
}

var (
	fenForm = regexp.MustCompile(`^[1-8KQRBNPkqrbnp/]{15,71} [wb] (-|KQ?k?q?|Qk?q?|kq?|q) (-|[a-h][36]) [0-9]{1,2} [1-9][0-9]{0,3}$`)

	errForm     = errors.New("this is not a position in FEN, such as " + usual)
	errPieces   = errors.New("each side needs one king, at most 8 pawns, none of them on the first or last row, and no more other pieces than those can become")
	errTaken    = errors.New("the side to move could take the king")
	errCastling = errors.New("a side can castle only with its king and rook on their first squares")
	errPassing  = errors.New("no pawn has just passed the square for capturing en passant")
	errOver     = errors.New("the match would be over before the first move")
)

// newMatch returns a match that begins in a position in FEN, or in the usual one if the
// text is empty. The last two fields can be missing. It returns an error if a match can't
// begin there.
func newMatch(fen string) (*match, error) {
	if fen == "" {
		fen = usual
	}
	fields := strings.Fields(fen)
	if len(fields) == 4 {
		fields = append(fields, "0", "1")
	}
	fen = strings.Join(fields, " ")
	if !fenForm.MatchString(fen) {
		return nil, errForm
	}
	if err := checkPieces(fields[0]); err != nil {
		return nil, err
	}
	if !eightByEight(fields[0]) {
		return nil, errForm
	}
	b := readBoard(fen)
	switch {
	case b.exposed():
		return nil, errTaken
	case !b.canCastle():
		return nil, errCastling
	case fields[3] != "-" && !b.hasPassed(squareOf(fields[3])):
		return nil, errPassing
	}
	fields[0] = b.fen()                    // "44" becomes "8"
	fields[4] = strconv.Itoa(int(b.quiet)) // "07" becomes "7"
	g := &match{seen: map[position]int{}, start: strings.Join(fields, " ")}
	g.reach(*b)
	if len(g.legal) == 0 || g.board.bare() {
		return nil, errOver
	}
	return g, nil
}

// eightByEight reports whether the first field of a FEN has eight rows of eight squares.
func eightByEight(text string) bool {
	rows := strings.Split(text, "/")
	return len(rows) == 8 && !slices.ContainsFunc(rows, func(row string) bool {
		squares := 0
		for _, c := range row {
			if c <= '8' {
				squares += int(c - '0')
			} else {
				squares++
			}
		}
		return squares != 8
	})
}

// checkPieces permits only pieces that a match can have.
func checkPieces(board string) error {
	rows := strings.Split(board, "/")
	for _, letters := range []string{"KQRBNP", "kqrbnp"} {
		pawns := strings.Count(board, letters[5:]) // and pieces that were pawns
		for kind, first := range []int{1, 1, 2, 2, 2} {
			pawns += max(0, strings.Count(board, letters[kind:kind+1])-first)
		}
		if strings.Count(board, letters[:1]) != 1 || pawns > 8 {
			return errPieces
		}
	}
	if strings.ContainsAny(rows[0]+rows[len(rows)-1], "Pp") {
		return errPieces
	}
	return nil
}

// canCastle reports whether king and rook are where they castle, for each right to.
func (b *board) canCastle() bool {
	for i, corner := range []uint8{7, 0, 63, 56} {
		side, home := i/2, corner&^7+4
		if b.castling>>i&1 != 0 && (b.kinds[king]&b.sides[side]>>home&1 == 0 || b.kinds[rook]&b.sides[side]>>corner&1 == 0) {
			return false
		}
	}
	return true
}

// hasPassed reports whether a pawn of the side that has moved can have passed a square.
func (b *board) hasPassed(s uint8) bool {
	row := uint8(5)
	if b.side == black {
		row = 2
	}
	if s/8 != row {
		return false
	}
	to := ahead(1-int(b.side), s)
	from := ahead(int(b.side), s)
	return b.on[s] == none && b.on[from] == none && b.kinds[pawn]&b.sides[1-b.side]>>to&1 != 0
}

// side returns the side to move.
func (g *match) side() int { return int(g.board.side) }

// play makes a legal move.
func (g *match) play(m move) {
	next := g.board
	next.play(m)
	g.reach(next)
}

func (g *match) reach(b board) {
	g.board = b
	g.legal = b.legal(nil)
	if b.quiet == 0 {
		clear(g.seen)
	}
	g.seen[g.position()]++
}

func (g *match) position() position {
	b := &g.board
	p := position{b.kinds, b.sides, b.side, b.castling, noSquare}
	for _, m := range g.legal {
		if b.capturesEnPassant(m) {
			p.passed = b.passed
		}
	}
	return p
}

// mated reports whether the side to move is checkmated.
func (g *match) mated() bool { return len(g.legal) == 0 && g.board.check() }

// drawn is a reason for which a match is drawn: the word in the stream, and a text for the
// result. Its zero value is that it is not.
type drawn struct{ word, reason string }

// draw returns why the position is drawn. repeated and quiet are the number of times that a
// position must occur, and of moves of each side without a capture or a pawn's move.
func (g *match) draw(repeated, quiet int) drawn {
	switch {
	case len(g.legal) == 0 && !g.mated():
		return drawn{"STALEMATE", "draw: stalemate"}
	case g.mated():
		return drawn{}
	case g.board.bare():
		return drawn{"MATERIAL", "draw: neither side has the pieces for a checkmate"}
	case g.seen[g.position()] >= repeated:
		return drawn{"REPETITION", "draw: the same position " + map[int]string{3: "three", 5: "five"}[repeated] + " times"}
	case int(g.board.quiet) >= 2*quiet:
		return drawn{"MOVES", "draw: " + map[int]string{50: "50", 75: "75"}[quiet] + " moves of each side without a capture or a pawn's move"}
	}
	return drawn{}
}

// bare reports whether no sequence of moves can end in checkmate because of the pieces: the
// kings alone, with one knight, or with bishops of squares of one colour.
func (b *board) bare() bool {
	if b.kinds[pawn]|b.kinds[rook]|b.kinds[queen] != 0 {
		return false
	}
	const light = 0x55aa55aa55aa55aa
	bishops := b.kinds[bishop]
	if b.kinds[knight] != 0 {
		return bits.OnesCount64(b.kinds[knight]) == 1 && bishops == 0
	}
	return bishops&light == 0 || bishops&^light == 0
}
