// Thinker plays Kamisado at random, and uses a fixed CPU time for each move.
package main

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"time"
)

const size = 8

var colours = [size]string{ // from row 1 up to row 8, columns a to h
	"NGRYKPBO", "PNYBGKOR", "BYNPROKG", "YRGNOBPK", "KPBONGRY", "GKORPNYB", "ROKGBYNP", "OBPKYRGN",
}

type square struct{ row, column int }

func (s square) String() string { return string(rune('a'+s.column)) + strconv.Itoa(s.row+1) }

func parse(text string) square { return square{int(text[1] - '1'), int(text[0] - 'a')} }

type board struct{ towers [2]map[byte]square } // of each side, by colour

func (b *board) targets(side int, from square) (list []square) {
	taken := map[square]bool{}
	for _, towers := range b.towers {
		for _, s := range towers {
			taken[s] = true
		}
	}
	up := 1 - 2*side
	for sideways := -1; sideways <= 1; sideways++ {
		s := square{from.row + up, from.column + sideways}
		for s.row >= 0 && s.row < size && s.column >= 0 && s.column < size && !taken[s] {
			list = append(list, s)
			s.row, s.column = s.row+up, s.column+sideways
		}
	}
	return list
}

func main() {
	think, err := time.ParseDuration(os.Args[1])
	if err != nil {
		panic(err)
	}
	in := bufio.NewScanner(os.Stdin)
	for range 2 {
		in.Scan() // the names
	}
	in.Scan()
	me, _ := strconv.Atoi(in.Text())
	home := [2]int{0, size - 1}
	b := board{}
	for side, row := range home {
		b.towers[side] = map[byte]square{}
		for column := range size {
			b.towers[side][colours[row][column]] = square{row, column}
		}
	}
	movable := "OBPKYRGN"
	for side := 0; ; side = 1 - side {
		var moves, wins [][2]square
		for _, c := range []byte(movable) {
			from := b.towers[side][c]
			for _, to := range b.targets(side, from) {
				moves = append(moves, [2]square{from, to})
				if to.row == home[1-side] {
					wins = append(wins, [2]square{from, to})
				}
			}
		}
		var move [2]square
		if side == me && len(moves) > 0 {
			if wins != nil {
				moves = wins
			}
			move = moves[rand.IntN(len(moves))]
			use(think)
			fmt.Printf("%v%v\n", move[0], move[1])
		} else { // the opponent's move, or one of distance zero
			if !in.Scan() || in.Text() == "RETIRE" || len(strings.TrimSpace(in.Text())) < 4 {
				return
			}
			move = [2]square{parse(in.Text()[:2]), parse(in.Text()[2:])}
		}
		for c, s := range b.towers[side] {
			if s == move[0] {
				b.towers[side][c] = move[1]
			}
		}
		if move[1].row == home[1-side] {
			return
		}
		movable = colours[move[1].row][move[1].column : move[1].column+1]
	}
}
