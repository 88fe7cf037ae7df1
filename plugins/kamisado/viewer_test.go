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
	for seed := uint64(0); seed < 6; seed++ {
		seat := int(seed % 2)
		r := gametest.Recording{Params: map[string]string{}}
		players := []gametest.Player{gametest.Random(seed), gametest.Random(seed + 100)}
		players[seat] = r.Player(players[seat])
		r.Stream = gametest.MustPlay(t, gametest.Match{Game: &game, Players: players}).Seats[seat]
		fixture = append(fixture, r)
	}
	got, err := json.MarshalIndent(fixture, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	gametest.Golden(t, "viewer", string(got))
}
