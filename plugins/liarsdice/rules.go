//go:build go1.21

package main

import (
	"sort"
	"strconv"
)

const faces = 6

// liar is the line that challenges a bid.
const liar = "LIAR"

// bid says that at least count of all dice show face. The zero value is no bid.
type bid struct{ count, face int }

// line returns a bid as players send it.
func (b bid) line() string { return strconv.Itoa(b.count) + " " + strconv.Itoa(b.face) }

// rank puts the bids in order: each bid must have a higher rank than the one before it.
// More dice are higher than fewer, and for the same number a higher face. Wild ones are
// half as frequent as other faces, so n of them are just above 2n sixes: after a bid of n
// on another face, a bid on ones needs n/2, rounded up, and after n ones a bid on another
// face needs 2n+1.
//
// Source: Perudo, https://en.doc.boardgamearena.com/Gamehelpperudo.
func rank(b bid, wild bool) int {
	if wild && b.face == 1 {
		return 8*2*b.count + faces + 1
	}
	return 8*b.count + b.face
}

// higher returns the bids that can follow last, by count and face, if there are total dice.
// No round begins with a bid on wild ones.
func higher(last bid, total int, wild bool) []bid {
	var list []bid
	for count := 1; count <= total; count++ {
		for face := 1; face <= faces; face++ {
			b := bid{count, face}
			opensWithOnes := wild && face == 1 && last.count == 0
			if rank(b, wild) > rank(last, wild) && !opensWithOnes {
				list = append(list, b)
			}
		}
	}
	return list
}

// matching returns how many dice of a hand count for a face.
func matching(hand []int, face int, wild bool) int {
	n := 0
	for _, die := range hand {
		if die == face || wild && die == 1 {
			n++
		}
	}
	return n
}

// table is a position.
type table struct {
	wild   bool
	dice   []int   // by seat: the number of its dice; 0: it is out
	hands  [][]int // by seat: the faces of its dice in this round, in order
	turn   int     // the seat that bids or challenges
	bid    bid     // the last one of the round
	bidder int     // of the last bid
}

func newTable(players, dice int, wild bool) *table {
	t := &table{wild: wild, dice: make([]int, players), hands: make([][]int, players)}
	for seat := range t.dice {
		t.dice[seat] = dice
	}
	return t
}

// roll begins a round: all dice are rolled, and there is no bid.
func (t *table) roll(rand func(n int) int) {
	t.bid = bid{}
	for seat, dice := range t.dice {
		hand := make([]int, dice)
		for i := range hand {
			hand[i] = 1 + rand(faces)
		}
		sort.Ints(hand)
		t.hands[seat] = hand
	}
}

// total returns the number of all dice.
func (t *table) total() int {
	sum := 0
	for _, dice := range t.dice {
		sum += dice
	}
	return sum
}

// left returns the number of seats that have dice.
func (t *table) left() int {
	n := 0
	for _, dice := range t.dice {
		if dice > 0 {
			n++
		}
	}
	return n
}

// next returns the seat with dice that follows a seat.
func (t *table) next(seat int) int {
	for i := 1; i < len(t.dice); i++ {
		if other := (seat + i) % len(t.dice); t.dice[other] > 0 {
			return other
		}
	}
	return seat
}

// raise is a bid of the seat whose turn it is.
func (t *table) raise(b bid) {
	t.bid, t.bidder = b, t.turn
	t.turn = t.next(t.turn)
}

// challenge is that of the seat whose turn it is. It returns how many dice count for the
// bid, and the seat that loses a die: the bidder if they are fewer than the bid, otherwise
// the challenger. The loser begins the next round, or the seat after it if it is out.
func (t *table) challenge() (count, loser int) {
	for _, hand := range t.hands {
		count += matching(hand, t.bid.face, t.wild)
	}
	loser = t.turn
	if count < t.bid.count {
		loser = t.bidder
	}
	t.dice[loser]--
	t.turn = loser
	if t.dice[loser] == 0 {
		t.turn = t.next(loser)
	}
	return count, loser
}

// remove takes a seat out with its dice. If it was its turn, the next seat begins the next
// round.
func (t *table) remove(seat int) {
	t.dice[seat] = 0
	if t.turn == seat {
		t.turn = t.next(seat)
	}
}
