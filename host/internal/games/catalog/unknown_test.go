//go:build unix

package catalog

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"colosseum/host/internal/base/config"
)

func TestSettingOfAPluginThatIsNotThereIsAProblem(t *testing.T) {
	t.Parallel()
	cfg := configOf(roshamboFolder(t, nil))
	cfg.Games = map[string]config.Game{"janken": {Plugin: "roshambo"}, "chess": {Plugin: "roshambo"}}
	cfg.Plugins.Delays = map[string]time.Duration{"roshambo": time.Second, "janken": time.Second}
	cfg.Plugins.Modes = map[string]string{"rosambo": "script"}
	cfg.Plugins.Exceptions = map[string]config.Exception{"kamisado": {Network: true}}
	log := &logBuffer{}
	c, err := Open(cfg, t.TempDir(), slog.New(slog.NewTextHandler(log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	c.Load(t.Context())
	if got := log.String(); strings.Count(got, "level=WARN") != 3 || !strings.Contains(got, "all games are ready") {
		t.Errorf("the log is %q, want three warnings, and that the games are ready", got)
	}
	var got []string
	for _, p := range c.Problems() {
		got = append(got, fmt.Sprintf("%s: %v", p.Game, p.Err))
	}
	want := []string{
		"plugins.delays.janken: janken is not a plugin, but the plugin roshambo under another name",
		"plugins.exceptions.kamisado: there is no plugin kamisado (have roshambo)",
		"plugins.modes.rosambo: there is no plugin rosambo (have roshambo)",
	}
	if !slices.Equal(got, want) {
		t.Errorf("the problems are %q, want %q", got, want)
	}

	log = &logBuffer{}
	c.log = slog.New(slog.NewTextHandler(log, nil))
	later := *cfg
	later.Plugins.Delays, later.Plugins.Exceptions = nil, nil
	if err := c.Reconfigure(&later); err != nil {
		t.Fatal(err)
	}
	if got, want := log.String(), `setting=plugins.modes.rosambo error="there is no plugin rosambo (have roshambo)"`; strings.Count(got, "level=WARN") != 1 || !strings.Contains(got, want) {
		t.Errorf("a new configuration logs %q, want one warning with %q", got, want)
	}
	if p := c.Problems(); len(p) != 1 {
		t.Errorf("the problems are %v, want one", p)
	}
}
