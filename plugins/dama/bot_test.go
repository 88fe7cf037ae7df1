package main

import (
	"maps"
	"strings"
	"testing"

	"colosseum/internal/test/long"
	"colosseum/sdk"
	"colosseum/sdk/driver"
	"colosseum/sdk/gametest"
)

// botMatch plays a match with the server bot on a seat. It searches 64 positions for
// each thought. The test fails if the bot is refused or does not finish.
func botMatch(t *testing.T, seat int, opponent gametest.Player, seed uint64, thoughts int, args map[string]string) *gametest.Transcript {
	t.Helper()
	players := []gametest.Player{opponent, opponent}
	players[seat] = nil
	all := map[string]string{"pace": "0"}
	maps.Copy(all, args)
	got, err := gametest.Play(gametest.Match{Game: &game, Players: players, Seed: seed, Thoughts: thoughts, Args: all})
	if err != nil {
		t.Fatal(err)
	}
	if r := got.Result.Seats[seat]; r.Ended != driver.EndedFinished || got.Log != "" {
		t.Fatalf("%v, seed %d: the bot ended as %q, log %q, want %q and no log:\n%s", args, seed, r.Ended, got.Log, driver.EndedFinished, got.Seats[seat])
	}
	for _, refusal := range []string{"non valid", "Non hai selezionato", "obbligatoria"} {
		if strings.Contains(got.Seats[seat], refusal) {
			t.Fatalf("%v, seed %d: the bot was refused, want legal moves:\n%s", args, seed, got.Seats[seat])
		}
	}
	return got
}

// botMatches returns the number of matches of a bot: n, or few in the short run, in which
// TestGame plays with each choice, too.
func botMatches(n int) int { return gametest.Fewer(long.Number(n/4, n)) }

// Matches by the classic rules need draw_after: otherwise two kings that avoid each
// other play forever.
func TestBotIsNeverRefused(t *testing.T) {
	matches := botMatches(84) // by each of six rules
	for _, r := range allRules {
		if r == &damath {
			continue
		}
		t.Run(r.Name, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(matches) {
				args := map[string]string{"rules": r.Name, "draw_after": "8", "bot": []string{"strong", "random"}[seed/2%2]}
				botMatch(t, int(seed%2), gametest.Random(seed), seed, 2, args)
			}
		})
	}
}

func TestDamathBotNeverForfeits(t *testing.T) {
	matches := botMatches(100) // with each of five sets of chips
	for _, set := range chipSets {
		t.Run(set.name, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(matches) {
				args := map[string]string{
					"rules": "damath", "chips": set.name, "draw_after": "8", "bot": []string{"strong", "random"}[seed/2%2],
					"late": []string{"forfeit", "opponent"}[seed/4%2],
				}
				opponent := gametest.Random(seed)
				if args["late"] == "opponent" {
					opponent = careless(seed)
				}
				botMatch(t, int(seed%2), opponent, seed, 2, args)
			}
		})
	}
}

// careless is a random player that is sometimes late, even with the move that it
// should choose for the bot, and sometimes offers to end the match.
func careless(seed uint64) gametest.Player {
	r := driver.NewRand(seed, 9)
	random := gametest.Random(seed)
	offered := false
	return func(q gametest.Question) (string, error) {
		line, err := random(q)
		lines := strings.Fields(q.Stream)
		ownTurn := len(lines) < 6 || lines[len(lines)-2] != "LATE" && lines[len(lines)-1] != "draw"
		switch {
		case line != "LATE" && r.Intn(6) == 0:
			return "", sdk.ErrTimeout
		case line != "LATE" && ownTurn && !offered && r.Intn(10) == 0:
			offered = true
			return "draw", nil
		}
		offered = false
		return line, err
	}
}

