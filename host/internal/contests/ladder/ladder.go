// Package ladder chooses the next matches of a ladder. Its functions are pure: the same
// input has the same result, on any machine.
package ladder

import (
	"cmp"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"time"
)

// Candidate is a player that is free, or a bot of the game.
type Candidate struct {
	Name   string
	Rating float64 // a difference of 400 points means odds of ten to one
	Width  float64 // of the 95 % interval of the rating; 0: nothing is known about a player, everything about a bot
	Played int     // matches
	Since  time.Time
	Last   []string // the others in its last matches, the latest first; a match for three adds two
	Later  bool     // it chooses after all others: a program of the host, which waits for nothing
	Bot    bool     // it is always free, and a match has at most one; Played, Since and Last are not used
}

// Options of a choice.
type Options struct {
	Players int // of one match; 0: 2
	Seed    uint64
	Now     time.Time
	// MaxWait is the longest time that a player waits for a good opponent while Busy
	// others play. After that it meets any, even the last one again, or a bot. Players
	// whose strength is far from that of all others wait longest: with more than a
	// quarter of the time of a usual match they get clearly fewer matches.
	MaxWait time.Duration
	Busy    int // players of the ladder that play, and will be free again
}

const (
	// fewMatches is for how many matches a player is new: every second one of these is
	// against a bot, which ties its rating to the fixed points.
	fewMatches = 8
	// anchorEvery is the number of matches of any other player of which one is against
	// a bot.
	anchorEvery = 16
	// unknown is the width of the interval of a player without a match.
	unknown = 1400
	// near is the least quality that a player accepts when it has just become free: that
	// of a match with a well-known opponent 150 points away.
	near = 0.83
)

// Next returns the next matches, as the indexes of their candidates by seat. The player
// that has waited for the longest time chooses first, except those with Later. A match is good if its result is
// uncertain, if little is known about its players, and if they have not met recently.
// Again is the time after which Next can have another result for the other candidates;
// 0: never.
func Next(free []Candidate, o Options) (groups [][]int, again time.Duration) {
	c := newChoice(free, o)
	for _, first := range c.waiting {
		if c.used[first] {
			continue
		}
		group := c.group(first)
		if group == nil {
			if left := c.waitLeft(first); left > 0 && (again == 0 || left < again) {
				again = left
			}
			continue
		}
		for _, i := range group {
			if !free[i].Bot {
				c.used[i] = true
				c.Busy++
			}
		}
		c.random(first).Shuffle(len(group), func(i, j int) { group[i], group[j] = group[j], group[i] })
		groups = append(groups, group)
	}
	// Players accept more from moment to moment; looking a few times is enough.
	return groups, min(again, max(o.MaxWait/4, time.Millisecond))
}

// choice is the state of one call of Next.
type choice struct {
	Options
	free    []Candidate
	waiting []int // players, in the order in which they choose
	bots    []int
	used    []bool
	spread  []float64 // variance of the rating, in natural units
	rating  []float64 // in natural units: a difference of 1 is e to one
	hash    []uint64  // differs from player to player
}

func newChoice(free []Candidate, o Options) *choice {
	o.Players = cmp.Or(o.Players, 2)
	c := &choice{Options: o, free: free, used: make([]bool, len(free)), spread: make([]float64, len(free)), rating: make([]float64, len(free)), hash: make([]uint64, len(free))}
	const unit = math.Ln10 / 400
	for i, one := range free {
		width := one.Width
		if width <= 0 && !one.Bot {
			width = unknown
		}
		sigma := max(0, width) / (2 * 1.96) * unit
		c.spread[i], c.rating[i] = sigma*sigma, one.Rating*unit
		h := fnv.New64a()
		h.Write([]byte(one.Name))
		c.hash[i] = rand.NewPCG(c.Seed, h.Sum64()).Uint64()
		if one.Bot {
			c.bots = append(c.bots, i)
		} else {
			c.waiting = append(c.waiting, i)
		}
	}
	slices.SortFunc(c.waiting, func(i, j int) int {
		a, b := &free[i], &free[j]
		if a.Later != b.Later {
			if b.Later {
				return -1
			}
			return 1
		}
		return cmp.Or(a.Since.Compare(b.Since), cmp.Compare(a.Played, b.Played), cmp.Compare(c.hash[i], c.hash[j]), cmp.Compare(i, j))
	})
	return c
}

