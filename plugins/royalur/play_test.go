package main

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"colosseum/sdk"
	"colosseum/sdk/driver"
	"colosseum/sdk/gametest"
)

// withRolls returns the game with given coins instead of drawn ones; it panics
// when the referee wants more.
func withRolls(rolls ...string) *sdk.Game {
	g := game
	g.Play = func(m *sdk.Match) error {
		next := 0
		return referee(m, func() (c coins) {
			if next >= len(rolls) {
				panic("no more rolls")
			}
			if _, err := fmt.Sscan(rolls[next], &c[0], &c[1], &c[2], &c[3]); err != nil {
				panic(err)
			}
			next++
			return c
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

// documented is the match that the original server's documentation gives.
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
	want := []driver.SeatResult{{Score: 1, Rank: 1, Ended: "finished"}, {Rank: 2, Ended: "forfeit: illegal"}}
	if !reflect.DeepEqual(got.Result.Seats, want) {
		t.Errorf("ended as %+v, want %+v", got.Result.Seats, want)
	}
}

func TestExampleInTheRulesIsWhatTheRefereeDoes(t *testing.T) {
	for _, e := range gametest.Examples(t, "rules.md") {
		e.Replay(t, gametest.Match{Game: withRolls(rollsIn(e.Spectators)...)})
	}
}

func TestRetire(t *testing.T) {
	tests := []struct {
		name   string
		answer gametest.Player // of the second player to a roll of 2, with token 0 on cell 1
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
			want := []driver.SeatResult{{Score: 1, Rank: 1, Ended: "finished"}, {Rank: 2, Ended: driver.Ended("forfeit: " + tt.ended)}}
			if !reflect.DeepEqual(got.Result.Seats, want) {
				t.Errorf("ended as %+v, want %+v", got.Result.Seats, want)
			}
			if reason := "Player1 forfeits: " + tt.ended; got.Result.Reason != reason {
				t.Errorf("reason %q, want %q", got.Result.Reason, reason)
			}
		})
	}
}

func TestNumberMayHaveAPlusAndZeros(t *testing.T) {
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
	winner := 0
	if got.Result.Seats[1].Score == 1 {
		winner = 1
	}
	last := got.Answers[len(got.Answers)-1].Line
	for who, end := range map[string]string{got.Seats[winner]: ">", got.Seats[1-winner]: "\n", got.Spectators: "\n"} {
		if want := end + last + "\n"; !strings.HasSuffix(who, want) {
			t.Errorf("a stream ends with %q, want %q", who[len(who)-8:], want)
		}
	}
	want := driver.SeatResult{Score: 1, Rank: 1, Ended: "finished"}
	if got.Result.Seats[winner] != want {
		t.Errorf("the winner ended as %+v, want %+v", got.Result.Seats[winner], want)
	}
	want = driver.SeatResult{Rank: 2, Ended: "finished"}
	if got.Result.Seats[1-winner] != want {
		t.Errorf("the loser ended as %+v, want %+v", got.Result.Seats[1-winner], want)
	}
	if want := fmt.Sprintf("Player%d brought all tokens home", winner); got.Result.Reason != want {
		t.Errorf("reason %q, want %q", got.Result.Reason, want)
	}
}

func TestPaceIsKeptAfterRollAndMove(t *testing.T) {
	var seen []string
	gametest.MustPlay(t, gametest.Match{
		Game:    withRolls("1 0 0 0", "0 0 0 0", "1 1 0 0", "0 0 1 0"),
		Players: []gametest.Player{gametest.Script("0", "1"), gametest.Gone},
		Args:    map[string]string{"pace": "30"},
		Watch: func(turn *driver.Turn) {
			for _, text := range turn.Texts {
				if text.ForSpectators() {
					seen = append(seen, strings.Fields(strings.ReplaceAll(string(text.Lines), " ", ""))...)
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
	want := "Player0 Player1 1000 ask pause 0 pause 0000 pause 1100 ask pause 1 pause 0010 ask pause RETIRE"
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
	for seed := range uint64(3) {
		got := gametest.MustPlay(t, gametest.Match{
			Game: &game, Seed: seed, Args: map[string]string{"bot": "random"},
			Players: []gametest.Player{gametest.Random(seed), nil},
		})
		gametest.Golden(t, fmt.Sprint("seed", seed), got.String())
	}
}

func BenchmarkMatch(b *testing.B) {
	rolls := 0
	for seed := uint64(0); b.Loop(); seed++ {
		got, err := gametest.Play(gametest.Match{
			Game: &game, Players: []gametest.Player{gametest.Random(seed), gametest.Random(seed + 1)}, Seed: seed,
			Args: map[string]string{"pace": "0"},
		})
		if err != nil {
			b.Fatal(err)
		}
		rolls += len(rollsIn(got.Spectators))
	}
	b.ReportMetric(float64(rolls)/b.Elapsed().Seconds(), "plies/s")
}
