package pairing

// score returns the next round of a contest in which each entrant plays alone, and with it
// the earlier rounds that entrants lack because they came late. The match of a round is
// the same one for all. Nobody has it before the round before is decided, so that
// spectators learn little about what they will have to play themselves.
func score(h *History) []Pairing {
	played := make([]map[int]bool, len(h.Entrants)) // rounds, by entrant
	for i := range played {
		played[i] = map[int]bool{}
	}
	for i := range h.Pairings {
		p := &h.Pairings[i]
		played[p.Entrants[0]][p.Round] = true
	}
	var next []Pairing
	for round := range min(h.rounds()+1, h.Rounds) {
		slot := 0
		for _, n := range h.active() {
			if !played[n][round] {
				next = append(next, Pairing{Round: round, Slot: slot, Entrants: []int{n}, Alone: true})
				slot++
			}
		}
	}
	return next
}
