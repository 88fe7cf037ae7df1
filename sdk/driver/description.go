package driver

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Limits of every game.
const (
	MaxSeats    = 100   // players in one match, bots included
	MinTimeout  = 0.1   // seconds for one answer
	MaxTimeout  = 600.0 // seconds for one answer
	MaxDelay    = 3600  // seconds, see Description.Delay
	MinTick     = 0.02  // seconds, see Question.Tick
	MaxTick     = 60.0  // seconds
	MaxRefusals = 100   // refused lines of one seat in one turn
	DefaultLine = 4096  // bytes of a player's line, if the game does not say more
	MaxLine     = 65536 // bytes, see Description.MaxLine
)

// ThinkParam is the name of the parameter for the seconds that bots think about a move.
const ThinkParam = "think"

// BotParam is the name of the parameter for the level of the bots. Its choices begin with
// the strongest.
const BotParam = "bot"

// Description is how a game describes itself. The fields are those of sdk.Game.
type Description struct {
	Name, Title, Rules     string
	MinPlayers, MaxPlayers int
	Players                int // default number of seats; 0: MinPlayers
	MaxBots                int
	Timeout                float64 // seconds for one answer, by default
	Delay                  float64 // by how many seconds spectators see a running match later
	Ponder                 bool    // programs of the host can think while they are not asked
	MaxLine                int     // bytes of a player's line without its line feed; 0: DefaultLine
	Params                 []Param
}

var namePattern = regexp.MustCompile(`^[a-z][a-z0-9_-]{0,31}$`)

// Validate returns an error that says what to change in the description, or nil.
func (d Description) Validate() error {
	switch {
	case !namePattern.MatchString(d.Name):
		return fmt.Errorf("sdk: game name %q: use 1 to 32 lower-case letters, digits, - and _, a letter first", d.Name)
	case d.MinPlayers < 1 || d.MaxPlayers < d.MinPlayers || d.MaxPlayers > MaxSeats:
		return fmt.Errorf("sdk: game %s: players from %d to %d: want 1 <= MinPlayers <= MaxPlayers <= %d", d.Name, d.MinPlayers, d.MaxPlayers, MaxSeats)
	case d.Players != 0 && (d.Players < d.MinPlayers || d.Players > d.MaxPlayers):
		return fmt.Errorf("sdk: game %s: default of %d players is not from %d to %d", d.Name, d.Players, d.MinPlayers, d.MaxPlayers)
	case d.MaxBots < 0 || d.MaxBots > d.MaxPlayers:
		return fmt.Errorf("sdk: game %s: MaxBots %d is not from 0 to MaxPlayers", d.Name, d.MaxBots)
	case !(d.Timeout >= MinTimeout && d.Timeout <= MaxTimeout):
		return fmt.Errorf("sdk: game %s: Timeout of %v seconds is not from %v to %v", d.Name, d.Timeout, MinTimeout, MaxTimeout)
	case !(d.Delay >= 0 && d.Delay <= MaxDelay):
		return fmt.Errorf("sdk: game %s: Delay of %v seconds is not from 0 to %d", d.Name, d.Delay, MaxDelay)
	}
	if d.MaxLine != 0 && (d.MaxLine < DefaultLine || d.MaxLine > MaxLine) {
		return fmt.Errorf("sdk: game %s: MaxLine of %d bytes is not from %d to %d", d.Name, d.MaxLine, DefaultLine, MaxLine)
	}
	seen := map[string]bool{}
	for _, p := range d.Params {
		if seen[p.Name] {
			return fmt.Errorf("sdk: game %s has two parameters named %q", d.Name, p.Name)
		}
		seen[p.Name] = true
		if err := p.validate(); err != nil {
			return fmt.Errorf("sdk: game %s: %w", d.Name, err)
		}
	}
	return nil
}

// Prepare checks a request against the description and completes it with the defaults.
// Its error is for the creator of the match.
func (d Description) Prepare(r Request) (Settings, error) {
	s := Settings{Players: d.Players, Bots: r.Bots, Timeout: d.Timeout, Params: make(map[string]string, len(d.Params))}
	if s.Players == 0 {
		s.Players = d.MinPlayers
	}
	if r.Players != nil {
		s.Players = *r.Players
	}
	if r.Timeout != nil {
		s.Timeout = *r.Timeout
	}
	switch {
	case s.Players < d.MinPlayers || s.Players > d.MaxPlayers:
		return Settings{}, fmt.Errorf("Cannot create game with %d players: %s is played by %s", s.Players, d.Name, count(d.MinPlayers, d.MaxPlayers))
	case s.Bots > s.Players || s.Bots == s.Players && s.Bots > d.MaxBots:
		return Settings{}, errors.New("Cannot have all server bots")
	case s.Bots < 0 || s.Bots > d.MaxBots:
		return Settings{}, fmt.Errorf("Cannot create game with %d bots: %s takes from 0 to %d", s.Bots, d.Name, d.MaxBots)
	case !(s.Timeout >= MinTimeout && s.Timeout <= MaxTimeout):
		return Settings{}, fmt.Errorf("Timeout %s out of allowed range [0.1; 600]", formatFloat(s.Timeout))
	}
	for _, p := range d.Params {
		s.Params[p.Name] = p.Default
	}
	for _, name := range slices.Sorted(maps.Keys(r.Args)) { // sorted, so that a request always gets the same error
		p, ok := d.Param(name)
		if !ok {
			return Settings{}, fmt.Errorf("unknown parameter %q (%s)", Shorten(name), d.paramNames())
		}
		var err error
		if s.Params[name], err = p.Normalize(r.Args[name]); err != nil {
			return Settings{}, err
		}
	}
	return s, nil
}

// Param returns a parameter by its name.
func (d Description) Param(name string) (p Param, ok bool) {
	if i := slices.IndexFunc(d.Params, func(p Param) bool { return p.Name == name }); i >= 0 {
		return d.Params[i], true
	}
	return Param{}, false
}

func (d Description) paramNames() string {
	if len(d.Params) == 0 {
		return d.Name + " has none"
	}
	names := make([]string, len(d.Params))
	for i, p := range d.Params {
		names[i] = p.Name
	}
	return "have " + strings.Join(names, ", ")
}

func count(min, max int) string {
	switch {
	case min == max && min == 1:
		return "exactly 1 player"
	case min == max:
		return "exactly " + strconv.Itoa(min) + " players"
	default:
		return fmt.Sprintf("%d to %d players", min, max)
	}
}
