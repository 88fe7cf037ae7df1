//go:build unix

package catalog

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"colosseum/host/internal/base/config"
	"colosseum/host/internal/games/source"
	"colosseum/internal/test/filetree"
)

// builder replaces the compiler. Each build takes the given time.
type builder struct {
	took   time.Duration
	result func(name string) (source.Program, error)

	mu     sync.Mutex // guards the fields below
	now    int
	most   int
	begins map[string][]time.Duration // since the start, by game
}

func (b *builder) build(start time.Time) func(source.Source, context.Context, *config.Config, string) (source.Program, error) {
	return func(s source.Source, ctx context.Context, _ *config.Config, _ string) (source.Program, error) {
		b.mu.Lock()
		b.now++
		b.most = max(b.most, b.now)
		b.begins[s.Name] = append(b.begins[s.Name], time.Since(start).Round(time.Second))
		b.mu.Unlock()
		defer func() {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.now--
		}()
		select {
		case <-time.After(b.took):
		case <-ctx.Done():
		}
		return b.result(s.Name)
	}
}

// load loads the games in a folder with the builder, and returns after the given time.
func (b *builder) load(t *testing.T, folder string, builds int, wait time.Duration) *Catalog {
	t.Helper()
	b.begins = map[string][]time.Duration{}
	cfg := configOf(folder)
	cfg.Plugins.Mode = source.ModeCompiled
	c, err := Open(cfg, t.TempDir(), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	c.builds, c.build = newGate(builds, 0), b.build(time.Now())
	go c.Load(t.Context()) // ends when the catalog closes
	<-time.After(wait)
	return c
}

func TestSlowBuildsWaitForEachOther(t *testing.T) {
	games := filetree.New(t, map[string]string{"a/main.go": "", "b/main.go": "", "c/main.go": "", "d/main.go": "", "e/main.go": ""})
	synctest.Test(t, func(t *testing.T) {
		b := &builder{took: time.Hour, result: func(string) (source.Program, error) { return source.Program{}, errors.New("it has an error") }}
		c := b.load(t, games, 2, 3*time.Hour+time.Minute)
		if b.most != 2 || !c.isReady() {
			t.Errorf("%d builds ran at once, ready: %v, want 2 at a time and all to end", b.most, c.isReady())
		}
		<-time.After(24 * time.Hour)
		for name, begins := range b.begins {
			if len(begins) != 1 {
				t.Errorf("%s was built at %v, want once: its author must change it", name, begins)
			}
		}
	})
}

func TestGameIsShownWithItsTitleWhileItIsPrepared(t *testing.T) {
	const code = "package main\n\nvar game = sdk.Game{Title: \"The game A\"}\n"
	games := filetree.New(t, map[string]string{"a/main.go": code})
	synctest.Test(t, func(t *testing.T) {
		b := &builder{took: time.Hour, result: func(string) (source.Program, error) { return source.Program{}, errors.New("it has an error") }}
		c := b.load(t, games, 1, time.Minute)
		list := c.List()
		if len(list) != 1 || list[0].Title != "The game A" || !list[0].Preparing || list[0].Unavailable != "it is being compiled" {
			t.Errorf("got %+v, want the game with its title, being compiled", list)
		}
		<-time.After(time.Hour)
		if list := c.List(); len(list) != 0 {
			t.Errorf("it failed: got %+v, want it not to be shown", list)
		}
	})
}

func TestBuildThatFailedThroughNoFaultOfTheGameIsTriedAgain(t *testing.T) {
	games := filetree.New(t, map[string]string{"a/main.go": ""})
	synctest.Test(t, func(t *testing.T) {
		b := &builder{took: time.Second, result: func(string) (source.Program, error) {
			return source.Program{Command: []string{filepath.Join(games, "nothing")}, Mode: source.ModeScript, Why: "the disk is full", Again: true}, nil
		}}
		b.load(t, games, 1, 4*time.Hour)
		var gaps []time.Duration
		for i, at := range b.begins["a"][1:] {
			gaps = append(gaps, (at - b.begins["a"][i] - b.took).Round(time.Second))
		}
		m := time.Minute
		if want := []time.Duration{m, 2 * m, 4 * m, 8 * m, 16 * m, 32 * m, 60 * m, 60 * m}; !slices.Equal(gaps, want) {
			t.Errorf("it was tried again after %v, want %v", gaps, want)
		}
	})
}

func TestProgramOfAnEarlierHostIsNotCompiledAgain(t *testing.T) {
	t.Parallel()
	games := filetree.New(t, map[string]string{"x/go.mod": "module x\n", "x/main.go": "package main\n\nfunc main() { println(\"no game\") }\n"})
	cfg, cache := configOf(games), filepath.Join(t.TempDir(), "cache")
	cfg.Plugins.Mode = source.ModeCompiled
	for _, compiled := range []bool{true, false} {
		log := &logBuffer{}
		c, err := Open(cfg, cache, slog.New(slog.NewTextHandler(log, nil)))
		if err != nil {
			t.Fatal(err)
		}
		c.Load(t.Context())
		c.Close()
		if described, _ := filepath.Glob(filepath.Join(cache, "*.json")); len(described) == 0 {
			t.Skip("the go command of this machine does not say its release: it is always asked")
		}
		if got := strings.Contains(log.String(), "compiling game"); got != compiled || !strings.Contains(log.String(), "no game") {
			t.Errorf("compiled: %v, want %v, and started; the log is\n%s", got, compiled, log)
		}
	}
}
