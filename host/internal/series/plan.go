package series

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Entrant is who takes part in all matches of a series.
type Entrant struct {
	Name    string   // as the game and the results show it
	Command []string // the program and its arguments; nil: a bot of the game
}

// Fixture is one match of a series before it is played.
type Fixture struct {
	Number  int // from 1
	Seed    uint64
	Seating []int // the entrant on each seat
}

// seating returns who sits where in the given rotation: in the first, entrants
// sit in their order; in each further one, everybody moves on by one seat.
func seating(entrants, rotation int) []int {
	seats := make([]int, entrants)
	for entrant := range seats {
		seats[(entrant+rotation)%entrants] = entrant
	}
	return seats
}

// plan returns the matches of a series. Each seed is played in every rotation,
// so that nobody owes a result to its seat or to the luck of a draw; the number
// of matches is rounded up for that. A single match is played as it stands.
func plan(seed uint64, entrants, matches int) []Fixture {
	if matches > 1 {
		matches = Rounded(matches, entrants)
	}
	fixtures := make([]Fixture, matches)
	for i := range fixtures {
		fixtures[i] = Fixture{Number: i + 1, Seed: seed + uint64(i/entrants), Seating: seating(entrants, i%entrants)}
	}
	return fixtures
}

// Rounded is the number of matches that are played when a number is asked for:
// one, or the next multiple of the entrants.
func Rounded(matches, entrants int) int {
	if matches <= 1 {
		return matches
	}
	return (matches + entrants - 1) / entrants * entrants
}

// maxName is the longest name of a player, as on a server.
const maxName = 16

// Entrants gives the programs and then the bots the names that they play under:
// that of the program, or of the script that an interpreter is given.
func Entrants(programs [][]string, bots int) ([]Entrant, error) {
	var list []Entrant
	times := map[string]int{}
	for _, command := range programs {
		if len(command) == 0 || command[0] == "" {
			return nil, errors.New(`a program is missing: write them as -- PROGRAM ARGUMENTS -- PROGRAM ARGUMENTS`)
		}
		name := nameOf(command)
		times[name]++
		list = append(list, Entrant{name, command})
	}
	seen := map[string]int{}
	for i := range list {
		if name := list[i].Name; times[name] > 1 {
			seen[name]++
			suffix := fmt.Sprintf("-%d", seen[name])
			list[i].Name = name[:min(len(name), maxName-len(suffix))] + suffix
		}
	}
	for i := range bots {
		list = append(list, Entrant{Name: fmt.Sprintf("ServerBot$%d", i)}) // as on a server
	}
	return list, nil
}

// nameOf returns the name of a command, as a server would allow it.
func nameOf(command []string) string {
	word := command[0]
	if len(command) > 1 && !strings.ContainsRune(word, filepath.Separator) && isFile(command[1]) {
		word = command[1] // python3 bot.py
	}
	name := []byte(filepath.Base(word))
	for i, c := range name {
		if c <= ' ' || c > '~' || c == '$' {
			name[i] = '_'
		}
	}
	return string(name[:min(len(name), maxName)])
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}
