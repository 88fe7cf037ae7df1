package main

import (
	"strings"
	"testing"

	"colosseum/internal/test/gamefixture"
	"colosseum/sdk/gametest"
)

func TestStreams(t *testing.T) {
	start0, start1, startS := "Player0\nPlayer1\n3\n", "Player1\nPlayer0\n3\n", "Player0\nPlayer1\n3\n"
	tests := []struct {
		name       string
		a, b       gametest.Player
		seat0      string
		seat1      string
		spectators string
		reason     string
		results    [2]string
	}{
		{
			name: "whole match", a: gametest.Script("ROCK", "PAPER", "ROCK"), b: gametest.Script("PAPER", "PAPER", "SCISSORS"),
			seat0: ">ROCK\nPAPER\n>PAPER\nPAPER\n>ROCK\nSCISSORS\n", seat1: ">PAPER\nROCK\n>PAPER\nPAPER\n>SCISSORS\nROCK\n",
			spectators: "ROCK\nPAPER\nPAPER\nPAPER\nROCK\nSCISSORS\n",
			results:    [2]string{"score 1, rank 1, finished", "score 1, rank 1, finished"},
		},
		{
			name: "illegal move", a: gametest.Script("ROCK", "rock"), b: gametest.Script("SCISSORS", "PAPER"),
			seat0: ">ROCK\nSCISSORS\n>rock\n", seat1: ">SCISSORS\nROCK\n>PAPER\nRETIRE\n", spectators: "ROCK\nSCISSORS\nRETIRE\nPAPER\n",
			reason: "Player0 forfeits: illegal", results: [2]string{"score 1, rank 2, forfeit: illegal", "score 0, rank 1, finished"},
		},
		{
			name: "late", a: gametest.Script("ROCK"), b: gametest.Late,
			seat0: ">ROCK\nRETIRE\n", seat1: "", spectators: "ROCK\nRETIRE\n",
			reason: "Player1 forfeits: timeout", results: [2]string{"score 0, rank 1, finished", "score 0, rank 2, forfeit: timeout"},
		},
		{
			name: "both retire", a: gametest.Gone, b: gametest.Script("nonsense"),
			seat0: "", seat1: ">nonsense\n", spectators: "RETIRE\nRETIRE\n",
			reason: "Player0 forfeits: disconnected; Player1 forfeits: illegal", results: [2]string{"score 0, rank 1, forfeit: disconnected", "score 0, rank 1, forfeit: illegal"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := gametest.MustPlay(t, gametest.Match{
				Game: &game, Players: []gametest.Player{tt.a, tt.b}, Args: map[string]string{"rounds": "3"},
			})
			got.Expect(t, startS+tt.spectators, start0+tt.seat0, start1+tt.seat1)
			got.ExpectResult(t, tt.reason, tt.results[:]...)
		})
	}
}

func TestRecordedMatchesStayTheSame(t *testing.T) {
	tests := []struct {
		name    string
		players []gametest.Player
		args    map[string]string
	}{
		{"bot", []gametest.Player{gametest.Random(1), nil}, map[string]string{"bot": "random"}},
		{"bot-first", []gametest.Player{nil, gametest.Random(1)}, map[string]string{"rounds": "20", "bot": "random"}},
		{"bot-against-one-that-retires", []gametest.Player{nil, gametest.Then(gametest.Late, "PAPER", "PAPER")}, map[string]string{"bot": "random"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := gametest.MustPlay(t, gametest.Match{Game: &game, Players: tt.players, Args: tt.args, Seed: 42})
			gametest.Golden(t, tt.name, got.String())
		})
	}
}

func TestEveryPairOfHandsIsScored(t *testing.T) {
	first := strings.Fields("ROCK ROCK ROCK PAPER PAPER PAPER SCISSORS SCISSORS SCISSORS")
	second := strings.Fields("ROCK PAPER SCISSORS ROCK PAPER SCISSORS ROCK PAPER SCISSORS")
	drawn := []string{"score 0, rank 1, finished", "score 0, rank 1, finished"}
	wins := [][]string{
		{"score 1, rank 1, finished", "score 0, rank 2, finished"}, {"score 0, rank 2, finished", "score 1, rank 1, finished"},
	}
	want := [][]string{drawn, wins[1], wins[0], wins[0], drawn, wins[1], wins[1], wins[0], drawn}
	for i := range first {
		t.Run(first[i]+" "+second[i], func(t *testing.T) {
			gametest.MustPlay(t, gametest.Match{
				Game: &game, Players: []gametest.Player{gametest.Script(first[i]), gametest.Script(second[i])},
				Args: map[string]string{"rounds": "1"},
			}).ExpectResult(t, "", want[i]...)
		})
	}
}

func TestRandomBotShowsEachHandAboutAsOften(t *testing.T) {
	got := gametest.MustPlay(t, gametest.Match{
		Game: &game, Players: []gametest.Player{gametest.Random(1), nil}, Args: map[string]string{"rounds": "9000", "bot": "random"},
	})
	for _, hand := range hands {
		// 3000 expected; the standard deviation is 45
		if n := strings.Count(got.Seats[1], ">"+hand+"\n"); n < 2800 || n > 3200 {
			t.Errorf("%s %d times in 9000 rounds, want 2800 to 3200", hand, n)
		}
	}
}

func TestMatchPausesBeforeTheHandsOfARoundAreShown(t *testing.T) {
	got := gametest.MustPlay(t, gametest.Match{
		Game: &game, Players: []gametest.Player{gametest.Script("ROCK", "PAPER"), gametest.Script("PAPER")},
		Args: map[string]string{"rounds": "3", "pace": "30"},
	})
	want := "Player0 Player1 3 ask pause ROCK PAPER ask pause PAPER RETIRE"
	if got := strings.Join(got.Timeline, " "); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

func TestParametersOutOfRangeAreRefused(t *testing.T) {
	gametest.CheckRefused(t, &game, "rounds", "from 1 to 9999", "0", "10000", "1.5")
	gametest.CheckRefused(t, &game, "pace", "from 0 to 30", "31", "-1")
}

func BenchmarkMatch(b *testing.B) {
	args := map[string]string{"rounds": "1000", "pace": "0"}
	gamefixture.BenchmarkMatch(b, &game, args, "rounds", func(t *gametest.Transcript) int { return len(t.Answers) / 2 })
}
