package main

import (
	"fmt"
	"strings"
	"testing"

	"colosseum/internal/test/gamefixture"
	"colosseum/sdk/driver"
	"colosseum/sdk/gametest"
)

// script returns the lines of each player from the moves of a match.
func script(moves string) (white, black []string) {
	for i, line := range strings.Split(moves, ", ") {
		if i%2 == 0 {
			white = append(white, line)
		} else {
			black = append(black, line)
		}
	}
	return white, black
}

func playMatch(t *testing.T, m gametest.Match) *gametest.Transcript {
	t.Helper()
	m.Game = &game
	return gametest.MustPlay(t, m)
}

// matches has a match for each way to win, found among random ones.
var matches = []struct{ name, moves, reason string }{
	{"white-home", "B4 C3 C5 R, G5 H4 I3 R, B2 D4 D6 R, G3 G4 H5 R, C3 C5 E5 R, F6 I1 I5 L, A1 D4 F5 R, H1 H3 I2 R, " +
		"D6 E7 G5 R, F4 G2 H4 R, B2 B5 H5 R", "white has reached row I"},
	{"black-home", "B3 C3 C4 L, G3 G4 I5 R, A3 B4 C5 R, F4 H2 I2 L, A2 A5 B5 R, E4 H4 I1 L, A4 B4 C5 L, D3 G2 I3 R, " +
		"A1 D5 D6 L, C3 G5 H5 R, C4 D4 E5 R, B3 F3 F6 L", "black has reached row A"},
	{"white-no-moves", "A5 B5 C5 L, G3 G5 H2 L, A1 C4 D5 L, F5 G4 H4 L, B2 C5 D4 L, E5 F3 H5 R, B4 B5 C3 R, E4 G2 G4 R, " +
		"A2 A4 B3 R, D4 D5 G6 R, B1 C2 C6 R, C4 F7 I2 L, A3 D3 D7 L, F4 H2 I4 R, B5 C2 E3 L, F3 F5 G3 R, " +
		"B3 C5 F2 L, E5 E6 H3 L, C3 D2 E7 R, D5 E4 I3 L, D4 E3 F7 R, D3 F4 I5 R", "white has no moves left"},
	{"black-no-moves", "A1 B2 C3 L, G4 H5 I4 R, C2 C5 D3 R, F5 G3 G6 R, B4 D3 E4 R, H2 H4 I1 L, A3 B1 B5 R, G5 I3 I5 R, " +
		"A4 C4 C6 R, G2 H4 H5 R, B3 D7 F4 R, F7 H3 I2 R, A5 C2 D5 R, F6 G4 H1 L, A2 D6 E4 L, F4 G1 G6 L, " +
		"D3 E6 F3 R, E8 G5 H6 R, B2 B6 C5 R, F1 F6 G7 R, B5 D6 G3 R, D8 E2 F8 L, C3 C4 E4 R", "black has no moves left"},
	{"white-no-stones", "B5 C3 C4 R, G3 H2 I1 R, A2 B3 C6 R, F4 G3 G4 R, A1 A5 D5 L, F4 H3 I5 R, A4 B1 B5 R, E5 F5 G4 L, " +
		"B3 C5 C6 L, E5 H5 I4 R, A3 C2 D7 L, D4 G5 G6 L, C4 D2 E7 R, F4 H2 H5 R, B2 B5 E3 R, E5 G6 I2 R, " +
		"B3 C3 D6 R, G3 H4 H6 R, C4 D4 F3 R, F7 G7 H3 L, B4 D5 E5 L, E7 F5 F7 L, C4 C6 F4 L, E5 E7 F6 L, " +
		"G3 R, E6 G5 I3 L", "white has no stones left"},
	{"black-no-stones", "B2 B3 C3 L, G3 G4 H5 R, A2 A3 C5 L, F5 G5 G6 L, C2 C4 D5 L, F6 I4 I5 R, A5 D4 E5 R, H3 H5 I3 L, " +
		"B4 D2 F5 R, H3 H4 I2 R, B5 C5 E5 R, G3 H2 H3 L, C6 D6 F5 L, E7 F4 I1 L, A4 D3 E3 R, D6 H1 H6 L, " +
		"B5 C3 F3 L, G1 G5 G6 L, B3 D3 E6 L, F1 F6 G3 R, A1 B2 C3 L, E2 E7 F4 L, C5 D3 G2 R, D1 R, " +
		"B1 C2 G4 L", "black has no stones left"},
}

func TestWholeMatches(t *testing.T) {
	for _, tt := range matches {
		t.Run(tt.name, func(t *testing.T) {
			white, black := script(tt.moves)
			got := playMatch(t, gametest.Match{Players: []gametest.Player{gametest.Script(white...), gametest.Script(black...)}})
			results := [2]string{"score 1, rank 1, finished", "score 0, rank 2, finished"}
			if len(white) == len(black) { // black made the last move and won
				results[0], results[1] = results[1], results[0]
			}
			got.ExpectResult(t, tt.reason, results[:]...)
			if want := "Player0\nPlayer1\n" + strings.ReplaceAll(tt.moves, ", ", "\n") + "\n"; got.Spectators != want {
				t.Errorf("the spectators received\n%swant\n%s", got.Spectators, want)
			}
			gametest.Golden(t, tt.name, got.String())
		})
	}
}

