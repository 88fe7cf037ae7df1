package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"colosseum/internal/test/gamefixture"
	"colosseum/sdk/gametest"
)

func TestExamplesInTheRulesAreWhatTheRefereeDoes(t *testing.T) {
	examples := gametest.Examples(t, "rules.md")
	tests := []struct {
		seed    uint64 // gives the dice of the example
		dice    string
		reason  string
		results []string
	}{
		{3, "1", "ann is the last player with dice", []string{"score 2, rank 1, finished", "score 1, rank 2, finished", "score 0, rank 3, finished"}},
		{1, "2", "bob forfeits: illegal", []string{"score 1, rank 1, finished", "score 0, rank 2, forfeit: illegal"}},
	}
	if len(examples) != len(tests) {
		t.Fatalf("%d examples in rules.md, want %d", len(examples), len(tests))
	}
	for i, tt := range tests {
		m := gametest.Match{Game: &game, Seed: tt.seed, Args: map[string]string{"dice": tt.dice}}
		examples[i].Replay(t, m).ExpectResult(t, tt.reason, tt.results...)
	}
}

func TestRulesNameEveryParameter(t *testing.T) {
	gametest.CheckParams(t, "rules.md", &game)
}

// table4 plays a match of four with one die each, in which a player fails at its first turn.
func table4(t *testing.T, failing gametest.Player) *gametest.Transcript {
	t.Helper()
	return gametest.MustPlay(t, gametest.Match{
		Game: &game, Seed: 2, Args: map[string]string{"dice": "1", "wild": "no"}, // dice 4 5 4 1
		Players: []gametest.Player{gametest.Script("1 6", "1 6", "1 6"), failing, gametest.Endless("LIAR"), gametest.Endless("LIAR")},
	})
}

func TestMatchGoesOnWithoutAPlayerWhoRetires(t *testing.T) {
	for _, tt := range []struct {
		name, ended string
		player      gametest.Player
	}{
		{"a lower bid", "illegal", gametest.Script("1 5")},
		{"the same bid", "illegal", gametest.Script("1 6")},
		{"more dice than there are", "illegal", gametest.Script("5 6")},
		{"no such face", "illegal", gametest.Script("2 7")},
		{"two spaces", "illegal", gametest.Script("2  6")},
		{"a leading zero", "illegal", gametest.Script("02 6")},
		{"lower case", "illegal", gametest.Script("liar")},
		{"nothing", "illegal", gametest.Script("")},
		{"late", "timeout", gametest.Late},
		{"gone", "disconnected", gametest.Gone},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := table4(t, tt.player)
			if want := "BID 0 1 6\nTURN 1\nRETIRE 1\nROUND 2 1 0 1 1\nDICE 0"; !strings.Contains(got.Spectators, want) {
				t.Errorf("the spectators received\n%swant\n%s", got.Spectators, want)
			}
			// The next player begins the next round, and cannot challenge there.
			if want := "TURN 2\nRETIRE 2\n"; !strings.Contains(got.Spectators, want) {
				t.Errorf("the spectators received\n%swant\n%s", got.Spectators, want)
			}
			r := got.Result.Seats
			if r[0].Rank != 1 || r[0].Score != 3 || r[1].Rank != 4 || r[2].Rank != 3 || r[3].Rank != 2 || string(r[1].Ended) != "forfeit: "+tt.ended {
				t.Errorf("got %+v, want seat 0 before 3, 2 and 1, and seat 1 %s", r, tt.ended)
			}
		})
	}
}

// A player who is out receives what all receive, and is not asked.
func TestPlayerWhoIsOutWatches(t *testing.T) {
	t.Parallel()
	watched := 0
	for seed := range uint64(40) {
		m := gametest.Match{Game: &game, Seed: seed}
		for seat := range 4 {
			p := patient(seed*10 + uint64(seat))
			m.Players = append(m.Players, func(q gametest.Question) (string, error) {
				if strings.Contains(q.Stream, fmt.Sprintf("OUT %d\n", seat)) {
					t.Errorf("seed %d: seat %d is out and was asked", seed, seat)
				}
				return p(q)
			})
		}
		got := gametest.MustPlay(t, m)
		for seat, stream := range got.Seats {
			if own, all := public(stream), public(got.Spectators); own != all {
				t.Fatalf("seed %d: seat %d received\n%swant\n%s", seed, seat, own, all)
			}
			if _, after, out := strings.Cut(stream, fmt.Sprintf("OUT %d\n", seat)); out {
				watched += strings.Count(after, "ROUND")
			}
		}
	}
	if watched == 0 {
		t.Error("nobody who is out has seen a round, want some")
	}
}

