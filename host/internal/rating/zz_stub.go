package rating

import "time"

// This file is deleted by the commit that brings the real one.

type Book struct {
	n int
	m []Match
	o Options
}

func NewBook(o Options) *Book                       { return &Book{o: o} }
func (b *Book) Add(players int, m []Match) error    { b.n = players; b.m = append(b.m, m...); return nil }
func (b *Book) Anchor(player int, rating float64)   { b.o.Anchors = map[int]float64{player: rating} }
func (b *Book) Table(now time.Time) (*Table, error) { b.o.Now = now; return Fit(b.n, b.m, b.o) }
