package rating

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"
)

// one is the weight of a match. Weights are integers, so that their sums do not depend
// on the order of the matches.
const one = 1 << 32

// pair has the weights of all matches between two players.
type pair struct {
	a, b             int32 // a < b
	won, lost, drawn int64 // by a
}

// many has the weight of all other matches between the same sides with the same ranks. A
// side is a team, or a player that is in none.
type many struct {
	players []int32 // by rank, and by side within a rank
	side    []uint8 // by index in players: the number of its side, from 0
	ends    []uint8 // where each shared rank ends, as the number of the next side
	weight  int64
}

// sides returns the number of sides.
func (c *many) sides() int { return int(c.side[len(c.side)-1]) + 1 }

// entry is a match that a ledger has counted.
type entry struct {
	at     int64 // Unix time in seconds
	cell   int32 // of pairs or of many
	result result
	before int32 // the match before it of the same sample, none or alone
}

// Values of entry.before.
const (
	none  = -1 // it is the first one of its sample
	alone = -2 // it is a sample of its own
)

type result uint8

const (
	won result = iota // by the player with the lower number
	lost
	drawn
	ranked // a cell of many
)

// sample is what is known of the matches that count as one.
type sample struct{ last, count int32 }

// ledger counts matches: the sufficient statistics of the model.
type ledger struct {
	bounds
	halfLife float64 // in seconds; 0: none
	epoch    int64   // a match of this Unix time has the weight one
	latest   int64   // Unix time of the latest match
	seen     bool    // latest is valid
	pairs    []pair
	manys    []many
	ties     [MaxSeats + 1]int64 // weights of the ranks that were chosen from several sides, by the number of sides on them
	played   []int32             // by player

	entries []entry
	pairAt  map[uint64]int32 // index in pairs
	manyAt  map[string]int32 // index in manys, by players and ends
	samples map[int64]sample

	recounted []int32 // players of the matches whose weight has changed, because one was added to their sample
}

func newLedger(halfLife time.Duration) *ledger {
	return &ledger{halfLife: halfLife.Seconds(), pairAt: map[uint64]int32{}, manyAt: map[string]int32{}, samples: map[int64]sample{}}
}

// see takes notice of the time of a match, and counts everything again if the weights
// need another epoch. The epoch depends on the latest match only, not on the order.
func (l *ledger) see(at time.Time) {
	unix := seconds(at)
	if l.seen && unix <= l.latest {
		return
	}
	l.latest, l.seen = unix, true
	if l.halfLife == 0 {
		return
	}
	step := int64(math.Ceil(l.halfLife))
	epoch := l.latest - ((l.latest%step)+step)%step
	if epoch == l.epoch {
		return
	}
	l.epoch = epoch
	for i := range l.pairs {
		l.pairs[i].won, l.pairs[i].lost, l.pairs[i].drawn = 0, 0, 0
	}
	for i := range l.manys {
		l.manys[i].weight = 0
	}
	l.ties = [MaxSeats + 1]int64{}
	for i := range l.entries {
		if l.entries[i].before == alone {
			l.count(int32(i), 1, 1)
		}
	}
	for _, s := range l.samples {
		l.countSample(s, 1)
	}
}

// seconds returns a Unix time within bounds that keep differences from overflowing.
func seconds(t time.Time) int64 { return min(max(t.Unix(), -1<<61), 1<<61) }

// add counts matches. After an error none of them is counted.
func (l *ledger) add(players int, matches []Match) error {
	if err := l.bounds.add(players, matches); err != nil {
		return err
	}
	l.played = append(l.played, make([]int32, players-len(l.played))...)
	for i := range matches {
		l.see(matches[i].At)
		l.enter(&matches[i])
	}
	return nil
}

// bounds checks matches before they are counted.
type bounds struct{ players, matches int }

// add takes notice of valid matches. After an error it has not changed.
func (b *bounds) add(players int, matches []Match) error {
	if players < b.players || players > MaxPlayers {
		return fmt.Errorf("%d players: it must be from %d to %d", players, b.players, MaxPlayers)
	}
	if b.matches+len(matches) > MaxMatches {
		return fmt.Errorf("more than %d matches: leave out the oldest", MaxMatches)
	}
	for i := range matches {
		if err := matches[i].check(players); err != nil {
			return fmt.Errorf("match %d: %w", i, err)
		}
	}
	b.players, b.matches = players, b.matches+len(matches)
	return nil
}

// enter counts one match, and the other matches of its sample again.
func (l *ledger) enter(m *Match) {
	for _, p := range m.Players {
		l.played[p]++
	}
	e := entry{at: seconds(m.At), before: alone}
	if len(m.Players) == 2 && m.side(1) == 1 {
		e.cell, e.result = l.pair(m)
	} else {
		e.cell, e.result = l.many(m), ranked
	}
	l.entries = append(l.entries, e)
	number := int32(len(l.entries) - 1)
	if m.Sample == 0 {
		l.count(number, 1, 1)
		return
	}
	s, ok := l.samples[m.Sample]
	if !ok {
		s.last = none
	}
	l.entries[number].before = s.last
	if s.count > 0 {
		l.countSample(s, -1)
		l.recount(s)
	}
	s = sample{last: number, count: s.count + 1}
	l.samples[m.Sample] = s
	l.countSample(s, 1)
}

