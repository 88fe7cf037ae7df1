package series

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Entrant is a program or a bot that plays in all matches of a series.
type Entrant struct {
	Name    string   // in the game and in the results
	Command []string // the program and its arguments; nil: a bot of the game
}

// Fixture is one match of a series before it is played.
type Fixture struct {
	Number  int // from 1
	Seed    uint64
	Seating []int // the entrant on each seat
}

// seating returns the entrant on each seat. In rotation 0 entrants have the seat
// of their own number; each further rotation moves all of them on by one seat.
func seating(entrants, rotation int) []int {
	seats := make([]int, entrants)
	for entrant := range seats {
		seats[(entrant+rotation)%entrants] = entrant
	}
	return seats
}

// plan returns the matches of a series. Each seed is played in every rotation, so
// that neither seating nor luck favours an entrant; see Rounded. A single match is
// played in rotation 0.
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

// Rounded returns how many matches a series of the given number has: one, or the
// next multiple of the number of entrants.
func Rounded(matches, entrants int) int {
	if matches <= 1 {
		return matches
	}
	return (matches + entrants - 1) / entrants * entrants
}

// maxName is the longest name of a player in bytes, as on a server.
const maxName = 16

// Entrants returns the programs and then the bots, with different names. A program
// is named after its file, or after the script that it interprets.
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

// nameOf returns a name for a command that a server would accept.
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
