package conformance_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"colosseum/internal/test/gamefixture"
	"colosseum/sdk"
	"colosseum/sdk/driver"
	"colosseum/sdk/gametest"
	"colosseum/sdk/wire/pb"
)

// The tests of the game in Python, and of its library for other such games.

func TestLibraryInPythonPassesItsOwnTests(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), interpreter(t, "python3"), "-B", "-m", "unittest", "colosseum.test_library")
	cmd.Dir = undercut
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestLibrariesKnowAllFieldsOfTheWire(t *testing.T) {
	for _, library := range []struct{ file, message, field string }{
		{undercut + "/colosseum/messages.py", `(?ms)^%s = Message\((.*?)\)$`, `\b%s=\(%d, `},
		{goofspiel + "/colosseum/messages.js", `(?ms)^const %s = message\(\{(.*?)\}\);$`, `\b%s: \[%d, `},
	} {
		text, err := os.ReadFile(library.file)
		if err != nil {
			t.Fatal(err)
		}
		messages := pb.File_game_proto.Messages()
		for i := range messages.Len() {
			m := messages.Get(i)
			found := regexp.MustCompile(fmt.Sprintf(library.message, m.Name())).FindSubmatch(text)
			for j := range m.Fields().Len() {
				f := m.Fields().Get(j)
				name := string(f.Name())
				if strings.HasSuffix(library.file, ".js") {
					name = f.JSONName()
				}
				if found == nil || !regexp.MustCompile(fmt.Sprintf(library.field, name, f.Number())).Match(found[1]) {
					t.Errorf("%s lacks %s.%s = %d", library.file, m.Name(), name, f.Number())
				}
			}
		}
	}
}

func TestExamplesInTheRulesOfUndercutCanBePlayed(t *testing.T) {
	c, g := startExample(t, "undercut")
	examples := gametest.Examples(t, filepath.Join(undercut, "rules.md"))
	want := []struct {
		scores [2]float64
		reason string
	}{{[2]float64{4, 17}, ""}, {[2]float64{0, 0}, "PlayerB forfeits: illegal"}}
	if len(examples) != len(want) {
		t.Fatalf("%d examples in rules.md, want %d", len(examples), len(want))
	}
	for i, e := range examples {
		m := gametest.Match{Names: e.Names, Args: map[string]string{"rounds": "3"}}
		for _, stream := range e.Seats {
			m.Players = append(m.Players, gametest.Script(bids(stream)...))
		}
		tr := c.playMatch(t, g, m)
		got := [2]float64{tr.Result.Seats[0].Score, tr.Result.Seats[1].Score}
		if !slices.Equal(tr.Seats, e.Seats) || tr.Spectators != e.Spectators || got != want[i].scores || tr.Result.Reason != want[i].reason {
			t.Errorf("example %d: got %v %q\n%s\nwant %v", i+1, got, tr.Result.Reason, tr, want[i])
		}
	}
}

func TestRulesOfUndercutNameEveryParameter(t *testing.T) {
	_, g := startExample(t, "undercut")
	gametest.CheckParams(t, filepath.Join(undercut, "rules.md"), &sdk.Game{Params: g.Description().Params})
}

// A seed gives the same match in every language.
func TestRandomNumbersInPythonAreThoseOfTheSDK(t *testing.T) {
	c, g := startExample(t, "undercut")
	for _, seed := range []uint64{0, 1, 1 << 31, 1<<63 + 12345, 1<<64 - 1} {
		for seat := range 2 {
			players := []gametest.Player{gametest.Random(seed), gametest.Random(seed)}
			players[seat] = nil
			tr := c.playMatch(t, g, gametest.Match{Seed: seed, Args: map[string]string{"bot": "random", "rounds": "100"}, Players: players})
			chance := driver.NewRand(seed, driver.StreamBots+uint64(seat))
			want := make([]string, 100)
			for i := range want {
				want[i] = strconv.Itoa(1 + chance.Intn(5))
			}
			if got := bids(tr.Seats[seat]); !slices.Equal(got, want) {
				t.Errorf("seed %d: the bot on seat %d chooses %v, want %v", seed, seat, got, want)
			}
		}
	}
}

func TestExamplePlayerOfUndercutPlaysToTheEnd(t *testing.T) {
	python := interpreter(t, "python3")
	c, g := startExample(t, "undercut")
	for name, start := range map[string]func(testing.TB, ...string) gamefixture.Program{"stdio": gamefixture.StartProgram, "named pipes": gamefixture.StartProgramOnPipes} {
		for opponent, other := range map[string]gametest.Player{"the bot": nil, "a player that leaves": gametest.Script("1", "2")} {
			t.Run(opponent+" on "+name, func(t *testing.T) {
				p := start(t, python, filepath.Join(undercut, "players", "player.py"))
				tr := c.playMatch(t, g, gametest.Match{Players: []gametest.Player{p.Answer, other}})
				p.Finish(tr.Seats[0])
				if r := tr.Result.Seats[0]; r.Ended != driver.EndedFinished {
					t.Errorf("got %+v, want it to play to the end\n%s", r, tr)
				}
			})
		}
	}
}

func TestStrongBotOfUndercutBeatsChance(t *testing.T) {
	c, g := startExample(t, "undercut")
	won, matches := 0, seeds(100)
	for seed := range uint64(matches) {
		tr := c.playMatch(t, g, gametest.Match{Seed: seed, Args: map[string]string{"rounds": "50", "bot": "strong"}, Players: []gametest.Player{gametest.Random(seed), nil}})
		if tr.Result.Seats[1].Score > tr.Result.Seats[0].Score {
			won++
		}
	}
	if 4*won < 3*matches {
		t.Errorf("the bot wins %d of %d matches, want at least three of four", won, matches)
	}
}
