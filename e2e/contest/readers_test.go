package contest

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"

	"colosseum/e2e/internal/programs"
	"colosseum/internal/test/long"
)

// TestContestEndsWhileItIsRead plays a Swiss while 20 readers get its pages and tables
// without a pause.
func TestContestEndsWhileItIsRead(t *testing.T) {
	long.Only(t, "it reads at full speed")
	t.Parallel()
	const students, readers = 8, 20
	c := newDiceClass(t, students)
	c.Create("name: show\ngame: dice\nargs: {rounds: 10}\ntimeout: 60\nformat: swiss\nrounds: 4\nentries: open\ngrace: 10m\n")
	daemons := c.RollAll(students, func(i int) string { return fmt.Sprintf("%d-%d", i, i+5) }, "--contest", "show")
	c.Run("contest", "start", "show")
	paths := []string{
		"contests", "contests/show", "contests/show/projector", "api/contests", "api/contests/show", "api/contests/show/matches", "api/contests/show/standings.csv",
		"api/contests/show/matches.csv", "api/contests/show/matches.ndjson", "api/players/s01", "players/s01", "ladder/dice", "api/ratings/dice", "",
	}
	var stop atomic.Bool
	var reading sync.WaitGroup
	var answers [600]atomic.Int64 // by status
	failed := make(chan error, readers)
	for i := range readers {
		reading.Go(func() { // ends after stop
			client := http.Client{Transport: &http.Transport{}}
			defer client.CloseIdleConnections()
			for n := i; !stop.Load(); n++ {
				r, err := client.Get(c.Host.Page(paths[n%len(paths)]))
				if err == nil {
					_, err = io.Copy(io.Discard, r.Body)
					err = errors.Join(err, r.Body.Close())
					answers[r.StatusCode].Add(1)
				}
				if err != nil {
					failed <- err
					return
				}
			}
		})
	}
	d := c.Ended("show")
	stop.Store(true)
	reading.Wait()
	close(failed)
	for err := range failed {
		t.Errorf("got %v, want an answer", err)
	}
	for status := range answers {
		n := answers[status].Load()
		if n > 0 && status != 200 && status != 404 && status != 429 && status != 503 { // no ratings yet, or refused
			t.Errorf("got the status %d %d times, want 200, 404, 429 or 503", status, n)
		}
		if n > 0 {
			t.Logf("status %d: %d times", status, n)
		}
	}
	if answers[200].Load() == 0 {
		t.Error("got no page, want some")
	}
	if want := 4 * 2 * students / 2; d.Done != want || d.All != want {
		t.Errorf("got %d of %d matches, want %d", d.Done, d.All, want)
	}
	c.CheckOnce("show")
	c.CheckStandings("show", 2)
	c.Run("contest", "verify", "show")
	programs.Drain(t, daemons)
}
