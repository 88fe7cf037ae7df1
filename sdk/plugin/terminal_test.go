package plugin

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"colosseum/sdk"
	"colosseum/sdk/driver"
)

// started returns the output of a game that is started by hand.
func started(t *testing.T, game sdk.Game, input string, args ...string) string {
	t.Helper()
	var out strings.Builder
	if err := onTerminal(driver.Of(&game), args, strings.NewReader(input), &out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestGameStartedByHandExplainsItself(t *testing.T) {
	for _, args := range [][]string{nil, {"help"}, {"--help"}} {
		out := started(t, digits(), "", args...)
		for _, want := range []string{
			"digits (Digits)", "./digits play [players=N] [name=value]",
			"rounds=…   number of rounds: a whole number from 1 to 1000 (default 1)",
		} {
			if !strings.Contains(out, want) {
				t.Errorf("%q: it does not say %q:\n%s", args, want, out)
			}
		}
	}
}

func TestMatchIsPlayedOnTheTerminal(t *testing.T) {
	alone := digits()
	alone.MaxBots, alone.Bot = 0, nil
	tests := []struct {
		name  string
		game  sdk.Game
		input string
		args  []string
		want  string
	}{
		{"against bots", digits(), "1\n 2 \n", []string{"players=3", "rounds=2"},
			"begin\n> 15\n> 16\nPlayer0: rank 3, score 3, finished\nPlayer1: rank 1, score 14, finished\nPlayer2: rank 1, score 14, finished\n"},
		{"alone", digits(), "1\n", nil, "begin\n> 1\nPlayer0: rank 1, score 1, finished\n"},
		{"two at one keyboard", alone, "1\n2\n", []string{"players=2"},
			"Player0: begin\nPlayer1: begin\nPlayer0> Player1> Player0: 3\nPlayer1: 3\nPlayer0: rank 2, score 1, finished\nPlayer1: rank 1, score 2, finished\n"},
		{"illegal", digits(), "ten\n", nil, "begin\n> Player0: rank 1, score 0, forfeit: illegal\nPlayer0 forfeits: illegal\n"},
		{"end of the input", digits(), "1\n", []string{"rounds=2"}, "begin\n> 1\n> Player0: rank 1, score 1, forfeit: disconnected\nPlayer0 forfeits: disconnected\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := started(t, tt.game, tt.input, append([]string{"play"}, tt.args...)...); got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

func TestTicksArePlayedOnTheTerminal(t *testing.T) {
	game := sdk.Game{
		Name: "ticks", Title: "Ticks", MinPlayers: 1, MaxPlayers: 2, Timeout: 1, Play: func(m *sdk.Match) error {
			m.StayWhenGone()
			for range 3 {
				for _, a := range m.Tick(1) {
					m.Tell(a.Seat, fmt.Sprintf("%q, %d missed", a.Line, a.Missed))
				}
			}
			return nil
		},
	}
	for _, tt := range []struct {
		name  string
		typed []string // at the start, after 0.6 s, after 1.2 s, …
		args  []string
		want  string
	}{
		{"one person", []string{"", "a\n b \n", "", "c\n"}, nil,
			"\"b\", 0 missed\n\"c\", 0 missed\n\"\", 1 missed\nPlayer0: rank 1, score 0, finished\n"},
		{"two", []string{"", "1 b\n0 a a\nx\n", "0\n"}, []string{"players=2"},
			"Begin a line with the number of its player, as in: 1 left\n\"x\" is not the number of a player in the match\n" +
				"Player0: \"a a\", 0 missed\nPlayer1: \"b\", 0 missed\nPlayer0: \"\", 0 missed\nPlayer1: \"\", 1 missed\n" +
				"Player0: \"\", 1 missed\nPlayer1: \"\", 2 missed\n" +
				"Player0: rank 1, score 0, finished\nPlayer1: rank 1, score 0, finished\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				in, keyboard := io.Pipe()
				go func() { // ends with the lines to type
					for _, lines := range tt.typed {
						io.WriteString(keyboard, lines)
						<-time.After(600 * time.Millisecond)
					}
					keyboard.Close()
				}()
				var out strings.Builder
				begin := time.Now()
				if err := onTerminal(driver.Of(&game), append([]string{"play"}, tt.args...), in, &out); err != nil {
					t.Fatal(err)
				}
				if got, want := out.String(), "In each tick of 1 s the last line counts.\n"+tt.want; got != want || time.Since(begin) != 3*time.Second {
					t.Errorf("after %v: got\n%s\nwant after 3 s\n%s", time.Since(begin), got, want)
				}
			})
		})
	}
}

func TestFaultsOfTheGameAreShownOnTheTerminal(t *testing.T) {
	game := digits()
	game.Bot = func(*sdk.Bot) error { return errors.New("the bot has no idea") }
	if out := started(t, game, "1\n", "play", "players=2"); !strings.Contains(out, "bot: the bot has no idea\n") {
		t.Errorf("got\n%s\nwant the bot's error in it", out)
	}
}

func TestArgumentsOfAMatchAreChecked(t *testing.T) {
	tests := []struct{ arg, want string }{
		{"rounds", `"rounds" is not of the form name=value`},
		{"players=two", `players="two" is not a whole number`},
		{"players=9", "Cannot create game with 9 players: digits is played by 1 to 3 players"},
		{"rounds=0", `Invalid number of rounds: rounds="0" is not a whole number from 1 to 1000`},
		{"round=1", `unknown parameter "round" (have rounds)`},
	}
	for _, tt := range tests {
		t.Run(tt.arg, func(t *testing.T) {
			game := digits()
			var out strings.Builder
			err := onTerminal(driver.Of(&game), []string{"play", tt.arg}, strings.NewReader("1\n"), &out)
			if err == nil || err.Error() != tt.want || out.Len() > 0 {
				t.Errorf("error %v, output %q, want %q", err, out.String(), tt.want)
			}
		})
	}
}
