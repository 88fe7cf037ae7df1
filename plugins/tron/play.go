//go:build go1.21

package main

import (
	"strconv"
	"strings"

	"colosseum/sdk"
)

// play is the referee.
func play(m *sdk.Match) error {
	m.StayWhenGone() // a cycle without a player moves straight on, and crashes soon
	teams := m.Choice("teams") == "yes"
	if teams {
		m.Team(0, 2)
		m.Team(1, 3)
	}
	b := newBoard(m.Int("width"), m.Int("height"), m.Players(), teams, func(n int) int { return m.Rand(n) })
	m.TellAll(strings.Join([]string{m.Text("width"), m.Text("height"), m.Text("tick"), strconv.Itoa(m.Players())}, " "))
	for seat := range b.cycles {
		m.TellAll(b.begin(seat, m.Name(seat)))
	}
	for seat := range b.cycles {
		m.Tell(seat, strconv.Itoa(seat))
	}
	turns := make([]int, m.Players())
	for !b.over() {
		m.Examples(func(seat int) []string { return ways })
		for _, a := range m.TickSeats(b.living(), m.Float("tick")/1000) {
			turns[a.Seat] = b.turn(a.Seat, a.Line)
		}
		b.tick(turns)
		m.TellAll(b.heads())
	}
	for seat := range b.cycles {
		m.Score(seat, b.points(seat))
	}
	m.Reason(reason(b, func(seat int) string { return m.Name(seat) }))
	return nil
}

// begin returns the line about a seat at the start of the stream.
func (b *board) begin(seat int, name string) string {
	c := &b.cycles[seat]
	return strings.Join([]string{strconv.Itoa(b.column(c.cell)), strconv.Itoa(b.row(c.cell)), ways[c.way], strconv.Itoa(c.team), name}, " ")
}

// reason says how a match ended.
func reason(b *board, name func(seat int) string) string {
	living := b.living()
	switch len(living) {
	case 0:
		return "the last cycles crashed in the same tick"
	case 1:
		return name(living[0]) + " is the last on the board"
	default:
		return name(living[0]) + " and " + name(living[1]) + " are the last on the board"
	}
}
