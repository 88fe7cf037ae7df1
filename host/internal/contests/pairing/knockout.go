package pairing

// knockout returns the next round of a knockout, or the replays of the last one.
//
// The winners of slots 2i and 2i+1 meet in slot i of the next round. The losers of the
// semi-finals play for the third place in slot 1 of the last round.
func knockout(h *History) ([]Pairing, error) {
	b, results, next, err := begin(h)
	if b == nil {
		return next, err
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
