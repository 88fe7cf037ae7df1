package pairing

// gauntlet returns the pairings of the best seed with all others, each in a round of
// its own, the better seeds first. It has the first seat in every other pairing. Late
// entries come after all others. If the best seed has withdrawn after the first
// pairings, the gauntlet is over.
func gauntlet(h *History) []Pairing {
	list := h.active()
	if len(list) == 0 {
		return nil
	}
	best := list[0]
	if len(h.Pairings) > 0 {
		first := h.Pairings[0].Entrants
		best, _ = h.better(first[0], first[len(first)-1])
	}
	if h.Entrants[best].Withdrawn {
		return nil
	}
	met, round := h.encounters(), h.rounds()
	var next []Pairing
	for _, other := range list {
		if other == best || met[pairKey(best, other)] > 0 {
			continue
		}
		entrants := []int{best, other}
		if round%2 == 1 {
			entrants = []int{other, best}
		}
		next = append(next, Pairing{Round: round, Entrants: entrants})
		round++
	}
	return next
}
