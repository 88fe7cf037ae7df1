//go:build go1.21

package main

import (
	"strconv"
	"strings"

	"colosseum/sdk"
)

// bot follows a match from the lines that its seat receives.
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
				token = choose(b, &position, own, n, legal)
				b.Write(strconv.Itoa(token))
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

// choose returns the token to move at the level that the match asks for.
func choose(b *sdk.Bot, position *board, side, n int, legal []int) int {
	if b.Choice("bot") == "random" {
		return legal[b.Rand(len(legal))]
	}
	if len(legal) == 1 {
		return legal[0]
	}
	// A function around the method, because a script has no method values.
	return search(position, side, n, maxDepth, func() bool { return b.Thinking() })
}

// maxDepth is how many rolls ahead the bot looks when it has the time.
const maxDepth = 4

// victory is the value of a won game; every other position is worth less.
const victory = 20000.0

// search returns the best token for a roll by expectimax, one roll deeper at
// a time until depth, or until thinking says no. At least one token may move.
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

// expectimax is one search. Values are from the view of the named side.
type expectimax struct {
	thinking  func() bool
	positions int
	stopped   bool // out of time: values since then mean nothing
}

// Chances of n heads among four coins, in sixteenths.
var chances = [5]float64{1, 4, 6, 4, 1}

// roll is the value of a position in which a side is about to roll, looking
// at depth rolls.
func (x *expectimax) roll(b *board, side, depth int) float64 {
	if depth == 0 {
		return evaluate(b, side)
	}
	sum := 0.0
	for n := 0; n < len(chances); n++ {
		_, value := x.move(b, side, n, depth-1)
		sum += chances[n] * value
	}
	return sum / 16
}

// move returns the best token for a roll and its value, looking at depth more
// rolls; the token is -1 when none may move.
func (x *expectimax) move(b *board, side, n, depth int) (int, float64) {
	best, token := 0.0, -1
	var next board    // inside the loop it would not stay on the stack
	seen := uint16(0) // bit p: a token on place p has been tried; two at the start are the same
	for i := 0; i < tokens; i++ {
		place := bit(int(b.at[side][i]))
		if seen&place != 0 || !b.may(side, i, n) {
			continue
		}
		seen |= place
		x.positions++
		// The first positions are free, so depth 0 always ends.
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
			value = victory
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

// worth is the value of a token on each place, and tempo that of being the one
// who rolls next, in thousandths of the log-odds of winning. They were fitted
// by temporal-difference learning over 150,000 games of the bot, at its
// shallowest depth, against itself. Cells 5 to 7 are worth little because of
// the danger of being captured there, the middle rosette much.
var worth = [home + 1]int{0, 83, 113, 140, 108, 142, 156, 194, 386, 294, 332, 390, 468, 568, 510, 609}

const tempo = 67

// evaluate is the lead of a side that is about to roll.
func evaluate(b *board, side int) float64 {
	lead := tempo
	for i := 0; i < tokens; i++ {
		lead += worth[b.at[side][i]] - worth[b.at[1-side][i]]
	}
	return float64(lead)
}
