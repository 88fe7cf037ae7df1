package sdk

import (
	"errors"
	"fmt"
	"math"
	"sort"
	"strconv"
	"strings"
)

// Kind is the type of a parameter's value.
type Kind int

// The kinds of parameters.
const (
	KindInt    Kind = iota + 1 // a whole number
	KindFloat                  // a decimal number
	KindChoice                 // one of a list of words
)

// Param is one thing that the creator of a match may choose. Make it with
// [Int], [Float] or [Choice].
type Param struct {
	Name        string   // as in -a name=value
	Description string   // a noun phrase, e.g. "number of rounds"; refusals are built from it
	Kind        Kind     // type of the value
	Default     string   // in the form that Normalize returns
	Min, Max    float64  // both included; for KindInt and KindFloat
	Choices     []string // for KindChoice
}

// Int describes a whole number from min to max.
func Int(name, description string, def, min, max int) Param {
	return Param{Name: name, Description: description, Kind: KindInt, Default: strconv.Itoa(def), Min: float64(min), Max: float64(max)}
}

// Float describes a decimal number from min to max.
func Float(name, description string, def, min, max float64) Param {
	return Param{Name: name, Description: description, Kind: KindFloat, Default: formatFloat(def), Min: min, Max: max}
}

// Choice describes one of several words; the first is the default.
func Choice(name, description string, choices ...string) Param {
	p := Param{Name: name, Description: description, Kind: KindChoice, Choices: choices}
	if len(choices) > 0 {
		p.Default = choices[0]
	}
	return p
}

// Range says in words which values the parameter takes.
func (p Param) Range() string {
	switch p.Kind {
	case KindInt:
		return "a whole number from " + formatFloat(p.Min) + " to " + formatFloat(p.Max)
	case KindFloat:
		return "a number from " + formatFloat(p.Min) + " to " + formatFloat(p.Max)
	default:
		return "one of " + strings.Join(p.Choices, ", ")
	}
}

// Normalize returns value in its one canonical form, or an error that gives
// the range. The error begins with "Invalid" and the description, as clients
// expect.
func (p Param) Normalize(value string) (string, error) {
	refuse := func() error {
		return fmt.Errorf("Invalid %s: %s=%q is not %s", p.Description, p.Name, shorten(value), p.Range())
	}
	switch p.Kind {
	case KindInt:
		n, err := strconv.Atoi(value)
		if low, high := p.whole(); err != nil || n < low || n > high {
			return "", refuse()
		}
		return strconv.Itoa(n), nil
	case KindFloat:
		f, err := strconv.ParseFloat(value, 64)
		if err != nil || !p.decimal().MatchString(value) || f < p.Min || f > p.Max {
			return "", refuse()
		}
		if f == 0 {
			f = 0 // also what was -0
		}
		return formatFloat(f), nil
	default:
		for _, c := range p.Choices {
			if c == value {
				return c, nil
			}
		}
		return "", refuse()
	}
}

func (p Param) validate() error {
	if !namePattern.MatchString(p.Name) {
		return fmt.Errorf("parameter name %q: use 1 to 32 lower-case letters, digits, - and _, a letter first", p.Name)
	}
	if p.Description == "" {
		return fmt.Errorf("parameter %s has no description", p.Name)
	}
	switch p.Kind {
	case KindInt, KindFloat:
		if !(p.Min <= p.Max) || math.IsInf(p.Min, 0) || math.IsInf(p.Max, 0) {
			return fmt.Errorf("parameter %s: range from %v to %v is empty or endless", p.Name, p.Min, p.Max)
		}
	case KindChoice:
		if len(p.Choices) == 0 {
			return fmt.Errorf("parameter %s has no choices", p.Name)
		}
	default:
		return fmt.Errorf("parameter %s has no kind: make it with sdk.Int, sdk.Float or sdk.Choice", p.Name)
	}
	norm, err := p.Normalize(p.Default)
	if err != nil {
		return fmt.Errorf("parameter %s: its default is out of range: %w", p.Name, err)
	}
	if norm != p.Default {
		return fmt.Errorf("parameter %s: write its default %q as %q", p.Name, p.Default, norm)
	}
	return nil
}

// Request is what the creator of a match asked for. A nil pointer leaves the
// choice to the game.
type Request struct {
	Players *int
	Bots    int
	Timeout *float64 // seconds
	Args    map[string]string
}

