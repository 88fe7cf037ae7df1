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

type Book struct{ n int }

func NewBook(Options) *Book                         { return &Book{} }
func (b *Book) Add(players int, _ []Match) error    { b.n = players; return nil }
func (b *Book) Anchor(player int, rating float64)   {}
func (b *Book) Table(now time.Time) (*Table, error) { return &Table{make([]Estimate, b.n)}, nil }
