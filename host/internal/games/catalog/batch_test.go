//go:build unix

package catalog

import (
	"strings"
	"testing"

	"colosseum/host/internal/games/source"
	"colosseum/internal/test/filetree"
	"colosseum/internal/test/poll"
)

// None of the games can be started, so each has the problem with which its start ends.
func TestGamesOfAModuleAreCompiledTogetherAndHaveTheirOwnProblems(t *testing.T) {
	t.Parallel()
	const code = "package main\n\nfunc main() { panic(\"no luck\") }\n"
	cfg := configOf(filetree.New(t, map[string]string{
		"go.mod": "module colosseum\n", "a/main.go": code, "b/main.go": code, "c/main.go": "package main\n\nfunc main() { nonsense }\n",
	}))
	cfg.Plugins.Mode = source.ModeCompiled
	var leave []func()
	c, log := newLoading(t, cfg, func(c *Catalog) { // all wait
		for range cap(c.builds.places) {
			free, err := c.builds.enter(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			leave = append(leave, free)
		}
	})
	poll.Until(t, "the three wait for each other", func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		for _, b := range c.batches {
			return len(b.games) == 3
		}
		return false
	})
	for _, free := range leave {
		free()
	}
	poll.Receive(t, "the games are loaded", c.Ready())
	for _, p := range c.Problems() {
		if want := map[string]string{"a": "no luck", "b": "no luck", "c": "undefined: nonsense"}[p.Game]; !strings.Contains(p.Err.Error(), want) {
			t.Errorf("%s has the problem %v, want one with %q", p.Game, p.Err, want)
		}
	}
	if n := len(c.Problems()); n != 3 {
		t.Errorf("%d games have a problem, want three", n)
	}
	if !strings.Contains(log.String(), `msg="compiling games" games=3`) {
		t.Errorf("the log does not say that three games are compiled together:\n%s", log)
	}
}
