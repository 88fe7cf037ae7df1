// Package config reads the host's configuration: a YAML file in which every key
// is optional. configs/colosseum.yaml documents all keys and their defaults.
package config

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"gopkg.in/yaml.v3"

	"colosseum/host/internal/base/strict"
)

// Config is the whole configuration.
type Config struct {
	Listen                   string          `yaml:"listen"`
	Data                     string          `yaml:"data"`
	Store                    string          `yaml:"store"`
	VerificationPassword     string          `yaml:"verification_password"`
	VerificationPasswordFile string          `yaml:"verification_password_file"`
	TrustedProxies           []string        `yaml:"trusted_proxies"`
	Origins                  []string        `yaml:"origins"`
	Embed                    []string        `yaml:"embed"`
	Names                    []string        `yaml:"names"`
	Prefix                   string          `yaml:"prefix"`
	Drain                    time.Duration   `yaml:"drain"`
	Downloads                string          `yaml:"downloads"`
	TLS                      TLS             `yaml:"tls"`
	Plugins                  Plugins         `yaml:"plugins"`
	Lobby                    Lobby           `yaml:"lobby"`
	Clients                  Clients         `yaml:"clients"`
	Limits                   Limits          `yaml:"limits"`
	Records                  Records         `yaml:"records"`
	Exports                  Exports         `yaml:"exports"`
	Players                  Players         `yaml:"players"`
	Serving                  Serving         `yaml:"serving"`
	Contests                 Contests        `yaml:"contests"`
	Submissions              Submissions     `yaml:"submissions"`
	Operations               Operations      `yaml:"operations"`
	Cluster                  Cluster         `yaml:"cluster"`
	Tracing                  Tracing         `yaml:"tracing"`
	Webhooks                 []Webhook       `yaml:"webhooks"`
	Games                    map[string]Game `yaml:"games"`

	// Runner makes the host build and play the programs that players have handed in for the
	// other hosts of its cluster, and serve no clients. The command sets it.
	Runner bool `yaml:"-"`
}

// TLS selects how connections are encrypted: with a certificate from files, with
// one from an ACME authority, or, if all is empty, not at all.
type TLS struct {
	Certificate string `yaml:"certificate"`
	Key         string `yaml:"key"`
	ACME        ACME   `yaml:"acme"`
}

// ACME configures how a certificate is obtained.
type ACME struct {
	Domains   []string `yaml:"domains"`
	Email     string   `yaml:"email"`
	Directory string   `yaml:"directory"`
}

// Plugins configures where games come from and how their processes run.
type Plugins struct {
	Folders      []string          `yaml:"folders"`
	Mode         string            `yaml:"mode"`
	Modes        map[string]string `yaml:"modes"`
	Watch        bool              `yaml:"watch"`
	MemoryMB     int64             `yaml:"memory_mb"`
	BuildTimeout time.Duration     `yaml:"build_timeout"`
	StartTimeout time.Duration     `yaml:"start_timeout"`
	Stall        time.Duration     `yaml:"stall"`
	OldProcesses int               `yaml:"old_processes"`
	Keep         time.Duration     `yaml:"keep"`
	Think        time.Duration     `yaml:"think"`

	Delays map[string]time.Duration `yaml:"delays"`

	Isolation  string               `yaml:"isolation"`
	Libraries  []string             `yaml:"libraries"`
	Exceptions map[string]Exception `yaml:"exceptions"`
}

// Exception is what one game can use in addition to its own folder.
type Exception struct {
	Read        []string `yaml:"read"`
	Network     bool     `yaml:"network"`
	Processes   bool     `yaml:"processes"`
	TemporaryMB int64    `yaml:"temporary_mb"`
}

// Lobby holds the limits of the lobby.
type Lobby struct {
	Matches    int           `yaml:"matches"`
	BotMatches int           `yaml:"bot_matches"`
	Expiry     time.Duration `yaml:"expiry"`
}

// Clients holds the limits of connections.
type Clients struct {
	Connections      int           `yaml:"connections"`
	HandshakeTimeout time.Duration `yaml:"handshake_timeout"`
	Ping             time.Duration `yaml:"ping"`
	BacklogKB        int           `yaml:"backlog_kb"`
	LineBytes        int           `yaml:"line_bytes"`
	Resume           time.Duration `yaml:"resume"`
	StartGrace       time.Duration `yaml:"start_grace"`
	Lag              time.Duration `yaml:"lag"`
}

