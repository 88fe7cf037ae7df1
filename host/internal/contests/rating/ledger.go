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
	ordered  int // the number of pairs at the beginning that are in the order of their players
	manys    []many
	seats    []int32             // of manys; what is there never changes
	joints   []joint             // by index in seats
	ties     [MaxSeats + 1]int64 // weights of the ranks that were chosen from several sides, by the number of sides on them
	played   []int32             // by player

	entries []entry
	pairAt  map[uint64]int32 // index in pairs, of those that are not ordered
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
	}
	cells := l.arrange(matches)
	for i := range matches {
		e := entry{at: seconds(matches[i].At), before: alone}
		a, b, how, ok := matches[i].pair()
		switch e.result = how; {
		case !ok:
			e.cell = l.many(&matches[i])
		case cells != nil:
			e.cell = cells[i]
		default:
			e.cell = l.pair(a, b)
		}
		l.enter(&matches[i], e, cells != nil && ok)
	}
	return nil
}

// arrange creates the pairs of the first matches of two in the order of their players, counts
// those that are samples of their own, and returns their cells, by match. With a million matches
// that takes a quarter of the time of finding each pair in a map. It returns nil if there are pairs already.
func (l *ledger) arrange(matches []Match) (cells []int32) {
	if len(l.pairs) > 0 {
		return nil
	}
	type meeting struct {
		a, b, match int32
		how         result
		weight      int64
	}
	list := make([]meeting, 0, len(matches))
	for i := range matches {
		a, b, how, ok := matches[i].pair()
		if !ok {
			continue
		}
		m := meeting{a: a, b: b, match: int32(i), how: how}
		if matches[i].Sample == 0 {
			m.weight = l.weight(seconds(matches[i].At), 1)
		}
		list = append(list, m)
	}
	list, _ = grouped(l.players, list, func(m *meeting) int32 { return m.b })
	list, _ = grouped(l.players, list, func(m *meeting) int32 { return m.a })
	l.pairs = make([]pair, 0, min(len(list), l.players*(l.players-1)/2))
	cells = make([]int32, len(matches))
	for i := range list {
		m := &list[i]
		if i == 0 || m.a != list[i-1].a || m.b != list[i-1].b {
			l.pairs = append(l.pairs, pair{a: m.a, b: m.b})
		}
		cell := int32(len(l.pairs) - 1)
		cells[m.match] = cell
		l.score(cell, m.how, m.weight)
	}
	l.ordered = len(l.pairs)
	return cells
}

// reserve allocates what matches can need, if they are many.
func (l *ledger) reserve(matches []Match) {
	if len(matches) < 1000 || len(l.entries) > 0 {
		return
	}
	manys, seats := 0, 0
	for i := range matches {
		if n := len(matches[i].Players); n > 2 {
			manys, seats = manys+1, seats+n
		}
	}
	l.entries = make([]entry, 0, len(matches))
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

// enter counts one match, if arrange has not done it, and the other matches of its sample again.
func (l *ledger) enter(m *Match, e entry, arranged bool) {
	for _, p := range m.Players {
		l.played[p]++
	}
	l.entries = append(l.entries, e)
	number := int32(len(l.entries) - 1)
	if m.Sample == 0 {
		if !arranged {
			l.count(number, 1, 1)
		}
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
	l.score(e.cell, e.result, sign*l.weight(e.at, n))
}

// weight returns the weight of one of n matches of a sample, by its Unix time.
func (l *ledger) weight(at int64, n int32) int64 {
	weight := float64(one)
	if l.halfLife > 0 {
		weight *= math.Exp2(float64(at-l.epoch) / l.halfLife)
	}
	return int64(math.Round(weight / float64(n)))
}

// score adds a weight to a cell.
func (l *ledger) score(cell int32, how result, w int64) {
	switch how {
	case won:
		l.pairs[cell].won += w
		l.ties[1] += w
	case lost:
		l.pairs[cell].lost += w
		l.ties[1] += w
	case drawn:
		l.pairs[cell].drawn += w
		l.ties[2] += w
	case ranked:
		c := &l.manys[cell]
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

// pair returns the players of a match of two, the lower number first, with the result of a.
// It is not ok for other matches, which are ranked.
func (m *Match) pair() (a, b int32, how result, ok bool) {
	if len(m.Players) != 2 || m.side(1) != 1 {
		return 0, 0, ranked, false
	}
	a, b = int32(m.Players[0]), int32(m.Players[1])
	order := cmp.Compare(m.Ranks[0], m.Ranks[1])
	if a > b {
		a, b, order = b, a, -order
	}
	return a, b, [...]result{won, drawn, lost}[order+1], true
}

// pair returns the cell of two players, and creates it if necessary.
func (l *ledger) pair(a, b int32) int32 {
	at, ok := slices.BinarySearchFunc(l.pairs[:l.ordered], pair{a: a, b: b}, comparePairs)
	if ok {
		return int32(at)
	}
	key := uint64(a)<<32 | uint64(b)
	cell, ok := l.pairAt[key]
	if !ok {
		cell = int32(len(l.pairs))
		l.pairAt[key] = cell
		l.pairs = append(l.pairs, pair{a: a, b: b})
	}
	return cell
}

func comparePairs(p, q pair) int { return cmp.Or(cmp.Compare(p.a, q.a), cmp.Compare(p.b, q.b)) }

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
	if l.ordered < len(l.pairs) {
		l.pairs = sorted(l.players, l.pairs, func(p *pair) int32 { return p.a }, comparePairs)
	}
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
	moved, ends := grouped(players, list, first)
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

// grouped returns a list in the order of one of its players, with those of the same player
// as they were, and by player where its elements end.
func grouped[T any](players int, list []T, by func(*T) int32) (moved []T, ends []int) {
	ends = make([]int, players+1) // by player: where its elements begin, and in the end where they end
	for i := range list {
		ends[by(&list[i])+1]++
	}
	for p := range players {
		ends[p+1] += ends[p]
	}
	moved = make([]T, len(list))
	for i := range list {
		p := by(&list[i])
		moved[ends[p]] = list[i]
		ends[p]++
	}
	return moved, ends
}

// total returns the weight of all ranks in ties.
func (l *ledger) total() (sum float64) {
	for _, w := range l.ties {
		sum += float64(w)
	}
	return sum
}
