//go:build ignore

// Player plays chess: it takes the best piece it can, and otherwise moves at random. It never
// castles or captures en passant, and after 40 moves it offers draws.
package main

import (
	"bufio"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"os"
	"strings"
)

const usual = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"

// A square is a number: 8 times its row counted from row 1, plus its column counted from a.
// board has the letter of the piece on each square, as in FEN, or a space.
type board [64]byte

var (
	straight = [][2]int{{0, 1}, {1, 0}, {0, -1}, {-1, 0}}
	diagonal = [][2]int{{1, 1}, {1, -1}, {-1, 1}, {-1, -1}}
	jumps    = [][2]int{{1, 2}, {2, 1}, {2, -1}, {1, -2}, {-1, -2}, {-2, -1}, {-2, 1}, {-1, 2}}
	around   = append(append([][2]int{}, straight...), diagonal...)
	ways     = map[byte][][2]int{'N': jumps, 'B': diagonal, 'R': straight, 'Q': around, 'K': around}
	values   = map[byte]int{'P': 1, 'N': 3, 'B': 3, 'R': 5, 'Q': 9, 'K': 100}
	promoted = map[string]byte{"queen": 'Q', "rook": 'R', "bishop": 'B', "knight": 'N'}
)

// place returns the board of a position, and the side to move.
func place(fen string) (b board, side int) {
	rows, rest, _ := strings.Cut(fen, " ")
	row, column := 7, 0
	for s := range b {
		b[s] = ' '
	}
	for _, c := range []byte(rows) {
		switch {
		case c == '/':
			row, column = row-1, 0
		case c >= '1' && c <= '8':
			column += int(c - '0')
		default:
			b[8*row+column] = c
			column++
		}
	}
	if strings.HasPrefix(rest, "b") {
		side = 1
	}
	return b, side
}

func upper(piece byte) byte { return piece &^ 32 }

func owner(piece byte) int { return int(piece >> 5 & 1) }

// beside returns the square that is some columns and rows away, or -1.
func beside(s, right, up int) int {
	column, row := s%8+right, s/8+up
	if column < 0 || column > 7 || row < 0 || row > 7 {
		return -1
	}
	return 8*row + column
}

// targets returns the squares to which a piece can move, if its king does not matter.
func (b *board) targets(start int) (list []int) {
	piece, side := upper(b[start]), owner(b[start])
	if piece == 'P' {
		up, home := 1-2*side, 1+5*side
		for _, right := range []int{-1, 1} {
			if end := beside(start, right, up); end >= 0 && b[end] != ' ' && owner(b[end]) != side {
				list = append(list, end)
			}
		}
		if end := beside(start, 0, up); end >= 0 && b[end] == ' ' {
			list = append(list, end)
			if far := beside(end, 0, up); start/8 == home && b[far] == ' ' {
				list = append(list, far)
			}
		}
		return list
	}
	for _, way := range ways[piece] {
		for end := beside(start, way[0], way[1]); end >= 0; end = beside(end, way[0], way[1]) {
			if b[end] == ' ' || owner(b[end]) != side {
				list = append(list, end)
			}
			if b[end] != ' ' || piece == 'K' || piece == 'N' {
				break
			}
		}
	}
	return list
}

// attacked reports whether the king of a side is attacked.
func (b *board) attacked(side int) bool {
	for s := range b {
		if b[s] == ' ' || owner(b[s]) == side {
			continue
		}
		for _, end := range b.targets(s) {
			if upper(b[end]) == 'K' {
				return true
			}
		}
	}
	return false
}

type move struct{ start, end int }

// legal returns the moves after which the own king is not attacked.
func (b *board) legal(side int) (moves []move) {
	for start := range b {
		if b[start] == ' ' || owner(b[start]) != side {
			continue
		}
		for _, end := range b.targets(start) {
			after := *b
			after[start], after[end] = ' ', b[start]
			if !after.attacked(side) {
				moves = append(moves, move{start, end})
			}
		}
	}
	return moves
}

// choose returns a move that takes the best piece.
func (b *board) choose(moves []move) (best move) {
	most := -1
	for _, i := range rand.Perm(len(moves)) {
		if value := values[upper(b[moves[i].end])]; value > most {
			best, most = moves[i], value
		}
	}
	return best
}

func name(s int) string { return string([]byte{'a' + byte(s%8), '1' + byte(s/8)}) }

func square(word string) (int, bool) {
	if len(word) != 2 || word[1] < '1' || word[1] > '8' {
		return 0, false
	}
	return int(word[0]-'a') + 8*int(word[1]-'1'), true
}

// play makes an announced move.
func (b *board) play(words []string) {
	var squares []int
	for _, word := range words {
		if s, ok := square(word); ok {
			squares = append(squares, s)
		}
	}
	for ; len(squares) >= 2; squares = squares[2:] { // castling has two moves
		start, end := squares[0], squares[1]
		piece := b[start]
		if into := promoted[words[len(words)-1]]; into != 0 {
			piece = into | piece&32
		}
		if words[0] == "enpassant" {
			b[8*(start/8)+end%8] = ' '
		}
		b[start], b[end] = ' ', piece
	}
}

func main() {
	in, out := os.Stdin, os.Stdout
	if name := os.Getenv("COCO_PIPEIN"); name != "" {
		// In this order, before anything else: coco waits for both.
		in = open(name, os.O_RDONLY)
		out = open(os.Getenv("COCO_PIPEOUT"), os.O_WRONLY)
	}
	if err := match(bufio.NewScanner(in), out); err != nil {
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

// match plays a match to its end. out must not be buffered.
func match(in *bufio.Scanner, out io.Writer) error {
	in.Scan() // name of White
	in.Scan() // name of Black
	in.Scan()
	b, side := place(usual)
	if strings.HasPrefix(in.Text(), "START") {
		b, side = place(strings.TrimPrefix(in.Text(), "START <"))
		in.Scan()
	}
	me := 0
	if in.Text() == "1" {
		me = 1
	}
	moved, offered := 0, false
	for {
		var moves []move
		if side == me {
			moves = b.legal(side)
		}
		switch {
		case len(moves) == 0:
		case moved >= 40 && !offered:
			fmt.Fprintln(out, "DRAW")
			offered = true
		default:
			m := b.choose(moves)
			line := name(m.start) + " " + name(m.end)
			if row := m.end / 8; upper(b[m.start]) == 'P' && (row == 0 || row == 7) {
				line = "promote " + line + " queen"
			}
			fmt.Fprintln(out, line)
			moved, offered = moved+1, false
		}
		for in.Scan() && in.Text() == "DRAW <PROPOSED>" {
			if side != me {
				fmt.Fprintln(out, "DRAW") // accept
			}
		}
		words, ok := strings.CutPrefix(in.Text(), "OK <")
		switch {
		case ok:
			b.play(strings.Split(strings.TrimSuffix(words, ">"), "> <"))
			side = 1 - side
		case in.Text() != "DRAW <REFUSED>":
			return in.Err() // the match is over
		}
	}
}
