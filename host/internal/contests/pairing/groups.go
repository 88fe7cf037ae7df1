package pairing

import (
	"cmp"
	"slices"
)

// Bounds of the search for groups: above, groups are drawn and not improved, and
// fewer rounds are planned at once.
const (
	maxSearch  = 2000    // entrants
	maxPlanned = 20_000  // places in all rounds
	maxSwaps   = 200_000 // tries
	maxDraws   = 5000    // rounds drawn
)

// roundPlan is a round in which more than two play each other.
type roundPlan struct {
	groups [][]int
	byes   []int
}

// groupRound returns the next round of a round robin with more than two players to a
// match.
//
// In each round all entrants are divided into groups of the size of a match, and those
// left over have byes: they are the ones that had a round without a match least often.
// A local search with numbers from the seed of the contest, over all rounds to come,
// makes the sum of the squares of how often pairs meet as low as it can. Withdrawals and
// late entries count from the next round on, where a new search begins.
//
// Without a number of rounds there are as many as it takes at least so that all pairs
// of the starters can meet.
func groupRound(h *History) []Pairing {
	list := h.active()
	round, rounds := h.rounds(), groupRounds(h)
	if round >= rounds || len(list) < h.Size {
		return nil
	}
	ahead := func(from int) int { return min(rounds-from, max(1, maxPlanned/len(list))) }
	// As long as nothing has changed, the plan of the start is the best one.
	start := History{Size: h.Size, Seed: h.Seed, Entrants: h.Entrants}
	if plan := planGroups(&start, list, ahead(0)); round < len(plan) && followed(h, plan[:round]) {
		return h.seated(round, plan[round])
	}
	return h.seated(round, planGroups(h, list, ahead(round))[0])
}

func groupRounds(h *History) int {
	n := h.starters()
	if h.Rounds > 0 || n < h.Size {
		return h.Rounds
	}
	met := n / h.Size * h.Size * (h.Size - 1) // in one round
	return (n*(n-1) + met - 1) / met
}

// followed reports whether the rounds of a history are those of a plan.
func followed(h *History, plan []roundPlan) bool {
	planned := map[int]map[int]int{} // by round and entrant: the group, -1 for a bye
	for r, round := range plan {
		planned[r] = map[int]int{}
		for g, group := range round.groups {
			for _, n := range group {
				planned[r][n] = g
			}
		}
		for _, n := range round.byes {
			planned[r][n] = -1
		}
	}
	count := 0
	for i := range h.Pairings {
		p := &h.Pairings[i]
		for _, n := range p.Entrants {
			count++
			g, ok := planned[p.Round][n]
			if !ok || g != planned[p.Round][p.Entrants[0]] || p.Bye() != (g < 0) {
				return false
			}
		}
	}
	for _, round := range planned {
		count -= len(round)
	}
	return count == 0
}

// planGroups returns the groups of a number of rounds.
func planGroups(h *History, list []int, rounds int) []roundPlan {
	r := random(h.Seed + uint64(h.rounds()))
	n, size := len(list), h.Size
	index := make(map[int]int, n) // of an entrant in the list
	for i, e := range list {
		index[e] = i
	}
	idle := make([]int, n) // rounds without a match
	for i := range idle {
		idle[i] = h.rounds()
	}
	for i := range h.Pairings {
		if p := &h.Pairings[i]; !p.Bye() {
			for _, e := range p.Entrants {
				if i, ok := index[e]; ok {
					idle[i]--
				}
			}
		}
	}
	plan := draw(&r, size, slices.Clone(idle), rounds)
	if n < 2*size && n > size {
		// With one group, only the byes can be better: the best of many draws.
		best := unevenness(h, plan, index, n)
		for range maxDraws / rounds {
			other := draw(&r, size, slices.Clone(idle), rounds)
			if u := unevenness(h, other, index, n); u < best {
				plan, best = other, u
			}
		}
	} else if n <= maxSearch {
		improve(h, plan, index, n, &r)
	}
	for _, round := range plan {
		for _, group := range append(round.groups, round.byes) {
			for i := range group {
				group[i] = list[group[i]]
			}
			h.sortBySeed(group)
		}
	}
	return plan
}

