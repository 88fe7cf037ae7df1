package main

import (
	"encoding/json"
	"testing"

	"colosseum/sdk/gametest"
)

// TestViewerFixtureHoldsTheLegalMoves keeps testdata/viewer.golden, which the
// test of the viewers in a browser compares with the choices that they offer.
func TestViewerFixtureHoldsTheLegalMoves(t *testing.T) {
	var fixture []gametest.Recording
	for seed := uint64(0); seed < 4; seed++ {
		seat := int(seed % 2)
		r := gametest.Recording{Params: map[string]string{}}
		players := []gametest.Player{gametest.Random(seed), gametest.Random(seed + 100)}
		players[seat] = r.Player(players[seat])
		r.Stream = playMatch(t, gametest.Match{Players: players}).Seats[seat]
		few := r.Questions[:0] // with up to 440 moves each
		for i, q := range r.Questions {
			if i%6 == int(seed) || i == len(r.Questions)-1 {
				few = append(few, q)
			}
		}
		r.Questions = few
		fixture = append(fixture, r)
	}
	got, err := json.MarshalIndent(fixture, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	gametest.Golden(t, "viewer", string(got))
}
