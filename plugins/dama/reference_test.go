package main

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"
)

// This file has a second, slow move generator, to compare with the plugin's. They share
// no data and no ideas: this one walks an array of letters (w, b men; W, B kings),
// lists all captures, and then removes those that the rules do not allow.

type slowBoard struct {
	size  int
	cells [10][10]byte // by row from the bottom, then column from the left
}

// slowCapture is a capture, complete or not.
type slowCapture struct {
	path  [][2]int
	taken [][2]int
	kings string // K or m for each taken piece
	crown bool
	king  bool // a king before the move
}

func slowFrom(board *Board, p Position) slowBoard {
	b := slowBoard{size: board.size}
	for row := range b.size {
		for col := range b.size {
			b.cells[row][col] = ' '
			if square, ok := board.squareAt(row, col); ok {
				for side, letters := range []string{"wW", "bB"} {
					if p.Pieces[side]&bit(square) != 0 {
						b.cells[row][col] = letters[0]
						if p.Kings&bit(square) != 0 {
							b.cells[row][col] = letters[1]
						}
					}
				}
			}
		}
	}
	return b
}

func (b *slowBoard) at(row, col int) byte {
	if row < 0 || row >= b.size || col < 0 || col >= b.size {
		return '#'
	}
	return b.cells[row][col]
}

func slowName(s [2]int) string { return string(rune('a'+s[1])) + strconv.Itoa(1+s[0]) }

var diagonals = [][2]int{{1, -1}, {1, 1}, {-1, -1}, {-1, 1}}

// slowMoves returns the legal moves as sorted texts, c3-d4 or c3xe5xg7, with a + at the
// end if they crown a man.
func slowMoves(rules string, b slowBoard, turn int) []string {
	own, enemy, forward, farRow := "wW", "bB", 1, b.size-1
	if turn == Black {
		own, enemy, forward, farRow = "bB", "wW", -1, 0
	}
	flying := strings.Contains("russian brazilian spanish international damath", rules)
	takesBack := strings.Contains("russian brazilian international damath", rules)
	takesKings := !strings.Contains("classic italian", rules)

	var captures []slowCapture
	var walk func(c slowCapture, start [2]int)
	walk = func(c slowCapture, start [2]int) {
		if len(c.taken) > 0 {
			captures = append(captures, c)
		}
		here := c.path[len(c.path)-1]
		king := c.king || rules == "russian" && c.crown
		for _, d := range diagonals {
			if !king && d[0] != forward && !takesBack {
				continue
			}
			free := func(s [2]int) bool {
				return b.at(s[0], s[1]) == ' ' || rules != "classic" && s == start
			}
			s := [2]int{here[0] + d[0], here[1] + d[1]}
			for king && flying && free(s) {
				s = [2]int{s[0] + d[0], s[1] + d[1]}
			}
			victim := b.at(s[0], s[1])
			if !strings.ContainsRune(enemy, rune(victim)) || slices.Contains(c.taken, s) {
				continue
			}
			if !king && !takesKings && victim == enemy[1] {
				continue
			}
			mark := "m"
			if victim == enemy[1] {
				mark = "K"
			}
			for n := 1; n == 1 || king && flying; n++ {
				to := [2]int{s[0] + n*d[0], s[1] + n*d[1]}
				if !free(to) {
					break
				}
				walk(slowCapture{
					path: append(slices.Clone(c.path), to), taken: append(slices.Clone(c.taken), s), kings: c.kings + mark,
					crown: c.crown || !c.king && rules == "russian" && to[0] == farRow, king: c.king,
				}, start)
			}
		}
	}
	var steps []string
	for row := range b.size {
		for col := range b.size {
			piece := b.cells[row][col]
			if !strings.ContainsRune(own, rune(piece)) {
				continue
			}
			king := piece == own[1]
			walk(slowCapture{path: [][2]int{{row, col}}, king: king}, [2]int{row, col})
			for _, d := range diagonals {
				for n := 1; b.at(row+n*d[0], col+n*d[1]) == ' '; n++ {
					to := [2]int{row + n*d[0], col + n*d[1]}
					if !king && (d[0] != forward || n > 1) || king && !flying && n > 1 {
						break
					}
					text := slowName([2]int{row, col}) + "-" + slowName(to)
					if !king && to[0] == farRow {
						text += "+"
					}
					steps = append(steps, text)
				}
			}
		}
	}
	if rules != "classic" {
		captures = slowLegal(rules, captures)
		if len(captures) > 0 {
			steps = nil
		}
	}
	moves := steps
	for _, c := range captures {
		text := ""
		for i, s := range c.path {
			if i > 0 {
				text += "x"
			}
			text += slowName(s)
		}
		if c.crown || !c.king && c.path[len(c.path)-1][0] == farRow {
			text += "+"
		}
		moves = append(moves, text)
	}
	sort.Strings(moves)
	return moves
}

