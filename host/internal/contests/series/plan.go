package series

import "fmt"

// PlannedMatch is one match of a series before it is played.
type PlannedMatch struct {
	Number   int // from 1
	Group    int // the entrants that play it, from 0; see groups
	Rotation int // by how many seats they have moved on
	Seed     uint64
	Seating  []int // the entrant on each seat

	alone bool // there is only one group
}

// id returns an ID that is unique in the series. It begins with the name of the game.
func (f *PlannedMatch) id(game string) string {
	if f.alone {
		return fmt.Sprintf("%s-%d-%d", game, f.Seed, f.Rotation)
	}
	return fmt.Sprintf("%s-%d-%d-%d", game, f.Seed, f.Rotation, f.Group+1)
}

// seating returns the entrant on each seat. In rotation 0 the members of a group have
// seats in their order; each further rotation moves all of them on by one seat.
func seating(group []int, rotation int) []int {
	seats := make([]int, len(group))
	for i, entrant := range group {
		seats[(i+rotation)%len(group)] = entrant
	}
	return seats
}

// plan returns the matches of a series. Each group plays each seed in every rotation,
// so that neither seating nor luck favours an entrant; see Rounded. If there is only one
// match for each group, it is played in rotation 0. All groups play a seed before any
// plays the next one, so that a series that ends early is still balanced.
func plan(c *Config) []PlannedMatch {
	all := groups(c.Entrants, c.Seats)
	matches := Rounded(c.Matches, c.Seats)
	planned := make([]PlannedMatch, 0, matches*len(all))
	for i := range matches {
		rotation := i % c.Seats
		for g, group := range all {
			planned = append(planned, PlannedMatch{
				Number: len(planned) + 1, Group: g, Rotation: rotation, Seed: c.Seed + uint64(i/c.Seats), Seating: seating(group, rotation), alone: len(all) == 1,
			})
		}
	}
	return planned
}

// Rounded returns how many matches a group plays if it is asked for a number: one, or
// the next multiple of the number of seats.
func Rounded(matches, seats int) int {
	if matches <= 1 {
		return matches
	}
	return (matches + seats - 1) / seats * seats
}

// groups returns all sets of entrants that can meet in a match: each set of programs of
// the right size, in lexical order, and all bots.
func groups(entrants []Entrant, seats int) [][]int {
	programs := programsOf(entrants)
	var bots []int
	for n := programs; n < len(entrants); n++ {
		bots = append(bots, n)
	}
	var all [][]int
	if len(bots) > seats {
		return nil
	}
	group := make([]int, 0, seats)
	var choose func(from int)
	choose = func(from int) {
		missing := seats - len(bots) - len(group)
		if missing == 0 {
			all = append(all, append(append([]int(nil), group...), bots...))
			return
		}
		for n := from; n <= programs-missing; n++ {
			group = append(group, n)
			choose(n + 1)
			group = group[:len(group)-1]
		}
	}
	choose(0)
	return all
}

// Groups returns the number of sets of entrants that can meet in a match, at most
// MaxGroups+1.
func Groups(entrants []Entrant, seats int) int {
	programs := programsOf(entrants)
	size := seats - (len(entrants) - programs)
	if size < 0 || size > programs {
		return 0
	}
	n := 1
	for i := range min(size, programs-size) { // so that it only grows
		if n = n * (programs - i) / (i + 1); n > MaxGroups {
			return MaxGroups + 1
		}
	}
	return n
}

// MaxGroups is how many groups a series can have.
const MaxGroups = 100_000

func programsOf(entrants []Entrant) (n int) {
	for _, e := range entrants {
		if e.Command != nil {
			n++
		}
	}
	return n
}
