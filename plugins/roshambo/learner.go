//go:build go1.21

package main

import "math"

// Hands are numbered as in the variable hands: each number beats the one before it, and 0
// beats 2.

// A predictor counts the hands of a player after each context: the last hands of one
// player or of both.
type predictor struct {
	of    int // the seat's own hands (0) or the opponent's (1)
	kind  int // of context
	order int // rounds of the context
	first int // number of its first context
}

// Kinds of contexts.
const (
	ownHands = iota
	otherHands
	bothHands
)

// longest is the number of rounds of the longest context.
const longest = 4

// predictors has those of the strong bot. Predictions of the own hands are what the
// opponent might expect.
var predictors = allPredictors()

func allPredictors() []predictor {
	var list []predictor
	first := 0
	add := func(of, kind, order, contexts int) {
		list = append(list, predictor{of, kind, order, first})
		first += contexts
	}
	for of := 0; of < 2; of++ {
		add(of, otherHands, 0, 1)
		for order := 1; order <= longest; order++ {
			add(of, ownHands, order, power(3, order))
			add(of, otherHands, order, power(3, order))
		}
		for order := 1; order < longest; order++ {
			add(of, bothHands, order, power(9, order))
		}
	}
	return list
}

// onePredictor is that of the medium bot: the opponent's hands after the last round.
var onePredictor = []predictor{{of: 1, kind: bothHands, order: 1}}

func power(n, exponent int) int {
	p := 1
	for i := 0; i < exponent; i++ {
		p *= n
	}
	return p
}

// How a learner learns and mixes.
const (
	fade     = 0.93 // of the counts of a context, whenever it comes again
	forget   = 0.97 // of the points of the experts, in each round
	trust    = 0.8  // how much a point of an expert adds to the logarithm of its weight
	chance   = 8.0  // points of the expert that draws lots
	reserve  = 8    // points that may be lost by hands that are not drawn by lot
	rotation = 3    // experts of a predictor
)

// learner predicts the opponent's hands. Each predictor has three experts: one plays the
// hand that beats the predicted one, and the others expect that the opponent knows this,
// as in Iocaine Powder (Egnor, 2000). The learner draws the expert that it follows by
// weights that grow exponentially with the experts' points (Hedge: Freund and Schapire,
// 1997). One expert draws lots, and no opponent can beat that one in the long run.
//
// Any prediction can be turned against its author. So a learner follows the others only
// until they have lost reserve points more than they have won: against an opponent that
// knows everything except the lots, it expects to lose at most that in a whole match.
type learner struct {
	rand       func(n int) int
	predictors []predictor
	counts     []float64 // by context, three each
	guesses    []int8    // by context: the hand with most counts, plus 1; 0: it has not come
	points     []float64 // by expert
	advice     []int     // by expert: the hand for the next round; -1: none
	rounds     int
	own, other int // the last hands, as digits to base 3, the last one lowest
	reserve    int // points that experts other than chance can lose
	followed   bool
}

func newLearner(predictors []predictor, rand func(n int) int) *learner {
	contexts := 0
	for _, p := range predictors {
		size := 3
		if p.kind == bothHands {
			size = 9
		}
		contexts = p.first + power(size, p.order)
	}
	l := &learner{rand: rand, predictors: predictors, reserve: reserve}
	l.counts = make([]float64, 3*contexts)
	l.guesses = make([]int8, contexts)
	l.points = make([]float64, rotation*len(predictors))
	l.advice = make([]int, rotation*len(predictors))
	l.advise()
	return l
}

// context returns the number of the present context of a predictor.
func (l *learner) context(p predictor) int {
	size := power(3, p.order)
	switch p.kind {
	case ownHands:
		return p.first + l.own%size
	case otherHands:
		return p.first + l.other%size
	}
	return p.first + l.own%size*size + l.other%size
}

// advise sets the advice of all experts for the next round.
func (l *learner) advise() {
	for i, p := range l.predictors {
		guess := -1
		if l.rounds >= p.order {
			guess = int(l.guesses[l.context(p)]) - 1
		}
		for turn := 0; turn < rotation; turn++ {
			hand := -1
			if guess >= 0 {
				hand = (guess + 1 + turn) % 3
			}
			l.advice[rotation*i+turn] = hand
		}
	}
}

// weights returns the weights of the hands by the experts' advice, and that of chance.
func (l *learner) weights() (hands [3]float64, lot float64) {
	lot = math.Exp(trust * chance)
	if l.reserve <= 0 {
		return hands, lot
	}
	for i, hand := range l.advice {
		if hand >= 0 {
			hands[hand] += math.Exp(trust * l.points[i])
		}
	}
	return hands, lot
}

// hand returns the hand for the next round.
func (l *learner) hand() int {
	weights, lot := l.weights()
	const fine = 1 << 30
	at := float64(l.rand(fine)) / fine * (weights[0] + weights[1] + weights[2] + lot)
	l.followed = true
	for hand, w := range weights {
		if at -= w; at < 0 {
			return hand
		}
	}
	l.followed = false
	return l.rand(3)
}

// learn takes the hands of a round. The own one is what hand returned.
func (l *learner) learn(own, other int) {
	if l.followed {
		l.reserve += score(own, other)
	}
	for i, hand := range l.advice {
		l.points[i] *= forget
		if hand >= 0 {
			l.points[i] += float64(score(hand, other))
		}
	}
	played := [2]int{own, other}
	for _, p := range l.predictors {
		if l.rounds >= p.order {
			context := l.context(p)
			at, guess, most := 3*context, -1, 0.0
			for hand := 0; hand < 3; hand++ {
				n := l.counts[at+hand] * fade
				if hand == played[p.of] {
					n++
				}
				l.counts[at+hand] = n
				if n > most {
					most, guess = n, hand
				}
			}
			l.guesses[context] = int8(guess + 1)
		}
	}
	l.rounds++
	l.own = (3*l.own + own) % 81
	l.other = (3*l.other + other) % 81
	l.advise()
}

// score returns 1 if a hand beats the other, -1 if the other beats it, and otherwise 0.
func score(hand, other int) int { return (hand-other+4)%3 - 1 }
