package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"colosseum/internal/test/gamefixture"
	"colosseum/sdk"
	"colosseum/sdk/gametest"
)

// withRolls returns the game with the given rolls instead of random ones. Its referee
// panics if it needs more.
func withRolls(rolls ...string) *sdk.Game {
	g := game
	g.Play = func(m *sdk.Match) error {
		next := 0
		return referee(m, func() coins {
			if next >= len(rolls) {
				panic("no more rolls")
			}
			next++
			return coins(slices.Index(shown[:], rolls[next-1]))
		})
	}
	return &g
}

// rollsIn returns the lines of a stream that are rolls.
func rollsIn(stream string) (rolls []string) {
	for line := range strings.Lines(stream) {
		if len(line) == len("0 0 0 0\n") && line[1] == ' ' {
			rolls = append(rolls, strings.TrimSpace(line))
		}
	}
	return rolls
}

// documented is the match of the original server's documentation.
var documented = gametest.Example{
	Names: []string{"PlayerA", "PlayerB"},
	Seats: []string{
		"PlayerA\nPlayerB\n0\n0 0 1 1\n>3\n1 1 1 1\n0\n1 0 1 0\n0\n0 1 0 0\n>3\n0 0 0 0\n1 0 1 1\n>3\n0 0 1 1\n0\n0 0 0 1\n>4\n1 0 1 0\nRETIRE\n",
		"PlayerA\nPlayerB\n1\n0 0 1 1\n3\n1 1 1 1\n>0\n1 0 1 0\n>0\n0 1 0 0\n3\n0 0 0 0\n1 0 1 1\n3\n0 0 1 1\n>0\n0 0 0 1\n4\n1 0 1 0\n>2\n",
	},
	Spectators: "PlayerA\nPlayerB\n0 0 1 1\n3\n1 1 1 1\n0\n1 0 1 0\n0\n0 1 0 0\n3\n0 0 0 0\n1 0 1 1\n3\n0 0 1 1\n0\n0 0 0 1\n4\n1 0 1 0\nRETIRE\n",
}

func TestDocumentedMatchIsReplayed(t *testing.T) {
	got := documented.Replay(t, gametest.Match{Game: withRolls(rollsIn(documented.Spectators)...)})
	got.ExpectResult(t, "PlayerB forfeits: illegal", "score 1, rank 1, finished", "score 0, rank 2, forfeit: illegal")
}

func TestExampleInTheRulesIsWhatTheRefereeDoes(t *testing.T) {
	for _, e := range gametest.Examples(t, "rules.md") {
		e.Replay(t, gametest.Match{Game: withRolls(rollsIn(e.Spectators)...)})
	}
}

func TestRetire(t *testing.T) {
	tests := []struct {
		name   string
		answer gametest.Player // the second player's, to a roll of 2 with token 0 on cell 1
		sent   string
		ended  string
	}{
		{"blocked token", gametest.Script("0", "1"), ">1\n", "illegal"},
		{"no such token", gametest.Script("0", "7"), ">7\n", "illegal"},
		{"negative number", gametest.Script("0", "-1"), ">-1\n", "illegal"},
		{"garbage", gametest.Script("0", "token"), ">token\n", "illegal"},
		{"two numbers", gametest.Script("0", "2 3"), ">2 3\n", "illegal"},
		{"two pluses", gametest.Script("0", "++2"), ">++2\n", "illegal"},
		{"a number beyond all bounds", gametest.Script("0", "18446744073709551618"), ">18446744073709551618\n", "illegal"},
		{"empty line", gametest.Script("0", ""), ">\n", "illegal"},
		{"late", gametest.Then(gametest.Late, "0"), "", "timeout"},
		{"gone", gametest.Script("0"), "", "disconnected"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := gametest.MustPlay(t, gametest.Match{
				Game:    withRolls("1 0 0 0", "0 0 1 0", "0 0 0 0", "0 1 0 0"),
				Players: []gametest.Player{gametest.Script("6"), tt.answer},
			})
			shown := "1 0 0 0\n6\n0 0 1 0\n0\n0 0 0 0\n0 1 0 0\nRETIRE\n"
			names := "Player0\nPlayer1\n"
			got.Expect(t, names+shown,
				names+"0\n"+strings.Replace(shown, "6", ">6", 1),
				names+"1\n1 0 0 0\n6\n0 0 1 0\n>0\n0 0 0 0\n0 1 0 0\n"+tt.sent)
			got.ExpectResult(t, "Player1 forfeits: "+tt.ended, "score 1, rank 1, finished", "score 0, rank 2, forfeit: "+tt.ended)
		})
	}
}

func TestNumbersCanBeginWithPlusAndZeros(t *testing.T) {
	for _, line := range []string{"+2", "02", "+0002"} {
		got := gametest.MustPlay(t, gametest.Match{
			Game:    withRolls("1 0 0 0", "0 1 0 0"),
			Players: []gametest.Player{gametest.Script(line), gametest.Gone},
		})
		names := "Player0\nPlayer1\n"
		got.Expect(t, names+"1 0 0 0\n2\n0 1 0 0\nRETIRE\n",
			names+"0\n1 0 0 0\n>"+line+"\n0 1 0 0\nRETIRE\n",
			names+"1\n1 0 0 0\n2\n0 1 0 0\n")
	}
}

func TestNothingIsSentAfterAWin(t *testing.T) {
	got := gametest.MustPlay(t, gametest.Match{Game: &game, Players: []gametest.Player{gametest.Random(1), gametest.Random(2)}, Seed: 3})
	won, lost := "score 1, rank 1, finished", "score 0, rank 2, finished"
	winner, want := 0, []string{won, lost}
	if got.Result.Seats[1].Score == 1 {
		winner, want = 1, []string{lost, won}
	}
	got.ExpectResult(t, fmt.Sprintf("Player%d brought all tokens home", winner), want...)
	last := got.Answers[len(got.Answers)-1].Line
	for stream, end := range map[string]string{got.Seats[winner]: ">", got.Seats[1-winner]: "\n", got.Spectators: "\n"} {
		if want := end + last + "\n"; !strings.HasSuffix(stream, want) {
			t.Errorf("a stream ends with %q, want %q", stream[len(stream)-8:], want)
		}
	}
}

func TestMatchPausesAfterEachRollAndMove(t *testing.T) {
	got := gametest.MustPlay(t, gametest.Match{
		Game:    withRolls("1 0 0 0", "0 0 0 0", "1 1 0 0", "0 0 1 0"),
		Players: []gametest.Player{gametest.Script("0", "1"), gametest.Gone},
		Args:    map[string]string{"pace": "30"},
	})
	want := "Player0,Player1,1 0 0 0,ask,pause,0,pause,0 0 0 0,pause,1 1 0 0,ask,pause,1,pause,0 0 1 0,ask,pause,RETIRE"
	if got := strings.Join(got.Timeline, ","); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

func TestParametersOutOfRangeAreRefused(t *testing.T) {
	gametest.CheckRefused(t, &game, "pace", "from 0 to 30", "-0.1", "30.5", "soon")
	gametest.CheckRefused(t, &game, "bot", "strong, medium, easy, beginner, newcomer, random", "stronger")
}

func TestRecordedMatchesStayTheSame(t *testing.T) { gamefixture.CheckBotGoldens(t, &game, 3) }

func BenchmarkMatch(b *testing.B) {
	gamefixture.BenchmarkMatch(b, &game, map[string]string{"pace": "0"}, "plies", func(t *gametest.Transcript) int { return len(rollsIn(t.Spectators)) })
}