// draw returns random groups. Byes go to those that were idle least often.
func draw(r *random, size int, idle []int, rounds int) []roundPlan {
	n := len(idle)
	plan := make([]roundPlan, rounds)
	for k := range plan {
		order := r.order(n)
		slices.SortStableFunc(order, func(a, b int) int { return idle[b] - idle[a] })
		playing := order[:n/size*size]
		for _, i := range order[len(playing):] {
			idle[i]++
			plan[k].byes = append(plan[k].byes, i)
		}
		for _, i := range r.order(len(playing)) {
			if last := len(plan[k].groups) - 1; last >= 0 && len(plan[k].groups[last]) < size {
				plan[k].groups[last] = append(plan[k].groups[last], playing[i])
			} else {
				plan[k].groups = append(plan[k].groups, []int{playing[i]})
			}
		}
	}
	return plan
}

// meetings returns how often pairs meet: before a plan and in it.
func meetings(h *History, plan []roundPlan, index map[int]int, n int) []int32 {
	met := make([]int32, n*n)
	for pair, times := range h.encounters() {
		a, ok := index[int(pair[0])]
		b, known := index[int(pair[1])]
		if ok && known {
			met[a*n+b] += int32(times)
			met[b*n+a] += int32(times)
		}
	}
	for _, round := range plan {
		for _, group := range round.groups {
			for _, a := range group {
				for _, b := range group {
					met[a*n+b]++
				}
			}
		}
	}
	return met
}

// unevenness returns the sum of the squares of how often pairs meet.
func unevenness(h *History, plan []roundPlan, index map[int]int, n int) (sum int) {
	for i, times := range meetings(h, plan, index, n) {
		if i/n != i%n {
			sum += int(times * times)
		}
	}
	return sum
}

// improve exchanges entrants between two groups of a round as long as pairs meet more
// evenly afterwards, and now and then if not.
func improve(h *History, plan []roundPlan, index map[int]int, n int, r *random) {
	groups := len(plan[0].groups)
	if groups < 2 {
		return
	}
	met := meetings(h, plan, index, n)
	size := h.Size
	swaps := min(maxSwaps, 1000*n*len(plan))
	for try := range swaps {
		round := plan[r.below(len(plan))]
		g := r.below(groups)
		other := (g + 1 + r.below(groups-1)) % groups
		i, j := r.below(size), r.below(size)
		a, b := round.groups[g][i], round.groups[other][j]
		change := int32(0) // half of that of the sum of squares
		for k, x := range round.groups[g] {
			if k != i {
				change += met[b*n+x] - met[a*n+x] + 1
			}
		}
		for k, x := range round.groups[other] {
			if k != j {
				change += met[a*n+x] - met[b*n+x] + 1
			}
		}
		// Steps upwards become rare.
		if change > 0 && r.below(4<<min(10*try/swaps*int(change), 40)) != 0 {
			continue
		}
		for k, x := range round.groups[g] {
			if k != i {
				met[a*n+x]--
				met[x*n+a]--
				met[b*n+x]++
				met[x*n+b]++
			}
		}
		for k, x := range round.groups[other] {
			if k != j {
				met[b*n+x]--
				met[x*n+b]--
				met[a*n+x]++
				met[x*n+a]++
			}
		}
		round.groups[g][i], round.groups[other][j] = b, a
	}
}

// swissGroups returns a round of a Swiss system with more than two players to a match.
// In the first round each group has entrants from all parts of the seeding. Later the
// groups are cut from the order of points, and entrants are exchanged with those of the
// next three groups while that makes fewer pairs meet again. Those left over have byes:
// they are the ones with the fewest byes, and of these the ones with the fewest points.
func swissGroups(h *History, list []int, round int) []Pairing {
	points, free, met := h.points(), h.freePoints(), h.encounters()
	slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(points[b], points[a]) })
	var plan roundPlan
	for range len(list) % h.Size {
		bye := len(list) - 1
		for i := bye; i >= 0; i-- {
			if free[list[i]] < free[list[bye]] {
				bye = i
			}
		}
		plan.byes = append(plan.byes, list[bye])
		list = slices.Delete(list, bye, bye+1)
	}
	groups := len(list) / h.Size
	plan.groups = make([][]int, groups)
	for i, n := range list {
		g := i / h.Size
		if len(h.Pairings) == 0 {
			g = i % groups
		}
		plan.groups[g] = append(plan.groups[g], n)
	}
	cost := func(group []int) (cost int64) {
		for i, a := range group {
			for _, b := range group[:i] {
				times, difference := int64(met[pairKey(a, b)]), int64(100*(points[b]-points[a]))
				cost += times*times<<40 + difference*difference
			}
		}
		return cost
	}
	for changed, pass := true, 0; changed && pass < 10; pass++ {
		changed = false
		for g := range groups {
			for other := g + 1; other < min(g+4, groups); other++ {
				a, b := plan.groups[g], plan.groups[other]
				before := cost(a) + cost(b)
				if before < 1<<40 {
					continue
				}
				for i := range a {
					for j := range b {
						a[i], b[j] = b[j], a[i]
						if after := cost(a) + cost(b); after < before {
							before, changed = after, true
						} else {
							a[i], b[j] = b[j], a[i]
						}
					}
				}
			}
		}
	}
	return h.seated(round, plan)
}

