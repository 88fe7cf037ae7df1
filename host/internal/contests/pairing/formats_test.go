package pairing

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestRoundRobinPairsAllExactlyOnce(t *testing.T) {
	contests(t, RoundRobin, 400, []int{2, 3, 64, 200}, func(a *arena) {
		a.run(nil)
		for pair, times := range a.h.encounters() {
			if times != 1 {
				t.Fatalf("got %d pairings of %v, want 1", times, pair)
			}
		}
		met := a.h.encounters()
		for _, x := range a.h.active() {
			for _, y := range a.h.active() {
				if x < y && met[pairKey(x, y)] != 1 {
					t.Fatalf("got no pairing of %d and %d among %d entrants, want one", x, y, len(a.h.Entrants))
				}
			}
		}
	})
}

func TestRoundRobinBalancesSeats(t *testing.T) {
	worst := 0
	contests(t, RoundRobin, 200, []int{2, 3, 64, 200}, func(a *arena) {
		a.run(nil)
		for n, s := range listed(a.h) {
			if d := max(s, -s); d > worst {
				worst = d
			}
			if most := 1; !a.eventful && max(s, -s) > most {
				t.Fatalf("%d entrants: got a difference of %d seats for %d, want at most %d", len(a.h.Entrants), s, n, most)
			}
		}
	})
	if worst > 4 {
		t.Errorf("got a difference of %d seats with late entries, want at most 4", worst)
	}
}

// listed returns how much more often each entrant was listed first than second.
func listed(h *History) []int {
	balance := make([]int, len(h.Entrants))
	played(h, func(p *Played) {
		if len(p.Entrants) == 2 {
			balance[p.Entrants[0]]++
			balance[p.Entrants[1]]--
		}
	})
	return balance
}

func TestByeHasItsPoints(t *testing.T) {
	for _, test := range []struct {
		name   string
		format Format
		size   int
		full   bool
		want   float64
	}{
		{"a round robin between two", RoundRobin, 2, false, 0},
		{"the same, which has started earlier", RoundRobin, 2, true, 0},
		{"a Swiss between two", Swiss, 2, false, 4},
		{"a round robin in groups", RoundRobin, 4, false, 2},
		{"a Swiss in groups", Swiss, 4, false, 2},
		{"a round robin in groups that has started earlier", RoundRobin, 4, true, 4},
		{"a Swiss in groups that has started earlier", Swiss, 4, true, 4},
	} {
		h := &History{Format: test.format, Size: test.size, Legs: 4, Earlier: test.full}
		if got := h.Total(&Played{Pairing: Pairing{Entrants: []int{2}}})[0]; got != test.want {
			t.Errorf("%s: got %v points, want %v", test.name, got, test.want)
		}
	}
}

func TestGauntletPairsTheBestSeedWithAll(t *testing.T) {
	contests(t, Gauntlet, 200, []int{2, 64, 200}, func(a *arena) {
		best := a.h.active()[0]
		a.run(nil)
		met := a.h.encounters()
		played(a.h, func(p *Played) {
			if !contains(p, best) {
				t.Fatalf("got the pairing %v, want %d in each", p.Entrants, best)
			}
		})
		for pair, times := range met {
			if times != 1 {
				t.Fatalf("got %d pairings of %v, want 1", times, pair)
			}
		}
		for _, n := range a.h.active() {
			if n != best && !a.h.Entrants[best].Withdrawn && met[pairKey(best, n)] != 1 {
				t.Fatalf("got no pairing of %d with %d, want one", best, n)
			}
		}
	})
}

