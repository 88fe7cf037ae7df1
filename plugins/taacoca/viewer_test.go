package main

import (
	"testing"

	"colosseum/internal/test/gamefixture"
)

func TestViewerFixtureHoldsTheLegalMoves(t *testing.T) {
	var recordings []gamefixture.Recording
	for seed := range uint64(4) {
		r := gamefixture.RecordRandom(t, &game, seed)
		few := r.Questions[:0] // each lists up to 440 moves
		for i, q := range r.Questions {
			if i%6 == int(seed) || i == len(r.Questions)-1 {
				few = append(few, q)
			}
		}
		r.Questions = few
		recordings = append(recordings, r)
	}
	gamefixture.CheckRecordings(t, recordings)
}
