package pairing

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"
)

// place is where a pairing is in the brackets.
type place struct {
	bracket     Bracket
	round, slot int
}

// brackets are the pairings of a contest with elimination by their places, each with
// its replays.
type brackets struct {
	h     *History
	at    map[place][]*Played
	depth int // rounds of the winners bracket
	last  int // the last round that was paired
}

// decision is how a pairing ended. Without an entrant, it is -1.
type decision struct{ winner, loser int }

// newBrackets returns an error unless the pairings have the form of brackets.
func newBrackets(h *History) (*brackets, error) {
	b := &brackets{h: h, at: map[place][]*Played{}, last: h.rounds() - 1}
	slots := 0
	in := make([]bool, len(h.Entrants))
	for i := range h.Pairings {
		p := &h.Pairings[i]
		at := place{p.Bracket, p.Round, p.Slot}
		if p.Replay != len(b.at[at]) {
			return nil, fmt.Errorf("pairing %d is replay %d instead of %d", i, p.Replay, len(b.at[at]))
		}
		if p.Replay > 0 && !sameEntrants(b.at[at][0].Entrants, p.Entrants) {
			return nil, fmt.Errorf("pairing %d is a replay of other entrants", i)
		}
		b.at[at] = append(b.at[at], p)
		if p.Round > 0 || p.Bracket != Winners || p.Replay > 0 {
			continue
		}
		slots++
		for _, n := range p.Entrants {
			if in[n] {
				return nil, fmt.Errorf("entrant %d is in the first round twice", n)
			}
			in[n] = true
		}
	}
	for i := range slots {
		if b.at[place{slot: i}] == nil {
			return nil, fmt.Errorf("the first round has %d pairings, but none in slot %d", slots, i)
		}
	}
	if slots == 0 || slots&(slots-1) != 0 {
		return nil, fmt.Errorf("the first round has %d pairings, not a power of two", slots)
	}
	b.depth = bits.Len(uint(slots))
	for i, e := range h.Entrants {
		if !e.Withdrawn && !in[i] {
			return nil, fmt.Errorf("entrant %d came after the first pairings: a %s has no place for it; withdraw it", i, h.Format)
		}
	}
	return b, nil
}

func sameEntrants(a, b []int) bool {
	a, b = slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b))
	return slices.Equal(a, b)
}

// begin returns the brackets with the decisions of the first round. If the first round or
// replays must be played before, it returns these as next, and no brackets.
func begin(h *History) (b *brackets, results []decision, next []Pairing, err error) {
	if len(h.Pairings) == 0 {
		return nil, nil, firstRound(h), nil
	}
	if b, err = newBrackets(h); err != nil {
		return nil, nil, nil, err
	}
	if next = b.replays(); next != nil {
		return nil, nil, next, nil
	}
	for slot := range 1 << (b.depth - 1) {
		result, _, decided := b.decision(place{slot: slot})
		if !decided {
			return nil, nil, nil, errBrackets
		}
		results = append(results, result)
	}
	return b, results, nil, nil
}

// firstRound returns the pairings of the first round. The brackets are those of the best
// seeds: if the better seed always wins, the two best meet in the last round, the four
// best in the one before, and so on. If the number of entrants is not a power of two,
// the best seeds have byes.
func firstRound(h *History) []Pairing {
	list := h.active()
	if len(list) < 2 {
		return nil
	}
	order := []int{0}
	for len(order) < len(list) {
		var wider []int
		for _, seed := range order {
			wider = append(wider, seed, 2*len(order)-1-seed)
		}
		order = wider
	}
	var next []Pairing
	for slot := range len(order) / 2 {
		entrants := []int{list[order[2*slot]]}
		if low := order[2*slot+1]; low < len(list) {
			entrants = append(entrants, list[low])
		}
		next = append(next, Pairing{Slot: slot, Entrants: entrants})
	}
	return next
}

// decision returns how the pairing at a place ended, with its replays. It depends on
// nothing but results and seeds, so it stays the same when an entrant comes back. A tied
// pairing is played again, unless both were absent; after the last replay the one that
// came to more of its legs goes on, and then the better seed.
func (b *brackets) decision(at place) (result decision, tied, decided bool) {
	list := b.at[at]
	if len(list) == 0 || !b.h.decided(list[len(list)-1]) {
		return decision{-1, -1}, false, false
	}
	p := list[len(list)-1]
	if p.Bye() {
		return decision{p.Entrants[0], -1}, false, true
	}
	total := b.h.Total(p)
	first, second := p.Entrants[0], p.Entrants[1]
	lead := total[0] - total[1]
	if math.Abs(lead) < 1e-6 {
		if p.Replay < b.h.Replays && !(p.Unplayed() && total[0] < 1e-6) {
			return decision{-1, -1}, true, false
		}
		lead = 0
		for _, l := range p.Legs {
			if l.Unplayed {
				lead += l.Points[0] - l.Points[1]
			}
		}
	}
	if math.Abs(lead) < 1e-6 {
		first, second = b.h.better(first, second)
	} else if lead < 0 {
		first, second = second, first
	}
	return decision{first, second}, false, true
}