// Limits holds the limits of all clients of one address together, and of all
// clients of the host together. 0 means no limit.
type Limits struct {
	Exempt              []string `yaml:"exempt"`
	Connections         int      `yaml:"connections"`
	HandshakesPerSecond int      `yaml:"handshakes_per_second"`
	MatchesPerMinute    int      `yaml:"matches_per_minute"`
	WaitingMatches      int      `yaml:"waiting_matches"`
	KBPerSecond         int      `yaml:"kb_per_second"`
	ReadsPerSecond      int      `yaml:"reads_per_second"`
	HostReadsPerSecond  int      `yaml:"host_reads_per_second"`
	BacklogsMB          int      `yaml:"backlogs_mb"`
	StreamsMB           int      `yaml:"streams_mb"`

	GuessesPerMinute      int `yaml:"guesses_per_minute"`
	MatchGuessesPerMinute int `yaml:"match_guesses_per_minute"`
}

// Records configures which records of ended matches are removed.
type Records struct {
	Keep         Period `yaml:"keep"`
	MaxGB        int    `yaml:"max_gb"`
	KeepVerified bool   `yaml:"keep_verified"`

	Patience time.Duration `yaml:"patience"`
}

// Exports configures the exports that the host offers.
type Exports struct {
	Dir     string `yaml:"dir"`
	Monthly bool   `yaml:"monthly"`
	KeyFile string `yaml:"key_file"`
}

// Players configures who can register as a player.
type Players struct {
	Registration         string   `yaml:"registration"`
	RegistrationsPerHour int      `yaml:"registrations_per_hour"`
	Reserved             []string `yaml:"reserved"`
	OIDC                 OIDC     `yaml:"oidc"`
}

// Serving configures how players that serve are paired.
type Serving struct {
	Players int           `yaml:"players"`
	Rematch time.Duration `yaml:"rematch"`
	Accept  time.Duration `yaml:"accept"`
}

// Contests configures contests among players.
type Contests struct {
	Parallel int    `yaml:"parallel"`
	HalfLife Period `yaml:"half_life"`
}

// Operations configures where metrics and health are served.
type Operations struct {
	Listen string `yaml:"listen"`
}

// Cluster configures how this host works together with others. Without a name, it is
// alone.
type Cluster struct {
	Name            string `yaml:"name"`
	NATS            string `yaml:"nats"`
	CredentialsFile string `yaml:"credentials_file"`
	Advertise       string `yaml:"advertise"`
	SecretFile      string `yaml:"secret_file"`
	CAFile          string `yaml:"ca_file"`
	WithoutNATS     string `yaml:"without_nats"` // ReadyOne, ReadyAll or ReadyNone
}

// Tracing configures where traces of requests are sent.
type Tracing struct {
	Endpoint string `yaml:"endpoint"`
}

// Game offers a plugin under another name.
type Game struct {
	Plugin  string           `yaml:"plugin"`
	Title   string           `yaml:"title"`
	Rules   string           `yaml:"rules"`
	Picture string           `yaml:"picture"`
	Timeout float64          `yaml:"timeout"`
	Delay   float64          `yaml:"delay"`
	MaxBots *int             `yaml:"max_bots"`
	Params  map[string]Param `yaml:"params"`
}

// Param changes one parameter of a named game.
type Param struct {
	Fixed   *string  `yaml:"fixed"`
	Default *string  `yaml:"default"`
	Min     *float64 `yaml:"min"`
	Max     *float64 `yaml:"max"`
	Choices []string `yaml:"choices"`
}

// If operations.listen is OperationsAuto, the host uses OperationsDefault if that is
// free.
const (
	OperationsAuto    = "auto"
	OperationsDefault = "127.0.0.1:9088"
)

