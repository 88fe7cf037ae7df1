package main

import (
	"encoding/json"
	"strings"
	"testing"

	"colosseum/sdk"
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
	for i, fen := range []string{"W:Wa1,e1,c3,e5,Kh8:Bb8,f8,d6,h4,Ka3", "W:Wc7,e3,Ka1,Kg1:Bb2,d6,f6,f4,Ke7,Kh8", ""} {
		for _, rules := range allRules {
			if rules == &damath {
				continue
			}
			r := recorded{Params: map[string]string{"rules": rules.Name}}
			players := [2]gametest.Player{leaving(6, gametest.Random(uint64(i))), gametest.Random(7)}
			players[i%2] = record(&r, players[i%2])
			r.Stream = matchFrom(t, rules.Name, fen, nil, players[0], players[1]).Seats[i%2]
			fixture = append(fixture, r)
		}
	}
	late := func(p gametest.Player) gametest.Player {
		return func(q gametest.Question) (string, error) {
			if q.Number == 5 {
				return "", sdk.ErrTimeout
			}
			return p(q)
		}
	}
	for i, set := range chipSets {
		r := recorded{Params: map[string]string{"rules": "damath", "chips": set.name, lateRule: toOpponent}}
		players := [2]gametest.Player{late(gametest.Then(gametest.Random(uint64(i)), "draw")), gametest.Then(gametest.Random(7), "no")}
		players[i%2] = record(&r, players[i%2])
		r.Stream = damathFrom(t, "", map[string]string{"chips": set.name, lateRule: toOpponent}, players[0], players[1]).Seats[i%2]
		fixture = append(fixture, r)
	}
	got, err := json.MarshalIndent(fixture, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "viewer", string(got))
}
