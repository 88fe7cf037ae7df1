package gamefixture

import (
	"maps"
	"testing"

	"colosseum/internal/test/long"
	"colosseum/sdk"
	"colosseum/sdk/gametest"
)

// CheckSpeedIsIrrelevant makes the test fail unless bots of levels that search a fixed
// number of positions or plies play the same match however long they can think: in a test,
// how many times [sdk.Bot.Thinking] returns true.
func CheckSpeedIsIrrelevant(t *testing.T, game *sdk.Game, args map[string]string, levels ...string) {
	t.Helper()
	seeds := uint64(1)
	if long.Run() {
		seeds = 4
	}
	for _, level := range levels {
		t.Run(level, func(t *testing.T) {
			with := maps.Clone(args)
			if with == nil {
				with = map[string]string{}
			}
			with["bot"] = level
			for seed := range seeds {
				var got [2]*gametest.Transcript
				for i, thoughts := range []int{1, 1000} {
					var err error
					got[i], err = gametest.Play(gametest.Match{
						Game: game, Players: []gametest.Player{gametest.Random(seed), nil}, Args: with, Seed: seed, Thoughts: thoughts,
					})
					if err != nil {
						t.Fatal(err)
					}
				}
				if got[0].Spectators != got[1].Spectators {
					t.Fatalf("seed %d: with little time for thoughts, got the match\n%s\nwith much\n%s", seed, got[0].Spectators, got[1].Spectators)
				}
			}
		})
	}
}
