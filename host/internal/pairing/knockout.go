package pairing

// knockout returns the next round of a knockout, or the replays of the last one.
//
// The winners of slots 2i and 2i+1 meet in slot i of the next round. The losers of the
// semi-finals play for the third place in slot 1 of the last round.
func knockout(h *History) ([]Pairing, error) {
	if len(h.Pairings) == 0 {
		return firstRound(h), nil
	}
	b, err := newBrackets(h)
	if err != nil {
		return nil, err
	}
	if next := b.replays(); next != nil {
		return next, nil
	}
	results, err := b.first()
	if err != nil {
		return nil, err
	}
	for round := 1; round < b.depth; round++ {
		entrants := winners(results)
		if len(entrants) == 1 && results[0].loser >= 0 && results[1].loser >= 0 {
			entrants = append(entrants, [2]int{results[0].loser, results[1].loser})
		}
		var next []Pairing
		if results, next, err = b.expect(Winners, round, entrants); next != nil || err != nil {
			return next, err
		}
	}
	return nil, nil
}
