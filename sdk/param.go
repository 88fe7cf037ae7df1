package sdk

import (
	"strconv"

	"colosseum/sdk/driver"
)

// Param is one thing that the creator of a match can choose. Make it with [Int],
// [Float], [Choice] or [Text].
type Param = driver.Param

// Int describes a whole number from min to max.
func Int(name, description string, def, min, max int) Param {
	return Param{Name: name, Description: description, Kind: driver.KindInt, Default: strconv.Itoa(def), Min: float64(min), Max: float64(max)}
}

// Float describes a decimal number from min to max.
func Float(name, description string, def, min, max float64) Param {
	return Param{Name: name, Description: description, Kind: driver.KindFloat, Default: formatFloat(def), Min: min, Max: max}
}

// Choice describes one of several words; the first is the default.
func Choice(name, description string, choices ...string) Param {
	p := Param{Name: name, Description: description, Kind: driver.KindChoice, Choices: choices}
	if len(choices) > 0 {
		p.Default = choices[0]
	}
	return p
}

// Text describes any text of up to most bytes, at most 4096, for example a
// position: printable characters as in [unicode.IsPrint], in UTF-8. White space around
// it does not count. The game's Check refuses a text that it can't read.
func Text(name, description, def string, most int) Param {
	return Param{Name: name, Description: description, Kind: driver.KindText, Default: def, Max: float64(most)}
}

func formatFloat(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
