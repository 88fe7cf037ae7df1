package sdk

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"colosseum/sdk/driver"
)

// Prepare checks a request against the game and completes it with the game's
// defaults. Its error is for the creator of the match. It is for drivers: an
// author does not call it.
func (g *Game) Prepare(r driver.Request) (driver.Settings, error) {
	s := driver.Settings{Players: g.Players, Bots: r.Bots, Timeout: g.Timeout, Params: make(map[string]string, len(g.Params))}
	if err := g.prepare(&s, r); err != nil {
		return driver.Settings{}, err
	}
	return s, nil
}

func (g *Game) prepare(s *driver.Settings, r driver.Request) error {
	if s.Players == 0 {
		s.Players = g.MinPlayers
	}
	if r.Players != nil {
		s.Players = *r.Players
	}
	if r.Timeout != nil {
		s.Timeout = *r.Timeout
	}
	switch {
	case s.Players < g.MinPlayers || s.Players > g.MaxPlayers:
		return fmt.Errorf("Cannot create game with %d players: %s is played by %s", s.Players, g.Name, count(g.MinPlayers, g.MaxPlayers))
	case s.Bots >= s.Players:
		return errors.New("Cannot have all server bots")
	case s.Bots < 0 || s.Bots > g.MaxBots:
		return fmt.Errorf("Cannot create game with %d bots: %s takes from 0 to %d", s.Bots, g.Name, g.MaxBots)
	case !(s.Timeout >= MinTimeout && s.Timeout <= MaxTimeout):
		return fmt.Errorf("Timeout %s out of allowed range [0.1; 600]", formatFloat(s.Timeout))
	}
	for _, p := range g.Params {
		s.Params[p.Name] = p.Default
	}
	for _, name := range slices.Sorted(maps.Keys(r.Args)) { // sorted, so that a request always gets the same error
		p, ok := g.param(name)
		if !ok {
			return fmt.Errorf("unknown parameter %q (%s)", shorten(name), g.paramNames())
		}
		var err error
		if s.Params[name], err = p.Normalize(r.Args[name]); err != nil {
			return err
		}
	}
	if g.Check != nil {
		return g.Check(&Settings{*s})
	}
	return nil
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
type Settings struct{ checked driver.Settings }

// Players returns the number of seats, bots included.
func (s *Settings) Players() int { return s.checked.Players }

// Bots returns the number of seats held by server bots.
func (s *Settings) Bots() int { return s.checked.Bots }

// Timeout returns the time for one answer in seconds.
func (s *Settings) Timeout() float64 { return s.checked.Timeout }

// Values returns all parameters in canonical form, by name. The caller must not
// change the map.
func (s *Settings) Values() map[string]string { return s.checked.Params }

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

// Text returns the value of a parameter made with [Text].
func (s *Settings) Text(name string) string { return s.value(name) }

func (s *Settings) value(name string) string {
	v, ok := s.checked.Params[name]
	if !ok {
		panic("sdk: the game has no parameter " + strconv.Quote(name) + ": add it to Params")
	}
	return v
}

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
