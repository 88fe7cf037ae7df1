package ladder

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"
)

var epoch = time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)

// known returns a player with a known rating that has waited for some seconds.
func known(name string, rating float64, waited int, last ...string) Candidate {
	return Candidate{Name: name, Rating: rating, Width: 100, Played: 100, Since: epoch.Add(-time.Duration(waited) * time.Second), Last: last}
}

func bot(name string, rating float64) Candidate {
	return Candidate{Name: name, Rating: rating, Bot: true}
}

// pairs returns the matches as sorted names, and checks that they can be played.
func pairs(t *testing.T, free []Candidate, o Options) (list []string, again time.Duration) {
	t.Helper()
	groups, again := Next(free, o)
	used := map[int]bool{}
	for _, g := range groups {
		var names []string
		bots := 0
		for _, i := range g {
			names = append(names, free[i].Name)
			if free[i].Bot {
				bots++
			} else if used[i] {
				t.Errorf("%s: got two matches at the same time, want one", free[i].Name)
			}
			used[i] = true
		}
		if bots > 1 || bots == len(g) || len(g) != max(o.Players, 2) {
			t.Errorf("got the match %v with %d bots, want %d candidates with at most one bot", names, bots, max(o.Players, 2))
		}
		slices.Sort(names)
		if len(slices.Compact(slices.Clone(names))) != len(names) {
			t.Errorf("got the match %v, want different candidates", names)
		}
		list = append(list, fmt.Sprint(names))
	}
	return list, again
}

func TestNextChoosesGoodMatches(t *testing.T) {
	newcomer := func(name string) Candidate {
		return Candidate{Name: name, Rating: 1500, Since: epoch, Played: 50} // 50: past those with bots
	}
	// The matches of these depend on hashes; the seeds are chosen so that no bot is due.
	tests := []struct {
		name  string
		free  []Candidate
		o     Options
		want  []string
		again time.Duration
	}{
		{"nobody", nil, Options{}, nil, 0},
		{"one player alone", []Candidate{known("a", 1500, 99)}, Options{}, nil, 0},
		{"near in strength", []Candidate{known("a", 1500, 3), known("b", 1900, 2), known("c", 1550, 1), known("d", 1950, 0)}, Options{}, []string{"[a c]", "[b d]"}, 0},
		{"little known before well known", []Candidate{known("a", 1500, 3), known("b", 1500, 2), newcomer("c")}, Options{}, []string{"[a c]"}, 0},
		{"the longest waiting first", []Candidate{known("a", 1500, 1), known("b", 1500, 3), known("c", 1500, 2), known("d", 1500, 0)}, Options{}, []string{"[b c]", "[a d]"}, 0},
		{"no rematch while others are free", []Candidate{known("a", 1500, 3, "b"), known("b", 1500, 2, "a"), known("c", 2100, 1)}, Options{}, []string{"[a c]"}, 0},
		{"earlier opponents later", []Candidate{known("a", 1500, 3, "x", "b", "y", "z", "c"), known("b", 1500, 2), known("c", 1500, 1)}, Options{}, []string{"[a c]"}, 0},
		{"a rematch if there is nobody else", []Candidate{known("a", 1500, 3, "b"), known("b", 1500, 2, "a")}, Options{MaxWait: time.Minute}, []string{"[a b]"}, 0},
		{"no rematch while others play", []Candidate{known("a", 1500, 3, "b"), known("b", 1500, 2, "a")}, Options{MaxWait: 4 * time.Second, Busy: 1}, nil, time.Second},
		{"a rematch after some time", []Candidate{known("a", 1500, 4, "b"), known("b", 1500, 2, "a")}, Options{MaxWait: 4 * time.Second, Busy: 1}, []string{"[a b]"}, 0},
		{"nobody far away while others play", []Candidate{known("a", 1500, 1), known("b", 1900, 0)}, Options{MaxWait: 8 * time.Second, Busy: 1}, nil, 2 * time.Second},
		{"less near after some time", []Candidate{known("a", 1500, 6), known("b", 1900, 0)}, Options{MaxWait: 8 * time.Second, Busy: 1}, []string{"[a b]"}, 0},
		{"a bot when nobody comes", []Candidate{known("a", 1500, 8), bot("weak", 1000), bot("strong", 1600)}, Options{MaxWait: 8 * time.Second, Busy: 1}, []string{"[a strong]"}, 0},
		{"three for a match", []Candidate{known("a", 1500, 3), known("b", 1900, 2), known("c", 1550, 1), known("d", 1450, 0)}, Options{Players: 3}, []string{"[a c d]"}, 0},
		{"two and a bot for a match of three", []Candidate{known("a", 1500, 3), known("b", 1900, 2), bot("strong", 1600)}, Options{Players: 3}, []string{"[a b strong]"}, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			test.o.Now, test.o.Seed = epoch, 1
			got, again := pairs(t, test.free, test.o)
			if !slices.Equal(got, test.want) || again != test.again {
				t.Errorf("got the matches %v, again after %v, want %v after %v", got, again, test.want, test.again)
			}
		})
	}
}

