//go:build ignore

// Player plays taacoca: it prefers moves to the goal, then captures, then any move.
package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"os"
)

// Stones.
const (
	white = 'W'
	black = 'B'
)

// lengths has the number of cells of the rows A to I.
var lengths = [9]int{5, 6, 7, 8, 9, 8, 7, 6, 5}

// cell is a cell of the board: its row, counted from 0, and its number, from 1.
type cell struct{ row, number int }

func (c cell) onBoard() bool {
	return 0 <= c.row && c.row <= 8 && 1 <= c.number && c.number <= lengths[c.row]
}

// board has the stone on each cell, or 0. No cell has the number 0.
type board [9][10]byte

func start() (b board) {
	for i := range 3 {
		for number := i + 1; number <= 5; number++ {
			b[i][number], b[8-i][number] = white, black
		}
	}
	return b
}

// home returns the home row of a side.
func home(side byte) int {
	if side == white {
		return 0
	}
	return 8
}

func enemy(side byte) byte { return white + black - side }

type move struct {
	stones    []cell
	direction byte // L or R
}

// String returns the move as the line to send.
func (m move) String() (line string) {
	for _, c := range m.stones {
		line += fmt.Sprintf("%c%d ", 'A'+c.row, c.number)
	}
	return line + string(m.direction)
}

// parse reads a move as the referee writes it.
func parse(line string) (m move, err error) {
	for ; len(line) > 3; line = line[3:] {
		c := cell{int(line[0]) - 'A', int(line[1]) - '0'}
		if !c.onBoard() {
			return m, fmt.Errorf("%q does not begin with a cell", line)
		}
		m.stones = append(m.stones, c)
	}
	if len(line) != 1 {
		return m, fmt.Errorf("%q is not a direction", line)
	}
	m.direction = line[0]
	return m, nil
}

// target returns the cell that a stone enters. ok is false if it would leave the board.
func target(c cell, side, direction byte) (to cell, ok bool) {
	to = cell{c.row + 1, c.number}
	longer := c.row < 4 // than this row is the next one
	if side == black {
		to.row = c.row - 1
		longer = c.row > 4
	}
	if direction == 'R' {
		to.number++
	}
	if !longer {
		to.number--
	}
	return to, to.onBoard()
}

// apply returns the board after a move, and how good the move is. ok is false if the
// move is not legal.
func (b board) apply(side byte, m move) (after board, worth int, ok bool) {
	for _, c := range m.stones { // all stones of a move go at the same time
		b[c.row][c.number] = 0
	}
	for _, c := range m.stones {
		to, ok := target(c, side, m.direction)
		if !ok || b[to.row][to.number] == side {
			return b, 0, false
		}
		if to.row == home(enemy(side)) {
			worth += 100
		}
		if b[to.row][to.number] == enemy(side) {
			worth++
		}
	}
	for _, c := range m.stones {
		to, _ := target(c, side, m.direction)
		b[to.row][to.number] = side
	}
	return b, worth, true
}

// choose returns a random one of the best moves. ok is false if there is no legal move.
func (b board) choose(side byte) (best move, ok bool) {
	var own []cell
	for row := range b {
		for number, stone := range b[row] {
			if stone == side {
				own = append(own, cell{row, number})
			}
		}
	}
	if len(own) == 0 {
		return best, false
	}
	most, equal := 0, 0
	for _, stones := range combinations(own, min(3, len(own))) {
		for _, direction := range []byte("LR") {
			m := move{stones, direction}
			_, worth, legal := b.apply(side, m)
			if !legal || worth < most {
				continue
			}
			if worth > most {
				most, equal = worth, 0
			}
			equal++
			if rand.IntN(equal) == 0 { // so each of the equal moves is as likely
				best, ok = m, true
			}
		}
	}
	return best, ok
}

// combinations returns each choice of n of these cells.
func combinations(cells []cell, n int) (found [][]cell) {
	if n == 0 {
		return [][]cell{nil}
	}
	for i, c := range cells {
		for _, others := range combinations(cells[i+1:], n-1) {
			found = append(found, append(others, c))
		}
	}
	return found
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
	in.Scan() // White's name
	in.Scan() // Black's
	in.Scan()
	me := byte(white)
	if in.Text() == "1" {
		me = black
	}
	b := start()
	for side := byte(white); ; side = enemy(side) {
		var m move
		if side == me {
			best, ok := b.choose(me)
			if !ok || bytes.IndexByte(b[home(me)][:], enemy(me)) >= 0 {
				return nil // this side has lost
			}
			m = best
			if _, err := fmt.Fprintln(out, m); err != nil {
				return err
			}
		} else {
			if !in.Scan() || in.Text() == "RETIRE" {
				return in.Err()
			}
			var err error
			if m, err = parse(in.Text()); err != nil {
				return err
			}
		}
		var ok bool
		if b, _, ok = b.apply(side, m); !ok {
			return fmt.Errorf("the move %v is not legal", m)
		}
	}
}
