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
	"colosseum/sdk/driver"
	"colosseum/sdk/wire"
)

// limit is for what has to be given one: no test lives to see it. A slow machine
// is no fault, and go test's own timeout ends what hangs.
const limit = time.Hour

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
	c := opened(t, cfg)
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

// opened opens a catalog and waits until its games are loaded.
func opened(t *testing.T, cfg *config.Config) *Catalog {
	t.Helper()
	c, err := Open(cfg, t.TempDir(), unheard())
	if err != nil {
		t.Fatal(err)
	}
	c.Load(context.Background())
	return c
}

func pidOf(o *Offer) int { return o.Engine.(*engine.Game).Pid() }

// eventually waits for what can only be polled.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	t.Logf("waiting until %s", what)
	for !ok() {
		<-tick.C
	}
}

// hold keeps games from being loaded until release is called: what is shown in
// between can be looked at in peace.
func hold(c *Catalog) (release func()) {
	for range cap(c.starts.places) {
		c.starts.places <- struct{}{}
	}
	return func() {
		for range cap(c.starts.places) {
			<-c.starts.places
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
	release := hold(c)
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
	release()
	for _, name := range []string{"roshambo", "janken"} {
		eventually(t, name+" is back", func() bool { _, err := c.Find(name); return err == nil })
	}
	o, err := c.Find("janken")
	if err != nil || pidOf(o) == pid || o.Unavailable != "" {
		t.Errorf("it is back as %+v, %v", o, err)
	}
	if s, err := o.Prepare(context.Background(), driver.Request{}); err != nil || s.Players != 2 {
		t.Errorf("it prepares %+v, %v", s, err)
	}
}

func TestGameThatDiesAgainAndAgainIsStartedLessAndLessOften(t *testing.T) {
	c := running(t, nil)
	wait := firstDelay
	for death := 1; death <= tooOften; death++ {
		release := hold(c)
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
		release()
		eventually(t, "it is back", func() bool { _, err := c.Find("roshambo"); return err == nil })
		if d := time.Since(died); d < wait {
			t.Errorf("after death %d it was back after %v, want %v", death, d, wait)
		}
		wait *= 2
	}
	c.Close() // does not wait for the next attempt, which would not end: games are held
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
		release := hold(c)
		kill(t, c)
		var err error
		eventually(t, "it is unavailable", func() bool { _, err = c.Find("roshambo"); return err != nil })
		if strings.Contains(err.Error(), "in a row") {
			t.Errorf("after death %d it is said that %v", death, err)
		}
		release()
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
	if _, err := o.Prepare(ctx, driver.Request{}); err == nil {
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

func TestLoadingEndsWithItsContext(t *testing.T) {
	dir := folder(t, map[string]string{"hang/hang*": "#!/bin/sh\ntouch started\nexec sleep 100\n"})
	cfg := configOf(dir)
	cfg.Plugins.StartTimeout = time.Hour
	ctx, cancel := context.WithCancel(context.Background())
	go func() { // ends with the start of the game
		eventually(t, "the game starts", func() bool { _, err := os.Stat(filepath.Join(dir, "hang", "started")); return err == nil })
		cancel()
	}()
	c, err := Open(cfg, t.TempDir(), unheard())
	if err != nil {
		t.Fatal(err)
	}
	c.Load(ctx)
	select {
	case <-c.Ready():
		t.Error("a game that hangs is ready")
	default:
	}
	c.Close()
	if p := c.Problems(); len(p) != 0 {
		t.Errorf("the problems of a catalog that was closed are %v, want none", p)
	}
}

func TestNewVersionServesNewMatchesAndTheOldOneEndsWithItsLast(t *testing.T) {
	c := running(t, nil)
	old, err := c.Find("roshambo")
	if err != nil {
		t.Fatal(err)
	}
	release, ok := old.Hold(func() {})
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
	if _, err := old.Prepare(context.Background(), driver.Request{}); err != nil {
		t.Errorf("the old version has ended before its match: %v", err)
	}
	release()
	release()
	eventually(t, "the old version ends", func() bool { return syscall.Kill(pidOf(old), 0) != nil })
	// Whoever found it before must not begin a match on it now.
	if _, ok := old.Hold(func() {}); ok {
		t.Error("a version that has ended was held")
	}
}

// save changes the folder of a game, and returns the version that comes of it.
func save(t *testing.T, c *Catalog, text string) *Offer {
	t.Helper()
	o, err := c.Find("roshambo")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(o.Dir, "rules.md"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := c.Rescan(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "there is a new version", func() bool { rules, _ := c.Describe("roshambo"); return rules == text })
	if o, err = c.Find("roshambo"); err != nil {
		t.Fatal(err)
	}
	return o
}

// lostMatch is a match that waits to be told its end.
type lostMatch chan error

func (l lostMatch) Frame(*wire.GameFrame) {}
func (l lostMatch) Lost(err error)        { l <- err }

func TestOldProcessesAreBoundedAndLowered(t *testing.T) {
	c := running(t, nil)
	c.change(func(cfg *config.Config) { cfg.Plugins.OldProcesses = 2 })
	first, err := c.Find("roshambo")
	if err != nil {
		t.Fatal(err)
	}
	var versions []*Offer
	var matches []lostMatch
	for n, o := 1, first; n <= 4; n++ {
		if _, ok := o.Hold(func() {}); !ok {
			t.Fatal("the version that is offered can't be held")
		}
		settings, err := o.Prepare(context.Background(), driver.Request{})
		if err != nil {
			t.Fatal(err)
		}
		lost := make(lostMatch, 1)
		if _, err := o.Engine.Open(&wire.Start{Timeout: 30, Params: settings.Params, Seats: []*wire.Seat{{Name: "a"}, {Name: "b"}}}, lost); err != nil {
			t.Fatal(err)
		}
		versions, matches = append(versions, o), append(matches, lost)
		o = save(t, c, fmt.Sprintf("# version %d\n", n))
	}
	for n := range 2 {
		if err := <-matches[n]; err.Error() != "the game has stopped: it was replaced, and too many old versions of it were still playing" {
			t.Errorf("match %d was told %v", n, err)
		}
		eventually(t, "its process is gone", func() bool { return syscall.Kill(pidOf(versions[n]), 0) != nil })
	}
	for n := 2; n < 4; n++ {
		select {
		case err := <-matches[n]:
			t.Errorf("match %d was told %v", n, err)
		default:
		}
		if nice, err := syscall.Getpriority(syscall.PRIO_PROCESS, pidOf(versions[n])); runtime.GOOS == "linux" && (err != nil || 20-nice != 10) {
			t.Errorf("the niceness of old version %d is %d, %v; want 10", n, 20-nice, err)
		}
	}
	if _, err := c.Find("roshambo"); err != nil {
		t.Error(err)
	}
	eventually(t, "there are three processes", func() bool { return c.Counts()["roshambo"].Processes == 3 })
}

func TestHoldersAreToldOfANewVersion(t *testing.T) {
	c := running(t, nil)
	old, err := c.Find("roshambo")
	if err != nil {
		t.Fatal(err)
	}
	told := make(chan struct{})
	release, ok := old.Hold(func() { close(told) })
	if !ok {
		t.Fatal("the version that is offered can't be held")
	}
	save(t, c, "# new\n")
	<-told
	if _, ok := old.Hold(func() {}); ok {
		t.Error("a version that is not offered any more was held")
	}
	release()
	eventually(t, "the old version ends", func() bool { return syscall.Kill(pidOf(old), 0) != nil })
}
