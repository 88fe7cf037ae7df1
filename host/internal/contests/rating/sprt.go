package rating

import (
	"fmt"
	"math"
	"slices"
)

// SPRT is a sequential probability ratio test: after each sample it decides between two
// hypotheses about the difference of two players, or asks for more samples. It is the
// generalized test with the empirical distribution of the samples, as fishtest has it
// (LLRcalc.py, LLR_logistic, for pairs of matches; M. Van den Bergh,
// cantate.be/Fishtest/support_MLE_multinomial.pdf).
type SPRT struct {
	Elo0, Elo1 float64 // the difference in points under H0 and under H1; Elo0 < Elo1
	Alpha      float64 // the probability of accepting H1 at Elo0, at most 0.5
	Beta       float64 // the probability of accepting H0 at Elo1, at most 0.5
}

// Verdict is what an SPRT has decided.
type Verdict string

// The verdicts.
const (
	Continue Verdict = "continue"
	AcceptH0 Verdict = "H0"
	AcceptH1 Verdict = "H1"
)

// Check returns an error if the test cannot be carried out.
func (t SPRT) Check() error {
	switch {
	case !(math.Abs(t.Elo0) <= 2000 && math.Abs(t.Elo1) <= 2000 && t.Elo0 < t.Elo1):
		return fmt.Errorf("the hypotheses %v and %v are not two numbers from -2000 to 2000, the smaller one first", t.Elo0, t.Elo1)
	case !(t.Alpha > 0 && t.Alpha <= 0.5 && t.Beta > 0 && t.Beta <= 0.5):
		return fmt.Errorf("the error rates %v and %v are not above 0 and at most 0.5", t.Alpha, t.Beta)
	}
	return nil
}

// Bounds returns the log-likelihood ratios at which H0 and H1 are accepted (Wald 1945).
func (t SPRT) Bounds() (lower, upper float64) {
	return math.Log(t.Beta / (1 - t.Alpha)), math.Log((1 - t.Beta) / t.Alpha)
}

// Decide returns the log-likelihood ratio of the samples, and what follows from it.
func (t SPRT) Decide(samples []float64) (llr float64, v Verdict) {
	llr = t.LLR(samples)
	switch lower, upper := t.Bounds(); {
	case llr <= lower:
		return llr, AcceptH0
	case llr >= upper:
		return llr, AcceptH1
	}
	return llr, Continue
}

// unseen is the weight of a score that did not occur. It keeps the likelihood of a
// hypothesis above 0 when all scores are on one side of it, and is the one of fishtest.
const unseen = 1e-3

// LLR returns the logarithm of the ratio of the likelihoods of the samples under H1 and
// under H0. A sample is the mean score, from 0 to 1, in matches that share a seed, the
// seats swapped. Its distribution is not known: under a hypothesis it is the likeliest
// one of those whose mean is what the hypothesis expects. Without samples it is 0.
func (t SPRT) LLR(samples []float64) float64 {
	if len(samples) == 0 {
		return 0
	}
	// The scores of a pair between two, as in fishtest, and all others that occurred.
	scores := slices.Concat([]float64{0, 0.25, 0.5, 0.75, 1}, samples)
	for i, s := range scores {
		// Sums of thirds and the like differ in rounding.
		scores[i] = math.Round(max(0, min(1, s))*1e9) / 1e9
	}
	seen := scores[5:]
	values := slices.Clone(scores)
	slices.Sort(values)
	values = slices.Compact(values)
	weights := make([]float64, len(values))
	for _, s := range seen {
		at, _ := slices.BinarySearch(values, s)
		weights[at]++
	}
	for i := range weights {
		weights[i] = max(weights[i], unseen)
	}
	expected := func(elo float64) float64 { return 1 / (1 + math.Pow(10, -elo/400)) }
	s0, s1 := expected(t.Elo0), expected(t.Elo1)
	x0, x1 := tilt(values, weights, s0), tilt(values, weights, s1)
	llr := 0.0
	for i, v := range values {
		llr += weights[i] * (math.Log1p(x0*(v-s0)) - math.Log1p(x1*(v-s1)))
	}
	return llr
}

// tilt returns x for which the probabilities p(i)/(1+x*(value(i)-mean)) are the likeliest
// ones with the given mean: it solves sum of p(i)*(value(i)-mean)/(1+x*(value(i)-mean))
// = 0. The sum decreases between the poles, which the values 0 and 1 determine.
func tilt(values, weights []float64, mean float64) float64 {
	low, high := -1/(1-mean), 1/mean
	for range 200 {
		x := low + (high-low)/2
		if x == low || x == high {
			break
		}
		sum := 0.0
		for i, v := range values {
			sum += weights[i] * (v - mean) / (1 + x*(v-mean))
		}
		if sum > 0 {
			low = x
		} else {
			high = x
		}
	}
	return low + (high-low)/2
}
