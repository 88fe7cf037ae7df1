package e2e

import (
	"fmt"
	"sync"
	"testing"

	"colosseum/protocol"
)

// TestManyMatchesAtOnceAllEndRight plays many matches at the same time, in
// which the player with the name of an even number always wins.
func TestManyMatchesAtOnceAllEndRight(t *testing.T) {
	matches, rounds := 200, 200
	h := startHost(t, t.TempDir())
	errs := make(chan error, 3*matches)
	var wait sync.WaitGroup
	for range matches {
		creator, err := dial(h.url)
		if err != nil {
			t.Fatal(err)
		}
		id, err := creator.create(protocol.GameNew{Game: "roshambo", Args: map[string]string{"rounds": fmt.Sprint(rounds), "pace": "0"}})
		if err != nil {
			t.Fatal(err)
		}
		for i, name := range []string{"winner", "loser"} {
			c := creator
			if i > 0 {
				if c, err = dial(h.url); err != nil {
					t.Fatal(err)
				}
			}
			if err := c.join(id, name); err != nil {
				t.Fatal(err)
			}
			wait.Go(func() {
				defer c.close()
				if _, err := c.skip(protocol.NameMatchStarted, nil); err != nil {
					errs <- err
					return
				}
				moves := []string{"PAPER", "ROCK", "SCISSORS"} // each wins over the next
				result, seen, err := c.roshambo(func(round int) string { return moves[(round+i)%3] })
				if err != nil {
					errs <- err
					return
				}
				if len(seen) != 3+rounds {
					errs <- fmt.Errorf("%s saw %d lines", name, len(seen))
				}
				for _, p := range result.Players {
					want := protocol.PlayerResult{Name: "loser", Rank: 2, Ended: "finished"}
					if p.Name == "winner" {
						want = protocol.PlayerResult{Name: "winner", Rank: 1, Score: float64(rounds), Ended: "finished"}
					}
					if p != want {
						errs <- fmt.Errorf("match %s: %+v", id, p)
					}
				}
			})
		}
	}
	wait.Wait()
	close(errs)
	for err := range errs {
		t.Error(err)
	}
}
