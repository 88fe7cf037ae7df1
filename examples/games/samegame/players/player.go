//go:build ignore

// Player plays samegame with a search: it plays the rest of the match many times by chance,
// and follows the best one that it has found.
package main

import (
	"bufio"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"os"
	"strconv"
)

// tries is how often it plays the rest of the match before each move.
const tries = 100

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
	in.Scan() // its name
	in.Scan() // the number of columns
	in.Scan()
	height, err := strconv.Atoi(in.Text())
	if err != nil {
		return fmt.Errorf("number of rows: %w", err)
	}
	s := search{rand: rand.New(rand.NewPCG(1, 2))} // the same moves each time
	for {
		var b board
		for range height {
			if !in.Scan() {
				return in.Err()
			}
			b = append(b, []byte(in.Text()))
		}
		move, ok := s.next(b)
		if !ok {
			return nil // the match is over
		}
		if _, err := fmt.Fprintln(out, move.x, move.y); err != nil {
			return err
		}
		if !in.Scan() { // the points of this move
			return in.Err()
		}
	}
}

type cell struct{ x, y int }

// search has the best moves for the rest of the match, and their points.
type search struct {
	rand   *rand.Rand
	best   []cell
	points int
}

// next returns the next move, and false if there is none.
func (s *search) next(b board) (cell, bool) {
	for range tries {
		if moves, points := s.try(b); len(s.best) == 0 || points > s.points {
			s.best, s.points = moves, points
		}
	}
	if len(s.best) == 0 {
		return cell{}, false
	}
	move := s.best[0]
	s.best = s.best[1:]
	_, n := b.remove(move)
	s.points -= (n - 2) * (n - 2)
	return move, true
}

// try plays the rest of the match by chance. It saves the most frequent colour until
// there is nothing else to remove: so its groups become large.
func (s *search) try(b board) (moves []cell, points int) {
	saved := b.frequent()
	for {
		var other, all []cell
		for _, c := range b.groups() {
			all = append(all, c)
			if b[c.y][c.x] != saved {
				other = append(other, c)
			}
		}
		if len(all) == 0 {
			if b.empty() {
				points += 1000
			}
			return moves, points
		}
		if len(other) > 0 {
			all = other
		}
		move := all[s.rand.IntN(len(all))]
		var n int
		b, n = b.remove(move)
		points += (n - 2) * (n - 2)
		moves = append(moves, move)
	}
}

// board has the rows, the top one first.
type board [][]byte

func (b board) copy() board {
	c := make(board, len(b))
	for y := range b {
		c[y] = append([]byte(nil), b[y]...)
	}
	return c
}

// groups returns one cell of each group of two or more.
func (b board) groups() (list []cell) {
	rest := b.copy()
	for y := range rest {
		for x := range rest[y] {
			if rest[y][x] != '.' && rest.take(x, y, rest[y][x]) > 1 {
				list = append(list, cell{x, y})
			}
		}
	}
	return list
}

// take removes a block of a colour and those next to it, and returns how many.
func (b board) take(x, y int, colour byte) int {
	if y < 0 || y >= len(b) || x < 0 || x >= len(b[y]) || b[y][x] != colour {
		return 0
	}
	b[y][x] = '.'
	return 1 + b.take(x+1, y, colour) + b.take(x-1, y, colour) + b.take(x, y+1, colour) + b.take(x, y-1, colour)
}

// remove returns the board after a move, and how many blocks it has removed.
func (b board) remove(c cell) (after board, n int) {
	rest := b.copy()
	n = rest.take(c.x, c.y, rest[c.y][c.x])
	after = make(board, len(b))
	for y := range after {
		for range b[y] {
			after[y] = append(after[y], '.')
		}
	}
	to := 0 // the column on the left that is free
	for x := range rest[0] {
		bottom := len(rest)
		for y := len(rest) - 1; y >= 0; y-- {
			if rest[y][x] != '.' {
				bottom--
				after[bottom][to] = rest[y][x]
			}
		}
		if bottom < len(rest) {
			to++
		}
	}
	return after, n
}

// frequent returns the colour that most blocks have.
func (b board) frequent() (colour byte) {
	var count [256]int
	for _, row := range b {
		for _, c := range row {
			if count[c]++; c != '.' && (colour == 0 || count[c] > count[colour]) {
				colour = c
			}
		}
	}
	return colour
}

func (b board) empty() bool { return b[len(b)-1][0] == '.' }
