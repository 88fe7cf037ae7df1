//go:build ignore

// Player plays damath: it makes random legal moves.
package main

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
)

// square is a square of the board: its column and row, counted from 0.
type square struct{ column, row int }

var diagonals = []square{{-1, -1}, {1, -1}, {-1, 1}, {1, 1}}

func (s square) next(direction square) square {
	return square{s.column + direction.column, s.row + direction.row}
}

func (s square) onBoard() bool {
	return 0 <= s.column && s.column < 8 && 0 <= s.row && s.row < 8
}

// chip is a chip of the first side, 0, or the second. This player ignores its value.
type chip struct {
	side int
	dama bool
}

type board map[square]chip

func start() board {
	b := board{}
	for i := range 64 {
		s := square{i % 8, i / 8}
		if (s.column+s.row)%2 == 1 && s.row != 3 && s.row != 4 {
			b[s] = chip{side: s.row / 4}
		}
	}
	return b
}

func (b board) isFree(s square) bool {
	_, taken := b[s]
	return s.onBoard() && !taken
}

// apply makes a legal move.
func (b board) apply(move string) error {
	var path []square
	for i := 0; i+1 < len(move); i += 2 {
		path = append(path, square{int(move[i]) - 'a', int(move[i+1]) - '1'})
	}
	if len(path) < 2 {
		return fmt.Errorf("%q is not a move", move)
	}
	moved := b[path[0]]
	delete(b, path[0])
	end := path[0]
	for _, to := range path[1:] {
		d := square{cmp.Compare(to.column, end.column), cmp.Compare(to.row, end.row)}
		for s := end.next(d); s != to && s.onBoard(); s = s.next(d) {
			delete(b, s) // a captured chip, if any
		}
		end = to
	}
	moved.dama = moved.dama || end.row == 7-7*moved.side
	b[end] = moved
	return nil
}

// choice is a random one of the best moves: those that capture the most chips, and
// among these those by a dama.
type choice struct {
	path  []square // nil: there is no move
	worth int
	equal int // number of moves that are as good
}

func (c *choice) consider(path []square, worth int) {
	if worth < c.worth {
		return
	}
	if worth > c.worth {
		c.worth, c.equal = worth, 0
	}
	c.equal++
	if rand.IntN(c.equal) == 0 { // so each of the equal moves is as likely
		c.path = path
	}
}

// String returns the move as the line to send.
func (c *choice) String() (line string) {
	for _, s := range c.path {
		line += fmt.Sprintf("%c%d", 'a'+s.column, s.row+1)
	}
	return line
}

// captures considers each move of a chip that continues a path by captures.
func (c *choice) captures(b board, path []square, mover chip, taken []square) {
	for _, d := range diagonals {
		victim := path[len(path)-1].next(d)
		for mover.dama && b.isFree(victim) {
			victim = victim.next(d)
		}
		if v, ok := b[victim]; !ok || v.side == mover.side || slices.Contains(taken, victim) {
			continue
		}
		victims := append(slices.Clone(taken), victim)
		worth := 2 * len(victims)
		if mover.dama {
			worth++
		}
		for to := victim.next(d); b.isFree(to); to = to.next(d) {
			longer := append(slices.Clone(path), to)
			c.consider(longer, worth)
			c.captures(b, longer, mover, victims)
			if !mover.dama {
				break
			}
		}
	}
}

// choose returns a random legal move, or "" if there is none.
func (b board) choose(side int) string {
	var c choice
	for i := range 64 {
		from := square{i % 8, i / 8}
		mover, ok := b[from]
		if !ok || mover.side != side {
			continue
		}
		delete(b, from) // the chip can return to its square
		c.captures(b, []square{from}, mover, nil)
		b[from] = mover
		for _, d := range diagonals {
			if !mover.dama && d.row != 1-2*side {
				continue
			}
			for to := from.next(d); b.isFree(to); to = to.next(d) {
				c.consider([]square{from, to}, 0)
				if !mover.dama {
					break
				}
			}
		}
	}
	return c.String()
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

// play plays a match to its end. out must not be buffered. If it cannot write, the next
// line to read is missing, too.
func play(in *bufio.Scanner, out io.Writer) error {
	in.Scan() // the first player's name
	in.Scan() // the second player's
	in.Scan()
	me := in.Text()
	in.Scan() // the set of chips
	b := start()
	side := 0
	sent := ""    // the move that the referee has not confirmed yet
	late := false // another player or the referee makes this move
	for {
		move := b.choose(side)
		own := fmt.Sprint(side) == me
		if own && sent == "" && !late && move != "" {
			sent = move
			fmt.Fprintln(out, sent)
		}
		if !in.Scan() {
			return in.Err()
		}
		line := in.Text()
		switch {
		case line == "RETIRE" || line == "resign" || strings.HasPrefix(line, "END"):
			return nil
		case line == "draw":
			fmt.Fprintln(out, "no")
		case line == "LATE "+me:
			sent, late = "", true
			fmt.Fprintln(out, "LATE")
		case strings.HasPrefix(line, "LATE"):
			if !own { // move for the other, unless the referee moves for both
				sent = move
				fmt.Fprintln(out, sent)
			}
		default:
			if sent == "" {
				sent = line
				in.Scan() // the points; after its own move they are in line
			}
			if err := b.apply(sent); err != nil {
				return err
			}
			sent, late = "", false
			side = 1 - side
		}
	}
}
