package pairing

import (
	"math"
	"math/bits"
	"slices"

	"colosseum/host/internal/contests/matching"
)

// maxMatching is how many entrants of a Swiss round are matched at once. More are
// matched in parts of neighbors in the order of points.
const maxMatching = 1024

// swiss returns the next round of a Swiss system.
//
// With two players to a match, it keeps these basic rules of the FIDE Handbook, C.04.1
// (of July 2025), in this order of importance:
//
//   - 2: two entrants are paired once. If that is impossible, the round has as few
//     repetitions as possible; a pair that was paired n times counts n.
//   - 3, 4: if the number of entrants is odd, one has a bye, with the points of a
//     pairing won. Nobody has a second bye, nor one after a pairing that was won by
//     walkover, as long as that is possible.
//   - 6, 7: nobody has the first seat three times more often than the second, or the
//     other way round, or the same seat three times in a row, as long as rules 2 to 4
//     can be kept. This is left out if the number of legs is even: then all have both
//     seats equally often in each pairing.
//   - The bye goes to one with as few points as possible.
//   - 5: entrants are paired with others of the same points. The sum of the squares of
//     the differences is as low as possible.
//   - 8: the first seat goes to the one that had it less often, or else had the other
//     one last.
//
// With what remains, the top half of those with the same points plays the bottom half,
// as in the Dutch system (C.04.3); in the first round exactly so. The round is the
// cheapest perfect matching of all entrants, so nothing of this depends on the order in
// which a search tries pairs. More than 1,024 entrants are divided by points into
// parts that are matched on their own.
//
// Without a number of rounds there are one more than a knockout of the starters would
// need, at most as many as it takes to meet everybody.
func swiss(h *History) []Pairing {
	list := h.active()
	round := h.rounds()
	if round >= swissRounds(h) || len(list) < h.Size {
		return nil
	}
	if h.Size > 2 {
		return swissGroups(h, list, round)
	}
	s := newSwissRound(h, list)
	var next []Pairing
	for _, pair := range s.pairs() {
		p := Pairing{Round: round, Slot: len(next), Entrants: []int{s.list[pair[0]].number}}
		if pair[1] >= 0 {
			p.Entrants = s.seats(len(next), pair[0], pair[1])
		}
		next = append(next, p)
	}
	return next
}

func swissRounds(h *History) int {
	n := h.starters()
	if h.Rounds > 0 || n < 2 {
		return h.Rounds
	}
	rounds := bits.Len(uint(n-1)) + 1
	switch {
	case h.Size == 2:
		rounds = min(rounds, n-1+n%2)
	case !h.Earlier:
		rounds = min(rounds, (n-1+h.Size-2)/(h.Size-1)) // rounded up
	}
	return rounds
}

// swissRound is the pairing of one round.
type swissRound struct {
	list    []swissEntrant // in the order of points, then of seeds
	met     encounters
	uneven  bool // the number of legs: seats matter
	opening bool // nobody has played
}

type swissEntrant struct {
	number     int
	units      int // points in halves
	group      int // of those with the same points, from 0 at the top
	place      int // in its group
	size       int // of its group
	freePoints int // how often it had the points of a pairing without playing
	sides      sides
}

func newSwissRound(h *History, list []int) *swissRound {
	points, free, seats := h.points(), h.freePoints(), h.sides()
	slices.SortStableFunc(list, func(a, b int) int {
		switch {
		case points[a] > points[b]:
			return -1
		case points[a] < points[b]:
			return 1
		}
		return 0
	})
	s := &swissRound{met: h.encounters(), uneven: h.Legs%2 == 1, opening: len(h.Pairings) == 0}
	for i, n := range list {
		e := swissEntrant{number: n, units: int(math.Round(2 * points[n])), freePoints: free[n], sides: seats[n]}
		if i > 0 {
			e.group = s.list[i-1].group
			if e.units < s.list[i-1].units {
				e.group++
			} else {
				e.place = s.list[i-1].place + 1
			}
		}
		s.list = append(s.list, e)
	}
	for i := len(s.list) - 1; i >= 0; i-- {
		e := &s.list[i]
		e.size = e.place + 1
		if i+1 < len(s.list) && s.list[i+1].group == e.group {
			e.size = s.list[i+1].size
		}
	}
	return s
}

// freePoints returns how often each entrant had a bye, or all points of a pairing by walkover.
func (h *History) freePoints() []int {
	list := make([]int, len(h.Entrants))
	for i := range h.Pairings {
		p := &h.Pairings[i]
		for j, n := range p.Entrants {
			if p.Bye() || p.Unplayed() && h.Total(p)[j] > h.Worth()-1e-6 {
				list[n]++
			}
		}
	}
	return list
}

