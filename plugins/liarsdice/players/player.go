//go:build ignore

// Player plays liar's dice by the number of dice that it can expect of each face.
package main

import (
	"bufio"
	"fmt"
	"io"
	"log"
	"os"
	"strconv"
	"strings"
)

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

type bid struct{ count, face int }

// round is what the player knows.
type round struct {
	wild  bool
	total int   // of all dice
	own   []int // its dice
	last  bid   // no count: there is none
}

// play plays a match to its end. out must not be buffered.
func play(in *bufio.Scanner, out io.Writer) error {
	var r round
	me := 0
	for in.Scan() {
		word, rest, _ := strings.Cut(in.Text(), " ")
		switch word {
		case "GAME":
			r.wild = strings.HasSuffix(rest, "yes")
			continue
		case "PLAYER":
			continue
		case "WINS":
			return nil
		}
		numbers, err := parse(rest)
		if err != nil {
			return fmt.Errorf("%s: %w", in.Text(), err)
		}
		switch word {
		case "YOU":
			me = numbers[0]
		case "ROUND":
			r.total, r.last = 0, bid{}
			for _, dice := range numbers[1:] {
				r.total += dice
			}
		case "DICE":
			r.own = numbers[1:]
		case "BID":
			r.last = bid{numbers[1], numbers[2]}
		case "TURN":
			if numbers[0] != me {
				continue
			}
			if _, err := fmt.Fprintln(out, r.choose()); err != nil {
				return err
			}
		}
	}
	return in.Err()
}

func parse(text string) (numbers []int, err error) {
	for _, field := range strings.Fields(text) {
		n, err := strconv.Atoi(field)
		if err != nil {
			return nil, err
		}
		numbers = append(numbers, n)
	}
	return numbers, nil
}

// choose returns the most likely higher bid, or LIAR if it expects fewer dice than the last bid.
func (r *round) choose() string {
	if r.last.count > 0 && r.surplus(r.last) < 0 {
		return "LIAR"
	}
	var best bid
	for count := 1; count <= r.total; count++ {
		for face := 1; face <= 6; face++ {
			b := bid{count, face}
			opensWithOnes := r.wild && face == 1 && r.last.count == 0 // not legal
			if r.rank(b) > r.rank(r.last) && !opensWithOnes && (best.count == 0 || r.surplus(b) > r.surplus(best)) {
				best = b
			}
		}
	}
	if best.count == 0 {
		return "LIAR"
	}
	return fmt.Sprintf("%d %d", best.count, best.face)
}

// surplus returns how many more dice it expects than a bid needs: its own that count, and a share
// of the hidden ones.
func (r *round) surplus(b bid) float64 {
	counting, own := 1, 0
	if r.wild && b.face != 1 {
		counting = 2
	}
	for _, die := range r.own {
		if die == b.face || r.wild && die == 1 {
			own++
		}
	}
	return float64(own) + float64((r.total-len(r.own))*counting)/6 - float64(b.count)
}

// rank puts the bids in order: n wild ones are above 2n sixes.
func (r *round) rank(b bid) int {
	if r.wild && b.face == 1 {
		return 16*b.count + 7
	}
	return 8*b.count + b.face
}
