// This file is deleted by the commit that brings the real functions.

package rating

import "time"

type Match struct {
	Players []int
	Ranks   []int
	Sample  int64
	At      time.Time
}
type Options struct {
	Anchors  map[int]float64
	Prior    float64
	HalfLife time.Duration
	Now      time.Time
}
type Estimate struct {
	Rating, Low, High float64
	Played            int
}
type Table struct{ Estimates []Estimate }

func Fit(players int, matches []Match, o Options) (*Table, error) {
	return &Table{make([]Estimate, players)}, nil
}
