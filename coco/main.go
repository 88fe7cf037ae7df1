// Command coco is the command-line client of a Colosseum server: it lists games
// and matches, creates matches, and connects a program to one. docs/coco.md
// describes it.
package main

import (
	"os"

	"colosseum/coco/internal/command"
)

func main() {
	os.Exit(command.Main(os.Args))
}