// Default returns the configuration of an empty file.
func Default() *Config {
	return &Config{
		Listen:         "127.0.0.1:8088",
		Data:           "data",
		TrustedProxies: []string{},
		Origins:        []string{},
		Embed:          []string{},
		Names:          []string{},
		Prefix:         "/",
		Drain:          10 * time.Second,
		TLS:            TLS{ACME: ACME{Domains: []string{}}},
		Plugins: Plugins{
			Folders: []string{"plugins"}, Mode: "auto", Modes: map[string]string{}, MemoryMB: 512, BuildTimeout: 2 * time.Minute,
			StartTimeout: 30 * time.Second, Stall: 30 * time.Second, OldProcesses: 3, Keep: 5 * time.Minute, Think: time.Second, Delays: map[string]time.Duration{},
			Isolation: "best-effort", Libraries: []string{}, Exceptions: map[string]Exception{},
		},
		Lobby: Lobby{Matches: 1000, BotMatches: 2, Expiry: 600 * time.Second},
		Clients: Clients{
			Connections: 20000, HandshakeTimeout: 10 * time.Second, Ping: 25 * time.Second, BacklogKB: 1024, LineBytes: 4096,
			Resume:     time.Minute,
			StartGrace: 2 * time.Second, Lag: 100 * time.Millisecond,
		},
		Limits: Limits{
			Exempt: []string{"127.0.0.0/8", "::1"}, Connections: 2000, HandshakesPerSecond: 50, MatchesPerMinute: 300, WaitingMatches: 200,
			KBPerSecond: 8192, ReadsPerSecond: 200, HostReadsPerSecond: 2000, BacklogsMB: 512, StreamsMB: 512, GuessesPerMinute: 20, MatchGuessesPerMinute: 100,
		},
		Records:  Records{KeepVerified: true, Patience: 5 * time.Second},
		Players:  Players{Registration: "open", RegistrationsPerHour: 20, Reserved: []string{"host", "server", "admin"}, OIDC: OIDC{Scopes: []string{"openid", "profile"}, Button: "School login"}},
		Serving:  Serving{Players: 1000, Rematch: 30 * time.Second, Accept: 15 * time.Second},
		Contests: Contests{Parallel: 500, HalfLife: Period(180 * day)},
		Submissions: Submissions{
			Games: []string{}, Languages: []string{}, Folder: "",
			ArchiveMB: 8, UnpackedMB: 32, Files: 2000, PerDay: 20, PerDayAddress: 60, Waiting: 3, PlayerMB: 64, AllGB: 10,
			BuildTime: 2 * time.Minute, BuildMemoryMB: 1024, BuildDiskMB: 512,
			Start: 10 * time.Second, MemoryMB: 512, Concurrency: 2, Hourly: 60, Rest: 10,
		},
		Operations: Operations{Listen: OperationsAuto},
		Cluster:    Cluster{WithoutNATS: ReadyOne},
		Webhooks:   []Webhook{},
		Games: map[string]Game{
			"damath": {Plugin: "dama", Title: "Damath", Rules: "damath.md", Picture: "picture-damath.png", Timeout: 20, Params: map[string]Param{"rules": {Fixed: new("damath")}, "start": {Fixed: new("")}}},
		},
	}
}

// Source is where a configuration comes from.
type Source struct {
	Path     string        // of a file; empty: the defaults
	Override func(*Config) // applies flags to the result; nil: there are none
}

// Load reads the configuration. An error names the file and, if possible, the line.
func (s Source) Load() (*Config, error) {
	c := Default()
	var file []byte
	if s.Path != "" {
		var err error
		if file, err = os.ReadFile(s.Path); err != nil {
			return nil, fmt.Errorf("read the configuration: %w", err)
		}
		if c, err = parse(file); err != nil {
			return nil, fmt.Errorf("configuration %s: %w", s.Path, err)
		}
	}
	if s.Override != nil {
		s.Override(c)
	}
	// After the flags, because the settings of several hosts need a store, which can be
	// in the environment only.
	switch err := place(c.cluster(), file); {
	case err != nil && s.Path != "":
		return nil, fmt.Errorf("configuration %s: %w", s.Path, err)
	case err != nil:
		return nil, err
	}
	return c, nil
}

func parse(b []byte) (*Config, error) {
	c := Default()
	if hasKey(b, "games") {
		c.Games = nil // the file replaces the default games instead of adding to them
	}
	if err := strict.Decode(b, c); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return c, place(c.validate(), b)
}

// Sets reports whether the file has a key in a section.
func (s Source) Sets(section, key string) bool {
	file, _ := os.ReadFile(s.Path) // Load reports errors
	return hasKey(file, section, key)
}

// hasKey reports whether a file has a key, which is in the sections before it.
func hasKey(b []byte, path ...string) bool {
	var n yaml.Node
	_ = yaml.Unmarshal(b, &n) // strict.Decode reports errors
	for _, key := range path {
		var section map[string]yaml.Node
		_ = n.Decode(&section)
		var ok bool
		if n, ok = section[key]; !ok {
			return false
		}
	}
	return true
}

