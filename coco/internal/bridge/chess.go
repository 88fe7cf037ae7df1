package bridge

import (
	"fmt"
	"io"
	"strings"
	"time"

	"colosseum/internal/locale"
)

// Config describes a match for an engine.
type Config struct {
	Engine   []string // command
	Options  []Option
	MoveTime time.Duration // for each move; 0: a share of the times below
	Timeout  time.Duration // for an answer; 0: unknown
	Bank     time.Duration // for all answers; 0: there is no such clock
	More     time.Duration // that each turn adds to the bank
	In       io.Reader     // the stream of the match
	Out      io.Writer     // gets the lines of the player
	Trace    io.Writer     // gets the lines to and from the engine, unless it is nil
	patience patience      // zero: the usual one
}

// The engine's share of the time for an answer, if there is no other wish.
const (
	timeoutShare = 20 // of the timeout
	bankShare    = 30 // of the rest of the bank
	longest      = 5 * time.Second
	unknownTime  = time.Second // the timeout is not known

	maxMoves = 20000 // of a match; by the rules there are fewer
)

// Chess plays one match of chess with an engine, until the match ends. Its error is a
// *Failed if the engine failed.
func Chess(cfg Config) error {
	if cfg.patience == (patience{}) {
		cfg.patience = usualPatience
	}
	e, err := startUCI(cfg)
	if err != nil {
		return err
	}
	defer e.close()
	m := &match{cfg: cfg, in: readStream(cfg.In), engine: e, board: newBoard(usual), bank: cfg.Bank}
	defer close(m.in.done)
	return m.play()
}

const usual = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"

// match is a match of the game chess. plugins/chess/rules.md describes its stream.
type match struct {
	cfg    Config
	in     *stream
	engine *uci
	board  board
	black  bool // the engine has Black
	turn   bool // it is Black's
	moves  []string
	bank   time.Duration
}

func (m *match) play() error {
	m.in.next() // White's name
	m.in.next() // Black's name
	number, _ := m.in.next()
	if fen, ok := strings.CutPrefix(number, "START <"); ok {
		fen = strings.TrimSuffix(fen, ">")
		m.engine.begin(fen)
		m.board = newBoard(fen)
		m.turn = strings.Contains(fen, " b ")
		number, _ = m.in.next()
	} else {
		m.engine.begin("")
	}
	m.black = number == "1"
	if number == "" {
		return m.in.err // the match has not begun
	}
	for {
		if m.turn == m.black {
			if err := m.answer(); err == errOver || err != nil && m.in.isOver(m.cfg.patience.result) {
				return nil // after the last move, engines do as they like
			} else if err != nil {
				return err
			}
		}
		if over, err := m.follow(); over || err != nil {
			return err
		}
	}
}

// answer sends the engine's move. Its error is errOver if the match ends first.
func (m *match) answer() error {
	begun := time.Now()
	move, err := m.engine.move(m.moves, m.limit(), m.in)
	if err != nil {
		return err
	}
	if move == "" {
		return nil // it is checkmated, or stalemated: the next line says so
	}
	line, ok := m.board.line(move)
	if !ok {
		return failed(locale.Errorf("the engine %s answered %q, which is not a move", m.engine.name, move))
	}
	m.bank += m.cfg.More - time.Since(begun)
	_, err = fmt.Fprintln(m.cfg.Out, line)
	return err
}

// limit returns the time for the next move.
func (m *match) limit() time.Duration {
	if m.cfg.MoveTime > 0 {
		return m.cfg.MoveTime
	}
	limit := unknownTime
	if m.cfg.Timeout > 0 {
		limit = min(longest, m.cfg.Timeout/timeoutShare)
	}
	if m.cfg.Bank > 0 {
		limit = min(limit, max(0, m.bank)/bankShare+m.cfg.More/2)
	}
	return limit
}

