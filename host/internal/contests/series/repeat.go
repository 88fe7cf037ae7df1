package series

import (
	"fmt"
	"slices"
	"strings"

	"colosseum/host/internal/records/record"
)

// Repeats describes programs that gave the same answers in most of their matches with
// different seeds, for people; "" if there are none. More matches between them show
// little that is new. Some repetitions are normal in short matches.
func (r *Report) Repeats() string {
	type seated struct {
		group, rotation int
		answers         [32]byte
	}
	times := map[seated]int{}
	matches := map[int]int{} // of each group
	seats := map[int][]int{}
	for _, p := range r.Played {
		if p.State == record.Finished && p.Answers != ([32]byte{}) && !slices.ContainsFunc(p.Seats, forfeited) {
			times[seated{p.Group, p.Rotation, p.Answers}]++
			matches[p.Group]++
			seats[p.Group] = p.Seating
		}
	}
	again := map[int]int{} // by group
	for s, n := range times {
		again[s.group] += n - 1
	}
	var lines []string
	for group := range r.groups() {
		if again[group] == 0 || 2*again[group] < matches[group] {
			continue
		}
		var names []string
		for _, entrant := range slices.Sorted(slices.Values(seats[group])) {
			names = append(names, r.Entrants[entrant].shown())
		}
		lines = append(lines, fmt.Sprintf("%s: %d of %d matches repeat the answers of another one", strings.Join(names, ", "), again[group], matches[group]))
	}
	if len(lines) > faultsShown {
		lines = append(lines[:faultsShown], fmt.Sprintf("and so do matches of %d more pairings", len(lines)-faultsShown))
	}
	return strings.Join(lines, "\n")
}

// groups returns the number of groups of which matches were played.
func (r *Report) groups() int {
	most := 0
	for _, p := range r.Played {
		most = max(most, p.Group+1)
	}
	return most
}
