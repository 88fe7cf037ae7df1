package sdk

import (
	"maps"
	"strconv"

	"colosseum/sdk/driver"
)

// Settings are the checked choices for one match. Match and Bot embed them.
type Settings struct{ checked driver.Settings }

// Players returns the number of seats, bots included.
func (s *Settings) Players() int { return s.checked.Players }

// Timeout returns the time for one answer in seconds.
func (s *Settings) Timeout() float64 { return s.checked.Timeout }

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

// Text returns the value of a parameter made with [Text], or of any other as text.
func (s *Settings) Text(name string) string { return s.value(name) }

func (s *Settings) value(name string) string {
	v, ok := s.checked.Params[name]
	if !ok {
		panic("sdk: the game has no parameter " + strconv.Quote(name) + ": add it to Params")
	}
	return v
}

// withLevel returns the settings as the bot with a level has them; empty: it has none of its
// own.
func (s *Settings) withLevel(level string) *Settings {
	if level == "" {
		return s
	}
	own := &Settings{s.checked}
	own.checked.Params = maps.Clone(s.checked.Params)
	own.checked.Params[BotParam] = level
	return own
}
