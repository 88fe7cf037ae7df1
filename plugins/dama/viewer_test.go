package main

import (
	"encoding/json"
	"testing"

	"colosseum/sdk"
	"colosseum/sdk/gametest"
)

// TestViewerFixtureHoldsTheLegalMoves keeps testdata/viewer.golden, which the
// test of the viewers in a browser compares with the choices that they offer.
func TestViewerFixtureHoldsTheLegalMoves(t *testing.T) {
	var fixture []gametest.Recording
	for i, fen := range []string{"W:Wa1,e1,c3,e5,Kh8:Bb8,f8,d6,h4,Ka3", "W:Wc7,e3,Ka1,Kg1:Bb2,d6,f6,f4,Ke7,Kh8", ""} {
		for _, rules := range allRules {
			if rules == &damath {
				continue
			}
			r := gametest.Recording{Params: map[string]string{"rules": rules.Name}}
			players := [2]gametest.Player{gametest.Leaving(6, gametest.Random(uint64(i))), gametest.Random(7)}
			players[i%2] = r.Player(players[i%2])
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
		r := gametest.Recording{Params: map[string]string{"rules": "damath", "chips": set.name, lateRule: toOpponent}}
		players := [2]gametest.Player{late(gametest.Then(gametest.Random(uint64(i)), "draw")), gametest.Then(gametest.Random(7), "no")}
		players[i%2] = r.Player(players[i%2])
		r.Stream = damathFrom(t, "", map[string]string{"chips": set.name, lateRule: toOpponent}, players[0], players[1]).Seats[i%2]
		fixture = append(fixture, r)
	}
	got, err := json.MarshalIndent(fixture, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	gametest.Golden(t, "viewer", string(got))
}