// replays returns the repetitions of tied pairings of the last round. The seats are
// rotated.
func (b *brackets) replays() []Pairing {
	var next []Pairing
	for i := range b.h.Pairings {
		p := &b.h.Pairings[i]
		if p.Round != b.last || p.Replay > 0 {
			continue
		}
		at := place{p.Bracket, p.Round, p.Slot}
		if _, tied, _ := b.decision(at); tied {
			again := p.Pairing
			again.Replay = len(b.at[at])
			turn := again.Replay % len(p.Entrants)
			again.Entrants = slices.Concat(p.Entrants[turn:], p.Entrants[:turn])
			next = append(next, again)
		}
	}
	slices.SortFunc(next, func(x, y Pairing) int {
		return cmp.Or(cmp.Compare(x.Bracket, y.Bracket), x.Slot-y.Slot)
	})
	return next
}

var errBrackets = errors.New("its pairings are not those of its brackets")

// expect returns the decisions of the pairings of one round of a bracket. Each slot
// wants the given entrants, -1 for none. If the round was not paired, it returns its
// pairings as next; an empty slot has none.
func (b *brackets) expect(bracket Bracket, round int, entrants [][2]int) (results []decision, next []Pairing, err error) {
	sides := b.h.sides()
	found := 0
	for slot, two := range entrants {
		p := Pairing{Round: round, Bracket: bracket, Slot: slot}
		for _, n := range two {
			if n >= 0 {
				p.Entrants = append(p.Entrants, n)
			}
		}
		at := place{bracket, round, slot}
		if len(p.Entrants) == 0 {
			results = append(results, decision{-1, -1})
			continue
		}
		if b.at[at] != nil {
			result, _, decided := b.decision(at)
			if !decided || !sameEntrants(b.at[at][0].Entrants, p.Entrants) {
				return nil, nil, errBrackets
			}
			results = append(results, result)
			found++
			continue
		}
		if len(p.Entrants) == 2 {
			first, second := b.h.better(p.Entrants[0], p.Entrants[1])
			if sides[second].balance < sides[first].balance {
				first, second = second, first
			}
			p.Entrants = []int{first, second}
		}
		next = append(next, p)
	}
	if found > 0 && next != nil {
		return nil, nil, errBrackets
	}
	return results, next, nil
}

// winners returns the entrants of the next round: the winners of two slots each.
func winners(results []decision) [][2]int {
	var next [][2]int
	for i := 0; i+1 < len(results); i += 2 {
		next = append(next, [2]int{results[i].winner, results[i+1].winner})
	}
	return next
}

// Places returns the place of each entrant of a knockout or double elimination, from
// 1, as far as the results decide it: entrants that came equally far share one, also
// the first place, as long as they can win. Entrants without a pairing are last.
//
// In a knockout, those that lost in the same round share a place, except in the last
// two: the final decides between 1 and 2, and the third-place match between 3 and 4. In
// a double elimination the place is that of the round of the losers bracket in which
// an entrant lost.
func Places(h *History) ([]int, error) {
	if h.Format != Knockout && h.Format != DoubleElimination {
		return nil, fmt.Errorf("a %s has no brackets", h.Format)
	}
	if err := h.Check(); err != nil {
		return nil, err
	}
	came := make([]int, len(h.Entrants)) // how far
	if len(h.Pairings) > 0 {
		for i := range h.Pairings {
			for _, n := range h.Pairings[i].Entrants {
				came[n] = math.MaxInt
			}
		}
		b, err := newBrackets(h.allOut())
		if err != nil {
			return nil, err
		}
		b.came(came)
	}
	places := make([]int, len(came))
	sorted := slices.Sorted(slices.Values(came))
	for i, c := range came {
		after, _ := slices.BinarySearch(sorted, c)
		same := after
		for same < len(sorted) && sorted[same] == c {
			same++
		}
		places[i] = 1 + len(sorted) - same
	}
	return places, nil
}

// came sets how far those came that cannot win any more.
func (b *brackets) came(far []int) {
	final := b.depth - 1
	for i := range b.h.Pairings { // in their order, so the third-place match is after the semi-finals
		p := &b.h.Pairings[i]
		at := place{p.Bracket, p.Round, p.Slot}
		result, _, decided := b.decision(at)
		if !decided || result.loser < 0 {
			continue
		}
		lost := 4 * (p.Round + 1)
		switch {
		case b.h.Format == Knockout && p.Round == final && p.Slot == 1: // third place
			far[result.winner], lost = 4*final+2, 4*final+1
		case b.h.Format == Knockout:
		case p.Bracket == Winners:
			continue
		case p.Bracket == Final:
			champion, _, _ := b.decision(place{round: final})
			if p.Round == 2*b.depth-1 && result.winner != champion.winner {
				continue // there is another final
			}
		}
		far[result.loser] = lost
	}
}

// GoOn returns for each pairing of a knockout or double elimination the entrant that goes on
// from it, or -1 if that is not decided, as also after a tie that is played again. The
// repetitions of a pairing go on together.
func GoOn(h *History) ([]int, error) {
	list := make([]int, len(h.Pairings))
	if len(list) == 0 {
		return list, nil
	}
	b, err := newBrackets(h.allOut())
	if err != nil {
		return nil, err
	}
	for i := range h.Pairings {
		p := &h.Pairings[i]
		result, _, _ := b.decision(place{p.Bracket, p.Round, p.Slot})
		list[i] = result.winner
	}
	return list, nil
}

// allOut returns the history with all entrants withdrawn: then one without a place in the
// brackets is no error.
func (h *History) allOut() *History {
	late := *h
	late.Entrants = slices.Clone(h.Entrants)
	for i := range late.Entrants {
		late.Entrants[i].Withdrawn = true
	}
	return &late
}
