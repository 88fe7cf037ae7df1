package e2e

import (
	"fmt"
	"sync"
	"syscall"
	"testing"
	"time"

	"colosseum/protocol"
)

// TestManyMatchesAtOnceAllEndRight plays many matches at the same time: all have
// begun before the first move is made.
func TestManyMatchesAtOnceAllEndRight(t *testing.T) {
	tests := []struct {
		name                    string
		matches, rounds         int
		raceMatches, raceRounds int // with the race detector
	}{
		{"many rounds", 200, 200, 100, 100},
		{"many matches", 5000, 10, 300, 10},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			matches, rounds := tt.matches, tt.rounds
			if raceEnabled {
				matches, rounds = tt.raceMatches, tt.raceRounds
			}
			var files syscall.Rlimit
			if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files); err != nil {
				t.Fatal(err)
			}
			if need := 2*matches + 1000; files.Max < uint64(need) {
				t.Skipf("%d matches need %d open files, and this system allows a process %d: raise it with ulimit -n", matches, need, files.Max)
			}
			h, at := operated(t, "lobby: {matches: 6000}\n")
			before := h.resident(t)
			begin := time.Now()
			var played sync.WaitGroup
			errs := make(chan error, 3*matches)
			gate := make(chan struct{}) // closed: everybody moves
			numbers := make(chan int)
			var joined sync.WaitGroup
			for range 16 {
				joined.Go(func() { // ends with numbers
					for range numbers {
						if err := h.prepare(rounds, gate, &played, errs); err != nil {
							errs <- err
						}
					}
				})
			}
			for n := range matches {
				numbers <- n
			}
			close(numbers)
			joined.Wait()
			ready := time.Since(begin)
			if n := metric(t, at, `colosseum_matches{game="roshambo",state="running"}`); int(n) != matches {
				t.Errorf("%v matches run, want %d", n, matches)
			}
			running := h.resident(t)
			begin = time.Now()
			close(gate)
			played.Wait()
			took := time.Since(begin)
			close(errs)
			for err := range errs {
				t.Error(err)
			}
			t.Logf("%d matches: %v to begin, %v for %d rounds each; %d KiB for each match", matches, ready, took, rounds, (running-before)/matches)
			h.stop(t, syscall.SIGTERM)
		})
	}
}

// prepare begins a match of two players, who make their first move when gate
// is closed. It returns when the match runs.
func (h *host) prepare(rounds int, gate chan struct{}, played *sync.WaitGroup, errs chan<- error) error {
	timeout := 600.0
	var id string
	var sides [2]*client
	for i, name := range []string{"winner", "loser"} {
		c, err := dial(h.url)
		if err != nil {
			return err
		}
		sides[i] = c
		if i == 0 {
			id, err = c.create(protocol.GameNew{Game: "roshambo", Params: protocol.GameParams{Timeout: &timeout}, Args: map[string]string{"rounds": fmt.Sprint(rounds), "pace": "0"}})
			if err != nil {
				return err
			}
		}
		if err := c.join(id, name); err != nil {
			return err
		}
	}
	for i, name := range []string{"winner", "loser"} {
		c := sides[i]
		if _, err := c.skip(protocol.NameMatchStarted, nil); err != nil {
			return err
		}
		played.Go(func() { // ends with the match
			defer c.close()
			if err := c.fight(name, i, rounds, gate); err != nil {
				errs <- fmt.Errorf("match %s, %s: %w", id, name, err)
			}
		})
	}
	return nil
}

// duel plays a match of roshambo in which the player called winner always
// wins, and returns what is wrong with how it went.
func (h *host) duel(rounds int) error {
	var played sync.WaitGroup
	errs := make(chan error, 2)
	gate := make(chan struct{})
	close(gate)
	err := h.prepare(rounds, gate, &played, errs)
	played.Wait()
	select {
	case err = <-errs:
	default:
	}
	return err
}

// fight plays one side of a match that has begun, and checks its result. The
// first move waits for gate.
func (c *client) fight(name string, side, rounds int, gate <-chan struct{}) error {
	moves := []string{"PAPER", "ROCK", "SCISSORS"} // each wins over the next
	result, seen, err := c.roshambo(func(round int) string {
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
		want := protocol.PlayerResult{Name: "loser", Rank: 2, Ended: "finished"}
		if p.Name == "winner" {
			want = protocol.PlayerResult{Name: "winner", Rank: 1, Score: float64(rounds), Ended: "finished"}
		}
		if p != want {
			return fmt.Errorf("the result is %+v", p)
		}
	}
	return nil
}

// besides plays duels, one after the other, while f runs: each must end with
// the right result, whatever f does to the host. One begins before f and ends
// after it.
func (h *host) besides(t *testing.T, f func()) {
	t.Helper()
	begun, over, played := make(chan error, 1), make(chan struct{}), make(chan error, 1)
	go func() { // ends after f
		begun <- h.duel(1)
		for {
			begin := time.Now()
			if err := h.duel(50); err != nil {
				played <- err
				return
			}
			if took := time.Since(begin); took > patience/2 {
				played <- fmt.Errorf("a match took %v", took)
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
