package gametest

import (
	"fmt"
	"slices"
	"testing"

	"colosseum/sdk"
	"colosseum/sdk/script"
)

// PlaysTheSameAsScript loads the game in a folder as a script, and plays n
// matches twice: compiled, and interpreted. The test fails at the first that is
// not the same to everybody and to the letter. The matches take the args in
// turn. Players are random, and some of them are unruly; every second match has
// server bots, if the game has any, who think once for each line.
func PlaysTheSameAsScript(t testing.TB, dir string, game *sdk.Game, n int, args ...map[string]string) {
	t.Helper()
	interpreted, err := script.Load(dir)
	if err != nil {
		t.Errorf("it is no script:\n%v", err)
		return
	}
	if a, b := describe(game), describe(interpreted); a != b {
		t.Errorf("as a script it is\n%s\nwant\n%s", b, a)
		return
	}
	for i := range n {
		match := Match{Seed: uint64(i), Args: args[i%len(args)], Thoughts: 1}
		players := game.MinPlayers + i%(game.MaxPlayers-game.MinPlayers+1)
		play := func(game *sdk.Game) (*Transcript, error) {
			m := match
			m.Game = game
			for seat := range players {
				m.Players = append(m.Players, Unruly(uint64(players*i+seat)))
			}
			if game.MaxBots > 0 && i/len(args)%2 == 1 {
				m.Players[i%players] = nil
			}
			return Play(m)
		}
		want, wantErr := play(game)
		got, gotErr := play(interpreted)
		if fmt.Sprint(wantErr) != fmt.Sprint(gotErr) {
			t.Errorf("match %d, %v: as a script refused by %v, want %v", i, match.Args, gotErr, wantErr)
			return
		}
		if wantErr == nil && (want.String() != got.String() || want.Log != got.Log || !slices.EqualFunc(want.Answers, got.Answers, sameAnswer)) {
			t.Errorf("match %d, %v: as a script\n%s%s\nwant\n%s%s", i, match.Args, got, got.Log, want, want.Log)
			return
		}
	}
}

// BenchmarkAsScript plays matches of random players, compiled and interpreted,
// and reports how long the referee needs for an answer.
func BenchmarkAsScript(b *testing.B, dir string, game *sdk.Game, args map[string]string) {
	interpreted, err := script.Load(dir)
	if err != nil {
		b.Fatal(err)
	}
	for _, way := range []struct {
		name string
		game *sdk.Game
	}{{"compiled", game}, {"script", interpreted}} {
		b.Run(way.name, func(b *testing.B) {
			answers := 0
			for i := range b.N {
				m := Match{Game: way.game, Args: args, Seed: uint64(i)}
				for seat := range game.MinPlayers {
					m.Players = append(m.Players, Random(uint64(i*game.MinPlayers+seat)))
				}
				got, err := Play(m)
				if err != nil {
					b.Fatal(err)
				}
				answers += len(got.Answers)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(answers), "ns/answer")
		})
	}
}

// sameAnswer leaves aside the time, which for bots is a real one.
func sameAnswer(a, b sdk.Answer) bool {
	return a.Seat == b.Seat && a.Line == b.Line && a.Outcome == b.Outcome
}

// describe is all that a game says of itself.
func describe(g *sdk.Game) string {
	return fmt.Sprintf("%s (%s): %d to %d players, %d as a rule, %d bots, %v s, %+v\n%s",
		g.Name, g.Title, g.MinPlayers, g.MaxPlayers, g.Players, g.MaxBots, g.Timeout, g.Params, g.Rules)
}
