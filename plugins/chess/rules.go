package main

import (
	"errors"
	"regexp"
	"strings"
	"sync"

	"github.com/corentings/chess/v2"
)

// The sides, which are also the seats.
const (
	white = 0
	black = 1
)

const usual = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"

// match is a position with what counts of those before it.
type match struct {
	pos   *chess.Position
	legal []chess.Move
	seen  map[string]int // number of times that each position has occurred since the last move that cannot be undone
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
	pos, err := decode(fen)
	if err != nil {
		return nil, errForm
	}
	g := &match{seen: map[string]int{}}
	g.reach(pos)
	for i := range g.legal {
		if pos.Board().Piece(g.legal[i].S2()).Type() == chess.King {
			return nil, errTaken
		}
	}
	if err := checkCastling(pos); err != nil {
		return nil, err
	}
	if err := checkPassing(pos); err != nil {
		return nil, err
	}
	if len(g.legal) == 0 || g.bare() {
		return nil, errOver
	}
	return g, nil
}

// decoding guards the library's decoder of FEN, which uses a package variable.
var decoding sync.Mutex

func decode(fen string) (*chess.Position, error) {
	decoding.Lock()
	defer decoding.Unlock()
	pos := &chess.Position{}
	return pos, pos.UnmarshalText([]byte(fen))
}

// checkPieces permits only pieces that a match can have: the library has no place for more
// than 218 moves, which no such position exceeds.
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

// checkCastling makes up for the library, which does not look for the king and the rook.
func checkCastling(pos *chess.Position) error {
	for _, c := range castles {
		b := pos.Board()
		if pos.CastleRights().CanCastle(c.side, c.wing) && (b.Piece(c.king) != chess.NewPiece(chess.King, c.side) || b.Piece(c.rook) != chess.NewPiece(chess.Rook, c.side)) {
			return errCastling
		}
	}
	return nil
}

var castles = []struct {
	side       chess.Color
	wing       chess.Side
	king, rook chess.Square
}{
	{chess.White, chess.KingSide, chess.E1, chess.H1},
	{chess.White, chess.QueenSide, chess.E1, chess.A1},
	{chess.Black, chess.KingSide, chess.E8, chess.H8},
	{chess.Black, chess.QueenSide, chess.E8, chess.A8},
}

// checkPassing makes up for the library, which lets pawns capture en passant on any square
// that is named.
func checkPassing(pos *chess.Position) error {
	square := pos.EnPassantSquare()
	if square == chess.NoSquare {
		return nil
	}
	row, ahead := chess.Rank6, chess.Square(8)
	if pos.Turn() == chess.Black {
		row, ahead = chess.Rank3, -8
	}
	b := pos.Board()
	if square.Rank() != row || b.Piece(square) != chess.NoPiece || b.Piece(square+ahead) != chess.NoPiece || b.Piece(square-ahead) != chess.NewPiece(chess.Pawn, pos.Turn().Other()) {
		return errPassing
	}
	return nil
}

// side returns the side to move.
func (g *match) side() int {
	if g.pos.Turn() == chess.White {
		return white
	}
	return black
}

// play makes a legal move.
func (g *match) play(m *chess.Move) { g.reach(g.pos.Update(m)) }

func (g *match) reach(pos *chess.Position) {
	g.pos = pos
	g.legal = pos.ValidMoves()
	if pos.HalfMoveClock() == 0 {
		clear(g.seen)
	}
	g.seen[g.key()]++
}

// key returns the position as FIDE's rule of repetition compares it: the pieces, the side
// to move, and the moves that are possible (Laws of Chess 2023, 9.2.3). The library's own
// key differs with the clocks.
func (g *match) key() string {
	passing := "-"
	for i := range g.legal {
		if g.legal[i].HasTag(chess.EnPassant) {
			passing = g.legal[i].S2().String()
			break
		}
	}
	return strings.Join([]string{g.pos.Board().String(), g.pos.Turn().String(), g.pos.CastleRights().String(), passing}, " ")
}

// mated reports whether the side to move is checkmated.
func (g *match) mated() bool { return len(g.legal) == 0 && g.pos.Status() == chess.Checkmate }

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
	case g.bare():
		return drawn{"MATERIAL", "draw: neither side has the pieces for a checkmate"}
	case g.seen[g.key()] >= repeated:
		return drawn{"REPETITION", "draw: the same position " + map[int]string{3: "three", 5: "five"}[repeated] + " times"}
	case g.pos.HalfMoveClock() >= 2*quiet:
		return drawn{"MOVES", "draw: " + map[int]string{50: "50", 75: "75"}[quiet] + " moves of each side without a capture or a pawn's move"}
	}
	return drawn{}
}

// bare reports whether no sequence of moves can end in checkmate because of the pieces: the
// kings alone, with one knight, or with bishops of squares of one colour.
func (g *match) bare() bool {
	knights, bishops := 0, [2]int{}
	for square, piece := range g.pos.Board().SquareMap() {
		switch piece.Type() {
		case chess.King:
		case chess.Knight:
			knights++
		case chess.Bishop:
			bishops[(int(square.File())+int(square.Rank()))%2]++
		default:
			return false
		}
	}
	if knights > 0 {
		return knights == 1 && bishops == [2]int{}
	}
	return bishops[0] == 0 || bishops[1] == 0
}