func (l *ledger) countSample(s sample, sign int64) {
	for i := s.last; i >= 0; i = l.entries[i].before {
		l.count(i, s.count, sign)
	}
}

func (l *ledger) recount(s sample) {
	for i := s.last; i >= 0; i = l.entries[i].before {
		if e := &l.entries[i]; e.result == ranked {
			l.recounted = append(l.recounted, l.manys[e.cell].players...)
		} else {
			l.recounted = append(l.recounted, l.pairs[e.cell].a, l.pairs[e.cell].b)
		}
	}
}

// count adds the weight of an entry, one of n matches of a sample, or takes it away.
func (l *ledger) count(number, n int32, sign int64) {
	e := &l.entries[number]
	weight := float64(one)
	if l.halfLife > 0 {
		weight *= math.Exp2(float64(e.at-l.epoch) / l.halfLife)
	}
	w := sign * int64(math.Round(weight/float64(n)))
	switch e.result {
	case won:
		l.pairs[e.cell].won += w
		l.ties[1] += w
	case lost:
		l.pairs[e.cell].lost += w
		l.ties[1] += w
	case drawn:
		l.pairs[e.cell].drawn += w
		l.ties[2] += w
	case ranked:
		c := &l.manys[e.cell]
		c.weight += w
		from := uint8(0)
		for _, end := range c.ends {
			if int(from) < c.sides()-1 { // the last side has no choice
				l.ties[end-from] += w
			}
			from = end
		}
	}
}

func (l *ledger) pair(m *Match) (int32, result) {
	a, b, how := m.Players[0], m.Players[1], cmp.Compare(m.Ranks[0], m.Ranks[1])
	if a > b {
		a, b, how = b, a, -how
	}
	key := uint64(a)<<32 | uint64(b)
	cell, ok := l.pairAt[key]
	if !ok {
		cell = int32(len(l.pairs))
		l.pairAt[key] = cell
		l.pairs = append(l.pairs, pair{a: int32(a), b: int32(b)})
	}
	return cell, [...]result{won, drawn, lost}[how+1]
}

func (l *ledger) many(m *Match) int32 {
	order := make([]int, len(m.Players))
	least := make([]int, len(m.Players)) // by the first index of a side: its player with the lowest number
	for i, p := range m.Players {
		order[i], least[i] = i, p
		first := m.side(i)
		least[first] = min(least[first], p)
	}
	slices.SortFunc(order, func(i, j int) int {
		return cmp.Or(cmp.Compare(m.Ranks[i], m.Ranks[j]), cmp.Compare(least[m.side(i)], least[m.side(j)]), cmp.Compare(m.Players[i], m.Players[j]))
	})
	c := many{players: make([]int32, len(order)), side: make([]uint8, len(order))}
	key := make([]byte, 0, 5*len(order))
	side := uint8(0)
	for i, j := range order {
		p := m.Players[j]
		c.players[i], c.side[i] = int32(p), side
		key = append(key, byte(p), byte(p>>8), byte(p>>16), byte(p>>24))
		switch last := i == len(order)-1; {
		case !last && m.side(j) == m.side(order[i+1]):
			key = append(key, '+')
			continue
		case !last && m.Ranks[j] == m.Ranks[order[i+1]]:
			key = append(key, '=')
		default:
			c.ends = append(c.ends, side+1)
			key = append(key, '|')
		}
		side++
	}
	cell, ok := l.manyAt[string(key)]
	if !ok {
		cell = int32(len(l.manys))
		l.manyAt[string(key)] = cell
		l.manys = append(l.manys, c)
	}
	return cell
}

// sort orders the cells, so that sums of floating-point numbers over them do not depend
// on the order of the matches. Nothing can be added afterwards.
func (l *ledger) sort() {
	l.entries, l.pairAt, l.manyAt, l.samples, l.recounted = nil, nil, nil, nil, nil
	slices.SortFunc(l.pairs, func(p, q pair) int {
		return cmp.Compare(uint64(p.a)<<32|uint64(p.b), uint64(q.a)<<32|uint64(q.b))
	})
	slices.SortFunc(l.manys, func(p, q many) int {
		return cmp.Or(slices.Compare(p.players, q.players), slices.Compare(p.side, q.side), slices.Compare(p.ends, q.ends))
	})
}

// total returns the weight of all ranks in ties.
func (l *ledger) total() (sum float64) {
	for _, w := range l.ties {
		sum += float64(w)
	}
	return sum
}
