package main

import (
	"maps"
	"testing"

	"colosseum/internal/test/gamefixture"
	"colosseum/sdk/gametest"
)

func TestViewerFixtureHoldsTheLegalMoves(t *testing.T) {
	var recordings []gamefixture.Recording
	for i, args := range []map[string]string{{"wild": "yes"}, {"wild": "no", "dice": "2"}, {"dice": "1", "wild": "yes"}, {"dice": "2", "wild": "yes"}} {
		r := gamefixture.Recording{Params: maps.Clone(args)}
		m := gametest.Match{Game: &game, Args: args, Seed: uint64(i)}
		for seat := range []int{2, 3, 6, 4}[i] {
			m.Players = append(m.Players, patient(uint64(10*i+seat)))
		}
		m.Players[i%2] = r.Player(m.Players[i%2])
		r.Stream = gametest.MustPlay(t, m).Seats[i%2]
		recordings = append(recordings, r)
	}
	gamefixture.CheckRecordings(t, recordings)
}
