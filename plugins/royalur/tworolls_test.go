package main

import (
	"math"
	"testing"

	"colosseum/internal/test/gamefixture"
	"colosseum/internal/test/long"
	"colosseum/sdk/driver"
)

// twoRolls is a player that looks two rolls ahead by plain expectimax search, with an
// estimate of its own, or that of the bot.
type twoRolls struct {
	name   string
	middle float64 // worth of a token on the middle rosette, in cells
	danger float64 // loss for each cell of a token that one enemy token can reach by a roll
	fitted bool    // it has the estimate of the bot instead
}

func (p twoRolls) estimate(b *board, side int) float64 {
	if p.fitted {
		return evaluate(b, side)
	}
	lead := 0.0
	for s, sign := range []float64{1, -1} {
		s ^= side
		for _, at := range b.at[s] {
			lead += sign * float64(at)
			if at == middle {
				lead += sign * p.middle
			}
			if at >= firstShared && at <= lastShared && at != middle {
				for n := 1; n <= 4; n++ {
					if b.occupied[1-s]&bit(int(at)-n) != 0 {
						lead -= sign * p.danger * chances[n] / 16 * float64(at)
					}
				}
			}
		}
	}
	return lead
}

// move returns the best token for a roll, or -1, and its value after further rolls.
func (p twoRolls) move(b *board, side, n, rolls int) (int, float64) {
	best, token := math.Inf(-1), -1
	for _, i := range b.legal(side, n) {
		next, value := *b, victory
		if again := next.move(side, i, n); again {
			value = p.roll(&next, side, rolls)
		} else if !next.won(side) {
			value = -p.roll(&next, 1-side, rolls)
		}
		if value > best {
			best, token = value, i
		}
	}
	if token < 0 {
		return -1, -p.roll(b, 1-side, rolls)
	}
	return token, best
}

func (p twoRolls) roll(b *board, side, rolls int) float64 {
	if rolls == 0 {
		return p.estimate(b, side)
	}
	sum := 0.0
	for n, chance := range chances {
		_, value := p.move(b, side, n, rolls-1)
		sum += chance / 16 * value
	}
	return sum
}

// toss returns the number of heads of four coins.
func toss(r *driver.Rand) int { return r.Intn(2) + r.Intn(2) + r.Intn(2) + r.Intn(2) }

func TestStrongBotBeatsPlayersThatLookTwoRollsAhead(t *testing.T) {
	t.Parallel()
	matches, measured := gamefixture.Matches(40), gamefixture.Matches(0) > 0
	if !long.Run() && !measured {
		matches = 20
	}
	for _, p := range []twoRolls{
		{name: "progress"},
		{name: "progress and the middle rosette", middle: 4},
		{name: "progress, the middle rosette and danger", middle: 4, danger: 1},
		{name: "the estimate of the bot", fitted: true},
	} {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			wins := 0
			for seed := range uint64(matches) {
				r := driver.NewRand(seed/2, 0) // twice the same tosses, with the seats swapped
				strong := int(seed % 2)
				var b board
				for side := 0; !b.won(0) && !b.won(1); {
					n := toss(r)
					legal := b.legal(side, n)
					if len(legal) == 0 {
						side = 1 - side
						continue
					}
					token := 0
					if side == strong {
						token = choose("strong", &b, side, n, legal, nil, gamefixture.Thoughts(10))
					} else {
						token, _ = p.move(&b, side, n, 2)
					}
					if !b.move(side, token, n) {
						side = 1 - side
					}
				}
				if b.won(strong) {
					wins++
				}
			}
			t.Log(gamefixture.Share(float64(wins), matches))
			least := matches * 22 / 40
			if p.fitted { // as far as it looks, it plays as well as the bot
				least = matches * 16 / 40
			}
			if wins < least && !measured {
				t.Errorf("the strong bot won %d of %d matches, want %d", wins, matches, least)
			}
		})
	}
}
