package main

import (
	"math"
	"testing"

	"colosseum/internal/test/gamefixture"
	"colosseum/sdk/driver"
)

// opponent chooses a hand, given all hands so far; own has the opponent's hands.
type opponent func(own, bots []int) int

// series plays rounds between the bot at a level and an opponent, and returns the bot's
// points: rounds won less rounds lost.
func series(p *player, rounds int, o opponent) int {
	var own, bots []int
	points := 0
	for range rounds {
		hand, other := p.hand(), o(own, bots)
		points += score(hand, other)
		p.learn(hand, other)
		own, bots = append(own, other), append(bots, hand)
	}
	return points
}

func last(list []int) int {
	if len(list) == 0 {
		return 0
	}
	return list[len(list)-1]
}

// mostCommon returns the hand that is most often in the list.
func mostCommon(list []int) int {
	var n [3]int
	best := 0
	for _, hand := range list {
		if n[hand]++; n[hand] > n[best] {
			best = hand
		}
	}
	return best
}

// mirror is the bot itself at a level, on the other seat.
func mirror(level string, rand func(n int) int) opponent {
	twin := newPlayer(level, rand)
	return func(own, bots []int) int {
		if n := len(own); n > 0 {
			twin.learn(own[n-1], bots[n-1])
		}
		return twin.hand()
	}
}

// oracle knows everything about the strong bot except its lots: it plays the hand that is
// best against the weights of the bot's next hand.
func oracle(p *player) opponent {
	return func(own, bots []int) int {
		weights, _ := p.learner.weights()
		best, most := 0, math.Inf(-1)
		for hand := range 3 {
			value := 0.0
			for other, w := range weights {
				value += w * float64(score(hand, other))
			}
			if value > most {
				best, most = hand, value
			}
		}
		return best
	}
}

// decoy is predictable as long as the bot draws lots, and turns into the oracle when the
// bot is about to follow its predictions.
func decoy(p *player) opponent {
	knowing := oracle(p)
	return func(own, bots []int) int {
		weights, lot := p.learner.weights()
		if weights[0]+weights[1]+weights[2] > lot/4 {
			return knowing(own, bots)
		}
		return len(own) % 3
	}
}

func TestNobodyExploitsTheStrongBot(t *testing.T) {
	t.Parallel()
	const rounds, matches = 1000, 20
	for _, tt := range []struct {
		name  string
		least float64 // mean points in 1000 rounds
		make  func(p *player, rand func(n int) int) opponent
	}{
		{"random", -40, func(_ *player, rand func(int) int) opponent { return func(_, _ []int) int { return rand(3) } }},
		{"constant", 900, func(*player, func(int) int) opponent { return func(_, _ []int) int { return 1 } }},
		{"a cycle", 800, func(*player, func(int) int) opponent { return func(own, _ []int) int { return len(own) % 3 } }},
		{"a long cycle", 500, func(*player, func(int) int) opponent {
			return func(own, _ []int) int { return []int{0, 0, 1, 2, 1, 1, 0, 2, 2, 0}[len(own)%10] }
		}},
		{"copies the bot", 800, func(*player, func(int) int) opponent { return func(_, bots []int) int { return last(bots) } }},
		{"beats the bot's last hand", 800, func(*player, func(int) int) opponent {
			return func(_, bots []int) int { return (last(bots) + 1) % 3 }
		}},
		{"beats the bot's most common hand", 400, func(*player, func(int) int) opponent {
			return func(_, bots []int) int { return (mostCommon(bots) + 1) % 3 }
		}},
		{"changes its mind half of the time", 100, func(_ *player, rand func(int) int) opponent {
			return func(own, _ []int) int {
				if rand(2) == 0 {
					return rand(3)
				}
				return (last(own) + 1) % 3
			}
		}},
		{"the medium bot", 60, func(_ *player, rand func(int) int) opponent { return mirror("medium", rand) }},
		{"itself", -40, func(_ *player, rand func(int) int) opponent { return mirror("strong", rand) }},
		{"a player that knows everything but the lots", -40, func(p *player, _ func(int) int) opponent { return oracle(p) }},
		{"a player that lays traps", -40, func(p *player, _ func(int) int) opponent { return decoy(p) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			sum, squares := 0.0, 0.0
			for seed := range uint64(matches) {
				p := newPlayer("strong", driver.NewRand(seed, 1).Intn)
				points := float64(series(p, rounds, tt.make(p, driver.NewRand(seed, 2).Intn)))
				if p.learner.reserve < 0 {
					t.Errorf("seed %d: the predictions have lost %d points, want at most %d", seed, reserve-p.learner.reserve, reserve)
				}
				sum += points
				squares += points * points
			}
			mean := sum / matches
			deviation := math.Sqrt(max(0, squares/matches-mean*mean))
			t.Logf("%.1f ± %.1f points in %d rounds, standard deviation of a match %.1f", mean, 1.96*deviation/math.Sqrt(matches), rounds, deviation)
			if mean < tt.least {
				t.Errorf("%.1f points in %d rounds, want %v", mean, rounds, tt.least)
			}
		})
	}
}

func levelPoints(seats [2]string, seed uint64) float64 {
	const rounds = 100
	p := newPlayer(seats[0], driver.NewRand(seed, 1).Intn)
	switch points := series(p, rounds, mirror(seats[1], driver.NewRand(seed, 2).Intn)); {
	case points > 0:
		return 1
	case points < 0:
		return 0
	}
	return 0.5
}

// Matches have 100 rounds. Against the random bot every level is even.
func TestEachLevelBeatsTheNext(t *testing.T) {
	t.Parallel()
	gamefixture.CheckGrades(t, []string{"strong", "medium", "easy"}, 400, 0.65, 0.85, levelPoints)
}

func TestGuessIsTheHandWithMostCounts(t *testing.T) {
	rand := driver.NewRand(1, 1).Intn
	l := newLearner(predictors, rand)
	for range 500 {
		l.learn(l.hand(), rand(3))
	}
	for context, guess := range l.guesses {
		want, most := -1, 0.0
		for hand, n := range l.counts[3*context : 3*context+3] {
			if n > most {
				want, most = hand, n
			}
		}
		if int(guess)-1 != want {
			t.Errorf("context %d with counts %v: guess %d, want %d", context, l.counts[3*context:3*context+3], guess-1, want)
		}
	}
}
