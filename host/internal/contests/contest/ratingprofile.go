package contest

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"colosseum/host/internal/contests/rating"
)

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