func (c *Config) validate() error {
	for _, n := range []struct {
		key          string
		value, least int64
	}{
		{"plugins.build_timeout", int64(c.Plugins.BuildTimeout), 1},
		{"plugins.start_timeout", int64(c.Plugins.StartTimeout), 1},
		{"plugins.stall", int64(c.Plugins.Stall), 1},
		{"plugins.old_processes", int64(c.Plugins.OldProcesses), 1},
		{"plugins.keep", int64(c.Plugins.Keep), 0},
		{"plugins.think", int64(c.Plugins.Think), 1},
		{"lobby.matches", int64(c.Lobby.Matches), 1},
		{"lobby.bot_matches", int64(c.Lobby.BotMatches), 0},
		{"lobby.expiry", int64(c.Lobby.Expiry), 1},
		{"clients.connections", int64(c.Clients.Connections), 1},
		{"clients.handshake_timeout", int64(c.Clients.HandshakeTimeout), 1},
		{"clients.ping", int64(c.Clients.Ping), 1},
		{"clients.backlog_kb", int64(c.Clients.BacklogKB), 1},
		{"clients.line_bytes", int64(c.Clients.LineBytes), 1},
		{"clients.start_grace", int64(c.Clients.StartGrace), 0},
		{"clients.lag", int64(c.Clients.Lag), 0},
		{"serving.players", int64(c.Serving.Players), 0},
		{"serving.rematch", int64(c.Serving.Rematch), 0},
		{"serving.accept", int64(c.Serving.Accept), 1},
		{"plugins.memory_mb", c.Plugins.MemoryMB, 0},
		{"drain", int64(c.Drain), 0},
		{"clients.resume", int64(c.Clients.Resume), 0},
		{"limits.connections", int64(c.Limits.Connections), 0},
		{"limits.handshakes_per_second", int64(c.Limits.HandshakesPerSecond), 0},
		{"limits.matches_per_minute", int64(c.Limits.MatchesPerMinute), 0},
		{"limits.waiting_matches", int64(c.Limits.WaitingMatches), 0},
		{"limits.kb_per_second", int64(c.Limits.KBPerSecond), 0},
		{"limits.reads_per_second", int64(c.Limits.ReadsPerSecond), 0},
		{"limits.host_reads_per_second", int64(c.Limits.HostReadsPerSecond), 0},
		{"limits.backlogs_mb", int64(c.Limits.BacklogsMB), 0},
		{"limits.streams_mb", int64(c.Limits.StreamsMB), 0},
		{"limits.guesses_per_minute", int64(c.Limits.GuessesPerMinute), 0},
		{"limits.match_guesses_per_minute", int64(c.Limits.MatchGuessesPerMinute), 0},
		{"records.keep", int64(c.Records.Keep), 0},
		{"records.max_gb", int64(c.Records.MaxGB), 0},
		{"contests.parallel", int64(c.Contests.Parallel), 1},
		{"contests.half_life", int64(c.Contests.HalfLife), 0},
		{"players.registrations_per_hour", int64(c.Players.RegistrationsPerHour), 0},
	} {
		switch {
		case n.value < 0 && n.least == 0:
			return wrong(n.key, "%s must not be negative", n.key)
		case n.value < n.least:
			return wrong(n.key, "%s must be greater than 0", n.key)
		}
	}
	if h := time.Duration(c.Contests.HalfLife); h > 0 && h < time.Hour { // ratings refuse it
		return wrong("contests.half_life", "contests.half_life must be 0s or at least 1h")
	}
	if c.Records.Patience < 2*time.Second { // hosts give a sign of life every second
		return wrong("records.patience", "records.patience must be at least 2s")
	}
	if c.Records.MaxGB > 1_000_000 { // so that its bytes fit in an int64
		return wrong("records.max_gb", "records.max_gb must be at most 1000000")
	}
	if c.Exports.Monthly && c.Exports.Dir == "" {
		return wrong("exports.monthly", "exports.monthly needs exports.dir, the folder of the exports")
	}
	if err := errors.Join(c.security(), c.prefix(), c.isolation(), c.submissions(), c.webhooks(), c.oidc()); err != nil {
		return err
	}
	if r := c.Players.Registration; r != "open" && r != "invite" && r != "oidc" && r != "closed" {
		return wrong("players.registration", "players.registration: %q is not one of open, invite, oidc, closed", r)
	}
	for name, delay := range c.Plugins.Delays {
		if delay < 0 || delay > time.Hour {
			return wrong("plugins.delays."+name, "plugins.delays.%s: %v is not from 0s to 1h", name, delay)
		}
	}
	modes := map[string]string{"mode": c.Plugins.Mode}
	for name, mode := range c.Plugins.Modes {
		modes["modes."+name] = mode
	}
	for key, mode := range modes {
		if mode != "auto" && mode != "compiled" && mode != "script" {
			return wrong("plugins."+key, "plugins.%s: %q is not one of auto, compiled, script", key, mode)
		}
	}
	for name, g := range c.Games {
		if g.Plugin == "" {
			return wrong("games."+name, "games.%s: plugin is missing", name)
		}
		for param, p := range g.Params {
			key := "games." + name + ".params." + param
			others := p.Default != nil || p.Min != nil || p.Max != nil || p.Choices != nil
			if (p.Fixed != nil) == others {
				return wrong(key, "%s: give either fixed, or some of default, min, max and choices", key)
			}
			if p.Choices != nil && len(p.Choices) == 0 {
				return wrong(key, "%s: choices is empty", key)
			}
		}
	}
	return nil
}
