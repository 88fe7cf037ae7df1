package catalog

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"colosseum/host/internal/config"
	"colosseum/host/internal/engine"
	"colosseum/sdk"
)

// limit bounds every wait for something that must happen.
const limit = 30 * time.Second

// roshambo returns the bytes of a real game, built once.
var roshambo = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "catalog-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	program := filepath.Join(dir, "roshambo")
	if out, err := exec.Command("go", "build", "-o", program, "../../../plugins/roshambo").CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w\n%s", err, out)
	}
	return os.ReadFile(program)
})

// running opens a catalog with roshambo in a process, and closes it at the end
// of the test, when nothing may be left.
func running(t *testing.T, games map[string]config.Game) *Catalog {
	t.Helper()
	program, err := roshambo()
	if err != nil {
		t.Fatal(err)
	}
	cfg := configOf(folder(t, map[string]string{"roshambo/roshambo*": string(program), "roshambo/rules.md": "# roshambo\n"}))
	cfg.Games = games
	before := runtime.NumGoroutine()
	c, err := Open(context.Background(), cfg, t.TempDir(), unheard())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		var pid int
		if o, err := c.Find("roshambo"); err == nil {
			pid = pidOf(o)
		}
		c.Close()
		if pid != 0 && syscall.Kill(pid, 0) == nil {
			t.Errorf("the process %d is left", pid)
		}
		eventually(t, "all goroutines end", func() bool { return runtime.NumGoroutine() <= before })
	})
	return c
}

func pidOf(o *Offer) int { return o.Engine.(*engine.Game).Pid() }

// eventually waits for what can only be polled.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(limit); !ok(); <-tick.C {
		if time.Now().After(end) {
			stacks := make([]byte, 1<<20)
			t.Fatalf("%s: not after %v\n%s", what, limit, stacks[:runtime.Stack(stacks, true)])
		}
	}
}

// kill ends the game's process as a crash would.
func kill(t *testing.T, c *Catalog) (pid int) {
	t.Helper()
	o, err := c.Find("roshambo")
	if err != nil {
		t.Fatal(err)
	}
	pid = pidOf(o)
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	return pid
}

func TestGameWhoseProcessDiesIsUnavailableUntilItRunsAgain(t *testing.T) {
	c := running(t, map[string]config.Game{"janken": {Plugin: "roshambo"}})
	before := c.Generation()
	pid := kill(t, c)
	for _, name := range []string{"roshambo", "janken"} {
		var err error
		eventually(t, name+" is unavailable", func() bool { _, err = c.Find(name); return err != nil })
		if want := "the game " + name + " is unavailable: its process has ended and is being started again"; err.Error() != want {
			t.Errorf("the refusal is %q, want %q", err, want)
		}
	}
	if got := c.Generation(); got == before {
		t.Errorf("the generation is %d as before", got)
	}
	for _, o := range c.List() {
		if o.Unavailable == "" {
			t.Errorf("%s is listed as if it could be played", o.Name)
		}
	}
	if rules, ok := c.Describe("janken"); !ok || rules != "# roshambo\n" {
		t.Errorf("its description is %q meanwhile", rules)
	}
	for _, name := range []string{"roshambo", "janken"} {
		eventually(t, name+" is back", func() bool { _, err := c.Find(name); return err == nil })
	}
	o, err := c.Find("janken")
	if err != nil || pidOf(o) == pid || o.Unavailable != "" {
		t.Errorf("it is back as %+v, %v", o, err)
	}
	if s, err := o.Prepare(context.Background(), sdk.Request{}); err != nil || s.Players() != 2 {
		t.Errorf("it prepares %+v, %v", s, err)
	}
}

func TestGameThatDiesAgainAndAgainIsStartedLessAndLessOften(t *testing.T) {
	c := running(t, nil)
	wait := firstDelay
	for death := 1; death <= tooOften; death++ {
		kill(t, c)
		died := time.Now()
		var err error
		eventually(t, "it is unavailable", func() bool { _, err = c.Find("roshambo"); return err != nil })
		if often := strings.HasSuffix(err.Error(), fmt.Sprintf("its process ended %d times in a row", death)); often != (death == tooOften) {
			t.Errorf("after death %d it is said that %v", death, err)
		}
		if death == tooOften {
			break
		}
		eventually(t, "it is back", func() bool { _, err := c.Find("roshambo"); return err == nil })
		if d := time.Since(died); d < wait {
			t.Errorf("after death %d it was back after %v, want %v", death, d, wait)
		}
		wait *= 2
	}
	begin := time.Now()
	c.Close() // does not wait for the next attempt
	if d := time.Since(begin); d > wait {
		t.Errorf("Close took %v", d)
	}
}

