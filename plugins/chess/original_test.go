package main

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"colosseum/sdk"
	"colosseum/sdk/gametest"
)

// original is a match that the referee of the original server has played: the lines of
// each player, by seat, and what the spectators and the players received.
type original struct {
	name     string
	lines    [2][]string // "late" is an answer after the timeout; without further lines a player is gone
	received [3]string
}

// readOriginals reads the matches that were recorded with the referee, the board and the
// moves of src/games/chess in dariost/CodeColosseum, commit 0912052: they were compiled
// with queues of lines in place of the connections.
func readOriginals(t *testing.T) (list []original) {
	text, err := os.ReadFile("testdata/original.txt")
	if err != nil {
		t.Fatal(err)
	}
	for row := range strings.Lines(string(text)) {
		row = strings.TrimSuffix(row, "\n")
		key, value, ok := strings.Cut(row, ` "`)
		if ok {
			if value, err = strconv.Unquote(`"` + value); err != nil {
				t.Fatalf("%s: %v", row, err)
			}
		} else {
			key, value, _ = strings.Cut(row, " ")
		}
		if key == "match" {
			list = append(list, original{name: value})
			continue
		}
		for i, who := range []string{"spectators", "white", "black"} {
			switch m := len(list) - 1; key {
			case who:
				list[m].lines[i-1] = append(list[m].lines[i-1], value)
			case who + " received":
				list[m].received[i] = value
			}
		}
	}
	return list
}

// player returns the player of a seat. Like the host, it removes the white space around a
// line.
func (o *original) player(seat int) gametest.Player {
	script := gametest.Script(o.lines[seat]...)
	return func(q gametest.Question) (string, error) {
		line, err := script(q)
		if line == "late" {
			return "", sdk.ErrTimeout
		}
		return strings.TrimSpace(line), err
	}
}

func TestStreamsAreThoseOfTheOriginal(t *testing.T) {
	list := readOriginals(t)
	if len(list) < 50 {
		t.Fatalf("got %d matches of the original, want at least 50", len(list))
	}
	for _, o := range list {
		t.Run(o.name, func(t *testing.T) {
			got := gametest.MustPlay(t, gametest.Match{Game: &game, Players: []gametest.Player{o.player(white), o.player(black)}})
			for i, stream := range append([]string{got.Spectators}, got.Seats...) {
				received := ""
				for line := range strings.Lines(stream) {
					if !strings.HasPrefix(line, ">") { // not a line that the seat has sent
						received += strings.TrimSuffix(line, "\n") + "|"
					}
				}
				if received != o.received[i] {
					t.Errorf("%s: got\n%s\nwant\n%s", []string{"spectators", "white", "black"}[i], received, o.received[i])
				}
			}
		})
	}
}
