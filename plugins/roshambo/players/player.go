//go:build ignore

// Player plays roshambo at random.
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

var hands = []string{"ROCK", "PAPER", "SCISSORS"}

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
	in.Scan() // its own name
	in.Scan() // the opponent's
	in.Scan()
	rounds, err := strconv.Atoi(in.Text())
	if err != nil {
		return fmt.Errorf("number of rounds: %w", err)
	}
	for range rounds {
		if _, err := fmt.Fprintln(out, hands[rand.IntN(len(hands))]); err != nil {
			return err
		}
		if !in.Scan() || in.Text() == "RETIRE" {
			break
		}
	}
	return in.Err()
}
