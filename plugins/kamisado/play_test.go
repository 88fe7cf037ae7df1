package main

import (
	"strings"
	"testing"

	"colosseum/internal/test/gamefixture"
	"colosseum/sdk/gametest"
)

func TestExamplesInTheRulesAreWhatTheRefereeDoes(t *testing.T) {
	results := [][]string{
		{"deadlock, brought about by bob", "score 1, rank 1, finished", "score 0, rank 2, finished"},
		{"bob forfeits: illegal", "score 1, rank 1, finished", "score 0, rank 2, forfeit: illegal"},
	}
	examples := gametest.Examples(t, "rules.md")
	if len(examples) != len(results) {
		t.Fatalf("%d examples in rules.md, want %d", len(examples), len(results))
	}
	for i, e := range examples {
		e.Replay(t, gametest.Match{Game: &game}).ExpectResult(t, results[i][0], results[i][1:]...)
	}
}

func TestNothingIsSentAfterAWin(t *testing.T) {
	got := gametest.MustPlay(t, gametest.Match{Game: &game, Players: []gametest.Player{gametest.Script("h1h4", "h4d8"), gametest.Script("d8d5")}})
	got.Expect(t, "Player0\nPlayer1\nh1h4\nd8d5\nh4d8\n",
		"Player0\nPlayer1\n0\n>h1h4\nd8d5\n>h4d8\n",
		"Player0\nPlayer1\n1\nh1h4\n>d8d5\nh4d8\n")
	got.ExpectResult(t, "Player0 reached the far row", "score 1, rank 1, finished", "score 0, rank 2, finished")
}

func TestRetire(t *testing.T) {
	tests := []struct {
		name   string
		answer gametest.Player // white's, to d1d4: the brown tower on h8 must move
		sent   string
		ended  string
	}{
		{"another tower", gametest.Script("a8a7"), ">a8a7\n", "illegal"},
		{"the opponent's tower", gametest.Script("a1a2"), ">a1a2\n", "illegal"},
		{"onto a tower", gametest.Script("h8d4"), ">h8d4\n", "illegal"},
		{"over a tower", gametest.Script("h8c3"), ">h8c3\n", "illegal"},
		{"sideways", gametest.Script("h8g8"), ">h8g8\n", "illegal"},
		{"not on a line", gametest.Script("h8g6"), ">h8g6\n", "illegal"},
		{"distance zero without need", gametest.Script("h8h8"), ">h8h8\n", "illegal"},
		{"upper case", gametest.Script("H8H7"), ">H8H7\n", "illegal"},
		{"off the board", gametest.Script("h8i7"), ">h8i7\n", "illegal"},
		{"garbage", gametest.Script("move"), ">move\n", "illegal"},
		{"empty line", gametest.Script(""), ">\n", "illegal"},
		{"late", gametest.Late, "", "timeout"},
		{"gone", gametest.Gone, "", "disconnected"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := gametest.MustPlay(t, gametest.Match{Game: &game, Players: []gametest.Player{gametest.Script("d1d4"), tt.answer}})
			got.Expect(t, "Player0\nPlayer1\nd1d4\nRETIRE\n",
				"Player0\nPlayer1\n0\n>d1d4\nRETIRE\n",
				"Player0\nPlayer1\n1\nd1d4\n"+tt.sent)
			got.ExpectResult(t, "Player1 forfeits: "+tt.ended, "score 1, rank 1, finished", "score 0, rank 2, forfeit: "+tt.ended)
		})
	}
}

func TestBlackRetiresAtTheFirstMove(t *testing.T) {
	got := gametest.MustPlay(t, gametest.Match{Game: &game, Players: []gametest.Player{gametest.Script("a1a8"), gametest.Gone}})
	got.Expect(t, "Player0\nPlayer1\nRETIRE\n", "Player0\nPlayer1\n0\n>a1a8\n", "Player0\nPlayer1\n1\nRETIRE\n")
}

func TestSpacesAroundAMoveAreDropped(t *testing.T) {
	got := gametest.MustPlay(t, gametest.Match{Game: &game, Players: []gametest.Player{gametest.Script(" d1d4 \r"), gametest.Gone}})
	if want := "Player0\nPlayer1\nd1d4\nRETIRE\n"; got.Spectators != want {
		t.Errorf("the spectators received\n%s\nwant\n%s", got.Spectators, want)
	}
}

func TestMatchPausesAfterEachMove(t *testing.T) {
	got := gametest.MustPlay(t, gametest.Match{
		Game:    &game,
		Players: []gametest.Player{gametest.Script("d1d4", "c1c4"), gametest.Script("h8h2", "g8g2")},
		Args:    map[string]string{"pace": "30"},
	})
	want := "Player0 Player1 ask d1d4 pause ask h8h2 pause ask c1c4 pause ask g8g2 pause h1h1 pause ask RETIRE"
	if got := strings.Join(got.Timeline, " "); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

func TestParametersOutOfRangeAreRefused(t *testing.T) {
	gametest.CheckRefused(t, &game, "pace", "from 0 to 30", "-0.1", "30.5", "soon")
	gametest.CheckRefused(t, &game, "bot", "strong, medium, easy, beginner, newcomer, random", "stronger")
}

func TestRecordedMatchesStayTheSame(t *testing.T) { gamefixture.CheckBotGoldens(t, &game, 5) }

func BenchmarkMatch(b *testing.B) {
	gamefixture.BenchmarkMatch(b, &game, map[string]string{"pace": "0"}, "plies", func(t *gametest.Transcript) int { return strings.Count(t.Spectators, "\n") - 2 })
}
