// Command coco talks to a Colosseum server: it lists games and matches, makes
// matches, and connects a program to one. The page docs/coco.md tells how to
// use it.
package main

import (
	"os"

	"colosseum/coco/internal/command"
)

func main() {
	os.Exit(command.Main(os.Args))
}
