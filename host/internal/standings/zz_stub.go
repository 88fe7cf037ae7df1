// This file is deleted by the commit that brings the real functions.

package standings

import "colosseum/host/internal/pairing"

type Standing struct {
	Entrant, Rank                                int
	Points                                       float64
	Played, Wins, Draws, Losses, Byes, Walkovers int
	TieBreaks                                    []float64
}

func Defaults(pairing.Format) []string { return nil }
func Compute(h *pairing.History, _ []string) (l []Standing, err error) {
	for i := range h.Entrants {
		l = append(l, Standing{Entrant: i, Rank: 1})
	}
	return l, nil
}
