// Package load plays many matches at once, and measures their costs.
package load

import (
	"sync"
	"syscall"
	"testing"
	"time"

	"colosseum/e2e/internal/programs"
	"colosseum/internal/test/long"
	"colosseum/internal/test/race"
)

func TestMain(m *testing.M) { programs.Main(m, map[string]func(){"relay": relay}) }

// reserved is how many open files a host keeps for itself, or the test needs besides its
// connections, whichever is more.
const reserved = 600

// TestManyMatchesAtOnceAllEndRight starts all matches before the first move. If the system
// allows a process too few open files for the long test, it plays as many as it can.
func TestManyMatchesAtOnceAllEndRight(t *testing.T) {
	tests := []struct {
		name                  string
		matches, rounds, deep int // deep: matches if long.Run
	}{
		{"many rounds", 100, 100, 100},
		{"many matches", 300, 10, 10_000},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			matches, rounds := tt.matches, tt.rounds
			if long.Run() && !race.On {
				matches = tt.deep
			}
			if most := (programs.Files(t) - reserved) / 2; matches > most {
				t.Logf("%d matches instead of %d: this system allows a process %d open files; raise it with ulimit -n", most, matches, programs.Files(t))
				matches = most
			}
			// Players that wait for the first move do not answer pings.
			h, at := programs.Operated(t, "lobby: {matches: 10000}\nclients: {connections: 20000, ping: 10m}\n")
			before := h.Resident(t)
			begin := time.Now()
			var played sync.WaitGroup
			errs := make(chan error, 3*matches)
			gate := make(chan struct{}) // closed when the players can move
			numbers := make(chan int)
			var joined sync.WaitGroup
			for range 16 {
				joined.Go(func() { // ends with numbers
					for range numbers {
						if err := h.Prepare(rounds, gate, &played, errs); err != nil {
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
			if n := programs.Metric(t, at, `colosseum_matches{game="roshambo",state="running"}`); int(n) != matches {
				t.Errorf("got %v running matches, want %d", n, matches)
			}
			running := h.Resident(t)
			begin = time.Now()
			close(gate)
			played.Wait()
			took := time.Since(begin)
			most := h.Peak(t)
			close(errs)
			for err := range errs {
				t.Error(err)
			}
			t.Logf("%d matches: %v to start, %v for %d rounds each; %d KiB per match, %d at most", matches, ready, took, rounds, (running-before)/matches, (most-before)/matches)
			h.Stop(t, syscall.SIGTERM)
		})
	}
}
