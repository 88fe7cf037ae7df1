package main

import (
	"testing"

	"colosseum/sdk/driver"
)

// A limit makes a match a draw unless the side that is ahead takes or moves a man in time.
// The side that is behind wants that draw.
func TestSearchKnowsTheLimitsOnDraws(t *testing.T) {
	tests := []struct {
		name, rules, fen string
		drawAfter        int
		lasting          int // of the limits of endings
		want             string
		draw             bool
	}{
		{"a man moves in time", "english", "W:WKc3,Kd2,c1:BKh8", 1, 0, "c1-b2", false},
		{"a man moves in time, two against three", "italian", "W:WKc3,Kd2,h2:BKa7,Kb8", 1, 0, "h2-g3", false},
		{"the side behind moves its king", "russian", "B:WKc3,Kd2,h2:BKa7,b6", 1, 0, "a7-b8", true},
		{"the ending lasts too long", "brazilian", "W:WKd4,c3:BKh6", 0, 9, "", true},
		{"the ending does not last too long yet", "brazilian", "W:WKd4,c3:BKh6", 0, 0, "", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := rulesNamed(tt.rules)
			p := mustFEN(t, r, tt.fen)
			past := newHistory(r, tt.drawAfter, &p)
			for i := range past.lasting {
				past.lasting[i] = tt.lasting
			}
			s := &search{rules: r, depth: 6, past: past, rand: driver.NewRand(1, 0).Intn, thinking: func() bool { return true }}
			best := s.deepen(&p, past.seen, 1)
			if got := pathText(&best.move, chessNames, "-"); tt.want != "" && got != tt.want {
				t.Errorf("%s: got %s, want %s", tt.fen, got, tt.want)
			}
			if (best.value == 0) != tt.draw {
				t.Errorf("%s: the value is %d, want a draw: %v", tt.fen, best.value, tt.draw)
			}
		})
	}
}

// The counts of a search are those of a match with the same moves.
func TestSearchCountsLikeAMatch(t *testing.T) {
	for _, name := range []string{"russian", "brazilian", "international", "italian"} {
		r := rulesNamed(name)
		random := newPCG(4)
		for range 200 {
			p := scattered(r.Board, random)
			past := newHistory(r, 0, &p)
			s := &search{rules: r, past: newHistory(r, 0, &p), line: []Position{p}}
			s.lasting[0] = append(s.lasting[0], past.lasting...)
			for ply := 0; ply < 20; ply++ {
				moves := p.Moves(r, nil)
				if len(moves) == 0 {
					break
				}
				m := moves[random.IntN(len(moves))]
				s.step(&p, &m, ply)
				p.Play(&m)
				past.note(&p, &m)
				if got, want := s.left(ply+1), past.left(past.quiet, past.lasting); got != want {
					t.Fatalf("%s, %s: the search counts %d plies to a draw, want %d", name, p.FEN(r), got, want)
				}
			}
		}
	}
}