// Prepare checks a request against the game and completes it with the game's
// defaults. Its error is for the creator of the match.
func (g *Game) Prepare(r Request) (*Settings, error) {
	s := &Settings{players: g.Players, bots: r.Bots, timeout: g.Timeout, values: make(map[string]string, len(g.Params))}
	if s.players == 0 {
		s.players = g.MinPlayers
	}
	if r.Players != nil {
		s.players = *r.Players
	}
	if r.Timeout != nil {
		s.timeout = *r.Timeout
	}
	switch {
	case s.players < g.MinPlayers || s.players > g.MaxPlayers:
		return nil, fmt.Errorf("Cannot create game with %d players: %s is played by %s", s.players, g.Name, count(g.MinPlayers, g.MaxPlayers))
	case s.bots >= s.players:
		return nil, errors.New("Cannot have all server bots")
	case s.bots < 0 || s.bots > g.MaxBots:
		return nil, fmt.Errorf("Cannot create game with %d bots: %s takes from 0 to %d", s.bots, g.Name, g.MaxBots)
	case !(s.timeout >= MinTimeout && s.timeout <= MaxTimeout):
		return nil, fmt.Errorf("Timeout %s out of allowed range [0.1; 600]", formatFloat(s.timeout))
	}
	for _, p := range g.Params {
		s.values[p.Name] = p.Default
	}
	names := make([]string, 0, len(r.Args))
	for name := range r.Args {
		names = append(names, name)
	}
	sort.Strings(names) // so that of several faults it is always the same that is told
	for _, name := range names {
		p, ok := g.param(name)
		if !ok {
			return nil, fmt.Errorf("unknown parameter %q (%s)", shorten(name), g.paramNames())
		}
		norm, err := p.Normalize(r.Args[name])
		if err != nil {
			return nil, err
		}
		s.values[name] = norm
	}
	if g.Check != nil {
		if err := g.Check(s); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func (g *Game) param(name string) (Param, bool) {
	for _, p := range g.Params {
		if p.Name == name {
			return p, true
		}
	}
	return Param{}, false
}

func (g *Game) paramNames() string {
	if len(g.Params) == 0 {
		return g.Name + " has none"
	}
	names := make([]string, len(g.Params))
	for i, p := range g.Params {
		names[i] = p.Name
	}
	return "have " + strings.Join(names, ", ")
}

// Settings are the checked choices for one match. Match and Bot embed them.
type Settings struct {
	players, bots int
	timeout       float64
	values        map[string]string // by parameter name, normalised, complete
}

// NewSettings returns settings with the given values, as a driver that got
// them from Prepare in another process holds them.
func NewSettings(players, bots int, timeout float64, values map[string]string) *Settings {
	return &Settings{players: players, bots: bots, timeout: timeout, values: values}
}

// Players is the number of seats, bots included.
func (s *Settings) Players() int { return s.players }

// Bots is the number of seats held by server bots.
func (s *Settings) Bots() int { return s.bots }

// Timeout is the time for one answer in seconds.
func (s *Settings) Timeout() float64 { return s.timeout }

// Values returns all parameters in canonical form, by name. The map is the
// settings' own: do not change it.
func (s *Settings) Values() map[string]string { return s.values }

// Int returns the value of a parameter made with [Int].
func (s *Settings) Int(name string) int {
	n, err := strconv.Atoi(s.value(name))
	if err != nil {
		panic("sdk: parameter " + name + " is not a whole number: declare it with sdk.Int")
	}
	return n
}

// Float returns the value of a parameter made with [Float] or [Int].
func (s *Settings) Float(name string) float64 {
	f, err := strconv.ParseFloat(s.value(name), 64)
	if err != nil {
		panic("sdk: parameter " + name + " is not a number: declare it with sdk.Float")
	}
	return f
}

// Choice returns the value of a parameter made with [Choice].
func (s *Settings) Choice(name string) string { return s.value(name) }

func (s *Settings) value(name string) string {
	v, ok := s.values[name]
	if !ok {
		panic("sdk: the game has no parameter " + strconv.Quote(name) + ": add it to Params")
	}
	return v
}

func formatFloat(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

func count(min, max int) string {
	switch {
	case min == max && min == 1:
		return "exactly 1 player"
	case min == max:
		return fmt.Sprintf("exactly %d players", min)
	default:
		return fmt.Sprintf("%d to %d players", min, max)
	}
}

// shorten keeps what a stranger sent from filling a message.
func shorten(s string) string {
	if len(s) > 64 {
		return s[:64] + "…"
	}
	return s
}
