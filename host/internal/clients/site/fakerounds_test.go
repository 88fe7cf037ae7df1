package site

import (
	"time"

	"colosseum/host/internal/contests/contest"
	"colosseum/host/internal/contests/pairing"
)

// newRound returns a Swiss of which the matches with these IDs are running.
func newRound(now time.Time, ids []string) *contest.View {
	v := newView("blitz", "Blitz evening", pairing.Swiss, contest.Running, max(2, 2*len(ids)), now.Add(-time.Hour))
	v.Round, v.Rounds, v.PerPair, v.All = 1, 5, 1, len(ids)
	for i, id := range ids {
		v.Matches = append(v.Matches, contest.MatchView{Round: 1, Slot: i + 1, Pairing: i + 1, Leg: 1, Seats: []string{v.Entries[2*i].Name, v.Entries[2*i+1].Name}, ID: id, State: "running"})
	}
	return v
}

// newBig returns a knockout of 256 entries that has ended. The better seed has always won.
func newBig(now time.Time) *contest.View {
	const n = 256
	v := newView("open", "The big open", pairing.Knockout, contest.Ended, n, now.Add(-100*time.Hour))
	v.Round, v.Rounds, v.Ended = 8, 8, now.Add(-90*time.Hour)
	order := []int{0}
	for len(order) < n {
		var wider []int
		for _, seed := range order {
			wider = append(wider, seed, 2*len(order)-1-seed)
		}
		order = wider
	}
	for round := 1; len(order) > 1; round++ {
		var winners, losers []int
		for i := 0; i < len(order); i += 2 {
			play(v, pair{round: round, slot: i/2 + 1, seats: []int{min(order[i], order[i+1]), max(order[i], order[i+1])}})
			winners, losers = append(winners, min(order[i], order[i+1])), append(losers, max(order[i], order[i+1]))
		}
		if len(order) == 4 { // the third place
			play(v, pair{round: round + 1, slot: 2, seats: losers})
		}
		order = winners
	}
	return v
}
