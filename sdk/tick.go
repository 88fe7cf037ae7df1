package sdk

import (
	"slices"

	"colosseum/sdk/driver"
)

// Tick asks every seat that is in the match for a line, and ends when the given number of
// seconds, from 0.02 to 60, have passed: never earlier, and not later because a player is
// slow. The answer of a seat is its last line that came within the tick; all its other
// lines are dropped. A seat without a line has missed the tick: its Line is empty and its
// Err is nil, because it does not forfeit.
//
// Tick returns an answer for each seat, by seat. The referee judges the lines; most games
// take an illegal one as none. If no seat is in the match, Tick returns at once.
//
// A tick is no turn, and takes no time of a clock such as 60+1.
func (m *Match) Tick(seconds float64) []Answer {
	seats := make([]int, len(m.names))
	for seat := range seats {
		seats[seat] = seat
	}
	return m.TickSeats(seats, seconds)
}

// TickSeats is Tick for some seats, each at most once, and returns the answers in their
// order: it leaves out those that have nothing to say, such as a player who is eliminated.
func (m *Match) TickSeats(seats []int, seconds float64) []Answer {
	if !(seconds >= driver.MinTick && seconds <= driver.MaxTick) {
		panic("sdk: Tick wants from " + formatFloat(driver.MinTick) + " to " + formatFloat(driver.MaxTick) + " seconds")
	}
	q := &driver.Question{Seconds: seconds, Tick: true}
	answers := make([]Answer, len(seats))
	for i, seat := range seats {
		m.checkSeat(seat)
		if slices.Contains(seats[:i], seat) {
			panic("sdk: one tick asks a seat twice")
		}
		answers[i] = Answer{Seat: seat, Err: m.forfeits[seat]}
		if m.forfeits[seat] == nil {
			q.Seats = append(q.Seats, seat)
		}
	}
	for _, a := range m.ask(q) {
		answers[slices.Index(seats, a.Seat)] = m.ticked(a)
	}
	return answers
}

// MaxMisses makes a seat forfeit with ErrTimeout when it misses that number of ticks in a
// row. 0, the default, is any number.
func (m *Match) MaxMisses(ticks int) {
	if ticks < 0 {
		panic("sdk: MaxMisses wants a number of ticks, or 0 for any number")
	}
	m.misses = ticks
}

// StayWhenGone keeps seats in the match whose players are gone for good: they miss every
// tick. By default such a seat forfeits with ErrDisconnected at its next tick, as at any
// other question. A referee that uses it must end the match when all players are gone, or
// call MaxMisses.
func (m *Match) StayWhenGone() { m.stay = true }

// ticked returns what the referee gets for the answer of a seat to a tick.
func (m *Match) ticked(a driver.Answer) Answer {
	if a.Outcome == driver.Answered {
		m.missed[a.Seat] = 0
		return Answer{Seat: a.Seat, Line: a.Line}
	}
	m.missed[a.Seat]++
	switch {
	case a.Outcome == driver.Disconnected && !m.stay:
		m.forfeit(a.Seat, ErrDisconnected)
	case m.misses > 0 && m.missed[a.Seat] >= m.misses:
		m.forfeit(a.Seat, ErrTimeout)
	}
	return Answer{Seat: a.Seat, Err: m.forfeits[a.Seat], Missed: m.missed[a.Seat]}
}
