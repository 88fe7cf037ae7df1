package contest

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"colosseum/host/internal/base/strict"
	"colosseum/host/internal/contests/pairing"
	"colosseum/host/internal/contests/standings"
	"colosseum/protocol"
	"colosseum/sdk/driver"
)

// The formats that have no rounds of pairings.
const (
	Ladder pairing.Format = "ladder" // always on, without an end
	League pairing.Format = "league" // a ladder in each division, for a season
	Pass   pairing.Format = "pass"   // everybody tries for itself to beat a bot
	Cup    pairing.Format = "cup"    // no matches: the sum of other contests
)

// Bounds of a contest.
const (
	MaxEntries = 10_000
	MaxRounds  = 1000
	MaxMatches = 1000 // of one pairing
	MaxSpec    = 1 << 20

	maxName  = 32
	maxTitle = 80
	maxArgs  = 100
	maxEntry = 16 // bytes in the name of an entry, as of a player
)

// Spec describes a contest: a file in YAML.
type Spec struct {
	Name     string            `yaml:"name"`
	Title    string            `yaml:"title"`
	Game     string            `yaml:"game"`
	Args     map[string]string `yaml:"args"`
	Timeout  float64           `yaml:"timeout"` // seconds for an answer; 0: the game's
	Clock    string            `yaml:"clock"`   // BANK+INCREMENT; empty: none
	Retries  int               `yaml:"retries"` // see protocol.GameParams
	Hints    *bool             `yaml:"hints"`   // whether players can have hints; nil: true
	Format   pairing.Format    `yaml:"format"`
	Players  int               `yaml:"players"` // of one match; 0: 2, or 1 in a contest by score
	Rounds   int               `yaml:"rounds"`  // 0: chosen by the format; by score 10
	Matches  int               `yaml:"matches"` // of one pairing; 0: as many as it has players
	Replays  int               `yaml:"replays"` // of a tied pairing in a knockout; 0: 3
	Entries  Entries           `yaml:"entries"`
	Seeding  Seeding           `yaml:"seeding"`
	TieBreak []string          `yaml:"tie_breaks"` // see package standings; none: chosen by the format
	Start    time.Time         `yaml:"start"`      // zero: by command
	Parallel int               `yaml:"parallel"`   // matches at the same time; 0: as many as possible
	Grace    time.Duration     `yaml:"grace"`      // for a player to come to its match; 0: a minute, in a ladder 15 s
	Seed     uint64            `yaml:"seed"`       // 0: random
	Unrated  bool              `yaml:"unrated"`    // its matches do not count for the ratings of the game
	Programs Programs          `yaml:"programs"`

	Season     *Season           `yaml:"season"`     // of a league; nil: of another format
	Boss       map[string]string `yaml:"boss"`       // of a league: the level of the bot of a division
	Teams      *Teams            `yaml:"teams"`      // its entries are teams; nil: single players
	Pass       *PassMark         `yaml:"pass"`       // of format pass; nil: of another one
	Cup        []string          `yaml:"cup"`        // of format cup: the contests that count
	Places     []float64         `yaml:"places"`     // of format cup: points for the places from the first on; none: the points of the contests
	Dates      *Dates            `yaml:"dates"`      // when rounds open and close; nil: each begins when the one before is over
	Organizers []string          `yaml:"organizers"` // registered players that can run it on its page
}

// Programs are the limits of the programs on this machine.
type Programs struct {
	Isolation string        `yaml:"isolation"` // require, best-effort or off; empty: require
	MemoryMB  int           `yaml:"memory_mb"` // 0: 512
	CPU       time.Duration `yaml:"cpu"`       // for one match; 0: 10 minutes
	Start     time.Duration `yaml:"start"`     // more for the first answer; 0: 10 seconds
	Wall      bool          `yaml:"wall"`      // time counts as on a server, and not as CPU time
	Read      []string      `yaml:"read"`      // folders and files that all of them can read
	Libraries []string      `yaml:"libraries"` // folders with interpreters and libraries, in addition to the host's
}

// Seeding is the order in which a contest ranks its entries at the start.
type Seeding string

