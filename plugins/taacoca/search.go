//go:build go1.21

package main

// Values of positions are for the side to move, in thousandths of the log-odds of winning.
const won = 1000000 // minus 1 for each ply until then

// deepest is the limit of the search in plies, far above the depth that the time
// allows. Every move brings stones closer to the goal, so an endgame is searched to its
// end.
const deepest = 64

// askEvery is how many positions are estimated between two calls of thinking: about 20 µs
// if compiled, 20 ms if interpreted.
const askEvery = 64

// Selectivity of the search.
const (
	wide    = 3    // moves of a position that are searched at full depth; the others at one ply less, unless they turn out better
	margin  = 1000 // for each ply: a position that is better than needed by this is not searched
	takes   = 4    // moves with captures that are tried beyond the depth
	beyond  = 4    // plies beyond the depth, of captures
	special = 500  // promise of a move that was good in another position at the same ply
)

// search finds good moves by alpha-beta search with iterative deepening (Knuth and
// Moore, "An analysis of alpha-beta pruning", 1975). It looks at all moves, but most of
// them less deeply (late move reductions), and at captures beyond the depth.
type search struct {
	thinking func() bool // reports whether there is time left
	plain    bool        // search everything to the same depth
	nodes    int         // positions estimated
	over     bool        // out of time
	found    []int       // features of a position, for estimate
	moves    []Move      // a stack: the moves of all positions on the path
	promise  []int       // for each of moves, how early to search it
	killers  [deepest][2]Move
}

// best returns the best move for the side to move, which has one, and its value. It looks
// ahead at most the given number of plies.
func (s *search) best(p Position, most int) (Move, int) {
	s.over = false
	for i := range s.killers {
		s.killers[i] = [2]Move{}
	}
	s.moves = p.Moves(s.moves[:0])
	s.promise = s.promise[:0]
	only := s.moves[0]
	s.rank(p, 0, 0)
	if len(s.moves) == 0 {
		return only, 2 - won // the enemy wins after every move
	}
	for i := range s.moves {
		s.pick(i, len(s.moves))
	}
	best := s.moves[0]
	value := s.promise[0]
	for depth := 2; depth <= most && !s.over && value < won-deepest && value > deepest-won; depth++ {
		move, v := s.root(p, depth, len(s.moves))
		if move.From != 0 {
			best = move
		}
		if !s.over {
			value = v
		}
	}
	return best, value
}

// root searches the first moves of the stack at a depth in plies, and puts the best one
// before the others. It returns this move and its value, or a move without stones if
// there was no time for any.
func (s *search) root(p Position, depth, moves int) (Move, int) {
	best, alpha := -1, -won
	for i := 0; i < moves; i++ {
		value := s.after(p.After(s.moves[i]), depth, 0, i, alpha, won)
		if s.over {
			break
		}
		if value > alpha {
			best, alpha = i, value
		}
	}
	if best < 0 {
		return Move{}, alpha
	}
	move := s.moves[best]
	copy(s.moves[1:best+1], s.moves[:best])
	s.moves[0] = move
	return move, alpha
}

// after returns the value of the i-th move, which led to p, for the side that made it: by
// a search of p with the given depth and ply of the position before. Most moves only need
// the answer that they are not better than alpha.
func (s *search) after(p Position, depth, ply, i, alpha, beta int) int {
	if i > 0 {
		less := 0
		if i >= wide && ply > 0 && depth > 1 && !s.plain {
			less = 1
		}
		value := -s.value(p, depth-1-less, ply+1, -alpha-1, -alpha)
		if value > alpha && less > 0 && !s.over {
			value = -s.value(p, depth-1, ply+1, -alpha-1, -alpha)
		}
		if value <= alpha || value >= beta || s.over {
			return value
		}
	}
	return -s.value(p, depth-1, ply+1, -beta, -alpha)
}

// value returns the value of a position for the side to move. It is exact between
// alpha and beta, otherwise a bound.
func (s *search) value(p Position, depth, ply, alpha, beta int) int {
	switch {
	case s.over:
		return 0
	case p.Enemy&goal[1-p.Side] != 0 || !p.CanMove():
		return ply - won
	case p.canWin():
		return won - ply - 1
	case depth == 0 && s.plain:
		return s.estimate(p)
	case depth == 0:
		return s.captures(p, beyond, ply, alpha, beta)
	case depth <= 2 && !s.plain && beta < won-deepest:
		if value := s.estimate(p) - margin*depth; value >= beta {
			return value
		}
	}
	from := len(s.moves)
	s.moves = p.Moves(s.moves)
	if depth > 1 {
		s.rank(p, from, ply)
	} else {
		s.guess(p, from, ply)
	}
	to := len(s.moves)
	best := ply + 2 - won // the enemy wins after every move
	for i := from; i < to; i++ {
		s.pick(i, to)
		move := s.moves[i]
		value := s.after(p.After(move), depth, ply, i-from, alpha, beta)
		if s.over {
			break
		}
		if value > best {
			best = value
		}
		if value > alpha {
			alpha = value
		}
		if alpha >= beta {
			if move != s.killers[ply][0] {
				s.killers[ply][1] = s.killers[ply][0]
				s.killers[ply][0] = move
			}
			break
		}
	}
	s.moves, s.promise = s.moves[:from], s.promise[:from]
	return best
}

