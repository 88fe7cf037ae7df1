// Package spelling finds the word that was meant by a misspelt one.
package spelling

import (
	"fmt"
	"slices"
	"strings"
)

// Nearest returns the known word that is most like the given one, or "" if none is like it.
func Nearest(word string, known []string) string {
	if len(known) == 0 {
		return ""
	}
	best := slices.MinFunc(known, func(a, b string) int { return distance(word, a) - distance(word, b) })
	if distance(word, best) > (len(word)+2)/3 {
		return ""
	}
	return best
}

// Suggest returns the end of an error about an unknown word: the nearest known word, or all
// of them.
func Suggest(word string, known []string) string {
	if best := Nearest(word, known); best != "" {
		return fmt.Sprintf("did you mean %q?", best)
	}
	return "have " + strings.Join(known, ", ")
}

// distance returns the Levenshtein distance: the least number of letters to
// insert, delete or replace.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		corner := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := corner
			if a[i] != b[j] {
				change++
			}
			corner = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