// The seedings.
const (
	SeedByEntry  Seeding = "entry"  // as they entered
	SeedByRating Seeding = "rating" // the strongest first, and then those without a rating, as they entered
	SeedRandomly Seeding = "random"
)

// Entries are those of a Spec: a list, or "open" for any registered player.
type Entries struct {
	Open bool
	List []Entry
}

// Entry is a participant as a Spec gives it. It has either a command, a player or a bot.
type Entry struct {
	Name    string   `yaml:"name,omitempty" json:"name"`
	Command []string `yaml:"command,omitempty" json:"command,omitempty"` // a program on this machine
	Player  string   `yaml:"player,omitempty" json:"player,omitempty"`   // a registered player
	Bot     string   `yaml:"bot,omitempty" json:"bot,omitempty"`         // the game's own, with this value of its parameter bot; "default": without it
	Team    *Team    `yaml:"team,omitempty" json:"team,omitempty"`       // of players; nil: it is none
	Class   string   `yaml:"class,omitempty" json:"-"`                   // all players of this class enter when the contest is created, each with an entry of its own
}

// DefaultBot is the bot of an Entry for a game without the parameter bot.
const DefaultBot = "default"

// BotPrefix begins the names of the entries of bots. No player has such a name.
const BotPrefix = "bot:"

// UnmarshalYAML reads a list of entries, or the word open.
func (e *Entries) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		if n.Value != "open" {
			return fmt.Errorf("line %d: entries: %q is neither a list nor open", n.Line, n.Value)
		}
		e.Open = true
		return nil
	}
	// Node.Decode would not refuse unknown keys.
	text, err := yaml.Marshal(n)
	if err != nil {
		return err
	}
	var list []struct {
		Entry `yaml:",inline"`
		Open  bool `yaml:"open"`
	}
	if err := strict.Decode(text, &list); err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("line %d: entries: %w", n.Line, err)
	}
	for _, one := range list {
		if one.Open {
			e.Open = true
			continue
		}
		e.List = append(e.List, one.Entry)
	}
	return nil
}

var errBotAlone = errors.New("entries: a bot of the game cannot enter a contest by score, because it would play without any player")