// public returns the lines of a stream that all receive.
func public(stream string) string {
	var list []string
	for _, line := range strings.SplitAfter(stream, "\n") {
		if !strings.HasPrefix(line, ">") && !strings.HasPrefix(line, "DICE") && !strings.HasPrefix(line, "YOU") {
			list = append(list, line)
		}
	}
	return strings.Join(list, "")
}

// TestNoSeatLearnsTheDiceOfOthersBeforeTheChallenge allows a seat its own dice and lines that
// follow from the answers. The independent referee checks what these lines say.
func TestNoSeatLearnsTheDiceOfOthersBeforeTheChallenge(t *testing.T) {
	t.Parallel()
	rounds := 0
	for seed := range uint64(60) {
		m := gametest.Match{Game: &game, Seed: seed, Args: map[string]string{"wild": []string{"yes", "no"}[seed%2]}}
		for seat := range 2 + seed%5 {
			m.Players = append(m.Players, patient(seed*10+seat))
		}
		if seed%3 == 0 {
			m.Players[0] = nil
		}
		for seat, stream := range gametest.MustPlay(t, m).Seats {
			for _, round := range strings.Split(stream, "ROUND ")[1:] {
				rounds++
				hidden, _, _ := strings.Cut(round, "LIAR")
				for _, line := range strings.Split(hidden, "\n")[1:] {
					word, _, _ := strings.Cut(line, " ")
					public := slices.Contains([]string{"", "TURN", "BID", "RETIRE", "WINS"}, word)
					if !public && !strings.HasPrefix(line, ">") && !strings.HasPrefix(line, fmt.Sprintf("DICE %d ", seat)) {
						t.Errorf("seed %d: seat %d received %q before the challenge", seed, seat, line)
					}
				}
			}
		}
	}
	if rounds == 0 {
		t.Error("0 rounds, want some")
	}
}

func TestSpectatorsSeeAllDiceLater(t *testing.T) {
	got := table4(t, gametest.Late)
	if want := "DICE 0 4\nDICE 1 5\nDICE 2 4\nDICE 3 "; !strings.Contains(got.Spectators, want) {
		t.Errorf("the spectators received\n%swant\n%s", got.Spectators, want)
	}
	if game.Delay < 60 {
		t.Errorf("spectators see the dice %v s later, want a minute or more", game.Delay)
	}
}

func TestMatchPausesAfterEachBidAndLongerAfterAChallenge(t *testing.T) {
	got := gametest.MustPlay(t, gametest.Match{
		Game: &game, Args: map[string]string{"dice": "2", "pace": "30"},
		Players: []gametest.Player{gametest.Script("2 3"), gametest.Script("LIAR")},
	})
	var list []string
	for _, line := range got.Timeline {
		if word, _, _ := strings.Cut(line, " "); word != "SHOW" && word != "DICE" {
			list = append(list, word)
		}
	}
	want := "GAME PLAYER PLAYER ROUND TURN ask BID pause TURN ask LIAR COUNT LOSES pause ROUND TURN ask RETIRE WINS"
	if got := strings.Join(list, " "); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

func TestParametersOutOfRangeAreRefused(t *testing.T) {
	gametest.CheckRefused(t, &game, "dice", "from 1 to 5", "0", "6", "1.5")
	gametest.CheckRefused(t, &game, "wild", "yes, no", "maybe")
	gametest.CheckRefused(t, &game, "pace", "from 0 to 30", "31", "-1")
	gametest.CheckRefused(t, &game, "bot", "strong, medium, easy, beginner, random", "stronger")
}

func TestRecordedMatchesStayTheSame(t *testing.T) { gamefixture.CheckBotGoldens(t, &game, 3) }

func TestRecordedMatchOfFiveStaysTheSame(t *testing.T) {
	got := gametest.MustPlay(t, gametest.Match{
		Game: &game, Seed: 7, Args: map[string]string{"dice": "2", "bot": "random"},
		Players: []gametest.Player{patient(1), nil, patient(2), gametest.Then(gametest.Late, "2 3"), nil},
	})
	gametest.Golden(t, "five", got.String())
}

func BenchmarkMatch(b *testing.B) {
	gamefixture.BenchmarkMatch(b, &game, map[string]string{"pace": "0"}, "turns", func(t *gametest.Transcript) int { return strings.Count(t.Spectators, "TURN") })
}
