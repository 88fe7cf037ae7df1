//go:build go1.21

package main

// history is what the rules about draws need to know of the moves so far.
type history struct {
	rules *Rules
	limit int // plies by kings alone without a capture that end the match; 0: none
	quiet int // such plies so far
	// seen holds the positions since the last move that cannot be undone (a
	// capture or a man's move); the last is the present one.
	seen []Position
}

// newHistory begins at a position. drawAfter overrides the quiet moves of each
// side that the rules allow, unless it is 0.
func newHistory(r *Rules, drawAfter int, p *Position) *history {
	if drawAfter == 0 {
		drawAfter = r.QuietMoves
	}
	return &history{rules: r, limit: 2 * drawAfter, seen: []Position{*p}}
}

// note remembers a move that is about to be made on p.
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

// tooQuiet tells whether nothing has happened for as long as the rules allow.
func (h *history) tooQuiet() bool { return h.limit > 0 && h.quiet >= h.limit }

// repeated tells whether the rules end the match because of a position that
// occurs for the third time.
func (h *history) repeated() bool {
	return h.rules.Threefold && h.count(h.seen[len(h.seen)-1]) >= 3
}

// count is how often a position has occurred.
func (h *history) count(p Position) int {
	n := 0
	for i := range h.seen {
		if h.seen[i] == p {
			n++
		}
	}
	return n
}
