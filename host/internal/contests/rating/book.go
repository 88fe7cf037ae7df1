package rating

import (
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// smallCells is the number of cells up to which each table of a book is a complete fit,
// and smallPlayers the number of players up to which its intervals are exact.
const (
	smallCells   = 20_000
	smallPlayers = 150
)

// Book rates players while matches are added. Its tables agree with [Fit] for the same
// matches, up to the errors stated in docs/decisions/ratings.md. All methods can be
// called concurrently: Add and Last never wait for a computation, Table waits for
// another Table, and Refresh computes without holding up Table.
type Book struct {
	options Options // except the anchors
	last    atomic.Pointer[Table]

	mu      sync.Mutex // guards the fields below; held for a moment
	bounds  bounds
	pending []Match
	anchors map[int]float64 // replaced, never changed
	changed bool            // anchors, since the last table

	refresh sync.Mutex // held by one Refresh; locked before fits

	fits       sync.Mutex // guards the fields below; held while a table is computed; locked before mu
	l          *ledger
	f          *fit // nil: there is no table yet, or the anchors have changed
	relaxation relaxation
	inflation  inflation // by player, at least of those of the last fit
	sampled    []int32   // by player: its matches when its inflation was computed
	unsolved   int       // matches since the last complete fit
	stale      int       // matches since the inflation was computed
	anchored   int       // how often the anchors have changed
	refreshing bool
	touched    []int32 // players of matches since the copy of a Refresh
}

// NewBook returns an empty book. Options.Now is not used.
func NewBook(o Options) (*Book, error) {
	if err := o.check(0); err != nil {
		return nil, err
	}
	b := &Book{options: o, anchors: maps.Clone(o.Anchors), l: newLedger(o.HalfLife)}
	b.last.Store(&Table{})
	return b, nil
}

// Anchor fixes the rating of a player. The next table is a complete fit.
func (b *Book) Anchor(player int, rating float64) error {
	if err := (&Options{Anchors: map[int]float64{player: rating}}).check(0); err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	anchors := map[int]float64{player: rating}
	for p, r := range b.anchors {
		if p != player {
			anchors[p] = r
		}
	}
	b.anchors, b.changed = anchors, true
	return nil
}

// Add adds matches between players from 0 to players-1. The number of players never
// decreases. After an error nothing has been added. The next table has the matches.
func (b *Book) Add(players int, matches []Match) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.bounds.add(players, matches); err != nil {
		return err
	}
	for _, m := range matches {
		m.Players, m.Ranks = slices.Clone(m.Players), slices.Clone(m.Ranks)
		b.pending = append(b.pending, m)
	}
	return nil
}

// Last returns the last table that was computed. It never waits.
func (b *Book) Last() *Table { return b.last.Load() }

// Table returns the ratings of all players by all matches that were added. In a large
// book it corrects the players that new matches concern. It is a complete fit in a
// small book, and if a twentieth of all matches is new; call Refresh before. The
// first one computes all intervals.
func (b *Book) Table(now time.Time) *Table {
	b.fits.Lock()
	defer b.fits.Unlock()
	folded, complete := b.foldLocked()
	if b.f != nil && folded == 0 && !complete && len(b.last.Load().Estimates) == b.l.players && !b.f.ages(b.round(now)) && len(b.relaxation.queue) == 0 {
		return b.last.Load()
	}
	b.inflation.exact = false
	if small := len(b.l.pairs)+manyWork*len(b.l.manys) <= smallCells; small || complete || b.unsolved > b.l.matches/20 {
		b.solveLocked(now)
		if b.inflation.by == nil || len(b.f.active) <= smallPlayers {
			b.inflateLocked(b.f.inflate())
			b.stale = 0
		}
	} else {
		b.relaxation.age(b.f, b.round(now))
		b.relaxation.relax(b.f)
	}
	b.extrapolateLocked()
	t := b.f.table(b.inflation)
	b.last.Store(t)
	return t
}

// Stale reports whether a Refresh is worth its time: one in 200 matches has been added
// since all intervals were computed.
func (b *Book) Stale() bool {
	b.fits.Lock()
	defer b.fits.Unlock()
	return b.f != nil && !b.inflation.exact && b.stale > b.l.matches/200
}

