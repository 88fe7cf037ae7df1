package pairing

// doubleElimination returns the next round of a double elimination, or the replays of
// the last one.
//
// The winners bracket is that of a knockout. The losers of its first round play each
// other in round 0 of the losers bracket. From then on the rounds of the losers bracket
// alternate: in an odd one the survivors play those that have just lost in the winners
// bracket, and in an even one they play each other. Losers come into the losers bracket
// at places that are far from where they were: see dropTo. The winners of both brackets
// play the final, and once more if it is the first loss of one of them. Rounds of both
// brackets are played at the same time, as soon as their entrants are known.
func doubleElimination(h *History) ([]Pairing, error) {
	b, results, next, err := begin(h)
	if b == nil {
		return next, err
	}
	upper := [][]decision{results} // rounds of the winners bracket
	for round := 1; round < b.depth; round++ {
		results, more, err := b.expect(Winners, round, winners(upper[round-1]))
		if err != nil {
			return nil, err
		}
		if more != nil {
			next = more
			break
		}
		upper = append(upper, results)
	}
	lower, more, err := b.losers(upper)
	if err != nil {
		return nil, err
	}
	if next = append(next, more...); next != nil {
		return next, nil
	}
	champion := upper[b.depth-1][0].winner
	two := [][2]int{{champion, lower}}
	results, next, err = b.expect(Final, 2*b.depth-1, two)
	if next != nil || err != nil || results[0].winner == champion {
		return next, err
	}
	_, next, err = b.expect(Final, 2*b.depth, two)
	return next, err
}

// losers returns the winner of the losers bracket, or its next round. Without both,
// it waits for the winners bracket.
func (b *brackets) losers(upper [][]decision) (winner int, next []Pairing, err error) {
	if b.depth == 1 {
		return upper[0][0].loser, nil, nil
	}
	var entrants [][2]int
	for i := 0; i < len(upper[0]); i += 2 {
		entrants = append(entrants, [2]int{upper[0][i].loser, upper[0][i+1].loser})
	}
	var results []decision
	for round := 0; round < 2*(b.depth-1); round++ {
		drop := (round + 1) / 2 // the round of the winners bracket whose losers come
		switch {
		case round == 0:
		case round%2 == 0:
			entrants = winners(results)
		case drop >= len(upper):
			return -1, nil, nil
		default:
			entrants = nil
			for slot := range results {
				loser := upper[drop][dropTo(drop, slot, len(results))].loser
				entrants = append(entrants, [2]int{results[slot].winner, loser})
			}
		}
		if results, next, err = b.expect(Losers, round+1, entrants); next != nil || err != nil {
			return -1, next, err
		}
	}
	return results[0].winner, nil, nil
}

// dropTo returns the slot of the winners bracket whose loser comes into a slot of the
// losers bracket. With four slots or more, the losers of three consecutive rounds come
// to parts of the losers bracket that have nobody from their own part: first in
// reverse order, then with the halves swapped, then each half in reverse order.
func dropTo(round, slot, slots int) int {
	switch round % 3 {
	case 1:
		return slot ^ (slots - 1)
	case 2:
		return slot ^ slots/2
	}
	return slot ^ (slots - 1) ^ slots/2
}
