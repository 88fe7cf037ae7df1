package rating

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"hash/maphash"
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
// side is a team, or a player that is in none. Its players are in ledger.seats.
type many struct {
	weight int64
	first  int32 // index in seats
	size   int32
}

// joint says what follows a player of many.
type joint uint8

const (
	mate  joint = iota // another one of its side
	equal              // a side with the same rank
	worse              // a side with the next rank, or nobody
)

// cell returns the players of a cell, by rank, and by side within a rank, with their joints.
func (l *ledger) cell(c *many) ([]int32, []joint) {
	end := c.first + c.size
	return l.seats[c.first:end:end], l.joints[c.first:end:end]
}

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
	seats    []int32             // of manys; what is there never changes
	joints   []joint             // by index in seats
	ties     [MaxSeats + 1]int64 // weights of the ranks that were chosen from several sides, by the number of sides on them
	played   []int32             // by player

	entries []entry
	pairAt  map[uint64]int32 // index in pairs
	manyAt  map[uint64]int32 // index in manys, by a hash of players and joints, or the next free number
	seed    maphash.Seed
	samples map[int64]sample
	sorter  sorter

	recounted []int32 // players of the matches whose weight has changed, because one was added to their sample
}

func newLedger(halfLife time.Duration) *ledger {
	return &ledger{halfLife: halfLife.Seconds(), pairAt: map[uint64]int32{}, manyAt: map[uint64]int32{}, seed: maphash.MakeSeed(), samples: map[int64]sample{}}
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
	l.reserve(matches)
	for i := range matches {
		l.see(matches[i].At)
		l.enter(&matches[i])
	}
	return nil
}

// reserve allocates what matches can need, if they are many.
func (l *ledger) reserve(matches []Match) {
	if len(matches) < 1000 || len(l.entries) > 0 {
		return
	}
	pairs, manys, seats := 0, 0, 0
	for i := range matches {
		if n := len(matches[i].Players); n == 2 {
			pairs++
		} else {
			manys, seats = manys+1, seats+n
		}
	}
	pairs = min(pairs, l.players*(l.players-1)/2)
	l.entries = make([]entry, 0, len(matches))
	l.pairs, l.pairAt = make([]pair, 0, pairs), make(map[uint64]int32, pairs)
	l.manys, l.manyAt = make([]many, 0, manys), make(map[uint64]int32, manys)
	l.seats, l.joints = make([]int32, 0, seats), make([]joint, 0, seats)
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
			players, _ := l.cell(&l.manys[e.cell])
			l.recounted = append(l.recounted, players...)
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
		_, joints := l.cell(c)
		n, first := 0, true // sides of this rank; nobody is worse
		for i := len(joints) - 1; i >= 0; i-- {
			if joints[i] == worse && n > 0 {
				if n > 1 || !first { // the last side has no choice
					l.ties[n] += w
				}
				n, first = 0, false
			}
			if joints[i] != mate {
				n++
			}
		}
		if n > 1 || !first {
			l.ties[n] += w
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

// sorter has the players of a match in the order of a cell.
type sorter struct {
	seats []seat
	key   []byte
}

type seat struct {
	rank   int
	least  int // the player of its side with the lowest number
	player int
}

func (l *ledger) many(m *Match) int32 {
	s := &l.sorter
	s.seats, s.key = s.seats[:0], s.key[:0]
	for i, p := range m.Players {
		first := m.side(i)
		s.seats = append(s.seats, seat{m.Ranks[i], p, p})
		s.seats[first].least = min(s.seats[first].least, p)
	}
	if m.Teams != nil {
		for i := range m.Players {
			s.seats[i].least = s.seats[m.side(i)].least
		}
	}
	slices.SortFunc(s.seats, func(a, b seat) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.least, b.least), cmp.Compare(a.player, b.player))
	})
	c := many{first: int32(len(l.seats)), size: int32(len(s.seats))}
	for i, a := range s.seats {
		how := worse
		if i+1 < len(s.seats) && a.rank == s.seats[i+1].rank {
			how = equal
			if a.least == s.seats[i+1].least {
				how = mate
			}
		}
		l.seats, l.joints = append(l.seats, int32(a.player)), append(l.joints, how)
		s.key = append(binary.LittleEndian.AppendUint32(s.key, uint32(a.player)), byte(how))
	}
	for key := maphash.Bytes(l.seed, s.key); ; key++ {
		cell, ok := l.manyAt[key]
		if !ok {
			l.manyAt[key] = int32(len(l.manys))
			l.manys = append(l.manys, c)
			return int32(len(l.manys) - 1)
		}
		if l.compare(&l.manys[cell], &c) == 0 {
			l.seats, l.joints = l.seats[:c.first], l.joints[:c.first]
			return cell
		}
	}
}

func (l *ledger) compare(c, d *many) int {
	players, joints := l.cell(c)
	others, theirs := l.cell(d)
	return cmp.Or(slices.Compare(players, others), slices.Compare(joints, theirs))
}

// sort orders the cells, so that sums of floating-point numbers over them do not depend
// on the order of the matches. Nothing can be added afterwards.
func (l *ledger) sort() {
	l.entries, l.pairAt, l.manyAt, l.samples, l.recounted = nil, nil, nil, nil, nil
	l.pairs = sorted(l.players, l.pairs, func(p *pair) int32 { return p.a }, func(p, q pair) int { return cmp.Compare(p.b, q.b) })
	l.manys = sorted(l.players, l.manys, func(c *many) int32 { return l.seats[c.first] }, func(c, d many) int { return l.compare(&c, &d) })
	seats, joints := make([]int32, 0, len(l.seats)), make([]joint, 0, len(l.seats))
	for i := range l.manys { // in the order in which they are read
		c := &l.manys[i]
		players, follow := l.cell(c)
		c.first = int32(len(seats))
		seats, joints = append(seats, players...), append(joints, follow...)
	}
	l.seats, l.joints = seats, joints
}

// sorted returns a list in the order of the first players, and then of a comparison.
func sorted[T any](players int, list []T, first func(*T) int32, compare func(a, b T) int) []T {
	ends := make([]int, players+1) // by player: where its elements begin, and in the end where they end
	for i := range list {
		ends[first(&list[i])+1]++
	}
	for p := range players {
		ends[p+1] += ends[p]
	}
	moved := make([]T, len(list))
	for i := range list {
		p := first(&list[i])
		moved[ends[p]] = list[i]
		ends[p]++
	}
	n := min(maxShards, 1+len(list)/shardWork)
	parallel(n, func(i int) {
		from, to := part(i, n, players)
		for p := from; p < to; p++ {
			begin := 0
			if p > 0 {
				begin = ends[p-1]
			}
			slices.SortFunc(moved[begin:ends[p]], compare)
		}
	})
	return moved
}

// total returns the weight of all ranks in ties.
func (l *ledger) total() (sum float64) {
	for _, w := range l.ties {
		sum += float64(w)
	}
	return sum
}
