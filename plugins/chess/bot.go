//go:build go1.21

package main

import (
	"strings"

	"colosseum/sdk"
)

// nodes has how many positions the levels search at most; "strong" has no such limit, and
// searches some 200,000 in the usual time.
var nodes = map[string]int{"medium": 50_000, "easy": 15_000, "beginner": 200, "newcomer": 200}

// newcomerLots is how many of 100 moves the newcomer draws by lot.
const newcomerLots = 85

// acceptsBelow is the value for itself at which a bot accepts a draw, or less.
const acceptsBelow = -20

// player keeps the position of a match for a bot or a judge.
type player struct {
	search
	share int // tests: the levels search this part of their positions; 0: all
	rand  func(n int) int
	value int // of the position that was searched last, for its side to move
	board board
	seen  []uint64 // keys of the positions since the last move that cannot be undone, without the current one
}

// bot follows the match from the lines that its seat receives.
func bot(b *sdk.Bot) error {
	b.Read() // White's name
	b.Read() // Black's name
	p := &player{search: search{thinking: func() bool { return b.Thinking() }}, rand: func(n int) int { return b.Rand(n) }, board: *readBoard(usual)}
	number := b.Read()
	if fen, ok := strings.CutPrefix(number, "START <"); ok {
		p.board = *readBoard(strings.TrimSuffix(fen, ">"))
		number = b.Read()
	}
	if b.Choice("bot") != "strong" {
		p.thinking = func() bool { return b.Searching() }
	}
	own := uint8(white)
	if number == "1" {
		own = black
	}
	for {
		if p.board.side == own {
			b.Write(p.turn(b.Choice("bot"), b.Choice("draws") == "claimed"))
		}
		for moved := false; !moved; {
			switch text := b.Read(); {
			case text == "DRAW <PROPOSED>" && p.board.side != own:
				b.Write(p.answer(b.Choice("bot")))
			case text == "DRAW <REFUSED>" && p.board.side == own:
				b.Write(p.choose(b.Choice("bot")).uci())
			default:
				moved = p.follow(text)
			}
		}
	}
}

// follow makes the move in a line of the referee, if there is one.
func (p *player) follow(text string) bool {
	text, ok := strings.CutPrefix(text, "OK <")
	if !ok {
		return false
	}
	fields := strings.Split(strings.TrimSuffix(text, ">"), "> <")
	into := ""
	switch fields[0] {
	case "promote":
		into = map[string]string{"queen": "q", "rook": "r", "bishop": "b", "knight": "n"}[fields[3]]
		fields = fields[1:]
	case "castle", "enpassant":
		fields = fields[1:]
	}
	p.play(readMove(fields[0] + fields[1] + into))
	return true
}

// readMove reads a move of UCI.
func readMove(text string) move {
	m := move{text[0] - 'a' + 8*(text[1]-'1'), text[2] - 'a' + 8*(text[3]-'1'), none}
	if len(text) > 4 {
		m.into = uint8(strings.IndexByte(letters, text[4]))
	}
	return m
}

func (p *player) play(m move) {
	p.seen = append(p.seen, p.board.key)
	if p.board.play(m); p.board.quiet == 0 {
		p.seen = p.seen[:0]
	}
}

// turn returns the line of a level that is to move: a move, or the claim of a draw that can
// be claimed, unless it is better. After 50 moves it never is: the opponent can claim, too.
func (p *player) turn(level string, claimed bool) string {
	m := p.choose(level)
	if claimed && level != "random" && p.value <= 0 && (p.repeated() >= 3 || p.board.quiet >= 100) {
		return "DRAW"
	}
	return m.uci()
}

// repeated returns how many times the position has occurred.
func (p *player) repeated() int {
	n := 1
	for _, key := range p.seen {
		if key == p.board.key {
			n++
		}
	}
	return n
}

// choose returns a move at a level. The legal moves are shuffled, so that the bot does not
// always choose the same one of equal moves.
func (p *player) choose(level string) move {
	legal := p.board.legal(nil)
	for i := len(legal) - 1; i > 0; i-- {
		j := p.rand(i + 1)
		legal[i], legal[j] = legal[j], legal[i]
	}
	if len(legal) == 1 || level == "random" || level == "newcomer" && p.rand(100) < newcomerLots {
		return legal[0]
	}
	p.most = nodes[level] / max(1, p.share)
	best := p.best(&p.board, p.seen, legal, maxDepth)
	p.value = best.value
	return best.move
}

// answer answers an offer of a draw by the side to move.
func (p *player) answer(level string) string {
	if level == "random" {
		return []string{"DRAW", "NO"}[p.rand(2)]
	}
	p.most = nodes[level] / max(1, p.share)
	if -p.best(&p.board, p.seen, p.board.legal(nil), maxDepth).value > acceptsBelow {
		return "NO"
	}
	return "DRAW"
}