// seated returns the pairings of a round. The seats are those that the entrants had
// least often, and then those as many seats apart from each other as they were least often:
// games have teams by seats.
func (h *History) seated(round int, plan roundPlan) []Pairing {
	had := make([][]int, len(h.Entrants)) // by entrant and seat
	for i := range had {
		had[i] = make([]int, h.Size)
	}
	for i := range h.Pairings {
		if p := &h.Pairings[i]; !p.Bye() && !p.Unplayed() {
			for seat, n := range p.Entrants {
				had[n][seat]++
			}
		}
	}
	apart := h.apart()
	var next []Pairing
	for slot, group := range plan.groups {
		for changed := true; changed; {
			changed = false
			for s := range group {
				for t := range s {
					a, b := had[group[s]], had[group[t]]
					if a[t]+b[s] < a[s]+b[t] {
						group[s], group[t] = group[t], group[s]
						changed = true
					}
				}
			}
		}
		if !h.Earlier {
			mix(group, had, apart, h.Legs%h.Size == 0)
		}
		next = append(next, Pairing{Round: round, Slot: slot, Entrants: group})
	}
	for _, n := range plan.byes {
		next = append(next, Pairing{Round: round, Slot: len(next), Entrants: []int{n}})
	}
	return next
}

// distance is that of two entrants in a circle of seats, which the legs of a pairing do not
// change.
type distance struct {
	a, b  int // entrants, a < b
	seats int
}

func distanceOf(group []int, s, t int) distance {
	d := max(s, t) - min(s, t)
	return distance{min(group[s], group[t]), max(group[s], group[t]), min(d, len(group)-d)}
}

// apart returns how often entrants were at a distance.
func (h *History) apart() map[distance]int {
	count := map[distance]int{}
	for i := range h.Pairings {
		if p := &h.Pairings[i]; !p.Bye() && !p.Unplayed() {
			for s := range p.Entrants {
				for t := range s {
					count[distanceOf(p.Entrants, s, t)]++
				}
			}
		}
	}
	return count
}

// maxMixed is the size of a group up to which all orders of its seats are compared.
const maxMixed = 6

// mix changes the seats of a group to the best ones, as seated says. If all have each seat in
// a pairing, only the distances count.
func mix(group []int, had [][]int, apart map[distance]int, allSeats bool) {
	if len(group) > maxMixed {
		return
	}
	cost := func() (seats, distances int) {
		for s, n := range group {
			if !allSeats {
				seats += had[n][s]
			}
			for t := range s {
				distances += apart[distanceOf(group, s, t)]
			}
		}
		return seats, distances
	}
	best := slices.Clone(group)
	seats, distances := cost()
	var try func(from int)
	try = func(from int) {
		if from == len(group) {
			if a, b := cost(); a < seats || a == seats && b < distances {
				seats, distances = a, b
				copy(best, group)
			}
			return
		}
		for i := from; i < len(group); i++ {
			group[from], group[i] = group[i], group[from]
			try(from + 1)
			group[from], group[i] = group[i], group[from]
		}
	}
	try(0)
	copy(group, best)
}

// random is the generator SplitMix64 (Steele, Lea, Flood 2014): its numbers are the same
// with any version of Go.
type random uint64

func (r *random) below(n int) int {
	*r += 0x9e3779b97f4a7c15
	h := uint64(*r)
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	return int((h ^ h>>31) % uint64(n))
}

// order returns the numbers below n in a random order.
func (r *random) order(n int) []int {
	list := make([]int, n)
	for i := range list {
		j := r.below(i + 1)
		list[i] = list[j]
		list[j] = i
	}
	return list
}
