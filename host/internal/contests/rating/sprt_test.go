package rating

import (
	"math"
	"math/rand/v2"
	"testing"
)

// pentanomial returns samples with the given numbers of the scores 0, 1/4, 1/2, 3/4, 1.
func pentanomial(counts [5]int) []float64 {
	var samples []float64
	for i, n := range counts {
		for range n {
			samples = append(samples, float64(i)/4)
		}
	}
	return samples
}

// The figures are those of LLR_logistic in fishtest's server/fishtest/stats/LLRcalc.py
// (commit 0753fcc), computed by testdata/llr.py. The counts are those of its own tests,
// and some without all scores.
func TestLLRIsThatOfFishtest(t *testing.T) {
	for _, tt := range []struct {
		name       string
		elo0, elo1 float64
		counts     [5]int
		want       float64
	}{
		{"all scores", -3, 1, [5]int{10789, 19328, 33806, 19402, 10543}, 2.13106781},
		{"fewer", -3, 1, [5]int{1187, 7410, 13475, 7378, 1164}, 2.86152718},
		{"many draws", 0.2, 0.9, [5]int{39, 2226, 31451, 2412, 40}, 2.16254258},
		{"few samples", 0, 10, [5]int{1, 2, 3, 4, 5}, 0.27747468},
		{"only wins", 0, 10, [5]int{0, 0, 0, 0, 3}, 0.08516030},
		{"some scores", 0, 10, [5]int{0, 5, 0, 9, 0}, 0.20711513},
		{"only draws", -20, 30, [5]int{0, 0, 50, 0, 0}, -1.54217137},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := (SPRT{Elo0: tt.elo0, Elo1: tt.elo1}).LLR(pentanomial(tt.counts)); math.Abs(got-tt.want) > 1e-5*max(1, math.Abs(tt.want)) {
				t.Errorf("got %.8f, want %.8f", got, tt.want)
			}
		})
	}
}

func TestBoundsAreWalds(t *testing.T) {
	lower, upper := SPRT{0, 10, 0.05, 0.05}.Bounds()
	if want := math.Log(19); math.Abs(lower+want) > 1e-12 || math.Abs(upper-want) > 1e-12 {
		t.Errorf("got %v and %v, want -%v and %v", lower, upper, want, want)
	}
	lower, upper = SPRT{0, 10, 0.01, 0.1}.Bounds()
	if math.Abs(lower-math.Log(0.1/0.99)) > 1e-12 || math.Abs(upper-math.Log(90)) > 1e-12 {
		t.Errorf("got %v and %v, want log(0.1/0.99) and log(90)", lower, upper)
	}
}

func TestLLRIsFiniteAndNeedsNoPairs(t *testing.T) {
	test := SPRT{0, 10, 0.05, 0.05}
	for _, tt := range []struct {
		name    string
		samples []float64
		verdict Verdict
	}{
		{"none", nil, Continue},
		{"one", []float64{1}, Continue},
		{"thirds", []float64{1. / 3, 2. / 3, 0.1 + 0.2 + 1./30, 0}, Continue},
		{"out of range", []float64{-1, 2}, Continue},
		{"won all", pentanomial([5]int{0, 0, 0, 0, 10_000}), AcceptH1},
		{"lost all", pentanomial([5]int{10_000, 0, 0, 0, 0}), AcceptH0},
		{"drew all", pentanomial([5]int{0, 0, 100_000, 0, 0}), AcceptH0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if llr, v := test.Decide(tt.samples); math.IsNaN(llr) || math.IsInf(llr, 0) || v != tt.verdict {
				t.Errorf("got %v and %v, want a number and %v", llr, v, tt.verdict)
			}
		})
	}
	a, b := test.LLR([]float64{0.75, 0.3, 1}), test.LLR([]float64{1, 0.75, 0.3})
	if a != b {
		t.Errorf("got %v and %v in another order, want the same", a, b)
	}
}

func TestSPRTThatCannotBeCarriedOutIsRefused(t *testing.T) {
	for _, test := range []SPRT{{10, 0, 0.05, 0.05}, {0, 0, 0.05, 0.05}, {0, 10, 0, 0.05}, {0, 10, 0.05, 0.6}, {math.NaN(), 10, 0.05, 0.05}, {0, 1e6, 0.05, 0.05}} {
		if err := test.Check(); err == nil {
			t.Errorf("%+v: got no error, want one", test)
		}
	}
	if err := (SPRT{-5, 5, 0.05, 0.05}).Check(); err != nil {
		t.Errorf("got %v, want no error", err)
	}
}

func TestErrorRatesAreAtMostThoseOfTheTest(t *testing.T) {
	const runs = 600
	test := SPRT{0, 40, 0.05, 0.05}
	for _, tt := range []struct {
		name  string
		elo   float64
		wrong Verdict
	}{{"H0 is true", 0, AcceptH1}, {"H1 is true", 40, AcceptH0}} {
		t.Run(tt.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(5, uint64(tt.elo)))
			wrong, samples := 0, 0
			for range runs {
				var list []float64
				for v := Continue; v == Continue; {
					p := 1 / (1 + math.Pow(10, -tt.elo/400))
					list = append(list, (score(r, p+0.08)+score(r, p-0.08))/2) // one seat is better
					if len(list)%8 == 0 {
						_, v = test.Decide(list)
						if v == tt.wrong {
							wrong++
						}
					}
				}
				samples += len(list)
			}
			rate := float64(wrong) / runs
			t.Logf("error rate %.3f with %d samples on average", rate, samples/runs)
			// Three standard errors above 0.05.
			if rate > 0.05+3*math.Sqrt(0.05*0.95/runs) || rate < 0.01 {
				t.Errorf("got the error rate %.3f, want about 0.05, and not more", rate)
			}
		})
	}
}

// score returns the result of a match, a fifth of which are drawn, with the given mean.
func score(r *rand.Rand, mean float64) float64 {
	switch u := r.Float64(); {
	case u < mean-0.1:
		return 1
	case u < mean+0.1:
		return 0.5
	}
	return 0
}
