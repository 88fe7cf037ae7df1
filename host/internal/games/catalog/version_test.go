//go:build unix

package catalog

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"colosseum/host/internal/base/config"
	"colosseum/host/internal/games/engine"
	"colosseum/host/internal/games/source"
	"colosseum/internal/test/poll"
	"colosseum/sdk/driver"
)

func TestNewVersionServesNewMatchesAndTheOldOneEndsWithItsLast(t *testing.T) {
	t.Parallel()
	c := newRoshambo(t, nil)
	old := c.offer(t)
	release := mustHold(t, old, func() {})
	if o := c.newVersion(t, "new"); pidOf(o) == pidOf(old) {
		t.Errorf("the new version has process %d, want one other than that of the old version", pidOf(o))
	}
	if _, err := old.Prepare(context.Background(), driver.Request{}); err != nil {
		t.Errorf("the old version returns %v, want it alive until its match ends", err)
	}
	release()
	release()
	poll.Until(t, "the old version ends", func() bool { return isGone(pidOf(old)) })
	if _, ok := old.Hold(func() {}); ok {
		t.Error("Hold of an ended version returned true, want false")
	}
}

// mustHold holds the version of an offer.
func mustHold(t *testing.T, o *Offer, replaced func()) (release func()) {
	t.Helper()
	release, ok := o.Hold(replaced)
	if !ok {
		t.Fatal("Hold returned false, want true")
	}
	return release
}

// newVersion changes a file of the game and waits for the new version.
func (c *Catalog) newVersion(t *testing.T, text string) *Offer {
	t.Helper()
	old := c.offer(t)
	if err := os.WriteFile(filepath.Join(old.Dir, "data"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := c.Rescan(); err != nil {
		t.Fatal(err)
	}
	poll.Until(t, "there is a new version", func() bool { return c.version() != old.Version })
	return c.offer(t)
}

func TestVersionIsThatOfTheFilesWithWhichItsProcessBegan(t *testing.T) {
	t.Parallel()
	cfg := configOf(roshamboFolder(t, map[string]string{"roshambo/data": ""}))
	data := filepath.Join(cfg.Plugins.Folders[0], "roshambo", "data")
	c, err := Open(cfg, t.TempDir(), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	build, loads := c.build, 0
	c.build = func(s source.Source, ctx context.Context, cfg *config.Config, cache string) (source.Program, error) {
		if loads++; loads == 1 { // an editor has emptied the file, and writes it only now
			if err := os.WriteFile(data, []byte("text"), 0o644); err != nil {
				t.Error(err)
			}
		}
		return build(s, ctx, cfg, cache)
	}
	c.Load(t.Context())
	if got, want := c.version(), newLoaded(t, cfg).version(); got != want || loads != 2 {
		t.Errorf("got the version %s after %d loads, want %s after 2", got, loads, want)
	}
}

func TestOldProcessesAreBoundedAndLowered(t *testing.T) {
	t.Parallel()
	c := newRoshambo(t, nil)
	c.update(func(cfg *config.Config) { cfg.Plugins.OldProcesses = 2 })
	var versions []*Offer
	var matches []*engine.Inbox
	for n := 1; n <= 4; n++ {
		o := c.offer(t)
		mustHold(t, o, func() {})
		settings, err := o.Prepare(context.Background(), driver.Request{})
		if err != nil {
			t.Fatal(err)
		}
		inbox := engine.NewInbox(100, 1<<20)
		if _, err := o.Engine.Open(&driver.Setup{Settings: driver.Settings{Timeout: 30, Params: settings.Params}, Names: []string{"a", "b"}}, inbox); err != nil {
			t.Fatal(err)
		}
		versions, matches = append(versions, o), append(matches, inbox)
		c.newVersion(t, fmt.Sprint(n))
	}
	for n := range 2 {
		var err error
		for err == nil {
			_, err = matches[n].Next(t.Context())
		}
		if want := "the game has stopped: " + errOld.Error(); err.Error() != want {
			t.Errorf("match %d ended with %q, want %q", n, err, want)
		}
		poll.Until(t, "its process is gone", func() bool { return isGone(pidOf(versions[n])) })
	}
	for n := 2; n < 4; n++ {
		if _, err := matches[n].Take(); err != nil {
			t.Errorf("match %d ended with %v, want it to go on", n, err)
		}
		if nice, err := syscall.Getpriority(syscall.PRIO_PROCESS, pidOf(versions[n])); runtime.GOOS == "linux" && (err != nil || 20-nice != 10) {
			t.Errorf("the niceness of old version %d is %d, %v; want 10", n, 20-nice, err)
		}
	}
	c.offer(t)
	poll.Until(t, "there are three processes", func() bool { return c.Stats()["roshambo"].Processes == 3 })
}

func TestHoldersLearnOfANewVersion(t *testing.T) {
	t.Parallel()
	c := newRoshambo(t, nil)
	old := c.offer(t)
	replaced := make(chan struct{})
	release := mustHold(t, old, func() { close(replaced) })
	c.newVersion(t, "new")
	poll.Receive(t, "the holder learns of the new version", replaced)
	if _, ok := old.Hold(func() {}); ok {
		t.Error("Hold of a replaced version returned true, want false")
	}
	release()
	poll.Until(t, "the old version ends", func() bool { return isGone(pidOf(old)) })
}
