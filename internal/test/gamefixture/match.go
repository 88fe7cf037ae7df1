package gamefixture

import (
	"fmt"
	"testing"

	"colosseum/sdk"
	"colosseum/sdk/driver"
	"colosseum/sdk/gametest"
)

// CheckExamples replays the examples in the rules.md of a game, each with the match
// that the function returns for it. The test fails unless the matches end for these
// reasons.
func CheckExamples(t testing.TB, match func(e gametest.Example) gametest.Match, reasons ...string) {
	t.Helper()
	examples := gametest.Examples(t, "rules.md")
	if len(examples) != len(reasons) {
		t.Fatalf("%d examples in rules.md, want %d", len(examples), len(reasons))
	}
	for i, e := range examples {
		if got := e.Replay(t, match(e)); got.Result.Reason != reasons[i] {
			t.Errorf("example %d ends by %q, want %q", i, got.Result.Reason, reasons[i])
		}
	}
}

// CheckBotGoldens makes the test fail unless matches between a random player and the
// bot at level "random" are as recorded in testdata/seedN.golden, from seed 0.
func CheckBotGoldens(t testing.TB, game *sdk.Game, matches int) {
	t.Helper()
	for seed := range uint64(matches) {
		got := gametest.MustPlay(t, gametest.Match{
			Game: game, Seed: seed, Args: map[string]string{"bot": "random"},
			Players: []gametest.Player{gametest.Random(seed), nil},
		})
		gametest.Golden(t, fmt.Sprint("seed", seed), got.String())
	}
}

// BotAgainstRandom plays matches of two between the game's bot, with the given
// [gametest.Match.Thoughts], and a random player, who take the seats in turn. It
// returns the bot's points.
func BotAgainstRandom(t testing.TB, game *sdk.Game, matches, thoughts int) (points float64) {
	t.Helper()
	for seed := range uint64(matches) {
		bot := int(seed % 2)
		players := []gametest.Player{nil, nil}
		players[1-bot] = gametest.Random(seed)
		got := gametest.MustPlay(t, gametest.Match{Game: game, Players: players, Seed: seed, Thoughts: thoughts})
		if ended := got.Result.Seats[bot].Ended; ended != driver.EndedFinished {
			t.Fatalf("seed %d: the bot ended as %q, want %q\n%s", seed, ended, driver.EndedFinished, got)
		}
		points += got.Result.Seats[bot].Score
	}
	t.Logf("the bot made %v points in %d matches against random players", points, matches)
	return points
}

// BenchmarkMatch plays matches of two random players. It reports the units per
// second; count returns the number of units in a match.
func BenchmarkMatch(b *testing.B, game *sdk.Game, args map[string]string, unit string, count func(*gametest.Transcript) int) {
	n := 0
	for seed := uint64(0); b.Loop(); seed++ {
		got, err := gametest.Play(gametest.Match{
			Game: game, Players: []gametest.Player{gametest.Random(seed), gametest.Random(seed + 1)}, Seed: seed, Args: args,
		})
		if err != nil {
			b.Fatal(err)
		}
		n += count(got)
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), unit+"/s")
}