// group returns the match of a player, or nil if there is none for it now.
func (c *choice) group(first int) []int {
	group := []int{first}
	anchor := len(c.bots) > 0 && c.anchored(first)
	for len(group) < c.Players {
		if anchor && len(group) == c.Players-1 {
			return append(group, c.bot(group))
		}
		next := c.partner(group)
		if next < 0 {
			break
		}
		group = append(group, next)
	}
	if missing := c.Players - len(group); missing == 1 && len(c.bots) > 0 && c.waitLeft(first) <= 0 {
		return append(group, c.bot(group))
	} else if missing > 0 {
		return nil
	}
	return group
}

// partner returns the best further player for a group, or -1.
func (c *choice) partner(group []int) int {
	first := group[0]
	anyOpponent := c.waitLeft(first) <= 0 || c.Busy == 0
	best, most := -1, math.Inf(-1)
	for _, i := range c.waiting {
		if c.used[i] || slices.Contains(group, i) {
			continue
		}
		quality, gain, fresh := 0.0, 0.0, 1.0
		for _, g := range group {
			p := c.uncertain(g, i)
			quality += p / float64(len(group))
			gain += math.Log1p(p / 4 * (c.spread[g] + c.spread[i]))
			fresh = min(fresh, c.fresh(g, i), c.fresh(i, g))
		}
		if !anyOpponent && (fresh == 0 || quality < c.asks(first)) {
			continue
		}
		score := gain * fresh
		if fresh == 0 {
			score = gain - 100 // any other one comes first
		}
		if score > most {
			best, most = i, score
		}
	}
	return best
}

// uncertain returns how open the result between two candidates is: from 0 to 1 for
// equal ones. What is not known about their ratings makes it more open.
func (c *choice) uncertain(i, j int) float64 {
	d := (c.rating[i] - c.rating[j]) / math.Sqrt(1+math.Pi/8*(c.spread[i]+c.spread[j]))
	p := 1 / (1 + math.Exp(-d))
	return 4 * p * (1 - p)
}

// fresh returns 0 if a candidate has met another one in its last match, and up to 1 the
// longer ago it was.
func (c *choice) fresh(i, j int) float64 {
	at := slices.Index(c.free[i].Last, c.free[j].Name)
	if at < 0 {
		return 1
	}
	return 1 - math.Exp2(-float64(at/(c.Players-1)))
}

// waitLeft returns how much longer a player waits for a good opponent.
func (c *choice) waitLeft(i int) time.Duration {
	return c.MaxWait - c.Now.Sub(c.free[i].Since)
}

// asks returns the least quality of a match that a player accepts now.
func (c *choice) asks(i int) float64 {
	if c.MaxWait <= 0 {
		return 0
	}
	return near * float64(c.waitLeft(i)) / float64(c.MaxWait)
}

// anchored reports whether the next match of a player is one with a bot.
func (c *choice) anchored(i int) bool {
	played := c.free[i].Played
	every := uint64(anchorEvery)
	if played < fewMatches {
		every = 2
	}
	return (uint64(played)+c.hash[i])%every == 0
}

// bot returns the bot with the most uncertain result against a group.
func (c *choice) bot(group []int) int {
	return slices.MaxFunc(c.bots, func(a, b int) int {
		score := func(i int) (sum float64) {
			for _, g := range group {
				sum += c.uncertain(g, i) * (0.5 + c.fresh(g, i))
			}
			return sum
		}
		return cmp.Compare(score(a), score(b))
	})
}

// random returns the random numbers that decide the seats of a player's next match.
func (c *choice) random(first int) *rand.Rand {
	return rand.New(rand.NewPCG(c.hash[first], uint64(c.free[first].Played)))
}
