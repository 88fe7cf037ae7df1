package contest

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"colosseum/host/internal/contests/rating"
	"colosseum/host/internal/records/store"
)

// Ratings are the ratings of one game, from all its rated matches: those of contests
// and ladders between registered players and bots. Each version of a program that a player
// has handed in is a competitor of its own, and so is the player itself when it connects.
// The player's place is that of the one that has played last. The ratings do not depend on
// the order of the results. The methods can be called concurrently.
type Ratings struct {
	game string
	half time.Duration

	mu       sync.Mutex // guards the fields below
	book     *rating.Book
	aliases  map[string]string // see Follow
	contests map[string]*State
	pairings map[string]int   // by contest: the number of the last one, and 1
	players  map[string][]int // indexes of the competitors of a player or a bot, the one that has played last at the end; by name in lower case
	list     []ratedCompetitor
	matches  []rated
	last     int64                     // number of the last result
	latest   map[string][]store.Result // of ladders, by name: the last ones, the oldest first
}

// ratedCompetitor is a player, a version of its program, or a bot in the ratings of a game.
type ratedCompetitor struct {
	name                string
	version             int // 0: it is no program that was handed in
	bot                 bool
	wins, draws, losses int
	forfeits            int     // of the losses
	matches             []int32 // indexes
}

// rated is a match that counts.
type rated struct {
	at     time.Time
	sample int64
	seats  []ratedSeat
}

type ratedSeat struct {
	competitor int32
	rank, team int16 // there are at most rating.MaxSeats of both
}

func (s ratedSeat) mate(of ratedSeat) bool { return s.team > 0 && s.team == of.team }

// NewRatings returns the ratings of a game without any result. A match loses half of
// its weight in the given time, which must be at least an hour; 0: none.
func NewRatings(game string, half time.Duration) *Ratings {
	r := &Ratings{game: game, half: half}
	r.clearLocked()
	return r
}

// clearLocked removes all results.
func (r *Ratings) clearLocked() {
	book, err := rating.NewBook(rating.Options{HalfLife: r.half})
	if err != nil {
		panic(err) // only for a wrong half-life
	}
	r.book, r.contests, r.pairings, r.players = book, map[string]*State{}, map[string]int{}, map[string][]int{}
	r.list, r.matches, r.last, r.latest = nil, nil, 0, map[string][]store.Result{}
}

// Follow counts the results of a player that has another name now for that one. Aliases has
// the name of now by each former one, in lower case; it must not be changed. Refresh must be
// called afterwards: it reads all results again if there are some under both names.
func (r *Ratings) Follow(aliases map[string]string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.aliases = aliases
	for old, name := range aliases {
		key := strings.ToLower(name)
		own := r.players[old]
		if len(own) == 0 || key == old {
			continue
		}
		if len(r.players[key]) > 0 {
			r.clearLocked()
			return
		}
		delete(r.players, old)
		r.players[key] = own
		for _, i := range own {
			r.list[i].name = name
		}
	}
}

// keyLocked returns the key of a name in players.
func (r *Ratings) keyLocked(name string) string {
	key := strings.ToLower(name)
	if now, ok := r.aliases[key]; ok {
		return strings.ToLower(now)
	}
	return key
}

// LoadRatings returns the ratings of a game with all results; see NewRatings.
func LoadRatings(ctx context.Context, from Store, game string, half time.Duration) (*Ratings, error) {
	r := NewRatings(game, half)
	return r, r.Refresh(ctx, from)
}

// Refresh adds the results that have been stored since.
func (r *Ratings) Refresh(ctx context.Context, from Store) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	var added []rating.Match
	err := from.GameResults(ctx, r.game, r.last, func(x store.Result) error {
		m, err := r.addLocked(ctx, from, x)
		if err != nil {
			return err
		}
		r.last = max(r.last, x.Number)
		if m.Players != nil {
			added = append(added, m)
		}
		return nil
	})
	// Also after an error, such as the end of ctx: the next call reads only the others.
	if e := r.book.Add(len(r.list), added); e != nil {
		err = errors.Join(err, e, r.book.Add(len(r.list), nil)) // it knows all of the list
	}
	if err != nil {
		return fmt.Errorf("read the results of %s: %w", r.game, err)
	}
	return nil
}

