package programs

import (
	"fmt"
	"sync"
	"testing"

	"colosseum/protocol"
)

// Prepare begins a match of two players, who make their first move when gate
// is closed. It returns when the match runs.
func (h *Host) Prepare(rounds int, gate chan struct{}, played *sync.WaitGroup, errs chan<- error) error {
	var id string
	var sides [2]*Client
	for i, name := range []string{"winner", "loser"} {
		c, err := Dial(h.URL)
		if err != nil {
			return err
		}
		sides[i] = c
		if i == 0 {
			id, err = c.Create(protocol.GameNew{Game: "roshambo", Params: protocol.GameParams{Timeout: &ample}, Args: map[string]string{"rounds": fmt.Sprint(rounds), "pace": "0"}})
			if err != nil {
				return err
			}
		}
		if err := c.Join(id, name); err != nil {
			return err
		}
	}
	for i, name := range []string{"winner", "loser"} {
		c := sides[i]
		if _, err := c.Skip(protocol.NameMatchStarted, nil); err != nil {
			return err
		}
		played.Go(func() { // ends with the match
			defer c.Close()
			if err := c.Fight(name, i, rounds, gate); err != nil {
				errs <- fmt.Errorf("match %s, %s: %w", id, name, err)
			}
		})
	}
	return nil
}

// Duel plays a match of roshambo in which the player called winner always
// wins, and returns what is wrong with how it went.
func (h *Host) Duel(rounds int) error {
	var played sync.WaitGroup
	errs := make(chan error, 2)
	gate := make(chan struct{})
	close(gate)
	err := h.Prepare(rounds, gate, &played, errs)
	played.Wait()
	select {
	case err = <-errs:
	default:
	}
	return err
}

// Fight plays one side of a match that has begun, and checks its result. The
// first move waits for gate.
func (c *Client) Fight(name string, side, rounds int, gate <-chan struct{}) error {
	moves := []string{"PAPER", "ROCK", "SCISSORS"} // each wins over the next
	result, seen, err := c.Roshambo(func(round int) string {
		<-gate
		return moves[(round+side)%3]
	})
	if err != nil {
		return fmt.Errorf("after %d lines: %w", len(seen), err)
	}
	if len(seen) != 3+rounds {
		return fmt.Errorf("it saw %d lines", len(seen))
	}
	for _, p := range result.Players {
		want := protocol.PlayerResult{Name: "loser", Rank: 2, Ended: protocol.EndedFinished}
		if p.Name == "winner" {
			want = protocol.PlayerResult{Name: "winner", Rank: 1, Score: float64(rounds), Ended: protocol.EndedFinished}
		}
		if p != want {
			return fmt.Errorf("the result is %+v", p)
		}
	}
	return nil
}

// Besides plays duels, one after the other, while f runs: each must end with
// the right result, whatever f does to the host. One begins before f and ends
// after it.
func (h *Host) Besides(t testing.TB, f func()) {
	t.Helper()
	begun, over, played := make(chan error, 1), make(chan struct{}), make(chan error, 1)
	go func() { // ends after f
		begun <- h.Duel(1)
		for {
			if err := h.Duel(50); err != nil {
				played <- err
				return
			}
			select {
			case <-over:
				played <- nil
				return
			default:
			}
		}
	}()
	if err := <-begun; err != nil {
		t.Fatalf("a match before: %v", err)
	}
	f()
	close(over)
	if err := <-played; err != nil {
		t.Errorf("a match besides: %v", err)
	}
}
