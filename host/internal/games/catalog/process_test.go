//go:build unix

package catalog

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"colosseum/host/internal/games/engine"
	"colosseum/internal/test/poll"
	"colosseum/sdk/driver"
)

// newResting opens a catalog with the game roshambo, whose process rests as soon as it can.
func newResting(t *testing.T) *Catalog {
	cfg := configOf(roshamboFolder(t, nil))
	cfg.Plugins.Keep = time.Nanosecond
	return newLoaded(t, cfg)
}

func waitForRest(t *testing.T, o *Offer) {
	t.Helper()
	poll.Until(t, "the process rests", func() bool { return !o.Engine.(*process).Running() && isGone(pidOf(o)) })
}

func TestProcessWithoutMatchesRestsAndStartsForTheNext(t *testing.T) {
	t.Parallel()
	c := newResting(t)
	o := c.offer(t)
	waitForRest(t, o)
	if n := c.Stats()["roshambo"].Processes; n != 0 {
		t.Errorf("got %d processes, want 0 at rest", n)
	}
	before := pidOf(o)
	var all sync.WaitGroup
	for range 10 {
		all.Go(func() {
			if _, err := o.Prepare(t.Context(), driver.Request{}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	settings, err := o.Prepare(t.Context(), driver.Request{})
	if err != nil {
		t.Fatal(err)
	}
	inbox := engine.NewInbox(100, 1<<20)
	match, err := o.Engine.Open(&driver.Setup{Settings: settings, Names: []string{"ann", "bob"}}, inbox)
	if err != nil {
		t.Fatal(err)
	}
	pid := pidOf(o)
	if f, err := inbox.Next(t.Context()); err != nil || pid == before || isGone(pid) {
		t.Errorf("got %v, %v from process %d, want a frame from another one than %d", f, err, pid, before)
	}
	for range 5 { // with a match it does not rest
		if game := o.Engine.(*process).tired(0); game != nil {
			t.Fatal("the process of a running match rests")
		}
	}
	match.Stop()
	waitForRest(t, o)
	if again := c.offer(t); again.Unavailable != "" || again.Version != o.Version || c.Stats()["roshambo"].Died != 0 {
		t.Errorf("got %+v, want the same offer as before", again)
	}
}

func TestProcessAtRestDoesNotStartForAnotherContent(t *testing.T) {
	t.Parallel()
	c := newResting(t)
	old := c.offer(t)
	waitForRest(t, old)
	if err := os.WriteFile(filepath.Join(old.Dir, "data"), []byte("new"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := old.Prepare(t.Context(), driver.Request{}); !Failed(err) {
		t.Errorf("got %v, want a fault: the folder is not that of the version", err)
	}
	poll.Until(t, "the new version is offered", func() bool { o, err := c.Find("roshambo"); return err == nil && o.Version != old.Version })
	if _, err := c.offer(t).Prepare(t.Context(), driver.Request{}); err != nil {
		t.Error(err)
	}
}

func TestProcessThatDoesNotStartAgainIsReported(t *testing.T) {
	t.Parallel()
	c := newResting(t)
	o := c.offer(t)
	waitForRest(t, o)
	p := o.Engine.(*process)
	p.spec.Command = []string{filepath.Join(t.TempDir(), "missing")}
	if _, err := o.Prepare(t.Context(), driver.Request{}); fmt.Sprint(err) != engine.ErrGone.Error() {
		t.Errorf("got %v, want %v without a path of the host", err, engine.ErrGone)
	}
	<-p.Done()
	if p.Err() == nil {
		t.Error("got no reason, want why it did not start")
	}
	poll.Until(t, "the game is loaded again", func() bool { o, err := c.Find("roshambo"); return err == nil && o.Engine != p })
}

func TestProcessAtRestCanBeClosed(t *testing.T) {
	t.Parallel()
	c := newResting(t)
	o := c.offer(t)
	waitForRest(t, o)
	c.Close()
	if _, err := o.Prepare(context.Background(), driver.Request{}); err == nil {
		t.Error("a closed game was started again")
	}
	if !isGone(pidOf(o)) {
		t.Errorf("the process %d is left, want none", pidOf(o))
	}
}
