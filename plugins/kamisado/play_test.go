package main

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"colosseum/sdk/driver"
	"colosseum/sdk/gametest"
)

func TestExamplesInTheRulesAreWhatTheRefereeDoes(t *testing.T) {
	tests := []struct {
		result []driver.SeatResult
		reason string
	}{
		{[]driver.SeatResult{{Score: 1, Rank: 1, Ended: "finished"}, {Rank: 2, Ended: "finished"}}, "deadlock, brought about by bob"},
		{[]driver.SeatResult{{Score: 1, Rank: 1, Ended: "finished"}, {Rank: 2, Ended: "forfeit: illegal"}}, "bob forfeits: illegal"},
	}
	examples := gametest.Examples(t, "rules.md")
	if len(examples) != len(tests) {
		t.Fatalf("%d examples in rules.md, want %d", len(examples), len(tests))
	}
	for i, e := range examples {
		got := e.Replay(t, gametest.Match{Game: &game})
		if !reflect.DeepEqual(got.Result.Seats, tests[i].result) || got.Result.Reason != tests[i].reason {
			t.Errorf("example %d ended as %+v, %q, want %+v, %q", i, got.Result.Seats, got.Result.Reason, tests[i].result, tests[i].reason)
		}
	}
}

func TestNothingIsSentAfterAWin(t *testing.T) {
	got := gametest.MustPlay(t, gametest.Match{Game: &game, Players: []gametest.Player{gametest.Script("h1h4", "h4d8"), gametest.Script("d8d5")}})
	got.Expect(t, "Player0\nPlayer1\nh1h4\nd8d5\nh4d8\n",
		"Player0\nPlayer1\n0\n>h1h4\nd8d5\n>h4d8\n",
		"Player0\nPlayer1\n1\nh1h4\n>d8d5\nh4d8\n")
	want := []driver.SeatResult{{Score: 1, Rank: 1, Ended: "finished"}, {Rank: 2, Ended: "finished"}}
	if !reflect.DeepEqual(got.Result.Seats, want) || got.Result.Reason != "Player0 reached the far row" {
		t.Errorf("ended as %+v, %q, want %+v", got.Result.Seats, got.Result.Reason, want)
	}
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
			want := []driver.SeatResult{{Score: 1, Rank: 1, Ended: "finished"}, {Rank: 2, Ended: driver.Ended("forfeit: " + tt.ended)}}
			if !reflect.DeepEqual(got.Result.Seats, want) || got.Result.Reason != "Player1 forfeits: "+tt.ended {
				t.Errorf("ended as %+v, %q, want %+v", got.Result.Seats, got.Result.Reason, want)
			}
		})
	}
}

func TestBlackMayRetireAtTheFirstMove(t *testing.T) {
	got := gametest.MustPlay(t, gametest.Match{Game: &game, Players: []gametest.Player{gametest.Script("a1a8"), gametest.Gone}})
	got.Expect(t, "Player0\nPlayer1\nRETIRE\n", "Player0\nPlayer1\n0\n>a1a8\n", "Player0\nPlayer1\n1\nRETIRE\n")
}

func TestSpacesAroundAMoveAreDropped(t *testing.T) {
	got := gametest.MustPlay(t, gametest.Match{Game: &game, Players: []gametest.Player{gametest.Script(" d1d4 \r"), gametest.Gone}})
	if want := "Player0\nPlayer1\nd1d4\nRETIRE\n"; got.Spectators != want {
		t.Errorf("spectators received\n%s\nwant\n%s", got.Spectators, want)
	}
}

func TestPaceIsKeptAfterEachMove(t *testing.T) {
	var seen []string
	gametest.MustPlay(t, gametest.Match{
		Game:    &game,
		Players: []gametest.Player{gametest.Script("d1d4", "c1c4"), gametest.Script("h8h2", "g8g2")},
		Args:    map[string]string{"pace": "30"},
		Watch: func(turn *driver.Turn) {
			for _, text := range turn.Texts {
				if text.ForSpectators() {
					seen = append(seen, strings.Fields(string(text.Lines))...)
				}
			}
			if turn.Question != nil {
				seen = append(seen, "ask")
			}
			if turn.Pause > 0 {
				seen = append(seen, "pause")
			}
		},
	})
	want := "Player0 Player1 ask d1d4 pause ask h8h2 pause ask c1c4 pause ask g8g2 pause h1h1 pause ask RETIRE"
	if got := strings.Join(seen, " "); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

func TestParametersOutOfRangeAreRefused(t *testing.T) {
	for _, args := range []map[string]string{{"pace": "-0.1"}, {"pace": "30.5"}, {"pace": "soon"}, {"bot": "stronger"}} {
		_, err := gametest.Play(gametest.Match{Game: &game, Players: []gametest.Player{gametest.Gone, gametest.Gone}, Args: args})
		if err == nil || !strings.Contains(err.Error(), " is not ") {
			t.Errorf("%v: error %v, want a refusal that gives the range", args, err)
		}
	}
}

func TestGoldenTranscripts(t *testing.T) {
	for seed := range uint64(5) {
		got := gametest.MustPlay(t, gametest.Match{
			Game: &game, Seed: seed, Args: map[string]string{"bot": "random"},
			Players: []gametest.Player{gametest.Random(seed), nil},
		})
		gametest.Golden(t, fmt.Sprint("seed", seed), got.String())
	}
}

func BenchmarkMatch(b *testing.B) {
	moves := 0
	for seed := uint64(0); b.Loop(); seed++ {
		got, err := gametest.Play(gametest.Match{
			Game: &game, Players: []gametest.Player{gametest.Random(seed), gametest.Random(seed + 1)}, Seed: seed,
			Args: map[string]string{"pace": "0"},
		})
		if err != nil {
			b.Fatal(err)
		}
		moves += strings.Count(got.Spectators, "\n") - 2
	}
	b.ReportMetric(float64(moves)/b.Elapsed().Seconds(), "plies/s")
}
