package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"colosseum/sdk/gametest"
)

// recorded is a match as the test of the viewers reads it: what a seat saw,
// and after so many lines, which lines were legal.
type recorded struct {
	Params    map[string]string `json:"params"`
	Stream    string            `json:"stream"`
	Questions []question        `json:"questions"`
}

type question struct {
	Lines int    `json:"lines"`
	Legal string `json:"legal"` // separated by commas
}

// record notes in r what is asked of a player.
func record(r *recorded, p gametest.Player) gametest.Player {
	return func(q gametest.Question) (string, error) {
		r.Questions = append(r.Questions, question{strings.Count(q.Stream, "\n"), strings.Join(q.Legal, ",")})
		return p(q)
	}
}

// TestViewerFixtureHoldsTheLegalMoves keeps testdata/viewer.golden, which the
// test of the viewers in a browser compares with the choices that they offer.
func TestViewerFixtureHoldsTheLegalMoves(t *testing.T) {
	var fixture []recorded
	for seed := uint64(0); seed < 6; seed++ {
		seat := int(seed % 2)
		r := recorded{Params: map[string]string{}}
		players := []gametest.Player{gametest.Random(seed), gametest.Random(seed + 100)}
		players[seat] = record(&r, players[seat])
		r.Stream = match(t, gametest.Match{Game: &game, Players: players}).Seats[seat]
		fixture = append(fixture, r)
	}
	got, err := json.MarshalIndent(fixture, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	const file = "testdata/viewer.golden"
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(file); err != nil || string(got) != string(want) {
		t.Errorf("%s is not what the rules say now (%v): run the test with -update", file, err)
	}
}
