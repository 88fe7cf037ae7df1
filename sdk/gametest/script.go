package gametest

import (
	"fmt"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"colosseum/sdk"
	"colosseum/sdk/driver"
	"colosseum/sdk/script"
)

// Twice describes matches that are played twice: compiled, and as a script. The
// players are [Unruly]. If the game has a bot, every second match has one, and its
// Thoughts are 1.
type Twice struct {
	Matches int               // fewer under the race detector; see [Fewer]
	Args    map[string]string // the creator's parameters
}

// playsTheSameAsScript loads the game of a folder as a script and plays matches
// twice. The test fails at the first match whose streams, result or answers
// differ.
func playsTheSameAsScript(t testing.TB, dir string, game *sdk.Game, twice ...Twice) {
	t.Helper()
	if module := otherModule(dir); module != "" {
		t.Skipf("the game imports %s, so it is never a script", module)
	}
	interpreted, err := script.Load(dir)
	if err != nil {
		t.Errorf("could not load the game as a script:\n%v", err)
		return
	}
	if a, b := describe(game), describe(interpreted); a != b {
		t.Errorf("as a script it is\n%s\nwant\n%s", b, a)
		return
	}
	for _, tw := range twice {
		for i := range Fewer(tw.Matches) {
			if err := tw.compare(i, game, interpreted); err != nil {
				t.Error(err)
				return
			}
		}
	}
}

// otherModule returns a package that the game of a folder imports and that is neither of the
// standard library nor of this module, or "". Such a game is always compiled.
func otherModule(dir string) string {
	files, _ := filepath.Glob(filepath.Join(dir, "*.go"))
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			continue // loading the script reports it
		}
		for _, imported := range file.Imports {
			path, _ := strconv.Unquote(imported.Path.Value)
			if first, _, _ := strings.Cut(path, "/"); strings.Contains(first, ".") {
				return path
			}
		}
	}
	return ""
}

// compare plays match number both ways.
func (tw Twice) compare(number int, game, interpreted *sdk.Game) error {
	compiled, refused := tw.play(number, game)
	again, refusedAgain := tw.play(number, interpreted)
	if fmt.Sprint(refused) != fmt.Sprint(refusedAgain) {
		return fmt.Errorf("match %d, %v: as a script refused with %v, want %v", number, tw.Args, refusedAgain, refused)
	}
	if compiled != again {
		return fmt.Errorf("match %d, %v: as a script, %s", number, tw.Args, difference(again, compiled))
	}
	return nil
}

// play returns the transcript of match number, without times.
func (tw Twice) play(number int, game *sdk.Game) (string, error) {
	r := driver.NewRand(uint64(number), 0)
	m := Match{Game: game, Seed: uint64(number), Args: tw.Args, Thoughts: 1}
	for range game.MinPlayers + r.Intn(game.MaxPlayers-game.MinPlayers+1) {
		m.Players = append(m.Players, Unruly(r.Uint64()))
	}
	if game.MaxBots > 0 && number%2 == 1 {
		m.Players[r.Intn(len(m.Players))] = nil
	}
	t, err := Play(m)
	if err != nil {
		return "", err
	}
	text := t.String() + t.Log
	for _, a := range t.Answers {
		text += fmt.Sprintln(a.Seat, a.Line, a.Outcome)
	}
	return text, nil
}

// describe returns the description of a game as text.
func describe(g *sdk.Game) string {
	return fmt.Sprintf("%s (%s): %d to %d players, %d by default, %d bots, %v s, %+v\n%s",
		g.Name, g.Title, g.MinPlayers, g.MaxPlayers, g.Players, g.MaxBots, g.Timeout, g.Params, g.Rules)
}
