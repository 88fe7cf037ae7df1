package main

import (
	"testing"

	"colosseum/sdk/gametest"
)

func TestGoldenMatches(t *testing.T) {
	for _, r := range allRules {
		if r == &damath {
			continue
		}
		t.Run(r.Name, func(t *testing.T) {
			const fen = "W:Wa1,e1,c3,e5,Kh8:Bb8,f8,d6,h4,Ka3"
			got := matchFrom(t, r.Name, fen, nil, gametest.Random(3), gametest.Leaving(4, gametest.Random(4)))
			gametest.Golden(t, r.Name, got.String())
		})
	}
}

func TestGoldenDamath(t *testing.T) {
	for _, set := range chipSets {
		got := matchFrom(t, "damath", "", map[string]string{"chips": set.name}, gametest.Random(1), gametest.Random(2))
		gametest.Golden(t, "damath-"+set.name, got.String())
	}
}