var contestName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]*$`)

// ValidName reports whether a contest can have a name.
func ValidName(name string) bool { return len(name) <= maxName && contestName.MatchString(name) }

// ReadSpec reads a contest from YAML, and completes it. An error says which key is
// wrong and what it can be.
func ReadSpec(text []byte) (*Spec, error) {
	if len(text) > MaxSpec {
		return nil, fmt.Errorf("the file is longer than %d bytes", MaxSpec)
	}
	var s Spec
	if err := strict.Decode(text, &s); errors.Is(err, io.EOF) {
		return nil, errors.New("it is empty")
	} else if err != nil {
		return nil, err
	}
	s.complete()
	return &s, s.check()
}

// complete sets what the file leaves out.
func (s *Spec) complete() {
	if s.Title == "" {
		s.Title = s.Name
	}
	if s.Format == Cup {
		return
	}
	s.completeSeason()
	if s.Format == pairing.Score {
		s.Players = max(s.Players, 1)
		if s.Rounds == 0 {
			s.Rounds = 10
		}
	}
	if s.Players == 0 {
		s.Players = 2
	}
	s.completePass()
	if s.Matches == 0 {
		s.Matches = s.Players
		if s.Rolling() {
			s.Matches = 1
		}
	}
	if s.Replays == 0 {
		s.Replays = 3
	}
	if s.Seeding == "" {
		s.Seeding = SeedByEntry
	}
	if s.Grace == 0 {
		s.Grace = time.Minute
		if s.Rolling() { // its players are connected when they are chosen
			s.Grace = 15 * time.Second
		}
	}
	for i := range s.Entries.List {
		e := &s.Entries.List[i]
		switch {
		case e.Name != "":
		case e.Player != "":
			e.Name = e.Player
		case e.Bot != "":
			e.Name = BotPrefix + e.Bot
		}
	}
	if s.Teams != nil && s.Teams.Points == "" {
		s.Teams.Points = byBoards
	}
}

// formats are all formats, in the order in which errors list them.
var formats = []pairing.Format{pairing.RoundRobin, pairing.Swiss, pairing.Knockout, pairing.DoubleElimination, pairing.Gauntlet, pairing.Score, Ladder, League, Cup, Pass}

func (s *Spec) check() error {
	switch {
	case !ValidName(s.Name):
		return fmt.Errorf("name: %q is not 1 to %d lower-case letters, digits and hyphens", s.Name, maxName)
	case len(s.Title) > maxTitle || strings.ContainsFunc(s.Title, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return fmt.Errorf("title: it must be one line of at most %d bytes", maxTitle)
	case !slices.Contains(formats, s.Format):
		return fmt.Errorf("format: %q is not one of %s", s.Format, join(formats))
	case s.Format == Cup:
		return s.checkCup()
	case s.Game == "":
		return errors.New("game: it is missing")
	case s.Format == pairing.Score && s.Players != 1:
		return errors.New("players: in a contest by score everybody plays alone; leave it out")
	case s.Format != pairing.Score && (s.Players < 2 || s.Players > 16):
		return fmt.Errorf("players: %d is not from 2 to 16", s.Players)
	case s.Players > 2 && s.Format != pairing.RoundRobin && s.Format != pairing.Swiss && !s.Rolling():
		return fmt.Errorf("players: a %s has 2 players to a match; use round-robin, swiss, ladder or league for %d", s.Format, s.Players)
	case s.Rounds < 0 || s.Rounds > MaxRounds:
		return fmt.Errorf("rounds: %d is not from 1 to %d", s.Rounds, MaxRounds)
	case s.Rounds > 0 && s.Format != pairing.Swiss && s.Format != pairing.Score && !(s.Format == pairing.RoundRobin && s.Players > 2):
		return fmt.Errorf("rounds: a %s has as many as its entries need; leave it out", s.Format)
	case s.Matches < 1 || s.Matches > MaxMatches:
		return fmt.Errorf("matches: %d is not from 1 to %d", s.Matches, MaxMatches)
	case s.Replays < 0 || s.Replays > MaxMatches:
		return fmt.Errorf("replays: %d is not from 1 to %d", s.Replays, MaxMatches)
	case s.Parallel < 0:
		return errors.New("parallel: it must not be negative")
	case s.Grace < 0 || s.Grace > 24*time.Hour:
		return errors.New("grace: it is not from 0 to 24h")
	case s.Timeout != 0 && !(s.Timeout >= driver.MinTimeout && s.Timeout <= driver.MaxTimeout): // nor is it NaN, which JSON cannot express
		return fmt.Errorf("timeout: %v is not from %v to %v seconds", s.Timeout, driver.MinTimeout, driver.MaxTimeout)
	case len(s.Args) > maxArgs:
		return fmt.Errorf("args: more than %d", maxArgs)
	case !slices.Contains([]Seeding{SeedByEntry, SeedByRating, SeedRandomly}, s.Seeding):
		return fmt.Errorf("seeding: %q is not one of %s, %s, %s", s.Seeding, SeedByEntry, SeedByRating, SeedRandomly)
	case !slices.Contains([]string{"", "require", "best-effort", "off"}, s.Programs.Isolation):
		return fmt.Errorf("programs.isolation: %q is not one of require, best-effort, off", s.Programs.Isolation)
	case s.Programs.MemoryMB < 0 || s.Programs.CPU < 0 || s.Programs.Start < 0:
		return errors.New("programs: memory_mb, cpu and start must not be negative")
	}
	if s.Format == pairing.Score && len(s.TieBreak) > 0 {
		return errors.New("tie_breaks: in a contest by score the best score decides between equal means; leave them out")
	}
	if err := protocol.CheckRetries(s.Retries); err != nil {
		return fmt.Errorf("retries: %w", err)
	}
	if err := standings.Check(s.TieBreak); err != nil {
		return fmt.Errorf("tie_breaks: %w", err)
	}
	if s.Clock != "" {
		clock, err := protocol.ParseClock(s.Clock)
		if err == nil {
			err = clock.Check()
		}
		if err != nil {
			return fmt.Errorf("clock: %w", err)
		}
	}
	for _, check := range []func() error{s.checkSeason, s.checkTeams, s.checkPass, s.checkCup, s.checkDates, s.checkOrganizers} {
		if err := check(); err != nil {
			return err
		}
	}
	return s.checkEntries()
}

func (s *Spec) checkEntries() error {
	if len(s.Entries.List) > MaxEntries {
		return fmt.Errorf("entries: more than %d", MaxEntries)
	}
	if len(s.Entries.List) == 0 && !s.Entries.Open {
		return errors.New(`entries: list them, or write "entries: open" for any registered player`)
	}
	seen := map[string]bool{}
	for i, e := range s.Entries.List {
		if err := e.Check(); err != nil {
			return fmt.Errorf("entries: number %d: %w", i+1, err)
		}
		if key := strings.ToLower(cmp.Or(e.Name, "class "+e.Class)); seen[key] {
			return fmt.Errorf("entries: %q is listed twice", cmp.Or(e.Name, e.Class))
		} else {
			seen[key] = true
		}
		if e.Bot != "" && s.Format == pairing.Score {
			return errBotAlone
		}
	}
	if local, remote := s.Local(), s.Entries.Open || slices.ContainsFunc(s.Entries.List, func(e Entry) bool { return e.Players() != nil || e.Class != "" }); local && remote {
		return errors.New("entries: programs on this machine (command) and registered players cannot meet in one contest")
	}
	if s.Local() && s.Rolling() {
		return fmt.Errorf("format: a %s is for registered players: programs on this machine play a round-robin or swiss", s.Format)
	}
	return nil
}

// MatchClock returns the clock of the matches; nil: none.
func (s *Spec) MatchClock() *protocol.Clock {
	if s.Clock == "" {
		return nil
	}
	clock, _ := protocol.ParseClock(s.Clock) // ReadSpec has checked it
	return &clock
}

// alwaysOn reports whether the contest begins by itself, and needs no entries for that.
func (s *Spec) alwaysOn() bool { return s.Format == Ladder || s.Format == Pass }

// Local reports whether the entries are programs on this machine.
func (s *Spec) Local() bool {
	return slices.ContainsFunc(s.Entries.List, func(e Entry) bool { return e.Command != nil })
}

// Check returns an error if the entry is not complete.
func (e *Entry) Check() error {
	kinds := 0
	for _, given := range []bool{e.Command != nil, e.Player != "", e.Bot != "", e.Team != nil, e.Class != ""} {
		if given {
			kinds++
		}
	}
	switch {
	case kinds != 1:
		return errors.New("it needs exactly one of command, player, bot, team and class")
	case e.Class != "":
		if e.Name != "" || !validClass(e.Class) {
			return fmt.Errorf("class: it stands alone, and is one line of at most %d bytes", maxClass)
		}
	case e.Command != nil && (len(e.Command) == 0 || e.Command[0] == ""):
		return errors.New("its command is empty: write [PROGRAM, ARGUMENT...]")
	case e.Command != nil && e.Name == "":
		return errors.New("it has a command, but no name")
	case e.Team != nil && e.Name == "":
		return errors.New("the team has no name")
	case e.Bot != "" && e.Name != BotPrefix+e.Bot, e.Player != "" && e.Name != e.Player:
		return fmt.Errorf("it cannot have the name %q: only programs and teams have names of your choice", e.Name)
	case e.Bot == "" && !entryName.MatchString(e.Name) || len(e.Name) > maxEntry+len(BotPrefix) || e.Bot == "" && len(e.Name) > maxEntry:
		return fmt.Errorf("its name %q is not 1 to %d letters, digits, dots, hyphens and underscores", e.Name, maxEntry)
	case e.Bot != "" && !entryName.MatchString(e.Bot):
		return fmt.Errorf("bot: %q is not the value of a parameter", e.Bot)
	case e.Team != nil:
		return e.Team.check()
	}
	return nil
}

var entryName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

func join(list []pairing.Format) string {
	var words []string
	for _, f := range list {
		words = append(words, string(f))
	}
	return strings.Join(words, ", ")
}