// It does not matter that somebody looked at its folder a moment ago.
func TestDeathsOfAGameThatLivedLongAreNotInARow(t *testing.T) {
	c := running(t, nil)
	for death := 1; death <= tooOften; death++ {
		if death == tooOften {
			c.mu.Lock()
			c.plugins["roshambo"].current.born = time.Now().Add(-2 * healthy)
			c.mu.Unlock()
			p := c.plugins["roshambo"]
			if err := c.Rescan(); err != nil {
				t.Fatal(err)
			}
			eventually(t, "somebody looks at its folder", func() bool { return len(p.changed) == 0 })
		}
		kill(t, c)
		var err error
		eventually(t, "it is unavailable", func() bool { _, err = c.Find("roshambo"); return err != nil })
		if strings.Contains(err.Error(), "in a row") {
			t.Errorf("after death %d it is said that %v", death, err)
		}
		eventually(t, "it is back", func() bool { _, err := c.Find("roshambo"); return err == nil })
	}
}

func TestGameThatDoesNotAnswerGetsANewProcess(t *testing.T) {
	c := running(t, nil)
	o, err := c.Find("roshambo")
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pidOf(o), syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	eventually(t, "it is stopped", func() bool {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pidOf(o)))
		return err == nil && strings.Contains(string(stat), ") T ")
	})
	ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer cancel()
	if _, err := o.Prepare(ctx, sdk.Request{}); err == nil {
		t.Error("a process that is stopped prepared a match")
	}
	eventually(t, "there is a new process", func() bool {
		again, err := c.Find("roshambo")
		return err == nil && pidOf(again) != pidOf(o)
	})
	eventually(t, "the old one is gone", func() bool { return syscall.Kill(pidOf(o), 0) != nil })
}

func TestNamedGameMayNotTakeThePlaceOfAPlugin(t *testing.T) {
	c := running(t, map[string]config.Game{"roshambo": {Plugin: "roshambo", Title: "Usurper"}})
	if o, err := c.Find("roshambo"); err != nil || o.Title != "Rock, paper, scissors" {
		t.Errorf("it is %+v, %v", o, err)
	}
	if p := c.Problems(); len(p) != 1 || p[0].Game != "roshambo" || !strings.Contains(p[0].Err.Error(), "this is the name of a plugin") {
		t.Errorf("the problems are %v", p)
	}
	if err := c.Reconfigure(c.config); err == nil || !strings.Contains(err.Error(), "games.roshambo: this is the name of a plugin") {
		t.Errorf("the configuration was taken over: %v", err)
	}
}

func TestOpeningEndsWithItsContext(t *testing.T) {
	dir := folder(t, map[string]string{"hang/hang*": "#!/bin/sh\ntouch started\nexec sleep 100\n"})
	cfg := configOf(dir)
	cfg.Plugins.StartTimeout = time.Minute
	ctx, cancel := context.WithCancel(context.Background())
	go func() { // ends with the start of the game
		eventually(t, "the game starts", func() bool { _, err := os.Stat(filepath.Join(dir, "hang", "started")); return err == nil })
		cancel()
	}()
	begin := time.Now()
	c, err := Open(ctx, cfg, t.TempDir(), unheard())
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
	if d := time.Since(begin); d > limit {
		t.Errorf("it took %v", d)
	}
	if list := c.List(); len(list) != 0 {
		t.Errorf("offered are %v", list)
	}
}

func TestNewVersionServesNewMatchesAndTheOldOneEndsWithItsLast(t *testing.T) {
	c := running(t, nil)
	old, err := c.Find("roshambo")
	if err != nil {
		t.Fatal(err)
	}
	release, ok := old.Hold()
	if !ok {
		t.Fatal("the version that is offered can't be held")
	}
	if err := os.WriteFile(filepath.Join(old.Dir, "rules.md"), []byte("# new\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := c.Rescan(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "there is a new version", func() bool { rules, _ := c.Describe("roshambo"); return rules == "# new\n" })
	if o, err := c.Find("roshambo"); err != nil || pidOf(o) == pidOf(old) {
		t.Errorf("new matches go to %+v, %v", o, err)
	}
	if _, err := old.Prepare(context.Background(), sdk.Request{}); err != nil {
		t.Errorf("the old version has ended before its match: %v", err)
	}
	release()
	release()
	eventually(t, "the old version ends", func() bool { return syscall.Kill(pidOf(old), 0) != nil })
	// Whoever found it before must not begin a match on it now.
	if _, ok := old.Hold(); ok {
		t.Error("a version that has ended was held")
	}
}
