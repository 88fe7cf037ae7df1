//go:build go1.21

package main

import "colosseum/sdk"

func bot(b *sdk.Bot) error {
	b.Read() // its own name
	b.Read() // the opponent's
	b.Read() // the number of rounds
	// A script has no method values, so the method needs a function around it.
	p := newPlayer(b.Choice("bot"), func(n int) int { return b.Rand(n) })
	for {
		own := p.hand()
		own = number(b.Write(hands[own]))
		other := number(b.Read())
		if other < 0 {
			return nil // RETIRE
		}
		p.learn(own, other)
	}
}

// player is the bot at a level.
type player struct {
	level   string
	rand    func(n int) int
	learner *learner // of strong and medium
	last    int      // the opponent's last hand; -1 at the start
}

func newPlayer(level string, rand func(n int) int) *player {
	p := &player{level: level, rand: rand, last: -1}
	switch level {
	case "strong":
		p.learner = newLearner(predictors, rand)
	case "medium":
		p.learner = newLearner(onePredictor, rand)
	}
	return p
}

// How many of 100 hands are not drawn by lot: the medium bot then follows its predictor,
// the easy one repeats the opponent's last hand.
const (
	mediumSkill = 30
	easyHabit   = 38
)

// hand returns the hand for the next round.
func (p *player) hand() int {
	switch {
	case p.level == "strong":
		return p.learner.hand()
	case p.level == "medium" && p.learner.advice[0] >= 0 && p.rand(100) < mediumSkill:
		return p.learner.advice[0]
	case p.level == "easy" && p.last >= 0 && p.rand(100) < easyHabit:
		return p.last
	}
	return p.rand(3)
}

// learn takes the hands of a round.
func (p *player) learn(own, other int) {
	p.last = other
	if p.learner != nil {
		p.learner.learn(own, other)
	}
}

// number returns the number of a hand, or -1.
func number(name string) int {
	for i, hand := range hands {
		if hand == name {
			return i
		}
	}
	return -1
}