// follow reads lines until a move has been made, or the match is over. It answers offers of
// a draw.
func (m *match) follow() (over bool, err error) {
	for {
		text, ok := m.in.next()
		if !ok {
			return true, m.in.err
		}
		rest, moved := strings.CutPrefix(text, "OK <")
		switch {
		case moved:
			move, ok := uciMove(strings.Split(strings.TrimSuffix(rest, ">"), "> <"))
			if !ok || len(m.moves) == maxMoves {
				return false, locale.Errorf("this line of the match is not one of chess: %q", text)
			}
			m.board.play(move)
			m.moves = append(m.moves, move)
			m.turn = !m.turn
			return false, nil
		case text == "DRAW <PROPOSED>":
			answer := "NO"
			if m.engine.rated && m.engine.score <= 0 {
				answer = "DRAW"
			}
			if _, err := fmt.Fprintln(m.cfg.Out, answer); err != nil {
				return false, err
			}
		case isEnd(text):
			return true, nil
		}
	}
}

var pieces = map[string]string{"queen": "q", "rook": "r", "bishop": "b", "knight": "n"}

// uciMove returns the move of an announcement, such as e2 e4, castle e1 g1 h1 f1,
// enpassant e5 d6, or promote e7 e8 queen.
func uciMove(words []string) (string, bool) {
	into := ""
	switch words[0] {
	case "promote":
		if len(words) != 4 || pieces[words[3]] == "" {
			return "", false
		}
		words, into = words[1:3], pieces[words[3]]
	case "castle":
		if len(words) != 5 {
			return "", false
		}
		words = words[1:3]
	case "enpassant":
		words = words[1:]
	}
	if len(words) != 2 || !isSquare(words[0]) || !isSquare(words[1]) {
		return "", false
	}
	return words[0] + words[1] + into, true
}

func isSquare(s string) bool {
	return len(s) == 2 && s[0] >= 'a' && s[0] <= 'h' && s[1] >= '1' && s[1] <= '8'
}

// board has the letter of the piece on each occupied square, as in FEN. It knows
// just enough to see which moves have a form of their own in the stream.
type board map[string]byte

func newBoard(fen string) board {
	b := board{}
	rows, _, _ := strings.Cut(fen, " ")
	row, column := byte('8'), byte('a')
	for _, c := range []byte(rows) {
		switch {
		case c == '/':
			row, column = row-1, 'a'
		case c >= '1' && c <= '8':
			column += c - '0'
		default:
			b[string([]byte{column, row})] = c
			column++
		}
	}
	return b
}

// line returns a move of UCI as players of the original server send it, and reports whether
// it is a move of a piece.
func (b board) line(move string) (string, bool) {
	if len(move) < 4 || len(move) > 5 || !isSquare(move[:2]) || !isSquare(move[2:4]) || b[move[:2]] == 0 {
		return "", false
	}
	from, to := move[:2], move[2:4]
	squares := from + " " + to
	if len(move) == 5 {
		for name, letter := range pieces {
			if letter == move[4:] {
				return "promote " + squares + " " + name, true
			}
		}
		return "", false
	}
	switch b[from] | 32 {
	case 'k':
		switch from + to {
		case "e1g1", "e8g8":
			return "castle " + squares + " h" + from[1:] + " f" + from[1:], true
		case "e1c1", "e8c8":
			return "castle " + squares + " a" + from[1:] + " d" + from[1:], true
		}
	case 'p':
		if from[0] != to[0] && b[to] == 0 {
			return "enpassant " + squares, true
		}
	}
	return squares, true
}

// play makes a move. It ignores what is none.
func (b board) play(move string) {
	line, ok := b.line(move)
	if !ok {
		return
	}
	from, to := move[:2], move[2:4]
	piece := b[from]
	delete(b, from)
	switch words := strings.Fields(line); words[0] {
	case "castle":
		b[words[4]] = b[words[3]]
		delete(b, words[3])
	case "enpassant":
		delete(b, to[:1]+from[1:])
	case "promote":
		piece = move[4] // its colour does not matter
	}
	b[to] = piece
}
