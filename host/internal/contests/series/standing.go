package series

import (
	"math"
	"slices"
	"time"

	"colosseum/host/internal/records/record"
)

// Standing is the result of one entrant in a series.
type Standing struct {
	Matches, Wins, Draws, Losses int
	Points                       float64         // the sum of its scores
	Forfeits                     map[string]int  // by kind: illegal, timeout, disconnected, resigned
	First                        []time.Duration // time by the clock on the wall for the first answer of each match, which includes the program's start; ascending
	Used                         []time.Duration // time for all other answers, ascending
	CPUFirst, CPU                []time.Duration // the same as CPU time, without what is not known
}

// standings returns the standing of each entrant. Aborted matches do not count.
// A forfeit is a loss, and a first rank that is shared by more than one team a draw.
func standings(entrants int, played []Played) []Standing {
	list := make([]Standing, entrants)
	for i := range list {
		list[i].Forfeits = map[string]int{}
	}
	for _, m := range played {
		if m.State != record.Finished {
			continue
		}
		drawn := m.drawn()
		for _, s := range m.Seats {
			st := &list[s.Entrant]
			st.Matches++
			st.Points += s.Score
			for i, used := range s.Used {
				wall, cpu := &st.Used, &st.CPU
				if i == 0 {
					wall, cpu = &st.First, &st.CPUFirst
				}
				*wall = append(*wall, used.Wall)
				if used.Counted {
					*cpu = append(*cpu, used.CPU)
				}
			}
			kind, forfeited := s.Ended.Forfeit()
			switch {
			case forfeited:
				st.Forfeits[kind]++
				st.Losses++
			case s.Rank != 1:
				st.Losses++
			case drawn:
				st.Draws++
			default:
				st.Wins++
			}
		}
	}
	for i := range list {
		for _, times := range [][]time.Duration{list[i].First, list[i].Used, list[i].CPUFirst, list[i].CPU} {
			slices.Sort(times)
		}
	}
	return list
}

// Rate returns the share of matches won, where a draw counts as half a win.
func (s *Standing) Rate() float64 {
	if s.Matches == 0 {
		return 0
	}
	return (float64(s.Wins) + float64(s.Draws)/2) / float64(s.Matches)
}

// Interval returns the 95 % confidence interval of the rate, if the matches are
// independent; see wilson.
func (s *Standing) Interval() (low, high float64) { return wilson(s.Rate(), s.Matches) }

// wilson returns the score interval of E. B. Wilson, "Probable inference, the law
// of succession, and statistical inference" (1927), at 95 %, for a rate observed in
// n trials. It stays between 0 and 1, and is accurate for few trials and for rates
// near 0 or 1. With draws it is wider than necessary, since half a win varies less
// than a win or a loss.
func wilson(rate float64, n int) (low, high float64) {
	if n == 0 {
		return 0, 1
	}
	const z = 1.959963984540054 // leaves 2.5 % of the normal distribution on each side
	t := float64(n)
	middle := rate + z*z/(2*t)
	half := z * math.Sqrt(rate*(1-rate)/t+z*z/(4*t*t))
	scale := 1 + z*z/t
	return max(0, (middle-half)/scale), min(1, (middle+half)/scale)
}

// quantile returns the smallest value that at least the given share of the values
// does not exceed; 0 if there are none.
func quantile(ascending []time.Duration, share float64) time.Duration {
	if len(ascending) == 0 {
		return 0
	}
	return ascending[max(0, int(math.Ceil(share*float64(len(ascending))))-1)]
}
