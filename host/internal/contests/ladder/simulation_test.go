package ladder

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// ladderSim is a ladder whose players have known strengths.
type ladderSim struct {
	random   *rand.Rand
	size     int       // players of a match
	strength []float64 // natural units
	all      []Candidate
	results  [][2]int // winner and loser
	idle     []bool
	ends     []simEnd // the running matches, by time
	longest  time.Duration
	rematch  int // immediate ones
	bots     int // matches with bots
	players  int
	played   []int // by player
}

type simEnd struct {
	at    time.Duration
	group []int
}

func newSim(players, size int) *ladderSim {
	s := &ladderSim{random: rand.New(rand.NewPCG(1, 2)), size: size, players: players, played: make([]int, players)}
	for i := range players {
		s.strength = append(s.strength, s.random.NormFloat64()*1.5)
		s.all = append(s.all, Candidate{Name: fmt.Sprint("p", i), Since: epoch})
		s.idle = append(s.idle, true)
	}
	for i, level := range []float64{-2, 0, 2} {
		s.strength = append(s.strength, level)
		s.all = append(s.all, Candidate{Name: fmt.Sprint("bot:", i), Bot: true, Rating: level * 400 / math.Ln10})
	}
	return s
}

// maxWait is a quarter of the time of a usual match.
const maxWait = 500 * time.Millisecond

// run plays matches of one to three seconds.
func (s *ladderSim) run(matches int, choose func([]Candidate, Options) ([][]int, time.Duration)) {
	now := time.Duration(0)
	for n := 0; n < matches; {
		var free []Candidate
		var of []int
		busy := 0
		for i, c := range s.all {
			if c.Bot || s.idle[i] {
				free, of = append(free, c), append(of, i)
			} else {
				busy++
			}
		}
		groups, again := choose(free, Options{Players: s.size, Now: epoch.Add(now), MaxWait: maxWait, Busy: busy, Seed: 7})
		for _, g := range groups {
			n++
			group := make([]int, len(g))
			for k, i := range g {
				group[k] = of[i]
			}
			s.start(now, group)
		}
		if n%s.players == 0 {
			s.rate()
		}
		next := now + again
		if len(s.ends) > 0 && (again == 0 || s.ends[0].at < next) {
			next = s.ends[0].at
		}
		for now = next; len(s.ends) > 0 && s.ends[0].at <= now; s.ends = s.ends[1:] {
			s.end(now, s.ends[0].group)
		}
	}
}

func (s *ladderSim) start(now time.Duration, group []int) {
	rematch := s.size == 2
	for _, i := range group {
		if s.all[i].Bot {
			s.bots++
			rematch = false
			continue
		}
		s.idle[i] = false
		s.played[i]++
		s.longest = max(s.longest, now-s.all[i].Since.Sub(epoch))
	}
	if a, b := s.all[group[0]], s.all[group[1]]; rematch && len(a.Last) > 0 && a.Last[0] == b.Name {
		s.rematch++
	}
	s.ends = append(s.ends, simEnd{now + time.Second + time.Duration(s.random.Int64N(int64(2*time.Second))), group})
	slices.SortStableFunc(s.ends, func(a, b simEnd) int { return cmp.Compare(a.at, b.at) })
}

// end draws the ranks: each pair of a match has a result that is decided by a draw
// from the exponential distributions of Plackett and Luce.
func (s *ladderSim) end(now time.Duration, group []int) {
	order := slices.Clone(group)
	times := map[int]float64{}
	for _, i := range order {
		times[i] = s.random.ExpFloat64() / math.Exp(s.strength[i])
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(times[a], times[b]) })
	for k, winner := range order {
		for _, loser := range order[k+1:] {
			s.results = append(s.results, [2]int{winner, loser})
		}
	}
	for _, i := range group {
		c := &s.all[i]
		if c.Bot {
			continue
		}
		var others []string
		for _, j := range group {
			if j != i {
				others = append(others, s.all[j].Name)
			}
		}
		c.Last = append(others, c.Last...)
		c.Last = c.Last[:min(len(c.Last), 10)]
		c.Played, c.Since, s.idle[i] = c.Played+1, epoch.Add(now), true
	}
}