func TestKnockoutHasOneWinner(t *testing.T) {
	contests(t, Knockout, 600, []int{2, 3, 4, 5, 37, 64, 200, 1000}, func(a *arena) {
		n := len(a.h.Entrants)
		a.run(nil)
		b, err := newBrackets(a.h)
		if err != nil {
			t.Fatal(err)
		}
		losses := make([]int, n)
		for at := range b.at {
			result, tied, decided := b.decision(at)
			if tied || !decided {
				t.Fatalf("got an undecided pairing at %v, want none", at)
			}
			if third := at.round == b.depth-1 && at.slot == 1; result.loser >= 0 && !third {
				losses[result.loser]++
			}
			for i, p := range b.at[at] {
				if p.Replay != i || i > a.h.Replays {
					t.Fatalf("got replay %d, want %d, and at most %d", p.Replay, i, a.h.Replays)
				}
				if p.Bye() && p.Round > 0 {
					t.Fatalf("got a bye in round %d, want byes in the first round only", p.Round)
				}
			}
		}
		slices.Sort(losses)
		if losses[0] != 0 || n > 1 && (losses[1] != 1 || losses[n-1] != 1) {
			t.Fatalf("got losses %v of %d entrants, want one without, and the others with one", losses, n)
		}
		places, err := Places(a.h)
		if err != nil {
			t.Fatal(err)
		}
		slices.Sort(places)
		if want := []int{1, 2, 3, 4}[:min(n, 4)]; !slices.Equal(places[:min(n, 4)], want) {
			t.Fatalf("got the places %v of %d entrants, want %v and so on", places, n, want)
		}
	})
}

func TestKnockoutKeepsTheBestSeedsApart(t *testing.T) {
	next, _, err := Next(newHistory(Knockout, 8))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range next {
		got = append(got, fmt.Sprintf("%d-%d", p.Entrants[0]+1, p.Entrants[1]+1))
	}
	if want := "1-8 4-5 2-7 3-6"; strings.Join(got, " ") != want {
		t.Errorf("got %v, want %s", got, want)
	}
	for n := 2; n <= 70; n++ {
		a := &arena{T: t, r: rand.New(rand.NewPCG(1, 1)), h: newHistory(Knockout, n), favorite: true}
		a.run(func(next []Pairing) {
			if next[0].Round > 0 {
				return
			}
			for _, p := range next {
				if byes := 2*len(next) - n; p.Bye() != (p.Entrants[0] < byes) {
					t.Errorf("%d entrants: got the pairing %v, want byes for the best %d only", n, p.Entrants, byes)
				}
			}
		})
		places, _ := Places(a.h)
		if !slices.IsSorted(places) {
			t.Errorf("got the places %v if the better seed always wins, want them in the order of seeds", places)
		}
	}
}

func TestDoubleEliminationTakesTwoLosses(t *testing.T) {
	contests(t, DoubleElimination, 600, []int{2, 3, 4, 5, 6, 7, 37, 64, 200, 1000}, func(a *arena) {
		n := len(a.h.Entrants)
		a.run(nil)
		b, err := newBrackets(a.h)
		if err != nil {
			t.Fatal(err)
		}
		losses := make([]int, n)
		for at := range b.at {
			if result, _, _ := b.decision(at); result.loser >= 0 {
				losses[result.loser]++
			}
		}
		places, err := Places(a.h)
		if err != nil {
			t.Fatal(err)
		}
		for i, place := range places {
			if want := 2; place > 1 && losses[i] != want {
				t.Fatalf("%d entrants: got %d losses of the one on place %d, want %d", n, losses[i], place, want)
			} else if place == 1 && losses[i] > 1 {
				t.Fatalf("%d entrants: got %d losses of the winner, want at most 1", n, losses[i])
			}
		}
		slices.Sort(places)
		if want := []int{1, 2, 3}[:min(n, 3)]; !slices.Equal(places[:min(n, 3)], want) {
			t.Fatalf("got the places %v of %d entrants, want %v and so on", places, n, want)
		}
	})
}

func TestLosersBracketAvoidsEarlyRematches(t *testing.T) {
	for _, n := range []int{8, 16, 32, 64, 128} {
		for seed := range uint64(20) {
			a := &arena{T: t, r: rand.New(rand.NewPCG(seed, 5)), h: newHistory(DoubleElimination, n)}
			a.run(nil)
			met := encounters{}
			played(a.h, func(p *Played) {
				// Up to here, losers come from parts of the bracket that are new: see dropTo.
				if early := n >> (p.Round/2 + 2); p.Bracket == Losers && p.Replay == 0 && early >= min(n/8, 4) && early >= 2 && met[pairKey(p.Entrants[0], p.Entrants[1])] > 0 {
					t.Fatalf("%d entrants: got a rematch of %v in round %d, want none so early", n, p.Entrants, p.Round)
				}
				if p.Replay == 0 {
					met.add(p.Entrants, 1)
				}
			})
		}
	}
}