func TestStreamsWhenAPlayerRetires(t *testing.T) {
	tests := []struct {
		name       string
		a, b       gametest.Player
		seat0      string
		seat1      string
		spectators string
		loser      int
		ended      string
	}{
		{
			name: "illegal at once", a: gametest.Script("C3 C4 L"), b: gametest.Late,
			seat0: ">C3 C4 L\n", seat1: "RETIRE\n", spectators: "RETIRE\n", loser: 0, ended: "forfeit: illegal",
		},
		{
			name: "not a move at all", a: gametest.Script("hello"), b: gametest.Late,
			seat0: ">hello\n", seat1: "RETIRE\n", spectators: "RETIRE\n", loser: 0, ended: "forfeit: illegal",
		},
		{
			name: "empty line", a: gametest.Script(""), b: gametest.Late,
			seat0: ">\n", seat1: "RETIRE\n", spectators: "RETIRE\n", loser: 0, ended: "forfeit: illegal",
		},
		{
			name: "white late", a: gametest.Late, b: gametest.Late,
			seat0: "", seat1: "RETIRE\n", spectators: "RETIRE\n", loser: 0, ended: "forfeit: timeout",
		},
		{
			name: "white gone", a: gametest.Gone, b: gametest.Late,
			seat0: "", seat1: "RETIRE\n", spectators: "RETIRE\n", loser: 0, ended: "forfeit: disconnected",
		},
		{
			name: "black illegal", a: gametest.Script("c5 c3 c4 r"), b: gametest.Script("C3 C4 C5 R"),
			seat0: ">c5 c3 c4 r\nRETIRE\n", seat1: "C3 C4 C5 R\n>C3 C4 C5 R\n", spectators: "C3 C4 C5 R\nRETIRE\n",
			loser: 1, ended: "forfeit: illegal",
		},
		{
			name: "black late", a: gametest.Script("C3 C4 C5 R"), b: gametest.Late,
			seat0: ">C3 C4 C5 R\nRETIRE\n", seat1: "C3 C4 C5 R\n", spectators: "C3 C4 C5 R\nRETIRE\n",
			loser: 1, ended: "forfeit: timeout",
		},
		{
			name: "black gone", a: gametest.Script("C3 C4 C5 R"), b: gametest.Gone,
			seat0: ">C3 C4 C5 R\nRETIRE\n", seat1: "C3 C4 C5 R\n", spectators: "C3 C4 C5 R\nRETIRE\n",
			loser: 1, ended: "forfeit: disconnected",
		},
		{
			name: "white late later on", a: gametest.Then(gametest.Late, "C3 C4 C5 R"), b: gametest.Script("G5 G4 G3 R"),
			seat0: ">C3 C4 C5 R\nG3 G4 G5 R\n", seat1: "C3 C4 C5 R\n>G5 G4 G3 R\nRETIRE\n",
			spectators: "C3 C4 C5 R\nG3 G4 G5 R\nRETIRE\n", loser: 0, ended: "forfeit: timeout",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := playMatch(t, gametest.Match{Players: []gametest.Player{tt.a, tt.b}})
			got.Expect(t, "Player0\nPlayer1\n"+tt.spectators, "Player0\nPlayer1\n0\n"+tt.seat0, "Player0\nPlayer1\n1\n"+tt.seat1)
			results := [2]string{"score 1, rank 1, finished", "score 1, rank 1, finished"}
			results[tt.loser] = "score 0, rank 2, " + tt.ended
			got.ExpectResult(t, fmt.Sprintf("Player%d forfeits: %s", tt.loser, strings.TrimPrefix(tt.ended, "forfeit: ")), results[:]...)
		})
	}
}

func TestRandomMatchesEnd(t *testing.T) {
	wins := 0
	for seed := range uint64(200) {
		got := playMatch(t, gametest.Match{Players: []gametest.Player{gametest.Random(2 * seed), gametest.Random(2*seed + 1)}, Seed: seed})
		a, b := got.Result.Seats[0], got.Result.Seats[1]
		if a.Ended != driver.EndedFinished || b.Ended != driver.EndedFinished || a.Score+b.Score != 1 || got.Result.Reason == "" {
			t.Fatalf("seed %d: got %+v, want a win without a forfeit, and a reason", seed, got.Result)
		}
		wins += int(a.Score)
	}
	if wins == 0 || wins == 200 {
		t.Errorf("white won %d of 200 random matches, want some and not all", wins)
	}
}

func TestParametersOutOfRangeAreRefused(t *testing.T) {
	gametest.CheckRefused(t, &game, "pace", "from 0 to 30", "30.5", "-1")
	gametest.CheckRefused(t, &game, "bot", "strong, medium, easy, beginner, newcomer, random", "weak")
}

func TestMatchPausesAfterEachMove(t *testing.T) {
	white, black := script(matches[0].moves)
	got := playMatch(t, gametest.Match{
		Players: []gametest.Player{gametest.Script(white...), gametest.Script(black...)},
		Args:    map[string]string{"pace": "30"},
	})
	want := "Player0,Player1,ask," + strings.ReplaceAll(matches[0].moves, ", ", ",pause,ask,") + ",pause"
	if got := strings.Join(got.Timeline, ","); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

func BenchmarkMatch(b *testing.B) {
	gamefixture.BenchmarkMatch(b, &game, nil, "plies", func(t *gametest.Transcript) int { return len(t.Answers) })
}
