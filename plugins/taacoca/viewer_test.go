package main

import (
	"encoding/json"
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
	for seed := uint64(0); seed < 4; seed++ {
		seat := int(seed % 2)
		r := recorded{Params: map[string]string{}}
		players := []gametest.Player{gametest.Random(seed), gametest.Random(seed + 100)}
		players[seat] = record(&r, players[seat])
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
	golden(t, "viewer", string(got))
}
