package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"colosseum/sdk"
	"colosseum/sdk/gametest"
)

var update = flag.Bool("update", false, "write the golden files")

// match plays a match that must not be aborted.
func match(t *testing.T, m gametest.Match) *gametest.Transcript {
	t.Helper()
	got, err := gametest.Play(m)
	if err != nil {
		t.Fatal(err)
	}
	if got.Result.Aborted || got.Log != "" {
		t.Fatalf("aborted %v: %s", got.Result.Aborted, got.Log)
	}
	return got
}

// sentIn returns the lines of a stream that its player sent.
func sentIn(stream string) (sent []string) {
	for line := range strings.Lines(stream) {
		if text, ok := strings.CutPrefix(line, ">"); ok {
			sent = append(sent, strings.TrimSpace(text))
		}
	}
	return sent
}

func TestExamplesOfTheRulesAreReplayed(t *testing.T) {
	text, err := os.ReadFile("rules.md")
	if err != nil {
		t.Fatal(err)
	}
	var streams []string
	for i, part := range strings.Split(string(text), "```\n") {
		if i%2 == 1 && strings.HasPrefix(part, "ann\n") {
			streams = append(streams, part)
		}
	}
	tests := []struct {
		name   string
		result []sdk.SeatResult
		reason string
	}{
		{"deadlock", []sdk.SeatResult{{Score: 1, Rank: 1, Ended: "finished"}, {Rank: 2, Ended: "finished"}}, "deadlock, brought about by bob"},
		{"illegal move", []sdk.SeatResult{{Score: 1, Rank: 1, Ended: "finished"}, {Rank: 2, Ended: "forfeit: illegal"}}, "bob forfeits: illegal"},
	}
	if len(streams) != 3*len(tests) {
		t.Fatalf("rules.md has %d streams, want %d", len(streams), 3*len(tests))
	}
	for i, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ann, bob, spectators := streams[3*i], streams[3*i+1], streams[3*i+2]
			got := match(t, gametest.Match{
				Game: &game, Names: []string{"ann", "bob"},
				Players: []gametest.Player{gametest.Script(sentIn(ann)...), gametest.Script(sentIn(bob)...)},
			})
			compare(t, got, ann, bob, spectators)
			if !reflect.DeepEqual(got.Result.Seats, tt.result) || got.Result.Reason != tt.reason {
				t.Errorf("ended as %+v, %q, want %+v, %q", got.Result.Seats, got.Result.Reason, tt.result, tt.reason)
			}
		})
	}
}

func compare(t *testing.T, got *gametest.Transcript, first, second, spectators string) {
	t.Helper()
	for _, stream := range []struct{ who, got, want string }{
		{"black", got.Seats[0], first},
		{"white", got.Seats[1], second},
		{"the spectators", got.Spectators, spectators},
	} {
		if stream.got != stream.want {
			t.Errorf("%s received\n%s\nwant\n%s", stream.who, stream.got, stream.want)
		}
	}
}

func TestNothingIsSentAfterAWin(t *testing.T) {
	got := match(t, gametest.Match{Game: &game, Players: []gametest.Player{gametest.Script("h1h4", "h4d8"), gametest.Script("d8d5")}})
	compare(t, got,
		"Player0\nPlayer1\n0\n>h1h4\nd8d5\n>h4d8\n",
		"Player0\nPlayer1\n1\nh1h4\n>d8d5\nh4d8\n",
		"Player0\nPlayer1\nh1h4\nd8d5\nh4d8\n")
	want := []sdk.SeatResult{{Score: 1, Rank: 1, Ended: "finished"}, {Rank: 2, Ended: "finished"}}
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
			got := match(t, gametest.Match{Game: &game, Players: []gametest.Player{gametest.Script("d1d4"), tt.answer}})
			compare(t, got,
				"Player0\nPlayer1\n0\n>d1d4\nRETIRE\n",
				"Player0\nPlayer1\n1\nd1d4\n"+tt.sent,
				"Player0\nPlayer1\nd1d4\nRETIRE\n")
			want := []sdk.SeatResult{{Score: 1, Rank: 1, Ended: "finished"}, {Rank: 2, Ended: "forfeit: " + tt.ended}}
			if !reflect.DeepEqual(got.Result.Seats, want) || got.Result.Reason != "Player1 forfeits: "+tt.ended {
				t.Errorf("ended as %+v, %q, want %+v", got.Result.Seats, got.Result.Reason, want)
			}
		})
	}
}

func TestBlackMayRetireAtTheFirstMove(t *testing.T) {
	got := match(t, gametest.Match{Game: &game, Players: []gametest.Player{gametest.Script("a1a8"), gametest.Gone}})
	compare(t, got, "Player0\nPlayer1\n0\n>a1a8\n", "Player0\nPlayer1\n1\nRETIRE\n", "Player0\nPlayer1\nRETIRE\n")
}

func TestSpacesAroundAMoveAreDropped(t *testing.T) {
	got := match(t, gametest.Match{Game: &game, Players: []gametest.Player{gametest.Script(" d1d4 \r"), gametest.Gone}})
	if want := "Player0\nPlayer1\nd1d4\nRETIRE\n"; got.Spectators != want {
		t.Errorf("spectators received\n%s\nwant\n%s", got.Spectators, want)
	}
}

func TestPaceIsKeptAfterEachMove(t *testing.T) {
	var seen []string
	match(t, gametest.Match{
		Game:    &game,
		Players: []gametest.Player{gametest.Script("d1d4", "c1c4"), gametest.Script("h8h2", "g8g2")},
		Args:    map[string]string{"pace": "30"},
		Watch: func(turn *sdk.Turn) {
			for _, text := range turn.Texts {
				if text.ForSpectators() {
					seen = append(seen, strings.Fields(string(text.Lines))...)
				}
			}
			if turn.Ask != nil {
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
	if err := game.Validate(); err != nil {
		t.Error(err)
	}
}

func TestGoldenTranscripts(t *testing.T) {
	for seed := range uint64(5) {
		got := match(t, gametest.Match{
			Game: &game, Seed: seed, Args: map[string]string{"pace": "0", "bot": "random"},
			Players: []gametest.Player{gametest.Random(seed), nil},
		}).String()
		file := filepath.Join("testdata", fmt.Sprintf("seed%d.golden", seed))
		if *update {
			if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if got != string(want) {
			t.Errorf("%s differs; if that is meant, run go test -update", file)
		}
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
