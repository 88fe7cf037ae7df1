//go:build go1.21

package main

import (
	"math/bits"
	"strconv"
)

// operations has the operation of each square, by the square's number from 1 at
// the top left. Squares n and 33-n have the same operation.
const operations = "*/-+" +
	"/*+-" +
	"-+*/" +
	"+-/*" +
	"*/-+" +
	"/*+-" +
	"-+*/" +
	"+-/*"

// chipSet has the values of the first player's chips on squares 21 to 32. The second
// player's chip on square 33-n has the value of the chip on square n.
type chipSet struct {
	name   string
	scale  int // tenths in the unit of values
	values [12]int
}

var (
	countingChips = [12]int{10, 7, 2, 5, 1, 4, 11, 8, 12, 9, 6, 3}
	integerChips  = [12]int{-9, 6, -1, 4, 0, -3, 10, -7, -11, 8, -5, 2}
)

var chipSets = []chipSet{
	{"whole", 10, [12]int{9, 6, 1, 4, 0, 3, 10, 7, 11, 8, 5, 2}},
	{"counting", 10, countingChips},
	{"integer", 10, integerChips},
	{"fraction", 1, countingChips},
	{"rational", 1, integerChips},
}

func chipSetNames() []string {
	var names []string
	for i := range chipSets {
		names = append(names, chipSets[i].name)
	}
	return names
}

// Points are exact, in units of 1/138600. The value of a chip is a number of tenths,
// the product of two is a number of hundredths, and the quotient of two has a
// divisor of at most 12, because the tenths cancel. 138600 is the least common
// multiple of 100 and of 1 to 12.
type Points int64

const (
	onePoint     Points = 138600
	tenthPoint          = onePoint / 10
	hundredPoint        = onePoint / 100 // a tenth of a tenth
)

// pointsText writes points as a whole number, 5 or -12, or as a fraction in
// lowest terms, 3/10 or -7/4.
func pointsText(p Points) string {
	divisor, rest := onePoint, p
	for rest != 0 { // Euclid's algorithm
		divisor, rest = rest, divisor%rest
	}
	if divisor < 0 {
		divisor = -divisor
	}
	text := strconv.FormatInt(int64(p/divisor), 10)
	if divisor == onePoint {
		return text
	}
	return text + "/" + strconv.FormatInt(int64(onePoint/divisor), 10)
}

// operate returns the score of one jump: taker (operation) taken, both in tenths. A
// division by zero scores 0.
func operate(operation byte, taker, taken int) Points {
	a, b := Points(taker), Points(taken)
	switch {
	case operation == '+':
		return (a + b) * tenthPoint
	case operation == '-':
		return (a - b) * tenthPoint
	case operation == '*':
		return a * b * hundredPoint
	case b == 0:
		return 0
	default:
		return a * onePoint / b
	}
}

// chipBoard is a position of damath with the values of the chips and the points
// scored.
type chipBoard struct {
	pos    Position
	values []int     // by square, in tenths, where there is a chip
	scored [2]Points // by side, from captures
}

// newChipBoard returns a board with a set of chips. Position can have fewer chips.
func newChipBoard(name string, position Position) chipBoard {
	b := chipBoard{pos: position, values: make([]int, 64)}
	for i := range chipSets {
		for n := 21; n <= 32 && chipSets[i].name == name; n++ {
			value := chipSets[i].values[n-21] * chipSets[i].scale
			b.values[damathSquare(n)] = value
			b.values[damathSquare(33-n)] = value
		}
	}
	return b
}

// play makes a legal move.
func (b *chipBoard) play(m *Move) {
	if m.Taken != 0 {
		b.scored[b.pos.Turn] += worth(&b.pos, b.values, m)
	}
	b.values[m.Path[m.Len-1]] = b.values[m.Path[0]]
	b.pos.Play(m)
}

// worth returns the score of a move.
func worth(p *Position, values []int, m *Move) Points {
	if m.Taken == 0 {
		return 0
	}
	total := Points(0)
	taker := values[m.From()]
	for i := 1; i < int(m.Len); i++ {
		from, to := int(m.Path[i-1]), int(m.Path[i])
		victim := jumped(m.Taken, from, to)
		points := operate(operationOn[to], taker, values[victim])
		if p.Kings>>uint(m.From())&1 != 0 {
			points *= 2
		}
		if p.Kings>>uint(victim)&1 != 0 {
			points *= 2
		}
		total += points
	}
	return total
}

// jumped returns the square of the piece that is taken between two landings.
func jumped(taken uint64, from, to int) int {
	d := upRight
	if colOf(to) < colOf(from) {
		d = upLeft
	}
	if rowOf(to) < rowOf(from) {
		d -= upLeft + upRight // down along the other diagonal
	}
	square := from + d
	for taken>>uint(square)&1 == 0 {
		square += d
	}
	return square
}

// total returns the points of a side if the match ends here: those of its captures
// and of the chips it has left.
func (b *chipBoard) total(side, damaLeft int) Points {
	return b.scored[side] + valueLeft(&b.pos, b.values, side, damaLeft)
}

// valueLeft returns the value of a side's chips on the board. A dama counts damaLeft
// times.
func valueLeft(p *Position, values []int, side, damaLeft int) Points {
	tenths := 0
	for chips := p.Pieces[side]; chips != 0; chips &= chips - 1 {
		square := bits.TrailingZeros64(chips)
		if p.Kings>>uint(square)&1 != 0 {
			tenths += damaLeft * values[square]
		} else {
			tenths += values[square]
		}
	}
	return Points(tenths) * tenthPoint
}

// average returns the mean of the chips' values. Negative values count as zero.
func (b *chipBoard) average() Points {
	sum, n := 0, 0
	for chips := b.pos.Pieces[White] | b.pos.Pieces[Black]; chips != 0; chips &= chips - 1 {
		if value := b.values[bits.TrailingZeros64(chips)]; value > 0 {
			sum += value
		}
		n++
	}
	return Points(sum) * tenthPoint / Points(n)
}

// operationOn is operations by square.
var operationOn = operationsBySquare()

func operationsBySquare() (on [64]byte) {
	for n := 1; n <= 32; n++ {
		on[damathSquare(n)] = operations[n-1]
	}
	return on
}

// damathSquare returns the square with a number from 1 to 32, from the top left of
// damath's board, which is the mirror image of the others.
func damathSquare(n int) int {
	row := 7 - (n-1)/4
	return squareOf(row, 2*(3-(n-1)%4)+row%2)
}
