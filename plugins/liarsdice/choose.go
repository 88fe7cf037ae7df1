//go:build go1.21

package main

import (
	"fmt"
	"math"
)

// A style is how a level plays.
type style struct {
	careless int     // how many of 100 lines are drawn by lot
	trust    float64 // how much more often a seat is expected to have a face for each bid on it
	foresees bool    // it expects the next seat to challenge only what that seat doubts
	lots     float64 // the difference of loss at which an option is drawn e times less often
}

func styleOf(level string) style {
	switch level {
	case "strong":
		return style{trust: 2.2, foresees: true, lots: 0.01}
	case "medium":
		return style{trust: 1, careless: 4, lots: 0.01}
	case "easy":
		return style{trust: 1, careless: 20, lots: 0.1}
	case "beginner":
		return style{trust: 1, careless: 45, lots: 0.1}
	}
	return style{trust: 1, careless: 100, lots: 0.1}
}

// What a level that foresees expects. The figures are those with which it won most matches
// against the medium level.
const (
	trustLimit = 3.0 // of the weight of a face after several bids on it
	doubtScale = 4.0 // how steeply doubts grow as a bid becomes less likely
)

// laterLoss has the chance that a seat loses a die later in the round, after a bid that is
// not challenged, by the number of seats with dice.
var laterLoss = [7]float64{0, 0, 0.3, 0.3, 0.2, 0.17, 0.15}

// An option is a line that a seat can send.
type option struct {
	bid  bid     // no bid: a challenge
	loss float64 // the chance that the seat loses a die
}

// choose returns the line of a seat at a level, and a note about it. Of options that are
// almost as good one is drawn by lot, so that the others cannot read the dice from a bid.
func choose(level string, v *view, rand func(n int) int) (line, note string) {
	bids := higher(v.bid, v.total(), v.wild)
	s := styleOf(level)
	if s.careless > 0 && rand(100) < s.careless {
		all := lines(bids, v.bid.count > 0)
		return all[rand(len(all))], "drawn by lot"
	}
	o := draw(v.options(bids, s), s.lots, rand)
	note = fmt.Sprintf("loses a die with %.0f %%", math.Max(0, 100*o.loss))
	if o.bid.count == 0 {
		return liar, note
	}
	return o.bid.line(), note
}

// draw draws one of some options by lot. Each lots of loss more make it e times less likely.
func draw(options []option, lots float64, rand func(n int) int) option {
	least := 1.0
	for _, o := range options {
		least = math.Min(least, o.loss)
	}
	sum := 0.0
	weights := make([]float64, len(options))
	for i, o := range options {
		weights[i] = math.Exp((least - o.loss) / lots)
		sum += weights[i]
	}
	const fine = 1 << 30
	at := float64(rand(fine)) / fine * sum
	for i, weight := range weights {
		if at -= weight; at < 0 {
			return options[i]
		}
	}
	return options[0]
}

// options returns all options of the seat that is asked.
func (v *view) options(bids []bid, s style) []option {
	var list []option
	if v.bid.count > 0 {
		last := v.look(v.bid.face, s)
		list = append(list, option{loss: last.truth(v.bid.count)})
	}
	looks := make([]*outlook, faces+1)
	for _, b := range bids {
		if looks[b.face] == nil {
			looks[b.face] = v.look(b.face, s)
		}
		list = append(list, option{b, looks[b.face].loss(b.count)})
	}
	return list
}

// outlook is what a seat expects of bids on one face.
type outlook struct {
	own    int     // its own matching dice
	next   spread  // those of the next seat
	others spread  // those of the seats other than these two
	unseen spread  // all but those of the next seat, as that seat expects them
	later  float64 // the chance to lose a die after a bid that is not challenged; -1: it is always challenged
}

func (v *view) look(face int, s style) *outlook {
	o := &outlook{own: matching(v.hand, face, v.wild), next: certain(), others: certain(), later: -1}
	next, active := v.next(), 0
	for seat, dice := range v.dice {
		if dice > 0 {
			active++
		}
		chance := v.chance(face, v.said[seat], s)
		if seat == next {
			o.next = o.next.with(dice, chance)
		} else if seat != v.me {
			o.others = o.others.with(dice, chance)
		}
	}
	if s.foresees {
		said := append([]bid{}, v.said[v.me]...)
		said = append(said, bid{1, face})
		o.unseen = o.others.with(v.dice[v.me], v.chance(face, said, s))
		o.later = laterLoss[active]
	}
	return o
}

// truth returns the chance that at least count dice match.
func (o *outlook) truth(count int) float64 {
	sum := 0.0
	for k, p := range o.next {
		sum += p * o.others.atLeast(count-o.own-k)
	}
	return sum
}

// loss returns the chance to lose a die by a bid.
func (o *outlook) loss(count int) float64 {
	if o.later < 0 {
		return 1 - o.truth(count)
	}
	sum := 0.0
	for k, p := range o.next { // the next seat has k matching dice
		believed := o.unseen.atLeast(count - k)
		challenged := 1 / (1 + math.Exp(doubtScale*(believed-0.5)))
		sum += p * (challenged*(1-o.others.atLeast(count-o.own-k)) + (1-challenged)*o.later)
	}
	return sum
}

// chance returns the chance that a die of a seat matches a face, after the seat's bids: each
// bid makes its face more likely.
func (v *view) chance(face int, said []bid, s style) float64 {
	weights := make([]float64, faces+1)
	for f := range weights {
		weights[f] = 1
	}
	for _, b := range said {
		weights[b.face] = math.Min(trustLimit, s.trust*weights[b.face])
	}
	sum := 0.0
	for f := 1; f <= faces; f++ {
		sum += weights[f]
	}
	if v.wild && face != 1 {
		return (weights[face] + weights[1]) / sum
	}
	return weights[face] / sum
}