func TestEliminationRefusesLateEntries(t *testing.T) {
	for _, format := range []Format{Knockout, DoubleElimination} {
		a := &arena{T: t, r: rand.New(rand.NewPCG(1, 1)), h: newHistory(format, 8)}
		a.run(func([]Pairing) {
			if len(a.h.Pairings) == 0 {
				return
			}
			late := *a.h
			late.Entrants = append(slices.Clone(a.h.Entrants), Entrant{Seed: 8})
			if _, _, err := Next(&late); err == nil || !strings.Contains(err.Error(), "withdraw it") {
				t.Errorf("got %v, want an error that says to withdraw the entrant", err)
			}
			late.Entrants[8].Withdrawn = true
			if _, _, err := Next(&late); err != nil {
				t.Errorf("got %v after its withdrawal, want none", err)
			}
		})
	}
}

func TestTiedPairingIsReplayedWithSeatsRotated(t *testing.T) {
	h := newHistory(Knockout, 2)
	for replay := range 4 {
		next, over, err := Next(h)
		if err != nil || over {
			t.Fatalf("got over=%v and %v, want replay %d", over, err, replay)
		}
		want := []int{replay % 2, 1 - replay%2}
		if p := next[0]; p.Replay != replay || !slices.Equal(p.Entrants, want) {
			t.Errorf("got replay %d of %v, want %d of %v", p.Replay, p.Entrants, replay, want)
		}
		h.Pairings = append(h.Pairings, Played{Pairing: next[0], Legs: []Leg{{Points: []float64{0.5, 0.5}}}})
	}
	if _, over, _ := Next(h); !over {
		t.Error("got another replay after the last one, want none")
	}
	if places, _ := Places(h); !slices.Equal(places, []int{1, 2}) {
		t.Errorf("got the places %v, want the better seed first", places)
	}
}

func TestGroupsMeetEvenly(t *testing.T) {
	for _, test := range []struct{ n, size, rounds, most, least int }{
		{4, 4, 3, 3, 3},   // all in one group
		{6, 3, 10, 4, 4},  // a design in which each pair meets 4 times exists
		{9, 3, 4, 1, 1},   // the affine plane of order 3
		{9, 3, 0, 1, 1},   // the same, by default
		{12, 4, 0, 2, 0},  // no design
		{16, 4, 0, 2, 0},  // the affine plane of order 4 is hard to find
		{10, 4, 9, 4, 1},  // with byes
		{40, 4, 13, 2, 0}, //
		{7, 4, 7, 3, 1},   // one group; the complement of the Fano plane would have 2
		{6, 4, 15, 7, 5},  // one group; all possible ones would have 6
	} {
		h := newHistory(RoundRobin, test.n)
		h.Size, h.Rounds, h.Seed = test.size, test.rounds, 1
		a := &arena{T: t, r: rand.New(rand.NewPCG(1, 1)), h: h}
		byes := make([]int, test.n)
		a.run(a.everybody)
		played(h, func(p *Played) {
			if p.Bye() {
				byes[p.Entrants[0]]++
			}
		})
		met, most, least := h.encounters(), 0, math.MaxInt
		for i := range test.n {
			for j := range i {
				most, least = max(most, met[pairKey(i, j)]), min(least, met[pairKey(i, j)])
			}
		}
		if most > test.most || least < test.least {
			t.Errorf("%+v: got pairs that met %d to %d times in %d rounds, want %d to %d", test, least, most, h.rounds(), test.least, test.most)
		}
		if slices.Max(byes)-slices.Min(byes) > 1 {
			t.Errorf("%+v: got the byes %v, want at most one more than anybody else", test, byes)
		}
	}
}

