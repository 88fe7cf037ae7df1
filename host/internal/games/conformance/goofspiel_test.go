package conformance_test

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"colosseum/internal/test/gamefixture"
	"colosseum/sdk"
	"colosseum/sdk/driver"
	"colosseum/sdk/gametest"
)

// The tests of the game in JavaScript, and of its library for other such games.

func TestLibraryInJavaScriptPassesItsOwnTests(t *testing.T) {
	node := interpreter(t, "node")
	files, err := filepath.Glob(goofspiel + "/colosseum/*.test.js")
	if err != nil || len(files) == 0 {
		t.Fatalf("got the tests %v, error %v, want some", files, err)
	}
	if out, err := exec.CommandContext(t.Context(), node, append([]string{"--test"}, files...)...).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestExamplesInTheRulesOfGoofspielCanBePlayed(t *testing.T) {
	c, g := startExample(t, "goofspiel")
	examples := gametest.Examples(t, filepath.Join(goofspiel, "rules.md"))
	reasons := []string{"", "PlayerB forfeits: illegal"}
	if len(examples) != len(reasons) {
		t.Fatalf("%d examples in rules.md, want %d", len(examples), len(reasons))
	}
	for i, e := range examples {
		cards := strings.Split(e.Spectators, "\n")[2]
		m := gametest.Match{Names: e.Names, Args: map[string]string{"cards": cards}}
		for ; ; m.Seed++ { // decides the order of the prizes
			m.Players = nil
			for _, stream := range e.Seats {
				m.Players = append(m.Players, gametest.Script(bids(stream)...))
			}
			tr := c.playMatch(t, g, m)
			if slices.Equal(tr.Seats, e.Seats) && tr.Spectators == e.Spectators && tr.Result.Reason == reasons[i] {
				break
			}
			if m.Seed == 500 {
				t.Fatalf("got no match like example %d of 500; the last one was\n%s", i+1, tr)
			}
		}
	}
}

func TestRulesOfGoofspielNameEveryParameter(t *testing.T) {
	_, g := startExample(t, "goofspiel")
	d := g.Description()
	gametest.CheckParams(t, filepath.Join(goofspiel, "rules.md"), &sdk.Game{Params: d.Params})
}

func TestScoresOfGoofspielFollowTheRules(t *testing.T) {
	c, g := startExample(t, "goofspiel")
	up, down := gametest.Script("1", "2", "3", "4"), gametest.Script("4", "3", "2", "1")
	tie := gametest.Script("1", "2", "4", "3")
	tests := []struct {
		name   string
		ties   string
		second gametest.Player
		points func(prizes []int) [2]int
	}{
		{"higher card wins", "discard", down, func(p []int) [2]int { return [2]int{p[2] + p[3], p[0] + p[1]} }},
		{"ties are out", "discard", tie, func(p []int) [2]int { return [2]int{p[3], p[2]} }},
		{"ties are carried", "carry", tie, func(p []int) [2]int { return [2]int{p[3], p[0] + p[1] + p[2]} }},
		{"all are ties", "carry", up, func([]int) [2]int { return [2]int{} }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tr := c.playMatch(t, g, gametest.Match{Players: []gametest.Player{up, tt.second}, Args: map[string]string{"cards": "4", "ties": tt.ties}})
			want := tt.points(prizes(tr))
			for seat, r := range tr.Result.Seats {
				if r.Score != float64(want[seat]) || r.Ended != driver.EndedFinished {
					t.Errorf("seat %d: %+v, want %d points\n%s", seat, r, want[seat], tr)
				}
			}
		})
	}
}

// bids returns the lines that a seat sent.
func bids(stream string) (list []string) {
	for line := range strings.Lines(stream) {
		if bid, ok := strings.CutPrefix(line, ">"); ok {
			list = append(list, strings.TrimSpace(bid))
		}
	}
	return list
}

// prizes returns the prizes of a whole match in their order.
func prizes(tr *gametest.Transcript) []int {
	lines := strings.Split(strings.TrimSuffix(tr.Spectators, "\n"), "\n")
	var list []int
	for i := 3; i < len(lines); i += 3 {
		n, _ := strconv.Atoi(lines[i]) // 0 is no prize
		list = append(list, n)
	}
	return list
}

// A seed gives the same match in every language.
func TestRandomNumbersInJavaScriptAreThoseOfTheSDK(t *testing.T) {
	c, g := startExample(t, "goofspiel")
	for _, seed := range []uint64{0, 1, 1 << 31, 1<<63 + 12345, 1<<64 - 1} {
		for seat := range 2 {
			players := []gametest.Player{gametest.Random(seed), gametest.Random(seed)}
			players[seat] = nil
			tr := c.playMatch(t, g, gametest.Match{Seed: seed, Args: map[string]string{"cards": "100", "bot": "random"}, Players: players})
			lot := driver.NewRand(seed, driver.StreamReferee).Perm(100)
			for i := range lot {
				lot[i]++ // cards are numbered from 1
			}
			if got := prizes(tr); !slices.Equal(got, lot) {
				t.Errorf("seed %d: the prizes are %v, want %v", seed, got, lot)
			}
			chance := driver.NewRand(seed, driver.StreamBots+uint64(seat))
			var want []string
			hand := unusedCards("\n\n100\n")
			for len(hand) > 0 {
				i := chance.Intn(len(hand))
				want = append(want, hand[i])
				hand = slices.Delete(hand, i, i+1)
			}
			if got := bids(tr.Seats[seat]); !slices.Equal(got, want) {
				t.Errorf("seed %d: the bot on seat %d bids %v, want %v", seed, seat, got, want)
			}
		}
	}
}

func TestExamplePlayerInJavaScriptPlaysToTheEnd(t *testing.T) {
	starts := []struct {
		name  string
		start func(t testing.TB, command ...string) gamefixture.Program
	}{{"stdio", gamefixture.StartProgram}, {"named pipes", gamefixture.StartProgramOnPipes}}
	opponents := []struct {
		name     string
		opponent gametest.Player // nil: the game's bot
		bids     int             // of the example
	}{{"the bot", nil, 13}, {"a player that leaves", gametest.Script("1", "2"), 3}}
	c, g := startExample(t, "goofspiel")
	for _, s := range starts {
		for _, o := range opponents {
			t.Run(o.name+" on "+s.name, func(t *testing.T) {
				p := s.start(t, interpreter(t, "node"), filepath.Join(goofspiel, "players", "player.js"))
				tr := c.playMatch(t, g, gametest.Match{Players: []gametest.Player{p.Answer, o.opponent}, Args: map[string]string{"ties": "carry"}})
				p.Finish(tr.Seats[0])
				if r := tr.Result.Seats[0]; r.Ended != driver.EndedFinished || r.Rank != 1 || questions(tr, 0) != o.bids {
					t.Errorf("after %d bids, want %d: got %+v, want rank 1\n%s", questions(tr, 0), o.bids, r, tr)
				}
			})
		}
	}
}

func TestStrongBotBeatsChanceInGoofspiel(t *testing.T) {
	c, g := startExample(t, "goofspiel")
	won, matches := 0, seeds(200)
	for seed := range uint64(matches) {
		tr := c.playMatch(t, g, gametest.Match{Seed: seed, Players: []gametest.Player{gametest.Random(seed), nil}, Args: map[string]string{"bot": "strong"}})
		if tr.Result.Seats[1].Score > tr.Result.Seats[0].Score {
			won++
		}
	}
	if 4*won < 3*matches {
		t.Errorf("the bot wins %d of %d matches, want at least three of four", won, matches)
	}
}
