package config

import (
	"runtime"
	"slices"
	"time"
)

// Submissions configures which programs players can hand in, and what these can use. It is
// off without games.
type Submissions struct {
	Games     []string `yaml:"games"`
	Languages []string `yaml:"languages"`
	Folder    string   `yaml:"folder"`
	Runners   bool     `yaml:"runners"`

	ArchiveMB     int `yaml:"archive_mb"`
	UnpackedMB    int `yaml:"unpacked_mb"`
	Files         int `yaml:"files"`
	PerDay        int `yaml:"per_day"`
	PerDayAddress int `yaml:"per_day_address"`
	Waiting       int `yaml:"waiting"`
	PlayerMB      int `yaml:"player_mb"`
	AllGB         int `yaml:"all_gb"`

	BuildTime     time.Duration `yaml:"build_time"`
	BuildMemoryMB int           `yaml:"build_memory_mb"`
	BuildDiskMB   int           `yaml:"build_disk_mb"`

	Start       time.Duration `yaml:"start"`
	MemoryMB    int           `yaml:"memory_mb"`
	Cores       int           `yaml:"cores"`
	Concurrency int           `yaml:"concurrency"`
	Hourly      int           `yaml:"hourly"`
	Rest        int           `yaml:"rest"`
}

// EveryGame in Submissions.Games stands for all games.
const EveryGame = "*"

// On reports whether programs can be handed in.
func (s *Submissions) On() bool { return len(s.Games) > 0 }

// Takes reports whether programs can be handed in for a game.
func (s *Submissions) Takes(game string) bool {
	return slices.Contains(s.Games, EveryGame) || slices.Contains(s.Games, game)
}

// RunsPrograms reports whether this host builds and plays programs itself.
func (c *Config) RunsPrograms() bool {
	return c.Submissions.On() && (c.Runner || !c.Submissions.Runners)
}

// CoresHere returns how many cores the programs of this machine can use: those of the
// setting, or all but one, which the host keeps for itself.
func (s *Submissions) CoresHere() int {
	all := runtime.GOMAXPROCS(0)
	if s.Cores > 0 {
		return min(s.Cores, all)
	}
	return max(1, all-1)
}

// submissions checks the settings of programs that are handed in.
func (c *Config) submissions() error {
	s := &c.Submissions
	for _, n := range []struct {
		key                string
		value, least, most int
	}{
		{"archive_mb", s.ArchiveMB, 1, 256},
		{"unpacked_mb", s.UnpackedMB, 1, 1024},
		{"files", s.Files, 1, 100_000},
		{"per_day", s.PerDay, 0, 1_000_000},
		{"per_day_address", s.PerDayAddress, 0, 1_000_000},
		{"waiting", s.Waiting, 0, 1_000_000},
		{"player_mb", s.PlayerMB, 0, 1 << 20},
		{"all_gb", s.AllGB, 0, 1 << 20},
		{"build_memory_mb", s.BuildMemoryMB, 16, 1 << 20},
		{"build_disk_mb", s.BuildDiskMB, 1, 1 << 20},
		{"memory_mb", s.MemoryMB, 16, 1 << 20},
		{"cores", s.Cores, 0, 4096},
		{"concurrency", s.Concurrency, 1, 100},
		{"hourly", s.Hourly, 0, 1_000_000},
		{"rest", s.Rest, 1, 1_000_000},
	} {
		if n.value < n.least || n.value > n.most {
			return wrong("submissions."+n.key, "submissions.%s must be from %d to %d", n.key, n.least, n.most)
		}
	}
	for key, d := range map[string]time.Duration{"build_time": s.BuildTime, "start": s.Start} {
		if d < time.Second || d > time.Hour {
			return wrong("submissions."+key, "submissions.%s must be from 1s to 1h", key)
		}
	}
	if s.Runners && c.Cluster.Name == "" {
		return wrong("submissions.runners", "submissions.runners: only several hosts that work as one have runners (cluster.name)")
	}
	if s.On() && c.Plugins.Isolation != "require" {
		return wrong("submissions.games", "submissions: programs that are handed in need plugins.isolation: require, because they come from anybody")
	}
	return nil
}
