//go:build go1.21

package main

import (
	"strconv"
	"strings"

	"colosseum/sdk"
)

// bot keeps the board from the lines that its seat receives.
func bot(b *sdk.Bot) error {
	b.Read() // the first player's name
	b.Read() // the second's
	own, err := strconv.Atoi(b.Read())
	if err != nil {
		return err
	}
	var position board
	mover := 0
	for !position.won(0) && !position.won(1) {
		n := strings.Count(b.Read(), "1")
		legal := position.legal(mover, n)
		again := false
		if len(legal) > 0 {
			token := 0
			if mover == own {
				// A script has no method values, so the methods need functions around them. Only
				// the strong bot searches long enough to ask for the time.
				token = choose(b.Choice("bot"), &position, own, n, legal, func(n int) int { return b.Rand(n) }, func() bool { return b.Thinking() })
				if token, err = strconv.Atoi(b.Write(strconv.Itoa(token))); err != nil {
					return nil
				}
			} else if token, err = strconv.Atoi(b.Read()); err != nil {
				return nil // RETIRE
			}
			again = position.move(mover, token, n)
		}
		if !again {
			mover = 1 - mover
		}
	}
	return nil
}

// choose returns the token to move at a level. The bots below strong do not look at
// the next roll and draw some of their tokens by lot.
func choose(level string, position *board, side, n int, legal []int, rand func(n int) int, thinking func() bool) int {
	if level == "random" {
		return legal[rand(len(legal))]
	}
	if len(legal) == 1 {
		return legal[0]
	}
	depth, careless := maxDepth, 0 // careless is how many of 100 tokens are drawn by lot
	switch level {
	case "medium":
		depth, careless = 1, 12
	case "easy":
		depth, careless = 1, 30
	case "beginner":
		depth, careless = 1, 60
	case "newcomer":
		depth, careless = 1, 80
	}
	if careless > 0 && rand(100) < careless {
		return legal[rand(len(legal))]
	}
	return search(position, side, n, depth, thinking)
}

// maxDepth is how many rolls the bot looks ahead at most.
const maxDepth = 8

// victory is the value of a won game. All other positions have a lower value.
const victory = 20000.0

// search returns the best token for a roll by expectimax search with iterative
// deepening, until depth is reached or thinking returns false. There must be a legal
// token.
func search(position *board, side, n, depth int, thinking func() bool) int {
	x := expectimax{thinking: thinking}
	token := -1
	for d := 0; d < depth; d++ {
		found, _ := x.move(position, side, n, d)
		if x.stopped {
			break
		}
		token = found
	}
	return token
}

// expectimax is one search. Values are from the view of the side in the parameters.
type expectimax struct {
	thinking  func() bool
	results   bool // values are expected results, from -1 to 1, and not log-odds
	positions int
	stopped   bool // out of time: values are no longer valid
}

// chances has the probability of n heads of four coins, in sixteenths.
var chances = [5]float64{1, 4, 6, 4, 1}

// roll returns the value of a position in which a side is about to roll, at a depth in
// rolls.
func (x *expectimax) roll(b *board, side, depth int) float64 {
	if depth == 0 {
		return x.leaf(evaluate(b, side))
	}
	sum := 0.0
	for n := 0; n < len(chances); n++ {
		_, value := x.move(b, side, n, depth-1)
		sum += chances[n] * value
	}
	return sum / 16
}

// move returns the best token for a roll and its value, at a depth in further rolls.
// The token is -1 if none can move.
func (x *expectimax) move(b *board, side, n, depth int) (int, float64) {
	best, token := 0.0, -1
	var next board           // declared inside the loop, it would escape to the heap
	seen := b.stuck(side, n) // and places of the tokens tried: tokens on the same place are equal
	for i := 0; i < tokens; i++ {
		place := uint32(1) << b.at[side][i]
		if seen&place != 0 {
			continue
		}
		seen |= place
		x.positions++
		// The check is rarer than the positions at depth 0, so that depth always ends.
		if x.positions%256 == 0 && !x.stopped {
			x.stopped = !x.thinking()
		}
		if x.stopped {
			return i, 0
		}
		next = *b
		value := 0.0
		if next.move(side, i, n) {
			value = x.roll(&next, side, depth)
		} else if next.won(side) {
			value = x.leaf(victory)
		} else {
			value = -x.roll(&next, 1-side, depth)
		}
		if token < 0 || value > best {
			best, token = value, i
		}
	}
	if token < 0 {
		return -1, -x.roll(b, 1-side, depth)
	}
	return token, best
}

// worth has the value of a token on each place, and tempo is the value of rolling
// next, in thousandths of the log-odds of winning. They were fitted by
// temporal-difference learning over 150,000 games of the bot, at depth 0, against
// itself. Cells 5 to 7 have low values because a token can be captured there, the
// middle rosette a high one.
var worth = [home + 1]int{0, 83, 113, 140, 108, 142, 156, 194, 386, 294, 332, 390, 468, 568, 510, 609}

const tempo = 67

// evaluate returns the lead of a side that is about to roll.
func evaluate(b *board, side int) float64 {
	lead := tempo
	for i := 0; i < tokens; i++ {
		lead += worth[b.at[side][i]] - worth[b.at[1-side][i]]
	}
	return float64(lead)
}
