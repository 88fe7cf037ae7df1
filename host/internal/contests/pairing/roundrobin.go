package pairing

// roundRobin returns all pairings of a round robin between two that are missing.
//
// The rounds and the seats are those of the Berger tables (FIDE Handbook, C.05,
// Annex 1), with the entrants numbered by seed. If their number is odd, the highest
// number of the table is a bye. Later calls return the pairings of late entries, as
// rounds of a table of all entrants that leaves out the pairings that exist: there
// nobody has a bye, and the first seat goes to the one of two that had it less often.
func roundRobin(h *History) []Pairing {
	list := h.active()
	if len(list) < 2 {
		return nil
	}
	first := len(h.Pairings) == 0
	met, seats, round := h.encounters(), h.sides(), h.rounds()
	var next []Pairing
	for _, table := range berger(len(list)) {
		slot := 0
		for _, pair := range table {
			var entrants []int
			for _, place := range pair {
				if place < len(list) {
					entrants = append(entrants, list[place])
				}
			}
			if !first {
				if len(entrants) < 2 || met[pairKey(entrants[0], entrants[1])] > 0 {
					continue
				}
				a, b := &seats[entrants[0]], &seats[entrants[1]]
				if a.balance > b.balance || a.balance == b.balance && a.last > b.last {
					entrants[0], entrants[1] = entrants[1], entrants[0]
				}
				seats[entrants[0]].add(+1)
				seats[entrants[1]].add(-1)
			}
			next = append(next, Pairing{Round: round, Slot: slot, Entrants: entrants})
			slot++
		}
		if slot > 0 {
			round++
		}
	}
	return next
}

// berger returns the Berger table for n players, numbered from 0, as rounds of pairs of
// which the first has White. If n is odd, the number n has no player.
//
// All players but the last sit on a circle. In each round those with the same distance
// from one of them play each other; that one plays the last, and is half a circle
// further in the next round.
func berger(n int) [][][2]int {
	n += n % 2
	circle := n - 1
	rounds := make([][][2]int, circle)
	for r := range rounds {
		middle := r * (n / 2) % circle
		pair := [2]int{middle, n - 1}
		if r%2 == 1 {
			pair = [2]int{n - 1, middle}
		}
		rounds[r] = append(rounds[r], pair)
		for d := 1; d < n/2; d++ {
			rounds[r] = append(rounds[r], [2]int{(middle + d) % circle, (middle - d + circle) % circle})
		}
	}
	return rounds
}
