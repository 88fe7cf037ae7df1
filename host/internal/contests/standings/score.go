package standings

import (
	"cmp"
	"math"
	"slices"

	"colosseum/host/internal/contests/pairing"
)

// byScore returns the standings of a contest by score: a better mean of the scores comes
// first, and then a better best one. A leg that an entrant has missed counts 0, or as the
// worst score of all in its round if that is less: nobody gains by staying away. A void
// leg counts for nothing. Entrants without a leg come last.
func byScore(h *pairing.History) []Standing {
	worst := map[int]float64{} // by round; at most 0
	for i := range h.Pairings {
		p := &h.Pairings[i]
		for _, l := range p.Legs {
			worst[p.Round] = min(worst[p.Round], l.Score)
		}
	}
	list := make([]Standing, len(h.Entrants))
	for i := range list {
		list[i].Entrant = i
	}
	for i := range h.Pairings {
		p := &h.Pairings[i]
		row := &list[p.Entrants[0]]
		for _, l := range p.Legs {
			switch {
			case l.Void:
			case l.Unplayed:
				row.Walkovers++
				row.Sum += worst[p.Round]
			default:
				if row.Played == 0 || l.Score > row.Best {
					row.Best = l.Score
				}
				row.Played++
				row.Sum += l.Score
			}
		}
	}
	for i := range list {
		row := &list[i]
		row.Sum = fine(row.Sum)
		if n := row.Played + row.Walkovers; n > 0 {
			row.Points = fine(row.Sum / float64(n))
		}
	}
	better := func(a, b Standing) int {
		return cmp.Or(cmp.Compare(b.mean(), a.mean()), cmp.Compare(b.best(), a.best()))
	}
	slices.SortFunc(list, func(a, b Standing) int {
		return cmp.Or(better(a, b), cmp.Compare(h.Entrants[a.Entrant].Seed, h.Entrants[b.Entrant].Seed))
	})
	for i := range list {
		list[i].Rank = i + 1
		if i > 0 && better(list[i-1], list[i]) == 0 {
			list[i].Rank = list[i-1].Rank
		}
	}
	return list
}

// mean returns the mean score, less than all others if there is none.
func (s *Standing) mean() float64 {
	if s.Played+s.Walkovers == 0 {
		return math.Inf(-1)
	}
	return s.Points
}

// best returns the best score, less than all others if there is none.
func (s *Standing) best() float64 {
	if s.Played == 0 {
		return math.Inf(-1)
	}
	return s.Best
}
