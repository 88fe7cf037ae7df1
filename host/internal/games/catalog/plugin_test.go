//go:build unix

package catalog

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"colosseum/host/internal/base/config"
	"colosseum/internal/test/filetree"
	"colosseum/internal/test/poll"
	"colosseum/sdk/driver"
)

// blockStarts keeps games from being started until release is called.
func (c *Catalog) blockStarts() (release func()) {
	for range cap(c.starts.places) {
		c.starts.places <- struct{}{}
	}
	return func() {
		for range cap(c.starts.places) {
			<-c.starts.places
		}
	}
}

// kill kills the game's process.
func (c *Catalog) kill(t *testing.T) (pid int) {
	t.Helper()
	pid = pidOf(c.offer(t))
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	return pid
}

func TestGameWhoseProcessDiesIsUnavailableUntilItRunsAgain(t *testing.T) {
	t.Parallel()
	c := newRoshambo(t, map[string]config.Game{"janken": {Plugin: "roshambo"}})
	release := c.blockStarts()
	before := c.Generation()
	pid := c.kill(t)
	for _, name := range []string{"roshambo", "janken"} {
		poll.Until(t, name+" is unavailable", func() bool { return c.refusal(name) != "" })
		if got, want := c.refusal(name), "the game "+name+" is unavailable: its process has ended and is being started again"; got != want {
			t.Errorf("the refusal is %q, want %q", got, want)
		}
	}
	if got := c.Generation(); got == before {
		t.Errorf("the generation is %d as before, want another", got)
	}
	for _, o := range c.List() {
		if o.Unavailable == "" {
			t.Errorf("%s is listed as available, want a reason why not", o.Name)
		}
	}
	if rules, ok := c.Describe("janken"); !ok || rules != "# roshambo\n" {
		t.Errorf("its description is %q, want that of roshambo", rules)
	}
	release()
	for _, name := range []string{"roshambo", "janken"} {
		poll.Until(t, name+" is back", func() bool { return c.refusal(name) == "" })
	}
	o, err := c.Find("janken")
	if err != nil || pidOf(o) == pid || o.Unavailable != "" {
		t.Errorf("it is back as %+v, %v, want it in a process other than %d", o, err, pid)
	}
	if s, err := o.Prepare(context.Background(), driver.Request{}); err != nil || s.Players != 2 {
		t.Errorf("it prepares %+v, %v, want a match for 2", s, err)
	}
}

func TestGameThatDiesAgainAndAgainIsStartedLessAndLessOften(t *testing.T) {
	t.Parallel()
	c := newRoshambo(t, nil)
	wait := firstDelay
	for death := 1; death <= tooOften; death++ {
		release := c.blockStarts()
		c.kill(t)
		died := time.Now()
		poll.Until(t, "it is unavailable", func() bool { return c.refusal("roshambo") != "" })
		got := c.refusal("roshambo")
		if often := strings.HasSuffix(got, fmt.Sprintf("its process ended %d times in a row", death)); often != (death == tooOften) {
			t.Errorf("after death %d the refusal is %q, want the number from %d on", death, got, tooOften)
		}
		if death == tooOften {
			break
		}
		release()
		poll.Until(t, "it is back", func() bool { return c.refusal("roshambo") == "" })
		if d := time.Since(died); d < wait {
			t.Errorf("after death %d it was back after %v, want at least %v", death, d, wait)
		}
		wait *= 2
	}
	c.Close() // returns although the next start is blocked
}

// Reading its folder does not count as a start.
func TestDeathsOfAGameThatLivedLongAreNotInARow(t *testing.T) {
	t.Parallel()
	c := newRoshambo(t, nil)
	for death := 1; death <= tooOften; death++ {
		if death == tooOften {
			c.mu.Lock()
			c.plugins["roshambo"].current.born = time.Now().Add(-2 * healthy)
			c.mu.Unlock()
			p := c.plugins["roshambo"]
			if err := c.Rescan(); err != nil {
				t.Fatal(err)
			}
			poll.Until(t, "its folder is read", func() bool { return len(p.changed) == 0 })
		}
		release := c.blockStarts()
		c.kill(t)
		poll.Until(t, "it is unavailable", func() bool { return c.refusal("roshambo") != "" })
		if got := c.refusal("roshambo"); strings.Contains(got, "in a row") {
			t.Errorf("after death %d the refusal is %q, want it without a number", death, got)
		}
		release()
		poll.Until(t, "it is back", func() bool { return c.refusal("roshambo") == "" })
	}
}

func TestGameThatDoesNotAnswerGetsANewProcess(t *testing.T) {
	t.Parallel()
	c := newRoshambo(t, nil)
	o := c.offer(t)
	freeze(t, pidOf(o))
	ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer cancel()
	if _, err := o.Prepare(ctx, driver.Request{}); err == nil {
		t.Error("a stopped process prepared a match, want an error")
	}
	poll.Until(t, "there is a new process", func() bool {
		again, err := c.Find("roshambo")
		return err == nil && pidOf(again) != pidOf(o)
	})
	poll.Until(t, "the old one is gone", func() bool { return isGone(pidOf(o)) })
}

func TestNamedGameCannotHaveTheNameOfAPlugin(t *testing.T) {
	t.Parallel()
	c := newRoshambo(t, map[string]config.Game{"roshambo": {Plugin: "roshambo", Title: "Usurper"}})
	if got, want := c.offer(t).Title, "Rock, paper, scissors"; got != want {
		t.Errorf("the title is %q, want %q", got, want)
	}
	if got := c.problemOf("roshambo"); got != errTaken.Error() {
		t.Errorf("the problem is %q, want %q", got, errTaken)
	}
	if err, want := c.Reconfigure(c.config), "games.roshambo: "+errTaken.Error(); fmt.Sprint(err) != want {
		t.Errorf("Reconfigure returned %v, want %s", err, want)
	}
}

func TestLoadingEndsWithItsContext(t *testing.T) {
	t.Parallel()
	dir := filetree.New(t, map[string]string{"hang/hang*": "#!/bin/sh\ntouch started\nexec sleep 100\n"})
	ctx, cancel := context.WithCancel(context.Background())
	go func() { // ends with the start of the game
		poll.Until(t, "the game starts", func() bool { _, err := os.Stat(filepath.Join(dir, "hang", "started")); return err == nil })
		cancel()
	}()
	cfg := configOf(dir)
	cfg.Plugins.Isolation = "off" // the game creates a file
	c, err := Open(cfg, t.TempDir(), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	c.Load(ctx)
	if c.isReady() {
		t.Error("the catalog is ready, want it not to be")
	}
	c.Close()
	if p := c.Problems(); len(p) != 0 {
		t.Errorf("the problems of the closed catalog are %v, want none", p)
	}
}
