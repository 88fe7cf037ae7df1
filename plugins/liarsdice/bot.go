//go:build go1.21

package main

import (
	"strconv"
	"strings"

	"colosseum/sdk"
)

// bot plays by the lines that its seat receives.
func bot(b *sdk.Bot) error {
	v := newView(b.Players(), b.Choice("wild") == "yes")
	for {
		if !v.read(b.Read()) {
			continue
		}
		line, note := choose(b.Choice("bot"), v, func(n int) int { return b.Rand(n) })
		b.Note(note)
		b.Write(line)
	}
}

// view is what a seat knows of a round.
type view struct {
	me   int
	wild bool
	dice []int   // by seat
	hand []int   // its own dice
	bid  bid     // the last one
	said [][]bid // by seat: its bids
}

func newView(players int, wild bool) *view {
	return &view{wild: wild, dice: make([]int, players), said: make([][]bid, players)}
}

// read takes a line and reports whether the seat is asked for one.
func (v *view) read(line string) bool {
	fields := strings.Fields(line)
	if len(fields) < 2 || fields[0] == "GAME" || fields[0] == "PLAYER" {
		return false
	}
	var list []int
	for _, field := range fields[1:] {
		n, _ := strconv.Atoi(field)
		list = append(list, n)
	}
	switch fields[0] {
	case "YOU":
		v.me = list[0]
	case "ROUND":
		v.begin(list[1:])
	case "DICE":
		v.hand = list[1:]
	case "BID":
		v.hear(list[0], bid{list[1], list[2]})
	case "TURN":
		return list[0] == v.me
	}
	return false
}

// begin begins a round with these numbers of dice.
func (v *view) begin(dice []int) {
	v.dice = append([]int{}, dice...)
	v.bid = bid{}
	v.said = make([][]bid, len(dice))
}

// hear takes a bid of a seat.
func (v *view) hear(seat int, b bid) {
	v.bid = b
	v.said[seat] = append(v.said[seat], b)
}

func (v *view) total() int {
	sum := 0
	for _, dice := range v.dice {
		sum += dice
	}
	return sum
}

// next returns the seat that is to answer a bid of this one.
func (v *view) next() int {
	seat := (v.me + 1) % len(v.dice)
	for v.dice[seat] == 0 {
		seat = (seat + 1) % len(v.dice)
	}
	return seat
}
