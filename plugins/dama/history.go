//go:build go1.21

package main

// manyPlies is more than any match has.
const manyPlies = 1 << 30

// history has the facts about the past moves that decide on a draw.
type history struct {
	rules *Rules
	limit int // plies by kings alone without a capture that end the match; 0: none
	quiet int // consecutive such plies so far
	// limits are those of the rules that count, and lasting how many plies the ending
	// of each has lasted; less than 0: it is not on the board.
	limits  []DrawLimit
	lasting []int
	// seen has the positions since the last move that cannot be undone (a capture
	// or a man's move), the current one last.
	seen []Position
}

// newHistory returns the history of a match that begins at p. Unless it is 0,
// drawAfter replaces all limits of the rules.
func newHistory(r *Rules, drawAfter int, p *Position) *history {
	h := &history{rules: r, limit: 2 * drawAfter}
	if drawAfter == 0 {
		h.limit = 2 * r.QuietMoves
		h.limits = r.Limits
	}
	h.lasting = make([]int, len(h.limits))
	h.begin(p)
	return h
}

// begin forgets all moves: p is the first position.
func (h *history) begin(p *Position) {
	h.quiet = 0
	h.seen = append(h.seen[:0], *p)
	for i := range h.lasting {
		h.lasting[i] = -1
	}
	h.lastOf(h.lasting, p, false)
}

// note adds a move that led to p.
func (h *history) note(p *Position, m *Move) {
	changed := m.Taken != 0 || m.Crowned
	if changed || p.Kings>>m.Path[m.Len-1]&1 == 0 {
		h.quiet = 0
		h.seen = h.seen[:0]
	} else {
		h.quiet++
	}
	h.seen = append(h.seen, *p)
	if len(h.limits) > 0 {
		h.lastOf(h.lasting, p, changed)
	}
}

// lastOf counts the plies of the endings at p, in the counts of h or those of a search. The
// last move might have changed the pieces.
func (h *history) lastOf(lasting []int, p *Position, changed bool) {
	kings := p.Pieces[White]&p.Kings != 0 && p.Pieces[Black]&p.Kings != 0
	for i := range h.limits {
		switch e := h.limits[i].Ending; {
		case !kings || !e.holds(p):
			lasting[i] = -1
		case changed && e.unchanged():
			lasting[i] = 0
		default:
			lasting[i]++
		}
	}
}

// left returns the number of plies after which a limit makes the match a draw, if nothing
// ends its count before, for the number of quiet plies and the counts of the endings.
func (h *history) left(quiet int, lasting []int) int {
	left := manyPlies
	if h.limit > 0 {
		left = h.limit - quiet
	}
	for i := range h.limits {
		if n := 2*h.limits[i].Moves - lasting[i]; lasting[i] >= 0 && n < left {
			left = n
		}
	}
	return left
}

// drawn reports whether the past moves make the match a draw.
func (h *history) drawn() bool {
	if h.quiet == 0 && len(h.limits) == 0 {
		return false
	}
	return h.tooQuiet() || h.repeated() || h.tooLong() != nil
}

// tooQuiet reports whether the limit of quiet plies is reached.
func (h *history) tooQuiet() bool { return h.limit > 0 && h.quiet >= h.limit }

// tooLong returns the limit of an ending that is reached, or nil.
func (h *history) tooLong() *DrawLimit {
	for i := range h.limits {
		if h.lasting[i] >= 2*h.limits[i].Moves {
			return &h.limits[i]
		}
	}
	return nil
}

// repeated reports whether the rules end the match because the current position
// occurs for the third time.
func (h *history) repeated() bool {
	// A position comes back after four plies at the earliest.
	return h.rules.Threefold && len(h.seen) > 8 && h.count(h.seen[len(h.seen)-1]) >= 3
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