// Refresh computes all ratings and intervals again, and returns them as a table. It
// works on a copy, so that the other methods do not wait for it.
func (b *Book) Refresh(now time.Time) *Table {
	b.refresh.Lock()
	defer b.refresh.Unlock()
	f, anchored := b.copy(now)
	f.solve()
	v := f.inflate()

	t := f.table(v)
	b.fits.Lock()
	defer b.fits.Unlock()
	b.refreshing = false
	if b.anchored != anchored {
		return t // the next table is a complete fit
	}
	if len(b.touched) == 0 {
		b.last.Store(t)
	}
	f.l, b.f = b.l, f
	b.unsolved, b.stale = b.l.matches-t.Matches, b.l.matches-t.Matches
	b.relaxation.reset(f)
	b.inflateLocked(v)
	if f.grow() {
		b.f = nil // the next table is a complete fit
	}
	for _, p := range b.touched {
		b.relaxation.disturb(f, p)
	}
	return t
}

// copy returns a fit of all matches that shares nothing with the book, and the number
// of the anchors that it has.
func (b *Book) copy(now time.Time) (*fit, int) {
	b.fits.Lock()
	defer b.fits.Unlock()
	b.foldLocked()
	b.touched, b.refreshing = b.touched[:0], true
	l := *b.l
	l.entries, l.pairAt, l.manyAt, l.samples, l.recounted = nil, nil, nil, nil, nil
	l.pairs, l.played = slices.Clone(l.pairs), slices.Clone(l.played)
	l.manys = slices.Clone(l.manys) // their seats and joints never change
	f := newFit(&l, &b.options, b.round(now))
	if b.f != nil {
		f.start(b.f)
	}
	return f, b.anchored
}

// round returns a time that changes in steps in which the weights of matches change by
// less than one in a thousand, so that most tables need not consider the time.
func (b *Book) round(now time.Time) time.Time {
	if b.options.HalfLife == 0 {
		return time.Time{}
	}
	return now.Truncate(b.options.HalfLife / 1024)
}

// foldLocked counts the matches that were added. It returns their number, and whether
// only a complete fit can consider them.
func (b *Book) foldLocked() (folded int, complete bool) {
	b.mu.Lock()
	matches, players := b.pending, b.bounds.players
	b.pending = nil
	if b.changed {
		b.options.Anchors, b.changed, b.f = b.anchors, false, nil
		b.anchored++
	}
	b.mu.Unlock()

	epoch := b.l.epoch
	if err := b.l.add(players, matches); err != nil {
		panic(err) // Add has checked it
	}
	b.relaxation.grow(b.l)
	b.unsolved += len(matches)
	b.stale += len(matches)
	if b.f == nil || b.l.epoch != epoch || b.f.grow() {
		complete = true
	}
	for i := range matches {
		for _, p := range matches[i].Players {
			b.l.recounted = append(b.l.recounted, int32(p))
		}
	}
	if b.refreshing {
		b.touched = append(b.touched, b.l.recounted...)
	}
	for _, p := range b.l.recounted {
		if !complete {
			b.relaxation.disturb(b.f, p)
		}
	}
	b.l.recounted = b.l.recounted[:0]
	return len(matches), complete
}

// solveLocked is a complete fit.
func (b *Book) solveLocked(now time.Time) {
	f := newFit(b.l, &b.options, b.round(now))
	if b.f != nil {
		f.start(b.f)
	}
	f.solve()
	b.f, b.unsolved = f, 0
	b.relaxation.reset(f)
}

func (b *Book) inflateLocked(v inflation) {
	b.inflation = v
	b.sampled = append(b.sampled[:0], b.f.l.played[:len(v.by)]...)
}

// extrapolateLocked estimates the inflation of players that have many more matches than
// when it was computed: as if their opponents were independent of each other.
func (b *Book) extrapolateLocked() {
	for len(b.inflation.by) < b.l.players {
		b.inflation.by, b.sampled = append(b.inflation.by, 0), append(b.sampled, 0)
	}
	for _, p := range b.f.active {
		if 4*b.l.played[p] > 5*b.sampled[p] {
			b.inflation.by[p] = b.relaxation.independent(b.f, p, b.inflation.by)
			b.sampled[p] = b.l.played[p]
		}
	}
}
