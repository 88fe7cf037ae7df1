package config

import (
	"maps"
	"slices"
)

// Setting is a setting for one plugin.
type Setting struct {
	Key    string // plugins.delays.dama
	Plugin string // dama
}

// Named returns the settings that name a plugin, sorted by their keys.
func (p Plugins) Named() []Setting {
	var list []Setting
	add := func(key string, plugins []string) {
		for _, name := range plugins {
			list = append(list, Setting{"plugins." + key + "." + name, name})
		}
	}
	add("delays", slices.Sorted(maps.Keys(p.Delays)))
	add("exceptions", slices.Sorted(maps.Keys(p.Exceptions)))
	add("modes", slices.Sorted(maps.Keys(p.Modes)))
	return list
}
