package programs

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"colosseum/internal/test/poll"
	"colosseum/protocol"
)

// Prepare starts a match of roshambo in which p0 wins every round. The first moves
// wait until gate is closed. Prepare returns when the match is running; played waits
// for the players, which send their errors to errs.
func (h *Host) Prepare(rounds int, gate chan struct{}, played *sync.WaitGroup, errs chan<- error) error {
	pair, err := h.Pair(rounds)
	for i, p := range pair {
		played.Go(func() { // ends with the match
			defer p.Close()
			if err := p.playSide(i, gate); err != nil {
				errs <- fmt.Errorf("match %s, p%d: %w", p.ID, i, err)
			}
		})
	}
	return err
}

// Duel plays a match of roshambo in which p0 wins every round. It returns an error
// if the match does not end with that result.
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

// playSide plays one side of a running match, and checks the result. The first move
// waits for gate.
func (p *Player) playSide(side int, gate <-chan struct{}) error {
	moves := []string{"PAPER", "ROCK", "SCISSORS"} // each beats the next
	result, seen, err := p.Roshambo(func(round int) string {
		<-gate
		return moves[(round+side)%3]
	})
	if err != nil {
		return fmt.Errorf("after %d lines: %w", len(seen), err)
	}
	if len(seen) != 3+p.Rounds {
		return fmt.Errorf("got %d lines, want %d", len(seen), 3+p.Rounds)
	}
	for _, got := range result.Players {
		want := protocol.PlayerResult{Name: "p1", Rank: 2, Ended: protocol.EndedFinished}
		if got.Name == "p0" {
			want = protocol.PlayerResult{Name: "p0", Rank: 1, Score: float64(p.Rounds), Ended: protocol.EndedFinished}
		}
		got.Lag, got.Forgiven = 0, 0 // measured
		if got != want {
			return fmt.Errorf("got the result %+v, want %+v", got, want)
		}
	}
	return nil
}

// DuringDuels runs f while duels are played, one after the other. Each must end
// with the right result. The first ends before f, and the last one after it.
func (h *Host) DuringDuels(t testing.TB, f func()) {
	t.Helper()
	begun, done, played := make(chan error, 1), make(chan struct{}), make(chan error, 1)
	go func() { // ends with the first duel after f
		begun <- h.Duel(1)
		for {
			if err := h.Duel(50); err != nil {
				played <- err
				return
			}
			select {
			case <-done:
				played <- nil
				return
			case <-time.After(100 * time.Millisecond): // without a pause, the duels take most of the CPU time of a test
			}
		}
	}()
	if err := poll.Receive(t, "the end of the first duel", begun); err != nil {
		t.Fatalf("the first duel: got %v, want no error", err)
	}
	f()
	close(done)
	if err := poll.Receive(t, "the end of the last duel", played); err != nil {
		t.Errorf("a duel: got %v, want no error", err)
	}
}
