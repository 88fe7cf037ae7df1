//go:build ignore

// Player plays Kamisado: it wins if it can, and otherwise moves at random.
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

// colours has the colours of the squares, from row 1 up to row 8, columns a to h.
var colours = [8]string{
	"NGRYKPBO", "PNYBGKOR", "BYNPROKG", "YRGNOBPK",
	"KPBONGRY", "GKORPNYB", "ROKGBYNP", "OBPKYRGN",
}

// home has the rows of black and white, counted from 0.
var home = [2]int{0, 7}

type square struct{ row, column int }

func (s square) String() string { return fmt.Sprintf("%c%d", 'a'+s.column, s.row+1) }

func (s square) colour() byte { return colours[s.row][s.column] }

// parse returns the squares of a move.
func parse(line string) (start, end square, err error) {
	if len(line) != 4 {
		return start, end, fmt.Errorf("%q is not a move", line)
	}
	start = square{int(line[1]) - '1', int(line[0]) - 'a'}
	end = square{int(line[3]) - '1', int(line[2]) - 'a'}
	if !start.onBoard() || !end.onBoard() {
		return start, end, fmt.Errorf("%q is not a move", line)
	}
	return start, end, nil
}

func (s square) onBoard() bool {
	return 0 <= s.row && s.row < 8 && 0 <= s.column && s.column < 8
}

// towers has the squares of a side's towers, by their colours.
type towers map[byte]square

func (t towers) on(s square) bool {
	for _, taken := range t {
		if taken == s {
			return true
		}
	}
	return false
}

type move struct{ start, end square }

// legal returns the moves of a side with its towers of some colours.
func legal(sides [2]towers, side int, movable string) (moves []move) {
	up := 1 - 2*side
	for _, colour := range []byte(movable) {
		start := sides[side][colour]
		for sideways := -1; sideways <= 1; sideways++ {
			to := square{start.row + up, start.column + sideways}
			for to.onBoard() && !sides[0].on(to) && !sides[1].on(to) {
				moves = append(moves, move{start, to})
				to = square{to.row + up, to.column + sideways}
			}
		}
	}
	return moves
}

// choose returns a move to the opponent's home row if there is one, or else any.
func choose(moves []move, side int) move {
	for _, m := range moves {
		if m.end.row == home[1-side] {
			return m
		}
	}
	return moves[rand.IntN(len(moves))]
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
	in.Scan() // black's name
	in.Scan() // white's
	in.Scan()
	me, err := strconv.Atoi(in.Text())
	if err != nil {
		return fmt.Errorf("own number: %w", err)
	}
	sides := [2]towers{{}, {}}
	for side, row := range home {
		for column := range 8 {
			s := square{row, column}
			sides[side][s.colour()] = s
		}
	}
	movable := colours[0] // black chooses any of its towers for the first move
	for side := 0; ; side = 1 - side {
		var m move
		if moves := legal(sides, side, movable); side == me && len(moves) > 0 {
			m = choose(moves, side)
			if _, err := fmt.Fprintf(out, "%v%v\n", m.start, m.end); err != nil {
				return err
			}
		} else { // the opponent's move, or one of distance zero
			if !in.Scan() || in.Text() == "RETIRE" {
				return in.Err()
			}
			if m.start, m.end, err = parse(in.Text()); err != nil {
				return err
			}
		}
		for colour, s := range sides[side] {
			if s == m.start {
				sides[side][colour] = m.end
			}
		}
		if m.end.row == home[1-side] {
			return nil
		}
		movable = string(m.end.colour())
	}
}