// A bot is never late in a test, so the referee of this test only claims that it is.
func TestDamathBotPlaysOnAfterLateAnswers(t *testing.T) {
	var got []string
	g := game
	g.Play = func(m *sdk.Match) error {
		ask := func() {
			line, err := m.AskLine(0)
			if err != nil {
				line = err.Error()
			}
			got = append(got, line)
		}
		send := func(text string) { m.Tell(0, strings.Join(strings.Split(text, ", "), "\n")) }
		send("Bot, Bruno, 0, whole")
		ask() // its first move: too late
		send("LATE 0, b3a4, 0 0, a6b5, 0 0")
		ask() // LATE
		ask() // a move, in time
		send("0 0, draw")
		ask() // no: neither is ahead
		send("LATE 1")
		ask() // a move for the other
		return nil
	}
	_, err := gametest.Play(gametest.Match{
		Game: &g, Players: []gametest.Player{nil, gametest.Gone}, Seed: 1, Thoughts: 2,
		Args: map[string]string{"rules": "damath", "late": "opponent"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 5 {
		t.Fatalf("the bot sent %q, want 5 lines", got)
	}
	board, past := newChipBoard("whole", board8.start), newHistory(&damath, 0, &board8.start)
	for i, path := range []string{got[0], "b3a4", "a6b5", got[2], got[4]} {
		if i == 1 {
			board = newChipBoard("whole", board8.start)
		}
		if !playPath(&board, past, path) {
			t.Errorf("move %d is %s, want a legal one", i, path)
		}
	}
	if got[1] != "LATE" || got[3] != "no" {
		t.Errorf("the bot sent %q, want LATE second and no fourth", got)
	}
}

// The referee of this test waits for the bot after the end of the match, so that the
// bot has time to look for a move that it does not have.
func TestDamathBotWithoutAMoveWaitsForTheEnd(t *testing.T) {
	g := game
	g.Play = func(m *sdk.Match) error {
		err := playDamath(m, board8.start)
		_, _ = m.AskLine(Black) // the bot reads END or has read it
		return err
	}
	ends := map[string]int{}
	for seed := range uint64(gametest.Fewer(40)) {
		got, err := gametest.Play(gametest.Match{
			Game: &g, Players: []gametest.Player{gametest.Random(seed), nil}, Seed: seed, Thoughts: 2,
			Args: map[string]string{"rules": "damath", "pace": "0", "bot": []string{"strong", "random"}[seed%2]},
		})
		if err != nil || got.Log != "" {
			t.Fatalf("seed %d: error %v, log %q, want none", seed, err, got.Log)
		}
		ends[got.Result.Reason]++
	}
	if ends["the second player has no moves left"]+ends["the second player has no chips left"] == 0 {
		t.Errorf("the matches ended by %v, want some without a move for the bot", ends)
	}
}

func TestStrongBotBeatsRandomPlayer(t *testing.T) {
	matches := 2 * gametest.Fewer(15)
	for _, r := range allRules {
		t.Run(r.Name, func(t *testing.T) {
			t.Parallel()
			points := 0.0
			for seed := range uint64(matches) {
				seat := int(seed % 2)
				args := map[string]string{"rules": r.Name, "draw_after": "60"}
				got := botMatch(t, seat, gametest.Random(seed), seed, 8, args)
				switch own, other := got.Result.Seats[seat].Rank, got.Result.Seats[1-seat].Rank; {
				case own < other:
					points++
				case own == other:
					points += 0.5
				}
			}
			t.Logf("%v points in %d matches", points, matches)
			if points < 0.9*float64(matches) {
				t.Errorf("%v points in %d matches, want 90 %%", points, matches)
			}
		})
	}
}

func TestBotAcceptsADrawOnlyIfItIsBehind(t *testing.T) {
	for _, tt := range []struct {
		start string
		want  string
	}{
		{"W:W21-32:B1-11", "draw: the players agreed"},       // the bot is Black
		{"W:W22-32:B1-12", "Player0 forfeits: disconnected"}, // it plays on
	} {
		got := gametest.MustPlay(t, gametest.Match{
			Game: &game, Players: []gametest.Player{gametest.Script("draw", "6A 5B"), nil}, Seed: 1, Thoughts: 4,
			Args: map[string]string{"rules": "english", "start": tt.start, "pace": "0"},
		})
		if got.Result.Reason != tt.want {
			t.Errorf("start=%s: the match ended by %q, want %q:\n%s", tt.start, got.Result.Reason, tt.want, got.Spectators)
		}
	}
}

func TestSearchFindsTheMove(t *testing.T) {
	tests := []struct{ name, rules, fen, want string }{
		{"the capture of two, though none is due", "classic", "W:Wa3,g3:Bb4,f4,f6,h8", "g3xe5xg7"},
		{"the move that blocks", "classic", "W:Wb2,d2,c1:Ba3", "d2-c3"},
		{"the move that blocks", "italian", "W:Wb2,d2,c1:Ba3", "d2-c3"},
		{"the way to the far row", "russian", "W:Wc7:Ba5,h4", "c7-b8+ c7-d8+"},
	}
	for _, tt := range tests {
		t.Run(tt.rules+": "+tt.name, func(t *testing.T) {
			r := rulesNamed(tt.rules)
			p := mustFEN(t, r, tt.fen)
			calls := 0
			s := &search{rules: r, depth: maxDepth, rand: driver.NewRand(1, 0).Intn, thinking: func() bool { calls++; return calls < 500 }}
			m := s.choose(&p, []Position{p})
			if got := moveText(&m); !strings.Contains(tt.want, got) {
				t.Errorf("chose %s, want one of %s", got, tt.want)
			}
		})
	}
}

func TestSearchFindsTheBestAndTheWorstSum(t *testing.T) {
	b := putChips(t, White, [2]map[string]int{{"f3": 40, "b3": 40}, {"g4": 50, "c4": 50, "a8": 10}})
	s := &search{rules: &damath, depth: maxDepth, rand: func(int) int { return 0 }, values: b.values, damaLeft: 1, average: b.average()}
	calls := 0
	s.thinking = func() bool { calls++; return calls < 500 }
	best := s.choose(&b.pos, []Position{b.pos})
	calls = 0
	worst := s.chooseFor(&b.pos, []Position{b.pos})
	if got := pathText(&best, damathNames, ""); got != "f3h5" { // 4 × 5
		t.Errorf("the best move is %s, want f3h5", got)
	}
	if got := pathText(&worst, damathNames, ""); got != "b3d5" { // 4 + 5
		t.Errorf("the worst move is %s, want b3d5", got)
	}
}

func BenchmarkSearch(b *testing.B) {
	for _, r := range allRules {
		b.Run(r.Name, func(b *testing.B) {
			nodes := 0
			for b.Loop() {
				calls := 0
				s := &search{rules: r, depth: maxDepth, rand: driver.NewRand(1, 0).Intn, thinking: func() bool { calls++; return calls < 400 }}
				if r == &damath {
					board := newChipBoard("whole", board8.start)
					s.values, s.damaLeft, s.average = board.values, 1, board.average()
				}
				p := r.Board.start
				s.choose(&p, []Position{p})
				nodes += s.nodes
			}
			b.ReportMetric(float64(nodes)/b.Elapsed().Seconds(), "nodes/s")
		})
	}
}
