//go:build go1.21

// A bad game: its one player names what it does.
package main

import (
	"errors"

	"colosseum/sdk"
	"colosseum/sdk/plugin"
)

func main() { plugin.Serve(game) }

var game = sdk.Game{
	Name: "NAME", Title: "Bad", Rules: "# bad", MinPlayers: 1, MaxPlayers: 1, Timeout: 600,
	Play: func(m *sdk.Match) error {
		m.TellAll("ready")
		line, err := m.AskLine(0)
		if err != nil {
			return nil
		}
		switch line {
		case "endless loop":
			for n := 0; ; n++ {
				if n < 0 {
					break
				}
			}
		case "endless recursion":
			var f func(n int) int
			f = func(n int) int { return f(n+1) + 1 }
			f(0)
		case "huge allocation":
			all := [][]byte{}
			for len(all) < 1000000 {
				all = append(all, make([]byte, 1<<20))
			}
		case "flood":
			for n := 0; n < 1000000000; n++ {
				m.TellAll("flood, flood, flood, flood, flood, flood, flood, flood")
			}
		case "panic":
			panic("boom")
		case "error":
			return errors.New("out of order")
		default:
			process(line)
		}
		m.TellAll("ready again")
		return nil
	},
}
