//go:build go1.21

package main

// history has the facts about the past moves that decide on a draw.
type history struct {
	rules *Rules
	limit int // plies by kings alone without a capture that end the match; 0: none
	quiet int // consecutive such plies so far
	// seen has the positions since the last move that cannot be undone (a capture
	// or a man's move), the current one last.
	seen []Position
}

// newHistory returns the history of a match that begins at p. Unless it is 0,
// drawAfter replaces the rules' QuietMoves.
func newHistory(r *Rules, drawAfter int, p *Position) *history {
	if drawAfter == 0 {
		drawAfter = r.QuietMoves
	}
	return &history{rules: r, limit: 2 * drawAfter, seen: []Position{*p}}
}

// note adds a move. It must be called before p.Play(m).
func (h *history) note(p *Position, m *Move) {
	if m.Taken == 0 && p.Kings&bit(m.From()) != 0 {
		h.quiet++
	} else {
		h.quiet = 0
		h.seen = h.seen[:0]
	}
	next := *p
	next.Play(m)
	h.seen = append(h.seen, next)
}

// tooQuiet reports whether the limit of quiet plies is reached.
func (h *history) tooQuiet() bool { return h.limit > 0 && h.quiet >= h.limit }

// repeated reports whether the rules end the match because the current position
// occurs for the third time.
func (h *history) repeated() bool {
	return h.rules.Threefold && h.count(h.seen[len(h.seen)-1]) >= 3
}

// count returns how many times a position has occurred.
func (h *history) count(p Position) int {
	n := 0
	for i := range h.seen {
		if h.seen[i] == p {
			n++
		}
	}
	return n
}