// slowLegal removes the captures that must be continued, and those to which the rules
// prefer others.
func slowLegal(rules string, all []slowCapture) []slowCapture {
	keep := slices.DeleteFunc(slices.Clone(all), func(c slowCapture) bool {
		return slices.ContainsFunc(all, func(longer slowCapture) bool {
			// It takes the same pieces in the same way and then more, from the same
			// or another landing behind the last.
			n := len(c.taken)
			return len(longer.taken) > n && slices.Equal(longer.taken[:n], c.taken) && slices.Equal(longer.path[:n], c.path[:n])
		})
	})
	only := func(measure func(c slowCapture) int) {
		best := -1
		for _, c := range keep {
			best = max(best, measure(c))
		}
		keep = slices.DeleteFunc(keep, func(c slowCapture) bool { return measure(c) < best })
	}
	most := func(c slowCapture) int { return len(c.taken) }
	withKing := func(c slowCapture) int {
		if c.king {
			return 1
		}
		return 0
	}
	kings := func(c slowCapture) int { return strings.Count(c.kings, "K") }
	soonest := func(c slowCapture) int { return 20 - (strings.Index(c.kings, "K")+20)%20 }
	switch rules {
	case "italian":
		only(most)
		only(withKing)
		only(kings)
		only(soonest)
	case "brazilian", "international":
		only(most)
	case "damath":
		only(most)
		only(withKing)
	case "spanish":
		only(most)
		only(kings)
	}
	return keep
}

// slowPlay returns the board after a move.
func slowPlay(b slowBoard, text string) slowBoard {
	crowned := strings.HasSuffix(text, "+")
	squares := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune("x-+", r) })
	var piece byte
	row, col := 0, 0
	for i, s := range squares {
		number, _ := strconv.Atoi(s[1:])
		r, c := number-1, int(s[0]-'a')
		if i == 0 {
			piece, row, col = b.cells[r][c], r, c
			b.cells[r][c] = ' '
			continue
		}
		dr, dc := 1, 1
		if r < row {
			dr = -1
		}
		if c < col {
			dc = -1
		}
		for row != r {
			row, col = row+dr, col+dc
			b.cells[row][col] = ' '
		}
	}
	if crowned {
		piece -= 'a' - 'A'
	}
	b.cells[row][col] = piece
	return b
}

// moveTexts returns the plugin's moves in the form of slowMoves.
func moveTexts(p Position, r *Rules) []string {
	var texts []string
	for _, m := range p.Moves(r, nil) {
		texts = append(texts, moveText(&m))
	}
	sort.Strings(texts)
	return texts
}

func moveText(m *Move) string {
	text := chessNames[m.From()]
	for _, square := range m.Path[1:m.Len] {
		if m.Taken == 0 {
			text += "-"
		} else {
			text += "x"
		}
		text += chessNames[square]
	}
	if m.Crowned {
		text += "+"
	}
	return text
}

func TestRandomGamesAgreeWithTheSlowGenerator(t *testing.T) {
	const games = 300
	for _, r := range allRules {
		t.Run(r.Name, func(t *testing.T) {
			t.Parallel()
			random := newPCG(1)
			plies, captures, chains, crowned := 0, 0, 0, 0
			for game := range games {
				p := r.Board.start
				if game%3 > 0 {
					p = scattered(r.Board, random)
				}
				slow := slowFrom(r.Board, p)
				for range 120 {
					checkInvariants(t, r.Board, &p)
					got, want := moveTexts(p, r), slowMoves(r.Name, slow, p.Turn)
					if !slices.Equal(got, want) {
						t.Fatalf("%s:\n got %v\nwant %v", p.FEN(r), got, want)
					}
					moves := p.Moves(r, nil)
					if len(moves) == 0 {
						break
					}
					m := moves[random.IntN(len(moves))]
					plies++
					if m.Taken != 0 {
						captures++
					}
					if m.Len > 2 {
						chains++
					}
					if m.Crowned {
						crowned++
					}
					before := p
					p.Play(&m)
					slow = slowPlay(slow, moveText(&m))
					if slowFrom(r.Board, p) != slow {
						t.Fatalf("%s after %s: got %v, want %v", before.FEN(r), moveText(&m), slowFrom(r.Board, p), slow)
					}
				}
			}
			t.Logf("%d games, %d plies, %d captures (%d of several pieces), %d men crowned", games, plies, captures, chains, crowned)
			if captures == 0 || chains == 0 || crowned == 0 {
				t.Errorf("%d captures, %d of several pieces, %d men crowned, want some of each", captures, chains, crowned)
			}
		})
	}
}

// scattered returns a random position of men and many kings, with long captures.
func scattered(b *Board, random *rand.Rand) Position {
	var squares []int
	for set := b.squares; set != 0; set &= set - 1 {
		squares = append(squares, bits.TrailingZeros64(set))
	}
	random.Shuffle(len(squares), func(i, j int) { squares[i], squares[j] = squares[j], squares[i] })
	p := Position{Turn: random.IntN(2)}
	for i := range 6 + random.IntN(12) {
		side := i % 2
		p.Pieces[side] |= bit(squares[i])
		if bit(squares[i])&b.far[side] != 0 || random.IntN(3) == 0 {
			p.Kings |= bit(squares[i])
		}
	}
	return p
}

func newPCG(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 2)) }

func checkInvariants(t testing.TB, b *Board, p *Position) {
	t.Helper()
	all := p.Pieces[White] | p.Pieces[Black]
	switch {
	case all&^b.squares != 0:
		t.Fatalf("%+v: a piece off the board, want none", p)
	case p.Pieces[White]&p.Pieces[Black] != 0:
		t.Fatalf("%+v: two pieces on a square, want one", p)
	case p.Kings&^all != 0:
		t.Fatalf("%+v: a king on an empty square, want none", p)
	case p.Pieces[White]&^p.Kings&b.far[White] != 0 || p.Pieces[Black]&^p.Kings&b.far[Black] != 0:
		t.Fatalf("%+v: a man on the far row, want a king", p)
	}
}