func TestNextIsDeterministicAndPairsAllThatItCan(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		o := Options{Players: 2 + r.IntN(4), Now: epoch, MaxWait: time.Duration(r.IntN(10)) * time.Second, Busy: r.IntN(3), Seed: seed}
		var free []Candidate
		players, patient := 0, 0
		for i := range r.IntN(40) {
			one := known(fmt.Sprint("p", i), r.NormFloat64()*300, r.IntN(20))
			one.Played, one.Bot = r.IntN(30), r.IntN(10) == 0
			for range r.IntN(6) {
				one.Last = append(one.Last, fmt.Sprint("p", r.IntN(40)))
			}
			if !one.Bot {
				players++
				if epoch.Sub(one.Since) < o.MaxWait {
					patient++
				}
			}
			free = append(free, one)
		}
		before := slices.Clone(free)
		first, _ := Next(free, o)
		if second, _ := Next(free, o); !reflect.DeepEqual(first, second) || !reflect.DeepEqual(free, before) {
			t.Fatalf("seed %d: got %v and then %v, want the same, and no change of the candidates", seed, first, second)
		}
		pairs(t, free, o)
		for _, g := range first {
			for _, i := range g {
				if !free[i].Bot {
					players--
				}
			}
		}
		if players >= o.Players && patient == 0 {
			t.Errorf("seed %d: got %d players without a match for %d, want fewer", seed, players, o.Players)
		}
	}
}

func TestSeatsAreDrawnEvenly(t *testing.T) {
	first := 0
	for n := range 1000 {
		a, b := known("a", 1500, 2), known("b", 1500, 1)
		a.Played, b.Played = n, n
		if groups, _ := Next([]Candidate{a, b}, Options{Now: epoch}); groups[0][0] == 0 {
			first++
		}
	}
	if first < 450 || first > 550 {
		t.Errorf("the player that waited longer had the first seat in %d of 1000 matches, want about half", first)
	}
}

func BenchmarkNext(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	var free []Candidate
	for i := range 500 {
		free = append(free, known(fmt.Sprint("p", i), r.NormFloat64()*300, r.IntN(20), "p1", "p2", "p3"))
	}
	for b.Loop() {
		Next(free, Options{Now: epoch})
	}
}

// A connected player gets a match at once, however long programs have waited for a core.
func TestProgramsChooseAfterConnectedPlayers(t *testing.T) {
	program := func(name string, waited int) Candidate {
		c := known(name, 1500, waited)
		c.Later = true
		return c
	}
	got, _ := pairs(t, []Candidate{program("a", 90), program("b", 80), known("z", 1500, 0)}, Options{Now: epoch, MaxWait: time.Minute, Seed: 3})
	if len(got) != 1 || got[0] != "[a z]" && got[0] != "[b z]" {
		t.Errorf("got the matches %v, want one of z", got)
	}
}
