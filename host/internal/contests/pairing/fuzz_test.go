package pairing

import (
	"slices"
	"testing"
)

// FuzzNext gives Next histories that no contest has. It must not panic, and what it
// answers must be pairings of entrants that exist.
func FuzzNext(f *testing.F) {
	f.Add(uint8(0), uint8(2), uint8(5), []byte{})
	f.Add(uint8(1), uint8(2), uint8(4), []byte{0, 0, 0, 2, 0, 1, 1, 1, 0, 1, 0, 2, 2, 3, 0, 1})
	f.Add(uint8(2), uint8(2), uint8(4), []byte{0, 0, 0, 2, 0, 1, 2, 1, 0, 1, 0, 2, 2, 3, 1, 1, 1, 0, 0, 2, 0, 2, 2})
	f.Add(uint8(3), uint8(2), uint8(3), []byte{0, 0, 0, 1, 0, 0, 1, 0, 2, 1, 2, 2})
	f.Add(uint8(4), uint8(2), uint8(3), []byte{0, 0, 0, 2, 0, 1, 1, 1, 0, 0, 2, 0, 2, 0})
	f.Add(uint8(0), uint8(3), uint8(7), []byte{0, 0, 0, 3, 0, 1, 2, 1, 0, 1, 0, 3, 3, 4, 5, 1, 0, 2, 0, 1, 6})
	f.Add(uint8(6), uint8(9), uint8(67), []byte{0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0})
	f.Fuzz(func(t *testing.T, format, size, entrants uint8, text []byte) {
		h := &History{Format: []Format{RoundRobin, Swiss, Knockout, DoubleElimination, Gauntlet, "ladder", Score}[format%7]}
		h.Size, h.Legs, h.Replays, h.Rounds = int(size%8), int(size/8%4), int(size/64), int(entrants/32)
		for i := range int(entrants % 32) {
			h.Entrants = append(h.Entrants, Entrant{Seed: i, Withdrawn: size%3 == 1 && i%4 == 3})
		}
		take := func() int {
			if len(text) == 0 {
				return 0
			}
			b := text[0]
			text = text[1:]
			return int(b)
		}
		for len(text) > 0 && len(h.Pairings) < 200 {
			var p Played
			p.Round, p.Slot = take(), take()
			switch b := take(); {
			case b%16 == 1:
				p.Bracket = Losers
			case b%16 == 2:
				p.Bracket = Final
			default:
				p.Replay = b / 16
			}
			for range take() % 8 {
				p.Entrants = append(p.Entrants, take())
			}
			legs := h.Legs
			p.Alone = h.Format == Score && len(p.Entrants) == 1
			if len(p.Entrants) < 2 && !p.Alone {
				legs = 0
			}
			for range legs {
				b := take()
				l := Leg{Unplayed: b%8 == 7, Void: b%8 == 6}
				for i := range p.Entrants {
					l.Points = append(l.Points, float64((b+i*(b%3))%3)/2)
				}
				p.Legs = append(p.Legs, l)
			}
			h.Pairings = append(h.Pairings, p)
		}
		if h.Format == Knockout || h.Format == DoubleElimination {
			_, _ = Places(h)
		}
		next, over, err := Next(h)
		if err != nil {
			return
		}
		if over != (len(next) == 0) {
			t.Errorf("got %d pairings and over=%v, want over without pairings only", len(next), over)
		}
		for _, p := range next {
			for i, n := range p.Entrants {
				if n < 0 || n >= len(h.Entrants) || slices.Contains(p.Entrants[:i], n) {
					t.Errorf("got the entrants %v, want different ones of %d", p.Entrants, len(h.Entrants))
				}
			}
		}
	})
}