// captures returns the value of a position like value, but looks only at captures, and
// only at the most promising ones. It takes the estimate as the value of all other moves.
func (s *search) captures(p Position, plies, ply, alpha, beta int) int {
	best := s.estimate(p)
	if s.over || best >= beta || plies == 0 || (step(p.Own, p.Side, Left)|step(p.Own, p.Side, Right))&p.Enemy == 0 {
		return best
	}
	if best > alpha {
		alpha = best
	}
	from := len(s.moves)
	s.moves = p.Moves(s.moves)
	kept := from
	for i := from; i < len(s.moves); i++ {
		if s.moves[i].To&p.Enemy != 0 {
			s.moves[kept] = s.moves[i]
			kept++
		}
	}
	s.moves = s.moves[:kept]
	s.guess(p, from, ply)
	for i := from; i < kept && i < from+takes; i++ {
		s.pick(i, kept)
		next := p.After(s.moves[i])
		value := 0
		if !next.CanMove() {
			value = won - ply - 1
		} else if next.canWin() {
			value = ply + 2 - won
		} else {
			value = -s.captures(next, plies-1, ply+1, -beta, -alpha)
		}
		if s.over {
			break
		}
		if value > best {
			best = value
		}
		if value > alpha {
			alpha = value
		}
		if alpha >= beta {
			break
		}
	}
	s.moves, s.promise = s.moves[:from], s.promise[:from]
	return best
}

// rank removes those of the moves from an index on after which the enemy wins at once,
// and pushes the promises of the others: the estimates of the positions after them.
func (s *search) rank(p Position, from, ply int) {
	kept := from
	for _, move := range s.moves[from:] {
		next := p.After(move)
		promise := won - ply - 1
		if move.To&goal[p.Side] == 0 && next.CanMove() {
			if next.canWin() {
				continue
			}
			promise = -s.estimate(next)
			if move == s.killers[ply][0] || move == s.killers[ply][1] {
				promise += special
			}
		}
		s.moves[kept] = move
		s.promise = append(s.promise, promise)
		kept++
	}
	s.moves = s.moves[:kept]
}

// guess pushes the promises of the moves from an index on: captures and moves out of
// danger first. That takes less time than rank, and serves before the last ply.
func (s *search) guess(p Position, from, ply int) {
	danger := reach(p.Enemy, 1-p.Side)
	for _, move := range s.moves[from:] {
		promise := 4*count(move.To&p.Enemy) + count(move.From&danger) - count(move.To&danger)
		if move == s.killers[ply][0] || move == s.killers[ply][1] {
			promise += special
		}
		s.promise = append(s.promise, promise)
	}
}

// pick swaps the most promising of the moves i to to-1 with move i.
func (s *search) pick(i, to int) {
	top := i
	for j := i + 1; j < to; j++ {
		if s.promise[j] > s.promise[top] {
			top = j
		}
	}
	move, promise := s.moves[i], s.promise[i]
	s.moves[i] = s.moves[top]
	s.promise[i] = s.promise[top]
	s.moves[top] = move
	s.promise[top] = promise
}

// estimate returns the value of a position for the side to move, without search; 0 if the
// time is over.
func (s *search) estimate(p Position) int {
	if s.nodes++; s.nodes%askEvery == 0 && !s.over {
		s.over = !s.thinking()
	}
	if s.over {
		return 0
	}
	s.found = p.features(s.found[:0])
	value := 0
	for _, f := range s.found {
		value += weights[f]
	}
	return value
}

// canWin reports whether the side to move can reach its goal in this turn.
func (p Position) canWin() bool {
	before := step(goal[p.Side], 1-p.Side, Left) | step(goal[p.Side], 1-p.Side, Right)
	if p.Own&before == 0 {
		return false
	}
	size := p.turnSize()
	for dir := Left; dir <= Right; dir++ {
		first, second, third := p.files(dir)
		if first&before != 0 && count(first|second|third) >= size {
			return true
		}
	}
	return false
}
