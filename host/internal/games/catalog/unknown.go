package catalog

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"colosseum/host/internal/base/config"
)

// unknown returns the settings of a configuration that are for one plugin, by its name,
// and have no effect because no plugin has that name. Plugins are the names of all.
func unknown(cfg *config.Config, plugins []string) []Problem {
	have := "there are no plugins"
	if len(plugins) > 0 {
		have = "have " + strings.Join(slices.Sorted(slices.Values(plugins)), ", ")
	}
	var list []Problem
	for _, s := range cfg.Plugins.Named() {
		game, named := cfg.Games[s.Plugin]
		switch {
		case slices.Contains(plugins, s.Plugin):
		case named && slices.Contains(plugins, game.Plugin):
			list = append(list, Problem{s.Key, fmt.Errorf("%s is not a plugin, but the plugin %s under another name", s.Plugin, game.Plugin)})
		default:
			list = append(list, Problem{s.Key, errors.New("there is no plugin " + s.Plugin + " (" + have + ")")})
		}
	}
	return list
}

// warn logs the settings that have no effect.
func (c *Catalog) warn(problems []Problem) {
	for _, p := range problems {
		c.log.Warn("this setting has no effect", "setting", p.Game, "error", p.Err)
	}
}
