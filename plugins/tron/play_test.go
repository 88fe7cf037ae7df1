package main

import (
	"strings"
	"testing"

	"colosseum/internal/test/gamefixture"
	"colosseum/sdk"
	"colosseum/sdk/gametest"
)

// on8 are the parameters of a match on the smallest board.
var on8 = map[string]string{"width": "8", "height": "8"}

func TestExamplesInTheRulesAreWhatTheRefereeDoes(t *testing.T) {
	match := func(e gametest.Example) gametest.Match {
		m := gametest.Match{Game: &game, Args: map[string]string{}}
		for _, stream := range e.Seats {
			m.Players = append(m.Players, said(stream))
		}
		first := strings.Fields(e.Spectators)
		for i, name := range []string{"width", "height", "tick"} {
			m.Args[name] = first[i]
		}
		return m
	}
	gamefixture.CheckExamples(t, match, "ann is the last on the board")
}

// said answers with the lines that a stream of the rules shows: in each tick the one that
// follows what the seat has received, if there is one.
func said(stream string) gametest.Player {
	return func(q gametest.Question) (string, error) {
		rest := strings.TrimPrefix(stream, q.Stream)
		if line, ok := strings.CutPrefix(rest, ">"); ok {
			line, _, _ = strings.Cut(line, "\n")
			return line, nil
		}
		return "", sdk.ErrTimeout
	}
}

func TestRulesNameEveryParameter(t *testing.T) {
	gametest.CheckParams(t, "rules.md", &game)
}

func TestMissedTicksAndLostPlayersMoveStraightOn(t *testing.T) {
	straight := gametest.MustPlay(t, gametest.Match{Game: &game, Args: on8, Players: []gametest.Player{gametest.Endless(""), gametest.Endless("")}})
	for _, tt := range []struct {
		name   string
		player gametest.Player
	}{
		{"late", gametest.Late},
		{"gone", gametest.Gone},
		{"nonsense", gametest.Endless("north")},
		{"too slow", gametest.Slow(1, gametest.Endless("U"))},
		{"gone after a tick", gametest.Then(gametest.Gone, "")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := gametest.MustPlay(t, gametest.Match{Game: &game, Args: on8, Players: []gametest.Player{tt.player, gametest.Endless("")}})
			if got.Spectators != straight.Spectators {
				t.Errorf("got the match\n%s\nwant\n%s", got.Spectators, straight.Spectators)
			}
			for seat, r := range got.Result.Seats {
				if r.Ended != "finished" {
					t.Errorf("seat %d ended %q, want finished", seat, r.Ended)
				}
			}
		})
	}
}

func TestTheLastLineOfATickCounts(t *testing.T) {
	play := func(first string) string {
		return gametest.MustPlay(t, gametest.Match{Game: &game, Args: on8, Players: []gametest.Player{gametest.Then(gametest.Late, first), gametest.Late}}).Spectators
	}
	if got, want := play("D\nnonsense\nU"), play("U"); got != want {
		t.Errorf("got the match\n%s\nwant\n%s", got, want)
	}
}

func TestCrashedCyclesAreNotAskedButReceiveTheStream(t *testing.T) {
	asked := make([]int, 4)
	counting := func(seat int, p gametest.Player) gametest.Player {
		return func(q gametest.Question) (string, error) {
			asked[seat]++
			return p(q)
		}
	}
	got := gametest.MustPlay(t, gametest.Match{Game: &game, Args: map[string]string{"bot": "beginner"}, Seed: 3, Players: []gametest.Player{
		counting(0, gametest.Then(gametest.Gone, "U", "L", "D")), counting(1, gametest.Late), nil, nil,
	}})
	lines := strings.Split(strings.TrimSuffix(got.Spectators, "\n"), "\n")
	for seat := range 2 {
		crash := 0
		for i, line := range lines[5:] {
			if strings.Fields(line)[2*seat] == "-1" {
				crash = i + 1
				break
			}
		}
		if asked[seat] != crash {
			t.Errorf("seat %d was asked %d times, want %d: it crashed then", seat, asked[seat], crash)
		}
	}
	if asked[0] >= len(lines)-5 {
		t.Fatalf("seat 0 did not crash before the end:\n%s", got)
	}
	for seat, stream := range got.Seats {
		if !strings.HasSuffix(stream, "\n"+lines[len(lines)-1]+"\n") {
			t.Errorf("seat %d did not receive the last line %q:\n%s", seat, lines[len(lines)-1], stream)
		}
	}
}

func TestATickTakesItsTime(t *testing.T) {
	var seconds []float64
	gametest.MustPlay(t, gametest.Match{Game: &game, Args: map[string]string{"tick": "50"}, Players: []gametest.Player{
		func(q gametest.Question) (string, error) {
			seconds = append(seconds, q.Seconds)
			return "", nil
		}, gametest.Late,
	}})
	if len(seconds) < 2 || seconds[0] != 0.05 || seconds[1] != 0.05 {
		t.Errorf("got ticks of %v seconds, want 0.05", seconds)
	}
}

func TestATeamWinsTogether(t *testing.T) {
	args := map[string]string{"teams": "yes", "bot": "medium"}
	got := gametest.MustPlay(t, gametest.Match{Game: &game, Args: args, Players: []gametest.Player{gametest.Late, gametest.Endless("U"), nil, gametest.Gone}, Thoughts: 20})
	got.ExpectResult(t, got.Result.Reason, "score 1, rank 1, finished, team 1", "score 0, rank 3, finished, team 2", "score 1, rank 1, finished, team 1", "score 0, rank 3, finished, team 2")
	if !strings.HasSuffix(got.Result.Reason, "the last on the board") {
		t.Errorf("got the reason %q, want who is left", got.Result.Reason)
	}
}

func TestRecordedMatchesStayTheSame(t *testing.T) {
	for name, args := range map[string]map[string]string{
		"four":  {"bot": "beginner"},
		"teams": {"bot": "newcomer", "teams": "yes"},
	} {
		got := gametest.MustPlay(t, gametest.Match{Game: &game, Args: args, Seed: 7, Players: []gametest.Player{nil, nil, nil, gametest.Unruly(7)}})
		gametest.Golden(t, name, got.String())
	}
	gamefixture.CheckBotGoldens(t, &game, 3)
}

func BenchmarkMatch(b *testing.B) {
	gamefixture.BenchmarkMatch(b, &game, nil, "ticks", func(t *gametest.Transcript) int { return strings.Count(t.Spectators, "\n") - 3 })
}
