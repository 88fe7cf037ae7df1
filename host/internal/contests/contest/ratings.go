package contest

import (
	"cmp"
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

// lastLocked returns the index of the competitor that has played last for a name, and false
// if none has a rated match.
func (r *Ratings) lastLocked(name string) (int, bool) {
	own := r.players[r.keyLocked(name)]
	if len(own) == 0 {
		return 0, false
	}
	return own[len(own)-1], true
}

// Rating returns the rating of a player or a bot, and false if it has no rated match.
func (r *Ratings) Rating(name string) (float64, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	i, ok := r.lastLocked(name)
	if !ok {
		return 0, false
	}
	return r.book.Table(time.Now()).Estimates[i].Rating, true
}

// Standings returns the players and bots, the best first, with the weights of the matches
// at a time.
func (r *Ratings) Standings(now time.Time) []Standing {
	r.mu.Lock()
	defer r.mu.Unlock()
	t := r.book.Table(now)
	list := make([]Standing, 0, len(r.players))
	for _, own := range r.players {
		s := r.standingLocked(own[len(own)-1], t)
		for _, i := range own {
			s.all += len(r.list[i].matches)
		}
		list = append(list, s)
	}
	slices.SortFunc(list, func(a, b Standing) int {
		return cmp.Or(cmp.Compare(b.Rating, a.Rating), strings.Compare(a.Name, b.Name))
	})
	for i := range list {
		list[i].Rank = i + 1
	}
	return list
}

// Improve computes all ratings and intervals again if many matches have been added. It
// can take seconds; the other methods do not wait for it.
func (r *Ratings) Improve(now time.Time) {
	r.mu.Lock()
	book := r.book
	r.mu.Unlock()
	if book.Stale() {
		book.Refresh(now)
	}
}

func (r *Ratings) standingLocked(i int, t *rating.Table) Standing {
	c, e := &r.list[i], t.Estimates[i]
	return Standing{
		Name: c.name, Version: c.version, Bot: c.bot, Rating: e.Rating, Low: e.Low, High: e.High,
		Played: len(c.matches), Wins: c.wins, Draws: c.draws, Losses: c.losses, Forfeits: c.forfeits,
	}
}

// Competitor is a competitor with its last opponents, for the choice of its next one.
type Competitor struct {
	Standing
	Last []string // the others in its last matches, opponents and mates, the latest first
}

// Competitors returns all players and bots, in no particular order.
func (r *Ratings) Competitors(now time.Time) []Competitor {
	r.mu.Lock()
	defer r.mu.Unlock()
	t := r.book.Table(now)
	list := make([]Competitor, 0, len(r.players))
	for _, versions := range r.players {
		i := versions[len(versions)-1]
		c := Competitor{Standing: r.standingLocked(i, t)}
		own := r.list[i].matches
		for n := len(own) - 1; n >= max(0, len(own)-maxLast); n-- {
			for _, s := range r.matches[own[n]].seats {
				if int(s.competitor) != i {
					c.Last = append(c.Last, r.list[s.competitor].name)
				}
			}
		}
		list = append(list, c)
	}
	return list
}

// maxLast is how many matches Known looks at.
const maxLast = 16

// Matches returns the number after that of the last pairing of a contest of the game.
func (r *Ratings) Matches(contest string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.pairings[contest]
}

const (
	maxPoints    = 50  // of a history
	maxOpponents = 100 // of a profile
)

// Profile returns a competitor, and false if it has no rated match.
func (r *Ratings) Profile(name string, now time.Time) (GameProfile, bool, error) {
	list := r.Standings(now)
	r.mu.Lock()
	defer r.mu.Unlock()
	i, ok := r.lastLocked(name)
	if !ok {
		return GameProfile{}, false, nil
	}
	p := GameProfile{Game: r.game, Versions: r.versionsLocked(name, now), History: []Point{}, Opponents: r.opponentsLocked(i)}
	for _, s := range list {
		if s.Name == r.list[i].name {
			p.Standing = s
		}
	}
	p.Compared = compare(p.Versions, p.Version)
	var err error
	p.History, err = r.historyLocked(i, time.Time{}, now)
	if err == nil {
		endWith(p.History, p.Standing)
	}
	return p, true, err
}

// History returns the rating of a competitor since a time, as the history of its profile is; nil
// if it has no rated match. The first point is that time, unless the competitor has played for the
// first time later.
func (r *Ratings) History(name string, since, now time.Time) ([]Point, error) {
	list := r.Standings(now)
	r.mu.Lock()
	defer r.mu.Unlock()
	i, ok := r.lastLocked(name)
	if !ok {
		return nil, nil
	}
	history, err := r.historyLocked(i, since, now)
	if at := slices.IndexFunc(list, func(s Standing) bool { return s.Name == r.list[i].name }); err == nil && at >= 0 {
		endWith(history, list[at])
	}
	return history, err
}

// deviations is the half of an interval of 95 % in standard deviations.
const deviations = 1.959964

// compare compares a version with the one before it in a list, which is in the order of the
// versions; nil: there are no two. It takes their ratings as independent. In fact both rest on
// the same opponents, so the interval is rather too wide.
func compare(versions []Standing, version int) *Comparison {
	i := slices.IndexFunc(versions, func(s Standing) bool { return s.Version == version })
	if i < 1 {
		return nil
	}
	a, b := versions[i], versions[i-1]
	c := &Comparison{Version: a.Version, Than: b.Version, Difference: a.Rating - b.Rating}
	half := math.Hypot(a.High-a.Low, b.High-b.Low) / 2
	if half == 0 { // neither is known to be uncertain
		return nil
	}
	c.Low, c.High = c.Difference-half, c.Difference+half
	c.Better = (1 + math.Erf(c.Difference/(half/deviations)/math.Sqrt2)) / 2
	return c
}

// versionsLocked returns what has played for a name, by version; nil: no program that was
// handed in.
func (r *Ratings) versionsLocked(name string, now time.Time) []Standing {
	own := r.players[r.keyLocked(name)]
	if len(own) == 1 && r.list[own[0]].version == 0 {
		return nil
	}
	t := r.book.Table(now)
	var list []Standing
	for _, i := range own {
		list = append(list, r.standingLocked(i, t))
	}
	slices.SortFunc(list, func(a, b Standing) int { return cmp.Compare(a.Version, b.Version) })
	return list
}

// endWith makes the standing of now the last point of a history, and widens the intervals
// of the other points by the same factor: those of a history do not have the uncertainty
// of the opponents.
func endWith(history []Point, now Standing) {
	last := len(history) - 1
	factor := 1.0
	if width := history[last].High - history[last].Low; width > 0 {
		factor = (now.High - now.Low) / width
	}
	for i := range history[:last] {
		p := &history[i]
		p.Low, p.High = p.Rating-factor*(p.Rating-p.Low), p.Rating+factor*(p.High-p.Rating)
	}
	history[last].Rating, history[last].Low, history[last].High = now.Rating, now.Low, now.High
}

// opponentsLocked returns the results of a competitor against each other one.
func (r *Ratings) opponentsLocked(i int) []HeadToHead {
	met := map[string]*HeadToHead{} // the versions of one opponent count together
	for _, n := range r.list[i].matches {
		var own ratedSeat
		for _, s := range r.matches[n].seats {
			if int(s.competitor) == i {
				own = s
			}
		}
		for _, s := range r.matches[n].seats {
			if s == own || own.mate(s) {
				continue
			}
			key := strings.ToLower(r.list[s.competitor].name)
			h := met[key]
			if h == nil {
				h = &HeadToHead{Name: r.list[s.competitor].name, Bot: r.list[s.competitor].bot}
				met[key] = h
			}
			h.Played++
			switch {
			case own.rank < s.rank:
				h.Wins++
			case own.rank > s.rank:
				h.Losses++
			default:
				h.Draws++
			}
		}
	}
	list := []HeadToHead{}
	for _, h := range met {
		list = append(list, *h)
	}
	slices.SortFunc(list, func(a, b HeadToHead) int { return cmp.Or(b.Played-a.Played, strings.Compare(a.Name, b.Name)) })
	return list[:min(len(list), maxOpponents)]
}

// historyLocked returns the rating of a competitor since a time: each point is the rating
// by its matches until then, if its opponents were as strong as they are now.
func (r *Ratings) historyLocked(i int, since, now time.Time) ([]Point, error) {
	own := slices.Clone(r.list[i].matches)
	slices.SortFunc(own, func(a, b int32) int { return cmp.Or(r.matches[a].at.Compare(r.matches[b].at), cmp.Compare(a, b)) })
	table := r.book.Table(now)
	list := []Point{}
	before, _ := slices.BinarySearchFunc(own, since, func(n int32, t time.Time) int { return r.matches[n].at.Compare(t) })
	step := max(1, (len(own)-before)/maxPoints)
	for n := len(own); n > before; n -= step {
		point, err := r.pointLocked(i, own[:n], table)
		if err != nil {
			return nil, err
		}
		list = append(list, point)
	}
	if before > 0 {
		point, err := r.pointLocked(i, own[:before], table)
		if err != nil {
			return nil, err
		}
		point.At = since
		list = append(list, point)
	}
	slices.Reverse(list)
	return list, nil
}

// maxRecent bounds the matches from which a point is computed.
const maxRecent = 500

// pointLocked returns the rating of a competitor after some of its matches.
func (r *Ratings) pointLocked(i int, own []int32, table *rating.Table) (Point, error) {
	at := r.matches[own[len(own)-1]].at
	own = own[max(0, len(own)-maxRecent):]
	numbers := map[int32]int{int32(i): 0}
	o := rating.Options{HalfLife: r.half, Now: at, Anchors: map[int]float64{}}
	var matches []rating.Match
	for _, n := range own {
		m := rating.Match{At: r.matches[n].at, Sample: r.matches[n].sample}
		for _, s := range r.matches[n].seats {
			k, ok := numbers[s.competitor]
			if !ok {
				k = len(numbers)
				numbers[s.competitor] = k
				o.Anchors[k] = table.Estimates[s.competitor].Rating
			}
			m.Players, m.Ranks, m.Teams = append(m.Players, k), append(m.Ranks, int(s.rank)), append(m.Teams, int(s.team))
		}
		matches = append(matches, m)
	}
	if r.list[i].bot && table.Estimates[i].Low == table.Estimates[i].High { // the fixed point
		e := table.Estimates[i]
		return Point{At: at, Rating: e.Rating, Low: e.Low, High: e.High}, nil
	}
	t, err := rating.Fit(len(numbers), matches, o)
	if err != nil {
		return Point{}, err
	}
	e := t.Estimates[0]
	return Point{At: at, Rating: e.Rating, Low: e.Low, High: e.High}, nil
}

// Rank fills in the standings of a ladder, and its matches, from the ratings of its game.
func (v *View) Rank(ratings *Ratings, now time.Time) {
	v.Standings, v.Done = ladderRows(v.Standings, ratings.Standings(now))
	v.addLatest(ratings.Latest(v.Name))
	v.lead()
	v.Done /= max(1, v.PerMatch)
	v.All = v.Done
}

// addLatest puts the last matches that have ended before those that are being played.
func (v *View) addLatest(list []store.Result) {
	running, ended := v.Matches, map[string]bool{}
	v.Matches = make([]MatchView, 0, len(list)+len(running))
	for _, x := range list {
		v.Matches = append(v.Matches, v.ladderMatch(x))
		ended[x.Match] = true
	}
	for _, m := range running { // one can have ended since they were listed
		if !ended[m.ID] {
			v.Matches = append(v.Matches, m)
		}
	}
}

// ladderMatch returns a match of a ladder.
func (v *View) ladderMatch(x store.Result) MatchView {
	m := MatchView{ID: x.Match, Round: 1, Slot: 1, Pairing: x.Pairing + 1, Leg: x.Leg + 1, State: string(Played), Seats: []string{}, Ended: x.Ended}
	var entries []int
	for _, seat := range x.Seats {
		name := ""
		if seat.Entry < len(v.Entries) {
			name = v.Entries[seat.Entry].Name
		}
		entries, m.Seats = append(entries, seat.Entry), append(m.Seats, name)
		m.Ranks, m.Outcome = append(m.Ranks, seat.Rank), append(m.Outcome, string(seat.Ended))
	}
	m.Versions, m.Teams = versionsOf(&x), teamsOf(&x)
	l := Leg{Outcome: Outcome{State: Played, Result: &x}}
	m.Points = l.Points(entries)
	return m
}

// ladderRows returns the standings of a ladder: the ratings of its entries, which keep
// their order if they have none. Played is the number of their matches, with those of
// earlier versions.
func ladderRows(entries []Row, ratings []Standing) (rows []Row, played int) {
	of := map[string]Row{}
	for _, r := range entries {
		of[strings.ToLower(r.Name)] = r
	}
	rows = []Row{}
	for _, s := range ratings {
		r, ok := of[strings.ToLower(s.Name)]
		if !ok {
			continue
		}
		delete(of, strings.ToLower(s.Name))
		played += s.all
		r.Rank, r.Version, r.Rating, r.Low, r.High = len(rows)+1, s.Version, s.Rating, s.Low, s.High
		r.Played, r.Wins, r.Draws, r.Losses, r.Forfeits = s.Played, s.Wins, s.Draws, s.Losses, s.Forfeits
		r.Points = float64(s.Wins) + float64(s.Draws)/2
		rows = append(rows, r)
	}
	for _, r := range entries {
		if _, ok := of[strings.ToLower(r.Name)]; ok {
			rows = append(rows, r)
		}
	}
	return rows, played
}
