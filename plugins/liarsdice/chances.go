//go:build go1.21

package main

// A spread has the chances of a number of matching dice: spread[k] is that of k dice.
type spread []float64

// certain returns the spread of no dice.
func certain() spread { return spread{1} }

// with returns a spread with further dice, each of which matches with a chance.
func (s spread) with(dice int, chance float64) spread {
	sum := s
	for ; dice > 0; dice-- {
		next := make(spread, len(sum)+1)
		for k, p := range sum {
			next[k] += p * (1 - chance)
			next[k+1] += p * chance
		}
		sum = next
	}
	return sum
}

// atLeast returns the chance of at least n matching dice.
func (s spread) atLeast(n int) float64 {
	if n <= 0 {
		return 1
	}
	sum := 0.0
	for k := n; k < len(s); k++ {
		sum += s[k]
	}
	return sum
}
