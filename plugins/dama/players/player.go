//go:build ignore

// Player plays dama by any rules except damath. It captures as much as it can.
//
// It does not know the rules of the match. It tries possible moves, the longest
// captures first, until the referee accepts one.
package main

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

const free = ' '

// rowOfBoard is a row of the board: its number and its squares.
var rowOfBoard = regexp.MustCompile(`^ ?([1-9]|10) (\[.\]){8,10} `)

// square is a square of the board: its row and column, counted from 0.
type square struct{ row, column int }

var diagonals = []square{{-1, -1}, {-1, 1}, {1, -1}, {1, 1}}

func (s square) next(direction square) square {
	return square{s.row + direction.row, s.column + direction.column}
}

// board has the piece on each square, as the referee writes it, or 0 outside the board: it has
// eight or ten rows.
type board [10][10]byte

// at returns the piece on a square, or 0 outside the board.
func (b *board) at(s square) byte {
	if s.row < 0 || s.row > 9 || s.column < 0 || s.column > 9 {
		return 0
	}
	return b[s.row][s.column]
}

type move struct {
	path    []square
	capture bool
	king    bool // a king moves
}

// String returns the move as the line to send.
func (m move) String() string {
	var words []string
	for _, s := range m.path {
		words = append(words, fmt.Sprintf("%d%c", s.row+1, 'A'+s.column))
	}
	return strings.Join(words, " ")
}

// captures returns each move that continues m by jumps over enemies, complete or not.
// king reports whether the piece can fly.
func captures(b *board, m move, enemy string, king bool, far int, taken []square) (found []move) {
	for _, d := range diagonals {
		prey := m.path[len(m.path)-1].next(d)
		for king && b.at(prey) == free {
			prey = prey.next(d)
		}
		if strings.IndexByte(enemy, b.at(prey)) < 0 || slices.Contains(taken, prey) {
			continue
		}
		for to := prey.next(d); b.at(to) == free; to = to.next(d) {
			longer := move{append(slices.Clone(m.path), to), true, m.king}
			found = append(found, longer)
			// In some rules a man that touches the far row continues as a king.
			found = append(found, captures(b, longer, enemy, king || to.row == far, far, append(slices.Clone(taken), prey))...)
			if !king {
				break
			}
		}
	}
	return found
}

// moves returns moves that might be legal, in the order in which to try them.
func moves(b board, white bool) (found []move) {
	own, enemy, forward, far := "bB", "nN", -1, 0
	if !white {
		own, enemy, forward, far = "nN", "bB", 1, 7
		if b[9][0] != 0 {
			far = 9
		}
	}
	for i := range 100 {
		start := square{i / 10, i % 10}
		piece := b.at(start)
		if strings.IndexByte(own, piece) < 0 {
			continue
		}
		king := piece == own[1]
		m := move{[]square{start}, false, king}
		without := b
		without[start.row][start.column] = free // the piece can return to its square
		found = append(found, captures(&without, m, enemy, king, far, nil)...)
		for _, d := range diagonals {
			if !king && d.row != forward {
				continue
			}
			for to := start.next(d); b.at(to) == free; to = to.next(d) {
				found = append(found, move{[]square{start, to}, false, king})
				if !king {
					break
				}
			}
		}
	}
	rand.Shuffle(len(found), func(i, j int) { found[i], found[j] = found[j], found[i] })
	slices.SortStableFunc(found, func(a, b move) int { return cmp.Compare(worth(b), worth(a)) })
	return found
}

// worth is greater for longer captures, and among equal ones for those by a king.
func worth(m move) int {
	switch {
	case !m.capture:
		return 0
	case m.king:
		return 2*len(m.path) + 1
	}
	return 2 * len(m.path)
}

func main() {
	in, out := os.Stdin, os.Stdout
	if name := os.Getenv("COCO_PIPEIN"); name != "" {
		// In this order, before anything else: coco waits for both.
		in = open(name, os.O_RDONLY)
		out = open(os.Getenv("COCO_PIPEOUT"), os.O_WRONLY)
	}
	if err := play(bufio.NewScanner(in), out); err != nil {
		log.Fatal(err)
	}
}

func open(name string, flag int) *os.File {
	f, err := os.OpenFile(name, flag, 0)
	if err != nil {
		log.Fatal(err)
	}
	return f
}

// play plays a match to its end. out must not be buffered.
func play(in *bufio.Scanner, out io.Writer) error {
	in.Scan() // white's name
	in.Scan() // black's
	var b board
	white := true
	var todo []move // moves to try; nil: the board has changed
	for in.Scan() {
		line := in.Text()
		switch {
		case strings.HasPrefix(line, "Game Over"):
			return nil
		case line == "Sei i Neri":
			white = false
		case rowOfBoard.MatchString(line):
			label, cells, _ := strings.Cut(line, "[")
			row, _ := strconv.Atoi(strings.TrimSpace(label))
			for column := range strings.Count(line, "[") {
				b[row-1][column] = cells[3*column]
			}
			todo = nil
		case strings.HasPrefix(line, "Es > "): // the referee asks for a move
			if todo == nil {
				todo = moves(b, white)
			}
			if len(todo) == 0 {
				return fmt.Errorf("the referee has refused each move")
			}
			if _, err := fmt.Fprintln(out, todo[0]); err != nil {
				return err
			}
			todo = todo[1:]
		}
	}
	return in.Err()
}
