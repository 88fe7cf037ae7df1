package gametest

import (
	"fmt"
	"testing"

	"colosseum/sdk"
	"colosseum/sdk/driver"
	"colosseum/sdk/script"
)

// Twice are matches that are played twice: compiled, and as a script. Players
// are random, and some of them are unruly; every second match has a server bot,
// if the game has any, that thinks once for each line. Under the race detector
// there are [Fewer] of them.
type Twice struct {
	Matches int
	Args    map[string]string // as the creator of a match gives them
}

// playsTheSameAsScript loads the game in a folder as a script, and plays matches
// twice. The test fails at the first that is not the same to everybody and to
// the letter.
func playsTheSameAsScript(t testing.TB, dir string, game *sdk.Game, twice ...Twice) {
	t.Helper()
	interpreted, err := script.Load(dir)
	if err != nil {
		t.Errorf("it is no script:\n%v", err)
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

// compare plays the match of a number both ways.
func (tw Twice) compare(number int, game, interpreted *sdk.Game) error {
	compiled, refused := tw.play(number, game)
	again, refusedAgain := tw.play(number, interpreted)
	if fmt.Sprint(refused) != fmt.Sprint(refusedAgain) {
		return fmt.Errorf("match %d, %v: as a script refused by %v, want %v", number, tw.Args, refusedAgain, refused)
	}
	if compiled != again {
		return fmt.Errorf("match %d, %v: compiled, then as a script: %s", number, tw.Args, difference(compiled, again))
	}
	return nil
}

// play returns all that came of the match of a number, but for the times.
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

// describe is all that a game says of itself.
func describe(g *sdk.Game) string {
	return fmt.Sprintf("%s (%s): %d to %d players, %d as a rule, %d bots, %v s, %+v\n%s",
		g.Name, g.Title, g.MinPlayers, g.MaxPlayers, g.Players, g.MaxBots, g.Timeout, g.Params, g.Rules)
}
