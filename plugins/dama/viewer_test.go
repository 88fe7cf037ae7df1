package main

import (
	"testing"

	"colosseum/internal/test/gamefixture"
	"colosseum/sdk"
	"colosseum/sdk/gametest"
)

func TestViewerFixtureHoldsTheLegalMoves(t *testing.T) {
	var recordings []gamefixture.Recording
	for i, fen := range []string{"W:Wa1,e1,c3,e5,Kh8:Bb8,f8,d6,h4,Ka3", "W:Wc7,e3,Ka1,Kg1:Bb2,d6,f6,f4,Ke7,Kh8", ""} {
		for _, rules := range allRules {
			if rules == &damath {
				continue
			}
			r := gamefixture.Recording{Params: map[string]string{"rules": rules.Name}}
			players := [2]gametest.Player{gametest.Leaving(6, gametest.Random(uint64(i))), gametest.Random(7)}
			players[i%2] = r.Player(players[i%2])
			r.Stream = matchFrom(t, rules.Name, fen, nil, players[0], players[1]).Seats[i%2]
			recordings = append(recordings, r)
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
		r := gamefixture.Recording{Params: map[string]string{"rules": "damath", "chips": set.name, lateRule: toOpponent}}
		players := [2]gametest.Player{late(gametest.Then(gametest.Random(uint64(i)), "draw")), gametest.Then(gametest.Random(7), "no")}
		players[i%2] = r.Player(players[i%2])
		r.Stream = matchFrom(t, "damath", "", map[string]string{"chips": set.name, lateRule: toOpponent}, players[0], players[1]).Seats[i%2]
		recordings = append(recordings, r)
	}
	gamefixture.CheckRecordings(t, recordings)
}