// pairs returns the pairs of places in list, those with the most points first, and the
// bye last, with -1.
func (s *swissRound) pairs() [][2]int {
	var pairs [][2]int
	n := len(s.list)
	if s.opening && n > maxMatching { // the parts would have halves of their own
		for i := range n / 2 {
			pairs = append(pairs, [2]int{i, i + n/2})
		}
		if n%2 == 1 {
			pairs = append(pairs, [2]int{n - 1, -1})
		}
		return pairs
	}
	for from := 0; from < n; {
		size := n - from
		if size > maxMatching {
			size = maxMatching
			if n-from < 2*maxMatching {
				size = (n - from) / 4 * 2
			}
		}
		pairs = append(pairs, s.match(from, size)...)
		from += size
	}
	slices.SortStableFunc(pairs, func(x, y [2]int) int {
		if x[1] < 0 || y[1] < 0 {
			return y[1] - x[1]
		}
		a, b, c, d := s.list[x[0]].units, s.list[x[1]].units, s.list[y[0]].units, s.list[y[1]].units
		if a != c {
			return c - a
		}
		if b != d {
			return d - b
		}
		return x[0] - y[0]
	})
	return pairs
}

// match pairs the entrants from a place on.
func (s *swissRound) match(from, size int) [][2]int {
	vertices := size + size%2 // the last one is the bye
	cost := func(a, b int) matching.Weight {
		if b == size {
			return s.bye(from + a)
		}
		return s.cost(from+a, from+b)
	}
	likely := func(v int) []int {
		if v >= size {
			return []int{0, size - 1}
		}
		e := &s.list[from+v]
		start := v - e.place
		ideal := start + (e.place+e.size/2)%e.size
		var list []int
		for d := -4; d <= 4; d++ {
			for _, w := range []int{ideal + d, v + d} {
				if w >= 0 && w < size && w != v {
					list = append(list, w)
				}
			}
		}
		return list
	}
	var pairs [][2]int
	for a, b := range matching.Perfect(vertices, cost, likely) {
		switch {
		case a > b:
		case b == size:
			pairs = append(pairs, [2]int{from + a, -1})
		default:
			pairs = append(pairs, [2]int{from + a, from + b})
		}
	}
	return pairs
}

// The first number of a cost: first what must be avoided, then what the bye costs.
const (
	costRepeat = 1 << 32
	costSeats  = 1 << 20
)

// cost returns what the pairing of two places costs, the better one first. The first
// number is for rules 2, 6 and 7, the second one for 5 and then 8, and the third one
// for the halves.
func (s *swissRound) cost(i, j int) matching.Weight {
	a, b := &s.list[i], &s.list[j]
	var c matching.Weight
	c[0] = costRepeat * int64(min(s.met[pairKey(a.number, b.number)], 1<<16))
	difference := int64(min(a.units-b.units, 1<<14))
	c[1] = difference * difference << 12
	if s.uneven {
		want, strong := a.sides.wants()
		other, otherStrong := b.sides.wants()
		if want != 0 && want == other {
			c[1]++
			if strong > 0 && otherStrong > 0 {
				c[1]++
			}
			if strong == 2 && otherStrong == 2 {
				c[0] += costSeats
			}
		}
	}
	if a.group == b.group {
		off := int64(b.place - a.place - a.size/2)
		c[2] = off * off
	} else { // the last one of a group moves down, the first one moves up
		low, high := int64(a.size-1-a.place), int64(b.place)
		c[2] = low*low + high*high
	}
	return c
}

// bye returns what a bye costs.
func (s *swissRound) bye(i int) matching.Weight {
	e := &s.list[i]
	from := s.list[len(s.list)-1].group
	return matching.Weight{costRepeat*int64(min(e.freePoints, 1<<16)) + int64(from-e.group), 0, int64(len(s.list) - i)}
}

// wants returns the side that an entrant should have, 0 for any, and how strongly:
// 2 if the other side would break rule 6 or 7, 1 if it had the other one more often.
func (s sides) wants() (side, strength int) {
	switch {
	case s.streak >= 2 || s.balance >= 2 || s.balance <= -2:
		side, strength = -s.last, 2
		if s.balance >= 2 {
			side = -1
		} else if s.balance <= -2 {
			side = +1
		}
	case s.balance != 0:
		side, strength = 1, 1
		if s.balance > 0 {
			side = -1
		}
	default:
		side = -s.last
	}
	return side, strength
}

// seats returns two entrants in the order of their seats: the one with the stronger
// claim gets the seat that it should have; between equal claims, the one that had the
// larger share, and then the one with more points or the better seed. If nobody has a
// claim, the better one has the first seat in every other slot.
func (s *swissRound) seats(slot, i, j int) []int {
	a, b := &s.list[i], &s.list[j]
	side, strength := a.sides.wants()
	other, otherStrength := b.sides.wants()
	claim := func(side, strength int, x sides) int {
		if side == 0 {
			return 0
		}
		return 1 + strength<<20 + max(x.balance, -x.balance)<<4 + min(x.streak, 15)
	}
	if claim(other, otherStrength, b.sides) > claim(side, strength, a.sides) {
		side = -other
	}
	if side == 0 {
		side = 1 - slot%2*2
	}
	if side > 0 {
		return []int{a.number, b.number}
	}
	return []int{b.number, a.number}
}
