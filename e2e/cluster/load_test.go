package main

import (
	"fmt"
	"maps"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"colosseum/e2e/internal/programs"
	"colosseum/protocol"
)

// load plays matches of roshambo between pairs of clients that can't resume, all the time,
// and collects the results that they receive.
type load struct {
	t     *testing.T
	front *programs.Host
	stop  atomic.Bool
	wait  sync.WaitGroup

	mu   sync.Mutex // guards the fields below
	told map[string]*protocol.MatchResult
	lost int // matches whose end a client did not receive
}

// silence is how long a client waits for a message of a match with 5 s for an answer.
const silence = time.Minute

// startLoad starts pairs of clients that connect to any host.
func startLoad(t *testing.T, front *programs.Host, pairs int) *load {
	l := &load{t: t, front: front, told: map[string]*protocol.MatchResult{}}
	for range pairs {
		l.wait.Go(func() { // ends with stop
			for !l.stop.Load() {
				if err := l.play(); err != nil {
					time.Sleep(50 * time.Millisecond) // as clients do before they connect again
				}
			}
		})
	}
	return l
}

// play plays a match. It returns an error if the match did not start.
func (l *load) play() error {
	request := programs.Roshambo(20, 0)
	request.Params.Timeout = new(5.0)
	var pair []*programs.Client
	id := ""
	for i := range 2 {
		c, err := programs.Dial(l.front.URL)
		if err != nil {
			return err
		}
		defer c.Close()
		_ = c.Conn.SetReadDeadline(time.Now().Add(silence))
		if i == 0 {
			if id, err = c.Create(request); err != nil {
				return err
			}
		}
		if err := c.Join(id, fmt.Sprintf("p%d", i)); err != nil {
			return err
		}
		pair = append(pair, c)
	}
	var playing sync.WaitGroup
	for side, c := range pair {
		playing.Go(func() { // ends with the match
			result, _, err := c.Roshambo(func(round int) string {
				time.Sleep(5 * time.Millisecond) // it thinks
				return hands[(round+side)%3]
			})
			l.mu.Lock()
			defer l.mu.Unlock()
			switch before := l.told[id]; {
			case err != nil && strings.Contains(err.Error(), "i/o timeout"):
				l.t.Errorf("match %s: got no word for %v, want the end of the match or of the connection", id, silence)
			case err != nil || result == nil:
				l.lost++
			case before != nil && seats(before) != seats(result):
				l.t.Errorf("match %s: the players got %s and %s, want the same result", id, seats(before), seats(result))
			default:
				l.told[id] = result
			}
		})
	}
	playing.Wait()
	return nil
}

// seats returns what a result says of its seats, in order, as text.
func seats(r *protocol.MatchResult) string {
	state := "finished"
	if r.Aborted {
		state = "aborted"
	}
	for _, p := range r.Players {
		state += fmt.Sprintf(", %s %v %s", p.Name, p.Score, p.Ended)
	}
	return state
}

// played returns how many matches have ended with a result that a player has received.
func (l *load) played() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.told)
}

// end waits until all matches are over, and checks that each result that a player has
// received is that of the record on each host.
func (l *load) end(w *world) {
	l.t.Helper()
	l.stop.Store(true)
	l.wait.Wait()
	aborted := 0
	for i, h := range w.hosts {
		records := h.Records(l.t)
		for id, result := range l.told {
			r := records[id]
			if result.Aborted {
				// A host that was fenced could not record a match that had just begun. Others
				// record a match as aborted without the outcomes of seats.
				if i == 0 {
					aborted++
				}
				if r != nil && r.State != "aborted" {
					l.t.Errorf("host %d, match %s: got the record %+v, want it aborted, as a player has received", i, id, r)
				}
				continue
			}
			if r == nil {
				l.t.Errorf("host %d, match %s: got no record, want %s, which a player has received", i, id, seats(result))
				continue
			}
			got := r.State
			for _, s := range r.Seats {
				got += fmt.Sprintf(", %s %v %s", s.Name, s.Score, s.Ended)
			}
			if got != seats(result) {
				l.t.Errorf("host %d, match %s: got the record %s, want %s, which a player has received", i, id, got, seats(result))
			}
		}
	}
	l.t.Logf("players have received the results of %d matches, of which %d were aborted, and lost %d connections", len(l.told), aborted, l.lost)
	if len(l.told) == 0 {
		l.t.Error("got no result, want some")
	}
}

// ids returns the IDs of all records of a host.
func ids(t *testing.T, h *programs.Host) map[string]bool {
	all := map[string]bool{}
	for id := range maps.Keys(h.Records(t)) {
		all[id] = true
	}
	return all
}
