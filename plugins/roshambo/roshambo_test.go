package main

import (
	"strings"
	"testing"

	"colosseum/sdk/driver"
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
		ended      [2]driver.Ended
		scores     [2]float64
		ranks      [2]int
	}{
		{
			name: "whole match", a: gametest.Script("ROCK", "PAPER", "ROCK"), b: gametest.Script("PAPER", "PAPER", "SCISSORS"),
			seat0: ">ROCK\nPAPER\n>PAPER\nPAPER\n>ROCK\nSCISSORS\n", seat1: ">PAPER\nROCK\n>PAPER\nPAPER\n>SCISSORS\nROCK\n",
			spectators: "ROCK\nPAPER\nPAPER\nPAPER\nROCK\nSCISSORS\n",
			ended:      [2]driver.Ended{"finished", "finished"}, scores: [2]float64{1, 1}, ranks: [2]int{1, 1},
		},
		{
			name: "illegal move", a: gametest.Script("ROCK", "rock"), b: gametest.Script("SCISSORS", "PAPER"),
			seat0: ">ROCK\nSCISSORS\n>rock\n", seat1: ">SCISSORS\nROCK\n>PAPER\nRETIRE\n", spectators: "ROCK\nSCISSORS\nRETIRE\nPAPER\n",
			ended: [2]driver.Ended{"forfeit: illegal", "finished"}, scores: [2]float64{1, 0}, ranks: [2]int{2, 1},
		},
		{
			name: "late", a: gametest.Script("ROCK"), b: gametest.Late,
			seat0: ">ROCK\nRETIRE\n", seat1: "", spectators: "ROCK\nRETIRE\n",
			ended: [2]driver.Ended{"finished", "forfeit: timeout"}, ranks: [2]int{1, 2},
		},
		{
			name: "both retire", a: gametest.Gone, b: gametest.Script("nonsense"),
			seat0: "", seat1: ">nonsense\n", spectators: "RETIRE\nRETIRE\n",
			ended: [2]driver.Ended{"forfeit: disconnected", "forfeit: illegal"}, ranks: [2]int{1, 1},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := gametest.MustPlay(t, gametest.Match{
				Game: &game, Players: []gametest.Player{tt.a, tt.b}, Args: map[string]string{"rounds": "3"},
			})
			got.Expect(t, startS+tt.spectators, start0+tt.seat0, start1+tt.seat1)
			for seat, r := range got.Result.Seats {
				want := driver.SeatResult{Score: tt.scores[seat], Rank: tt.ranks[seat], Ended: tt.ended[seat]}
				if r != want {
					t.Errorf("seat %d ended as %+v, want %+v", seat, r, want)
				}
			}
		})
	}
}

func TestWholeMatchesStayAsTheyWere(t *testing.T) {
	tests := []struct {
		name    string
		players []gametest.Player
		args    map[string]string
	}{
		{"bot", []gametest.Player{gametest.Random(1), nil}, nil},
		{"bot-first", []gametest.Player{nil, gametest.Random(1)}, map[string]string{"rounds": "20"}},
		{"bot-against-one-that-retires", []gametest.Player{nil, gametest.Then(gametest.Late, "PAPER", "PAPER")}, nil},
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
	winner := []int{-1, 1, 0, 0, -1, 1, 1, 0, -1}
	for i := range first {
		got := gametest.MustPlay(t, gametest.Match{
			Game: &game, Players: []gametest.Player{gametest.Script(first[i]), gametest.Script(second[i])},
			Args: map[string]string{"rounds": "1"},
		})
		for seat, r := range got.Result.Seats {
			want := driver.SeatResult{Score: 0, Rank: 1, Ended: driver.EndedFinished}
			if winner[i] == seat {
				want.Score = 1
			} else if winner[i] == 1-seat {
				want.Rank = 2
			}
			if r != want {
				t.Errorf("%s against %s: seat %d ended as %+v, want %+v", first[i], second[i], seat, r, want)
			}
		}
	}
}

func TestBotShowsEachHandAboutAsOften(t *testing.T) {
	got := gametest.MustPlay(t, gametest.Match{
		Game: &game, Players: []gametest.Player{gametest.Random(1), nil}, Args: map[string]string{"rounds": "9000"},
	})
	for _, hand := range hands {
		// 3000 expected; the standard deviation is 45
		if n := strings.Count(got.Seats[1], ">"+hand+"\n"); n < 2800 || n > 3200 {
			t.Errorf("%s %d times in 9000 rounds", hand, n)
		}
	}
}

func TestPaceIsKeptBeforeTheHandsOfARoundAreShown(t *testing.T) {
	rests := 0
	gametest.MustPlay(t, gametest.Match{
		Game: &game, Players: []gametest.Player{gametest.Random(1), gametest.Leaving(6, gametest.Random(2))}, Args: map[string]string{"rounds": "9", "pace": "30"},
		Watch: func(turn *driver.Turn) {
			if turn.Pause > 0 {
				rests++
			}
			if shown := len(turn.Texts) > 0; shown == (turn.Pause > 0) {
				t.Errorf("after %d rests: lines %v, then a rest of %v", rests, shown, turn.Pause)
			}
		},
	})
	if rests != 7 { // of six rounds, and of the one in which a player retires
		t.Errorf("%d rests in 7 rounds", rests)
	}
}

func TestParametersOutOfRangeAreRefused(t *testing.T) {
	tests := []struct{ name, value, want string }{
		{"rounds", "0", "from 1 to 9999"},
		{"rounds", "10000", "from 1 to 9999"},
		{"rounds", "1.5", "from 1 to 9999"},
		{"pace", "31", "from 0 to 30"},
		{"pace", "-1", "from 0 to 30"},
	}
	for _, tt := range tests {
		t.Run(tt.name+"="+tt.value, func(t *testing.T) {
			_, err := game.Prepare(driver.Request{Args: map[string]string{tt.name: tt.value}})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want it to say %q", err, tt.want)
			}
		})
	}
}

func BenchmarkRandomMatch(b *testing.B) {
	rounds := 0
	for i := range b.N {
		got, err := gametest.Play(gametest.Match{
			Game: &game, Players: []gametest.Player{gametest.Random(uint64(i)), gametest.Random(uint64(i) + 1<<32)},
			Args: map[string]string{"rounds": "1000", "pace": "0"},
		})
		if err != nil {
			b.Fatal(err)
		}
		rounds += len(got.Answers) / 2
	}
	b.ReportMetric(float64(rounds)/b.Elapsed().Seconds(), "rounds/s")
}
