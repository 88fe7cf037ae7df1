package main

import (
	"testing"

	"colosseum/internal/test/gamefixture"
)

func TestViewerFixtureHoldsTheLegalMoves(t *testing.T) {
	var recordings []gamefixture.Recording
	for seed := range uint64(6) {
		recordings = append(recordings, gamefixture.RecordRandom(t, &game, seed))
	}
	gamefixture.CheckRecordings(t, recordings)
}
