//go:build go1.21

package main

import "strconv"

// The limits of a search of the strong bot.
const (
	mostRounds    = 8 // a round is one move of each side
	mostPositions = 600
)

// The values of positions, for the bot. That of one that goes on is between lost and won.
const (
	won  = 1000000
	lost = -won
	tied = -won / 2 // both crash

	cellValue = 55  // of a cell that a side reaches first; see a1k0n.net/2010/03/04/google-ai-postmortem.html
	edgeValue = 194 // of each free neighbour of such a cell
)

// The owners of a cell in a count.
const (
	nobody = iota
	ours
	theirs
)

// searcher is the search of the strong bot for one move. It looks ahead for itself and for
// its rival, the nearest cycle of another team, as if that one knew the bot's way before it
// moves; the moves of the other cycles are made up for only when cells are counted. A
// position is worth the cells that the bot reaches first, less those that the others reach
// first. When nobody else can reach the bot's part of the board, the bot looks for the way
// that leaves it the most room.
type searcher struct {
	steps    [4]int
	taken    []bool // by cell; changes with the moves that are tried
	thinking func() bool
	head     int   // cells
	rival    int   // -1: there is none
	others   []int // heads of the other cycles of other teams
	seat     int   // of the rival
	ahead    int   // rounds of this search

	positions int
	stopped   bool // out of time or positions: values are no longer valid

	stamp int   // of the current count
	owner []int // by cell: stamp and owner; less than stamp: not reached
	far   []int // by cell: moves from the owner's head
	queue []int // cells
}

// search returns the best of the free ways and a note about it, by alpha-beta search with
// iterative deepening up to a number of rounds.
func (p *player) search(free []int, most int) (way int, note string) {
	s := newSearcher(p.board, p.own, p.thinking)
	best := p.roomiest(free)
	value := 0
	depth := 0
	for rounds := 1; rounds <= most; rounds++ {
		found, v := s.root(free, best, rounds)
		if s.stopped {
			break
		}
		best = found
		value = v
		depth = rounds
		if v > won/2 || v < lost/2 {
			break
		}
	}
	note = "depth " + strconv.Itoa(depth) + ", value " + strconv.Itoa(value)
	if s.rival < 0 {
		return best, note + ", alone"
	}
	return best, note + ", against seat " + strconv.Itoa(s.seat)
}

func newSearcher(b *board, own int, thinking func() bool) *searcher {
	s := &searcher{steps: b.steps, thinking: thinking, head: b.cycles[own].cell, rival: -1, seat: -1}
	s.taken = append([]bool{}, b.taken...)
	s.owner = make([]int, len(b.taken))
	s.far = make([]int, len(b.taken))
	s.queue = make([]int, 0, len(b.taken))
	s.count() // of the bot alone
	nearest := len(b.taken)
	for seat := range b.cycles {
		c := &b.cycles[seat]
		if c.crashed > 0 || c.team == b.cycles[own].team {
			continue
		}
		for _, step := range s.steps {
			if cell := c.cell + step; s.owner[cell] >= s.stamp && cell != s.head && s.far[cell] < nearest {
				nearest = s.far[cell]
				s.seat = seat
			}
		}
	}
	for seat := range b.cycles {
		c := &b.cycles[seat]
		if seat == s.seat {
			s.rival = c.cell
		} else if c.crashed == 0 && c.team != b.cycles[own].team {
			s.others = append(s.others, c.cell)
		}
	}
	return s
}

// root returns the best way and its value after a number of rounds. It tries first before
// the other ways.
func (s *searcher) root(free []int, first, rounds int) (way, value int) {
	s.ahead = rounds
	best := first
	alpha := s.enter(s.head+s.steps[first], rounds, lost*2, won*2)
	for _, way := range free {
		if way == first {
			continue
		}
		if v := s.enter(s.head+s.steps[way], rounds, alpha, won*2); v > alpha {
			best = way
			alpha = v
		}
	}
	return best, alpha
}

