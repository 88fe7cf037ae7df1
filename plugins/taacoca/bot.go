//go:build go1.21

package main

import (
	"math/bits"

	"colosseum/sdk"
)

// bot keeps the board from the lines that it reads and its own moves.
func bot(b *sdk.Bot) error {
	b.Read() // White's name
	b.Read() // Black's name
	side := White
	if b.Read() == "1" {
		side = Black
	}
	thinker := search{thinking: func() bool { return b.Thinking() }}
	p := start
	for lost(p) == "" {
		var move Move
		if p.Side != side {
			legal := false
			if move, legal = p.Parse(b.Read()); !legal {
				return nil // RETIRE
			}
		} else {
			if b.Choice("bot") == "random" {
				moves := p.Moves(nil)
				move = moves[b.Rand(len(moves))]
			} else {
				move = thinker.best(p)
			}
			b.Write(p.Line(move))
		}
		p = p.After(move)
	}
	return nil
}

// Values of positions in hundredths of a stone, for the side to move.
const (
	won    = 100000 // minus 1 for each ply until then
	runner = 3000   // the faster of the stones that no enemy can stop, minus 10 for each row
	stone  = 100
	hit    = 60 // an enemy stone that can be taken in this turn
	hung   = 15 // an own stone that the enemy can take
)

// deepest is the limit of the search in plies, far above the depth that the time
// allows. Every move brings stones closer to the goal, so an endgame is searched to its
// end.
const deepest = 64

// askEvery is how many positions are searched between two calls of thinking: about
// 0.1 ms if compiled, 0.1 s if interpreted.
const askEvery = 256

// ordered is how many moves of a position are searched in order of promise. If none of
// them is good enough, sorting the rest rarely saves time.
const ordered = 12

// search finds good moves by alpha-beta search with iterative deepening (Knuth and
// Moore, "An analysis of alpha-beta pruning", 1975).
type search struct {
	thinking func() bool // reports whether there is time left
	nodes    int         // positions searched
	over     bool        // out of time
	moves    []Move      // a stack: the moves of all positions on the path
	promise  []int       // for each of moves, how early to search it
	killers  [deepest]Move
}

// best returns a move for the side to move, which has one.
func (s *search) best(p Position) Move {
	s.over = false
	for i := range s.killers {
		s.killers[i] = Move{}
	}
	var best Move
	for depth := 1; depth < deepest; depth++ {
		move, value := s.root(p, depth, best)
		if move.From != 0 {
			best = move
		}
		if s.over || value > won-deepest || value < deepest-won {
			break // out of time, or won or lost with certainty
		}
	}
	return best
}

// root returns the best move and its value at a depth in plies. It searches first
// before the other moves. Out of time, it returns the best move so far.
func (s *search) root(p Position, depth int, first Move) (Move, int) {
	from := s.list(p, first)
	to := len(s.moves)
	var best Move
	alpha := -won
	for i := from; i < to; i++ {
		if i < from+ordered {
			s.pick(i, to)
		}
		move := s.moves[i]
		value := -s.value(p.After(move), depth-1, 1, -won, -alpha)
		if s.over {
			if best.From == 0 {
				best = move
			}
			break
		}
		if value > alpha || best.From == 0 {
			alpha, best = value, move
		}
	}
	s.moves, s.promise = s.moves[:from], s.promise[:from]
	return best, alpha
}

// value returns the value of a position for the side to move. It is exact between
// alpha and beta, otherwise a bound.
func (s *search) value(p Position, depth, ply, alpha, beta int) int {
	if s.nodes++; s.nodes%askEvery == 0 && !s.thinking() {
		s.over = true
	}
	if s.over {
		return 0
	}
	if p.Enemy&goal[1-p.Side] != 0 || !p.CanMove() {
		return ply - won
	}
	if p.canWin() {
		return won - ply - 1
	}
	if depth == 0 {
		return p.estimate()
	}
	from := s.list(p, s.killers[ply])
	to := len(s.moves)
	best := -won
	for i := from; i < to; i++ {
		if i < from+ordered {
			s.pick(i, to)
		}
		move := s.moves[i]
		value := -s.value(p.After(move), depth-1, ply+1, -beta, -alpha)
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
			s.killers[ply] = move
			break
		}
	}
	s.moves, s.promise = s.moves[:from], s.promise[:from]
	return best
}

// list pushes the moves of a position on the stack, with their promise, and returns
// the index of the first. The move first has the highest promise.
func (s *search) list(p Position, first Move) int {
	from := len(s.moves)
	s.moves = p.Moves(s.moves)
	danger := reach(p.Enemy, 1-p.Side)
	for _, m := range s.moves[from:] {
		promise := 4*count(m.To&p.Enemy) + count(m.From&danger) - count(m.To&danger)
		if m == first {
			promise += 100
		}
		s.promise = append(s.promise, promise)
	}
	return from
}

// pick swaps the most promising of the moves i to to-1 with move i.
func (s *search) pick(i, to int) {
	top := i
	for j := i + 1; j < to; j++ {
		if s.promise[j] > s.promise[top] {
			top = j
		}
	}
	s.moves[i], s.moves[top] = s.moves[top], s.moves[i]
	s.promise[i], s.promise[top] = s.promise[top], s.promise[i]
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

// estimate returns the value of a position for the side to move, without search.
func (p Position) estimate() int {
	value := stone * (count(p.Own) - count(p.Enemy))
	own, enemy := rowsLeft(p.Own, p.Enemy, p.Side), rowsLeft(p.Enemy, p.Own, 1-p.Side)
	if own < far && own <= enemy {
		value += runner - 10*own
	} else if enemy < far {
		value -= runner - 10*enemy
	}
	most := 0
	for dir := Left; dir <= Right; dir++ {
		first, _, _ := p.files(dir)
		if n := count(step(first, p.Side, dir) & p.Enemy); n > most {
			most = n
		}
	}
	if most > stonesAtOnce {
		most = stonesAtOnce
	}
	return value + hit*most - hung*count(p.Own&reach(p.Enemy, 1-p.Side))
}

// reach returns the cells one step of a side away.
func reach(c Cells, side int) Cells { return step(c, side, Left) | step(c, side, Right) }

const far = 99 // rows to the goal if every stone can be stopped

// rowsLeft returns how many rows are left to the foremost stone that no enemy can stop,
// because none is on a cell that it can pass. Without such a stone it returns far.
func rowsLeft(stones, enemy Cells, side int) int {
	for stones != 0 {
		i := 63 - bits.LeadingZeros64(uint64(stones))
		rows := 8 - rowOf[i]
		if side == Black {
			i = bits.TrailingZeros64(uint64(stones))
			rows = rowOf[i]
		}
		if ahead[side][i]&enemy == 0 {
			return rows
		}
		stones &^= cell(i)
	}
	return far
}

// ahead has, by side and cell, the cells that a stone can reach.
var ahead = cones()

func cones() [2][61]Cells {
	var ahead [2][61]Cells
	for side := White; side <= Black; side++ {
		for i := 0; i < 61; i++ {
			for c := reach(cell(i), side); c != 0; c = reach(c, side) {
				ahead[side][i] |= c
			}
		}
	}
	return ahead
}
