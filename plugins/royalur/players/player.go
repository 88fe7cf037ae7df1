//go:build ignore

// Player plays the Royal Game of Ur at random.
package main

import (
	"bufio"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
)

const (
	tokens = 7
	home   = 15 // one past the last cell of the track
	middle = 8  // the shared rosette
)

// places has the cell of each token of a player. 0 is the start.
type places [tokens]int

func (p *places) on(cell int) bool { return slices.Contains(p[:], cell) }

func isShared(cell int) bool  { return 5 <= cell && cell <= 12 }
func isRosette(cell int) bool { return cell == 4 || cell == middle || cell == 14 }

func canMove(own, other *places, token, heads int) bool {
	to := own[token] + heads
	switch {
	case heads == 0 || own[token] == home || to > home:
		return false
	case to == home:
		return true
	}
	return !own.on(to) && !(to == middle && other.on(to))
}

// advance moves a token, and returns the captured one to its start.
func advance(own, other *places, token, heads int) {
	own[token] += heads
	if !isShared(own[token]) {
		return
	}
	if captured := slices.Index(other[:], own[token]); captured >= 0 {
		other[captured] = 0
	}
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
	in.Scan() // the first player's name
	in.Scan() // the second player's
	in.Scan()
	me, err := strconv.Atoi(in.Text())
	if err != nil {
		return fmt.Errorf("own number: %w", err)
	}
	var players [2]places
	mover := 0
	for in.Scan() { // a roll
		heads := strings.Count(in.Text(), "1")
		own, other := &players[mover], &players[1-mover]
		var legal []int
		for token := range tokens {
			if canMove(own, other, token, heads) {
				legal = append(legal, token)
			}
		}
		if len(legal) == 0 {
			mover = 1 - mover
			continue
		}
		token := legal[rand.IntN(len(legal))]
		if mover == me {
			if _, err := fmt.Fprintln(out, token); err != nil {
				return err
			}
		} else {
			if !in.Scan() || in.Text() == "RETIRE" {
				break
			}
			token, err = strconv.Atoi(in.Text())
			if err != nil || !slices.Contains(legal, token) {
				return fmt.Errorf("the opponent's move %q is not legal", in.Text())
			}
		}
		advance(own, other, token, heads)
		if *own == (places{home, home, home, home, home, home, home}) {
			break
		}
		if !isRosette(own[token]) {
			mover = 1 - mover
		}
	}
	return in.Err()
}