// move returns the value of a position before a round, exact between alpha and beta.
func (s *searcher) move(rounds, alpha, beta int) int {
	stuck := true
	for _, step := range s.steps {
		cell := s.head + step
		if s.taken[cell] {
			continue
		}
		stuck = false
		if v := s.enter(cell, rounds, alpha, beta); v > alpha {
			alpha = v
		}
		if alpha >= beta || s.stopped {
			return alpha
		}
	}
	if !stuck {
		return alpha
	}
	if s.rival >= 0 && s.blocked(s.rival) {
		return tied - rounds
	}
	return lost - rounds // later is better
}

// enter returns the value after the bot has moved to a free cell, and its rival as it
// likes.
func (s *searcher) enter(cell, rounds, alpha, beta int) int {
	from := s.head
	s.head = cell
	s.taken[cell] = true
	value := beta
	if s.rival < 0 {
		value = s.next(rounds, alpha, beta)
	} else {
		value = s.reply(rounds, alpha, beta)
	}
	s.taken[cell] = false
	s.head = from
	return value
}

// reply returns the value after the best move of the rival.
func (s *searcher) reply(rounds, alpha, beta int) int {
	stuck := true
	from := s.rival
	for _, step := range s.steps {
		cell := from + step
		v := tied - rounds
		if cell != s.head {
			if s.taken[cell] {
				continue
			}
			s.rival = cell
			s.taken[cell] = true
			v = s.next(rounds, alpha, beta)
			s.taken[cell] = false
			s.rival = from
		}
		stuck = false
		if v < beta {
			beta = v
		}
		if alpha >= beta || s.stopped {
			return beta
		}
	}
	if stuck && len(s.others) > 0 {
		return s.next(rounds, alpha, beta)
	}
	if stuck {
		return won + rounds // sooner is better
	}
	return beta
}

// next returns the value after a round.
func (s *searcher) next(rounds, alpha, beta int) int {
	if rounds > 1 {
		return s.move(rounds-1, alpha, beta)
	}
	s.positions++
	if s.positions > mostPositions || !s.thinking() {
		s.stopped = true
		return 0
	}
	return s.count()
}

// blocked reports whether a cell has no free neighbour.
func (s *searcher) blocked(cell int) bool {
	for _, step := range s.steps {
		if !s.taken[cell+step] {
			return false
		}
	}
	return true
}

// count returns the value of the cells that the bot reaches first, less that of the cells
// that others do.
func (s *searcher) count() int {
	s.stamp += theirs + 1
	queue := s.queue[:0]
	if s.rival >= 0 {
		for _, cell := range s.others { // they have not moved in this search
			queue = append(queue, cell)
			s.claim(cell, theirs, -s.ahead)
		}
	}
	value := 0
	begun := false
	for i := 0; i < len(queue) || !begun; i++ {
		if !begun && (i == len(queue) || s.far[queue[i]] == 0) {
			begun = true
			queue = append(queue, s.head)
			s.claim(s.head, ours, 0)
			if s.rival >= 0 {
				queue = append(queue, s.rival)
				s.claim(s.rival, theirs, 0)
			}
		}
		cell := queue[i]
		owner := s.owner[cell] - s.stamp
		if owner == nobody {
			continue
		}
		far := s.far[cell] + 1
		edges := 0
		for _, step := range s.steps {
			next := cell + step
			if s.taken[next] {
				continue
			}
			edges++
			if s.owner[next] < s.stamp {
				s.claim(next, owner, far)
				queue = append(queue, next)
			} else if s.owner[next] != s.stamp+owner && s.far[next] == far {
				s.owner[next] = s.stamp + nobody // both sides reach it at the same time
			}
		}
		if owner == ours {
			value += cellValue + edgeValue*edges
		} else {
			value -= cellValue + edgeValue*edges
		}
	}
	return value
}

func (s *searcher) claim(cell, owner, far int) {
	s.owner[cell] = s.stamp + owner
	s.far[cell] = far
}