// In the legs of a pairing everybody moves on by one seat, so it is always the same two that
// sit opposite each other. Over the rounds, everybody sits opposite everybody.
func TestGroupsSitOppositeEachOtherEvenly(t *testing.T) {
	for _, tt := range []struct {
		name                string
		format              Format
		entrants, legs      int
		rounds, least, most int // how often two sit opposite each other
	}{
		{"four in all seats", RoundRobin, 4, 4, 3, 1, 1},
		{"four in some seats", RoundRobin, 4, 1, 6, 1, 3},
		{"eight", RoundRobin, 8, 4, 14, 1, 3},
		{"four in a Swiss", Swiss, 4, 4, 6, 2, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := newHistory(tt.format, tt.entrants)
			h.Size, h.Legs, h.Rounds, h.Seed = 4, tt.legs, tt.rounds, 5
			opposite := map[[2]int]int{}
			for range tt.rounds {
				next, over, err := Next(h)
				if err != nil || over {
					t.Fatalf("got the error %v, over: %v, want a round", err, over)
				}
				for _, p := range next {
					played := Played{Pairing: p}
					for range tt.legs {
						played.Legs = append(played.Legs, Leg{Points: []float64{1, 0, 1, 0}})
					}
					h.Pairings = append(h.Pairings, played)
					for s := range 2 {
						a, b := p.Entrants[s], p.Entrants[s+2]
						opposite[[2]int{min(a, b), max(a, b)}]++
					}
				}
			}
			for a := range tt.entrants {
				for b := range a {
					if n := opposite[[2]int{b, a}]; n < tt.least || n > tt.most {
						t.Errorf("%d and %d sit opposite each other %d times, want %d to %d", b, a, n, tt.least, tt.most)
					}
				}
			}
		})
	}
}

func TestGroupsHaveEverybodyInEachRound(t *testing.T) {
	for _, format := range []Format{RoundRobin, Swiss} {
		contests(t, format, 20, []int{64, 200}, func(a *arena) {
			a.h.Size, a.h.Rounds = 3+a.r.IntN(4), 1+a.r.IntN(6)
			idle := map[int]int{}
			a.run(func(next []Pairing) {
				a.everybody(next)
				if next[0].Round >= a.h.Rounds {
					t.Fatalf("got round %d, want at most %d", next[0].Round+1, a.h.Rounds)
				}
				for _, p := range next {
					if p.Bye() {
						idle[p.Entrants[0]]++
					}
				}
				if a.eventful {
					return
				}
				for _, n := range a.h.active() {
					for _, m := range a.h.active() {
						if idle[n] > idle[m]+1 {
							t.Fatalf("got %d byes of one and %d of another of %d entrants, want at most one more", idle[n], idle[m], len(a.h.Entrants))
						}
					}
				}
			})
		})
	}
}

func TestSwissGroupsAvoidRepetitions(t *testing.T) {
	h := newHistory(Swiss, 64)
	h.Size, h.Rounds = 4, 5
	a := &arena{T: t, r: rand.New(rand.NewPCG(1, 1)), h: h}
	a.run(nil)
	repeats := 0
	for _, times := range h.encounters() {
		repeats += times - 1
	}
	if repeats > 5 {
		t.Errorf("got %d repetitions among 480 pairs in 5 rounds, want hardly any", repeats)
	}
}

func TestContestOfNobodyIsOver(t *testing.T) {
	for _, format := range []Format{RoundRobin, Swiss, Knockout, DoubleElimination, Gauntlet} {
		for n := range 2 {
			if next, over, err := Next(newHistory(format, n)); !over || err != nil {
				t.Errorf("%s of %d: got %v, over=%v and %v, want the end", format, n, next, over, err)
			}
		}
	}
}

func TestNextWaitsForAllResults(t *testing.T) {
	h := newHistory(Swiss, 4)
	h.Pairings = []Played{{Pairing: Pairing{Entrants: []int{0, 1}}}}
	if _, _, err := Next(h); err == nil {
		t.Error("got no error for a pairing without results, want one")
	}
}

func TestRoundsAreKnownFromTheStart(t *testing.T) {
	for _, format := range []Format{RoundRobin, Swiss, Knockout, DoubleElimination, Gauntlet} {
		for n := 2; n < 20; n++ {
			for size := 2; size < 4; size++ {
				h := newHistory(format, n)
				if h.Size = size; size > 2 && (format != RoundRobin && format != Swiss || n < size) {
					continue
				}
				want := Rounds(h)
				a := &arena{T: t, r: newArenaRand(), h: h}
				a.run(func([]Pairing) {
					if got := Rounds(h); got != want && got != want+1 {
						t.Errorf("%s of %d: got %d rounds on the way, want %d", format, n, got, want)
					}
				})
				if format == DoubleElimination && h.rounds() == want+1 {
					continue // the second final
				}
				if got := h.rounds(); got != want {
					t.Errorf("%s of %d, size %d: got %d rounds, want %d", format, n, size, got, want)
				}
			}
		}
	}
}
