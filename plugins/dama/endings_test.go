package main

import (
	"testing"

	"colosseum/internal/test/long"
	"colosseum/sdk/driver"
	"colosseum/sdk/gametest"
)

// builtEndings returns complete tables.
func builtEndings(r *Rules) *endings {
	e := newEndings(r)
	e.work(func() bool { return true })
	return e
}

// The results of a position must follow from those of its moves: a sample of the tables
// is compared with the moves of the generator.
func TestEndingsFollowFromTheirMoves(t *testing.T) {
	// Captures are optional, forced, by kings that fly, and on the larger board.
	for i, name := range []string{"russian", "international", "italian", "classic"}[:gametest.Fewer(4)] {
		r := rulesNamed(name)
		t.Run(name, func(t *testing.T) {
			if i > 1 {
				long.Only(t, "it builds the tables of more rules")
			}
			t.Parallel()
			e := builtEndings(r)
			random := newPCG(3)
			checked := 0
			for _, table := range e.tables {
				if table == nil {
					continue
				}
				for range 2000 {
					p, ok := e.position(table, random.IntN(len(table.result)))
					if !ok {
						continue
					}
					if random.IntN(2) == 0 { // the same with Black to move
						p = Position{Pieces: [2]uint64{e.turned(p.Pieces[Black]), e.turned(p.Pieces[White])}, Kings: e.turned(p.Kings), Turn: Black}
					}
					got, ok := e.probe(&p)
					if want := byMoves(e, &p); !ok || got != want {
						t.Fatalf("%s: got %d, %v, want %d as by its moves", p.FEN(r), got, ok, want)
					}
					checked++
				}
			}
			if checked < 10000 {
				t.Errorf("checked %d positions, want 10000 or more", checked)
			}
		})
	}
}

// byMoves returns the result of a position from those after its moves.
func byMoves(e *endings, p *Position) uint8 {
	win, loss, draw := 255, 0, false
	for _, m := range p.Moves(e.rules, nil) {
		next := *p
		next.Play(&m)
		result, _ := e.probe(&next)
		switch plies := int(result); {
		case plies == 0:
			draw = true
		case plies%2 == 1:
			win = min(win, plies)
		default:
			loss = max(loss, plies)
		}
	}
	switch {
	case win < 255:
		return uint8(win + 1)
	case draw:
		return 0
	default:
		return uint8(loss + 1)
	}
}

// Petrov's triangle: three kings catch one within the fifteen moves that the rules leave
// them, and the search does it. Two kings do not.
func TestThreeKingsCatchOne(t *testing.T) {
	r := rulesNamed("russian")
	e := builtEndings(r)
	longest := uint8(0)
	for _, result := range e.tables[material{3, 0, 1, 0}.id()].result {
		longest = max(longest, result)
	}
	if longest == 0 || longest > 30 {
		t.Errorf("three kings need up to %d plies against one, want at most 29", longest-1)
	}
	p := mustFEN(t, r, "W:WKc1,Kg1:BKa1")
	if result, ok := e.probe(&p); !ok || result != 0 {
		t.Errorf("two kings against one: got %d, %v, want a draw", result, ok)
	}
	for _, fen := range []string{"W:WKa1,Kc1,Kb2:BKb8", "B:WKd8:BKa5,Kg1,Kc3"} {
		p := mustFEN(t, r, fen)
		s := &search{rules: r, depth: maxDepth, rand: driver.NewRand(1, 0).Intn, thinking: func() bool { return true }, endings: e}
		past := newHistory(r, 0, &p)
		strong := p.Turn
		result, _ := e.probe(&p)
		if result%2 != 0 || result == 0 {
			t.Fatalf("%s: the result is %d, want a win", fen, result)
		}
		for left := int(result) - 1; left > 0 && len(p.Moves(r, nil)) > 0; left-- {
			m := p.Moves(r, nil)[0]
			if p.Turn == strong {
				m = s.choose(&p, past.seen)
			}
			p.Play(&m)
			past.note(&p, &m)
			if result, _ := e.probe(&p); result == 0 || int(result) > left {
				t.Fatalf("%s: %d plies before the end the result is %d, want at most %d", fen, left-1, result, left)
			}
		}
		if len(p.Moves(r, nil)) > 0 || p.Turn == strong {
			t.Errorf("%s: it ends with %s, want a win", fen, p.FEN(r))
		}
	}
}

// Without tables the searches must agree with the plain search that they replace.
func TestSearchAgreesWithPlainAlphaBeta(t *testing.T) {
	for _, r := range allRules {
		if r == &damath {
			continue
		}
		random := newPCG(5)
		for range 30 {
			p := scattered(r.Board, random)
			if len(p.Moves(r, nil)) < 2 {
				continue
			}
			s := &search{rules: r, depth: 2, rand: func(int) int { return 0 }, thinking: func() bool { return true }}
			best := s.deepen(&p, []Position{p}, 1)
			if want := plain(s, &p, 2, 0, []Position{p}); best.value != want {
				t.Errorf("%s %s: the value at depth 2 is %d, want %d", r.Name, p.FEN(r), best.value, want)
			}
		}
	}
}

// plain is a minimax search with the same horizon as search at low depths.
func plain(s *search, p *Position, depth, ply int, line []Position) int {
	moves := p.Captures(s.rules, nil)
	due := len(moves) > 0 && s.rules.Due
	for i := 0; ply > 0 && i < len(line)-1; i++ {
		if line[i] == *p {
			return 0
		}
	}
	best := -2 * winning
	switch {
	case depth <= 0 && len(moves) == 0:
		return s.evaluate(p, 0)
	case depth <= 0 && !due:
		best = s.evaluate(p, 0)
	case depth > 0 && !due:
		moves = p.Steps(s.rules, moves)
	}
	if len(moves) == 0 {
		return s.lost(p, ply, 0)
	}
	if len(moves) == 1 && due && ply > 0 {
		depth++
	}
	for i := range moves {
		next := *p
		next.Play(&moves[i])
		best = max(best, -plain(s, &next, depth-1, ply+1, append(line[:len(line):len(line)], next)))
	}
	return best
}

func TestFastBotBuildsEndingsInPartOfItsTime(t *testing.T) {
	r := rulesNamed("russian")
	p := mustFEN(t, r, "W:WKa1,Kc1,Ke1,a3:BKb8,h8")
	for _, tt := range []struct {
		full, moves int
		built       bool
	}{{endingNodes, 200, true}, {endingNodes - 1, 3, false}} {
		calls := 0
		s := &search{rules: r, depth: maxDepth, rand: driver.NewRand(1, 0).Intn, full: tt.full}
		s.thinking = func() bool { calls++; return calls < 250 }
		for range tt.moves {
			calls = 0
			s.choose(&p, []Position{p})
			if s.endings == nil || len(s.endings.todo) == 0 {
				break
			}
			if most := s.full/2 + askEvery; s.nodes > most {
				t.Fatalf("a search of %d nodes before the tables are complete, want at most %d", s.nodes, most)
			}
		}
		if built := s.endings != nil && len(s.endings.todo) == 0; built != tt.built {
			t.Errorf("a bot that searched %d nodes has built the tables: %v, want %v", tt.full, built, tt.built)
		}
	}
}