// rate fits the strengths of Bradley and Terry to all results, with a draw against an
// average player as the prior, and the bots fixed.
func (s *ladderSim) rate() {
	const unit = 400 / math.Ln10
	rating := make([]float64, len(s.all))
	for i, c := range s.all {
		rating[i] = c.Rating / unit
	}
	var curvature []float64
	for range 30 {
		gradient := make([]float64, len(s.all))
		curvature = make([]float64, len(s.all))
		for i, r := range rating {
			p := 1 / (1 + math.Exp(-r))
			gradient[i], curvature[i] = 0.5*(1-2*p), p*(1-p)
		}
		for _, x := range s.results {
			p := 1 / (1 + math.Exp(rating[x[1]]-rating[x[0]]))
			gradient[x[0]] += 1 - p
			gradient[x[1]] -= 1 - p
			curvature[x[0]] += p * (1 - p)
			curvature[x[1]] += p * (1 - p)
		}
		for i, c := range s.all {
			if !c.Bot {
				rating[i] += 0.7 * gradient[i] / curvature[i]
			}
		}
	}
	for i := range s.all {
		if c := &s.all[i]; !c.Bot {
			c.Rating, c.Width = rating[i]*unit, 2*1.96/math.Sqrt(curvature[i])*unit
		}
	}
}

// swaps returns the share of the pairs of players that their ratings put in the wrong
// order.
func (s *ladderSim) swaps() float64 {
	s.rate()
	wrong, all := 0, 0
	for i := range s.players {
		for j := range i {
			all++
			if s.all[i].Rating < s.all[j].Rating != (s.strength[i] < s.strength[j]) {
				wrong++
			}
		}
	}
	return float64(wrong) / float64(all)
}

func TestRatingsOfChosenMatchesOrderThePlayers(t *testing.T) {
	const players, matches = 200, 8000
	chosen := newSim(players, 2)
	chosen.run(matches, Next)
	// The same with opponents by chance: the player that waits longest meets any other one.
	random := newSim(players, 2)
	random.run(matches, func(free []Candidate, o Options) ([][]int, time.Duration) {
		for i := range free {
			free[i].Rating, free[i].Width = 0, 100
		}
		o.Busy = 0
		return Next(free, o)
	})
	got, chance := chosen.swaps(), random.swaps()
	t.Logf("%.2f %% of the pairs in the wrong order, %.2f %% with opponents by chance; longest wait %v, rematches %d, bots %d", 100*got, 100*chance, chosen.longest, chosen.rematch, chosen.bots)
	if got > 0.08 || got > chance {
		t.Errorf("got %.2f %% of the pairs of players in the wrong order, want at most 8 %%, and fewer than the %.2f %% with opponents by chance", 100*got, 100*chance)
	}
	chosen.expectFair(t, 2*maxWait)
	if n := chosen.bots; n < matches/32 || n > matches/6 {
		t.Errorf("got %d of %d matches with a bot, want from %d to %d", n, matches, matches/32, matches/6)
	}
	if chosen.rematch > matches/100 {
		t.Errorf("got %d of %d matches between players that had just met, want at most 1 %%", chosen.rematch, matches)
	}
}

func TestGamesForMoreThanTwoAreFairToo(t *testing.T) {
	s := newSim(50, 4)
	s.run(2000, Next)
	if got := s.swaps(); got > 0.08 {
		t.Errorf("got %.2f %% of the pairs of players in the wrong order, want at most 8 %%", 100*got)
	}
	// The last ones must wait until others have ended their matches.
	s.expectFair(t, 4*maxWait)
}

// expectFair checks that nobody waited longer than a bound, and that all have played
// about equally often.
func (s *ladderSim) expectFair(t *testing.T, longest time.Duration) {
	t.Helper()
	if s.longest > longest {
		t.Errorf("somebody waited for %v, want at most %v", s.longest, longest)
	}
	least, most := slices.Min(s.played), slices.Max(s.played)
	if most*4 > least*5 {
		t.Errorf("players had %d to %d matches, want a difference of at most a quarter", least, most)
	}
}
