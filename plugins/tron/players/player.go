//go:build ignore

// Player plays tron: it moves straight on, and turns at random when a wall is ahead.
package main

import (
	"bufio"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"os"
)

func main() {
	in, out := os.Stdin, os.Stdout
	if name := os.Getenv("COCO_PIPEIN"); name != "" {
		// In this order, before anything else: coco waits for both.
		in = open(name, os.O_RDONLY)
		out = open(os.Getenv("COCO_PIPEOUT"), os.O_WRONLY)
	}
	if err := play(bufio.NewReader(in), out); err != nil {
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

type place struct{ x, y int }

var steps = map[string]place{"U": {0, -1}, "D": {0, 1}, "L": {-1, 0}, "R": {1, 0}}

// play plays a match to its end. out must not be buffered.
func play(in *bufio.Reader, out io.Writer) error {
	var width, height, tick, players, me int
	if _, err := fmt.Fscanln(in, &width, &height, &tick, &players); err != nil {
		return err
	}
	heads, ways := make([]place, players), make([]string, players)
	taken := map[place]bool{}
	for seat := range players {
		if _, err := fmt.Fscan(in, &heads[seat].x, &heads[seat].y, &ways[seat]); err != nil {
			return err
		}
		if _, err := in.ReadString('\n'); err != nil { // its team and name
			return err
		}
		taken[heads[seat]] = true
	}
	if _, err := fmt.Fscanln(in, &me); err != nil {
		return err
	}
	free := func(way string) bool {
		next := place{heads[me].x + steps[way].x, heads[me].y + steps[way].y}
		return next.x >= 0 && next.x < width && next.y >= 0 && next.y < height && !taken[next]
	}
	way := ways[me]
	for {
		if heads[me].x >= 0 { // else it has crashed
			for _, i := range rand.Perm(4) {
				if other := "UDLR"[i : i+1]; !free(way) && free(other) {
					way = other
				}
			}
			if _, err := fmt.Fprintln(out, way); err != nil {
				return err
			}
		}
		for seat := range heads {
			if _, err := fmt.Fscan(in, &heads[seat].x, &heads[seat].y); err == io.EOF {
				return nil // the match has ended
			} else if err != nil {
				return err
			}
			taken[heads[seat]] = true
		}
	}
}