// addLocked adds a result, and returns it for the book; without players it does not
// count.
func (r *Ratings) addLocked(ctx context.Context, from Store, x store.Result) (rating.Match, error) {
	r.pairings[x.Contest] = max(r.pairings[x.Contest], x.Pairing+1)
	if x.Aborted {
		return rating.Match{}, nil
	}
	s, err := r.contestLocked(ctx, from, x)
	if err != nil {
		return rating.Match{}, err
	}
	if s.Spec.Format == Ladder {
		r.keepLocked(x)
	}
	if s.Spec.Unrated || s.Spec.Local() || len(x.Seats) < 2 { // who plays alone beats nobody
		return rating.Match{}, nil
	}
	m := rating.Match{At: x.Ended, Sample: sampleOf(x, s.Spec), Teams: teamsOf(&x)}
	one := rated{at: m.At, sample: m.Sample}
	for _, seat := range x.Seats {
		if seat.Entry < 0 || seat.Entry >= len(s.Entries) {
			return rating.Match{}, fmt.Errorf("the match %s has the unknown entry %d of the contest %s", x.Match, seat.Entry, x.Contest)
		}
		i := r.competitorLocked(s.Seated(x.Pairing, x.Leg, seat.Entry), seat.Version) // of a team the player, never the team
		one.seats = append(one.seats, ratedSeat{int32(i), int16(seat.Rank), int16(seat.Team)})
		m.Players, m.Ranks = append(m.Players, i), append(m.Ranks, seat.Rank)
	}
	best := int16(math.MaxInt16)
	for _, s := range one.seats {
		best = min(best, s.rank)
	}
	for i, a := range one.seats {
		c := &r.list[a.competitor]
		if _, forfeit := x.Seats[i].Ended.Forfeit(); forfeit {
			c.forfeits++
		}
		c.matches = append(c.matches, int32(len(r.matches)))
		opponents, shared := 0, false
		for j, b := range one.seats {
			if j != i && !a.mate(b) {
				opponents++
				shared = shared || b.rank == best
			}
		}
		switch {
		case a.rank > best:
			c.losses++
		case shared || opponents == 0: // in a match of one team nobody wins
			c.draws++
		default:
			c.wins++
		}
	}
	r.matches = append(r.matches, one)
	return m, nil
}

// MaxLadderMatches is how many matches of a ladder are listed: those that ended last.
const MaxLadderMatches = 1000

// keepLocked keeps a result of a ladder, and drops those before the last MaxLadderMatches.
func (r *Ratings) keepLocked(x store.Result) {
	list := append(r.latest[x.Contest], x)
	if len(list) >= 2*MaxLadderMatches {
		list = append([]store.Result(nil), list[len(list)-MaxLadderMatches:]...)
	}
	r.latest[x.Contest] = list
}

// Latest returns the last results of a ladder of the game, the oldest first.
func (r *Ratings) Latest(ladder string) []store.Result {
	r.mu.Lock()
	defer r.mu.Unlock()
	list := r.latest[ladder]
	return slices.Clone(list[max(0, len(list)-MaxLadderMatches):])
}

var sampleSeed = maphash.MakeSeed()

// sampleOf returns the key of the sample to which a result belongs. It is the same for
// the matches of a pairing that share a seed.
func sampleOf(x store.Result, spec *Spec) int64 {
	var h maphash.Hash
	h.SetSeed(sampleSeed)
	_, _ = h.WriteString(x.Contest)
	return int64(mix(h.Sum64(), uint64(sample(x.Pairing, spec.sample(x.Leg, len(x.Seats)))+int64(x.Attempt)<<40)) >> 1)
}

// contestLocked returns the contest of a result with all entries that the result has.
func (r *Ratings) contestLocked(ctx context.Context, from Store, x store.Result) (*State, error) {
	s := r.contests[x.Contest]
	if s == nil {
		c, err := from.Contest(ctx, x.Contest)
		if err == nil {
			s, err = NewState(c)
		}
		if errors.Is(err, ErrUnreadable) { // its matches do not count, and those of other contests do
			s, err = &State{Spec: &Spec{Name: c.Name, Unrated: true}}, nil
		}
		if err != nil {
			return nil, err
		}
		r.contests[x.Contest] = s
	}
	missing := s.Spec.Teams != nil && x.Pairing >= len(s.Pairs) ||
		slices.ContainsFunc(x.Seats, func(seat store.ResultSeat) bool { return seat.Entry >= len(s.Entries) })
	if s.Spec.Unrated || !missing {
		return s, nil
	}
	events, err := from.Events(ctx, x.Contest, s.last)
	if err != nil {
		return nil, err
	}
	for _, e := range events {
		kind := Kind(e.Kind)
		teams := s.Spec.Teams != nil && (kind == Accept || kind == LineUp || kind == Rename || kind == PairUp) // who played a board
		if kind == Enter || teams {                                                                            // ratings need only the names
			if err := s.Apply(e); err != nil {
				return nil, err
			}
		}
	}
	return s, nil
}

// competitorLocked returns the index of an entry, or of a version of its program, which
// plays now.
func (r *Ratings) competitorLocked(e Entry, version int) int {
	key := r.keyLocked(e.Name)
	own := r.players[key]
	at := slices.IndexFunc(own, func(i int) bool { return r.list[i].version == version })
	i := len(r.list)
	if at >= 0 {
		i = own[at]
		own = slices.Delete(own, at, at+1)
	}
	r.players[key] = append(own, i)
	if at < 0 {
		name := e.Name
		if now, ok := r.aliases[strings.ToLower(name)]; ok {
			name = now
		}
		r.list = append(r.list, ratedCompetitor{name: name, version: version, bot: e.Bot != ""})
		if e.Bot != "" && !slices.ContainsFunc(r.list[:i], func(c ratedCompetitor) bool { return c.bot }) {
			_ = r.book.Anchor(i, Anchor) // it is a rating
		}
	}
	return i
}
