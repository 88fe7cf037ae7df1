package driver

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Kind is the type of a parameter's value.
type Kind int

// The kinds of parameters.
const (
	KindInt    Kind = iota + 1 // a whole number
	KindFloat                  // a decimal number
	KindChoice                 // one of a list of words
	KindText                   // any text, such as a position
)

// MaxText is the greatest length that a parameter of KindText can have, in bytes.
const MaxText = 4096

// Param is one thing that the creator of a match can choose. Package sdk has functions that
// make one.
type Param struct {
	Name        string   // as in -a name=value
	Description string   // a noun phrase, e.g. "number of rounds"; refusals are built from it
	Kind        Kind     // type of the value
	Default     string   // in the form that Normalize returns
	Min, Max    float64  // both included; for KindInt and KindFloat. For KindText, Max is the greatest length in bytes
	Choices     []string // for KindChoice
}

// Usage returns a line for people: description, range and default.
func (p Param) Usage() string {
	def := p.Default
	if def == "" {
		def = "empty"
	}
	return p.Description + ": " + p.Range() + " (default " + def + ")"
}

// Range describes the values that the parameter accepts.
func (p Param) Range() string {
	switch p.Kind {
	case KindInt:
		return "a whole number from " + formatFloat(p.Min) + " to " + formatFloat(p.Max)
	case KindFloat:
		return "a number from " + formatFloat(p.Min) + " to " + formatFloat(p.Max)
	case KindText:
		return "a printable text of at most " + formatFloat(p.Max) + " bytes"
	default:
		return "one of " + strings.Join(p.Choices, ", ")
	}
}

// Normalize returns value in its canonical form, or an error that states the range.
// The error begins with "Invalid" and the description, as clients expect.
func (p Param) Normalize(value string) (string, error) {
	refuse := func() error {
		return fmt.Errorf("Invalid %s: %s=%q is not %s", p.Description, p.Name, Shorten(value), p.Range())
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
			f = 0 // instead of -0
		}
		return formatFloat(f), nil
	case KindText:
		text := strings.Trim(value, space)
		if len(text) > int(p.Max) || !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
			return "", refuse()
		}
		return text, nil
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
			return fmt.Errorf("parameter %s: range from %v to %v is empty or infinite", p.Name, p.Min, p.Max)
		}
	case KindChoice:
		if len(p.Choices) == 0 {
			return fmt.Errorf("parameter %s has no choices", p.Name)
		}
	case KindText:
		if !(p.Max >= 1 && p.Max <= MaxText) {
			return fmt.Errorf("parameter %s: %s bytes are not from 1 to %d", p.Name, formatFloat(p.Max), MaxText)
		}
	default:
		return fmt.Errorf("parameter %s has no kind: make it with sdk.Int, sdk.Float, sdk.Choice or sdk.Text", p.Name)
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

func formatFloat(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// Shorten cuts a client's text in a message to 64 bytes.
func Shorten(s string) string {
	if len(s) > 64 {
		return s[:64] + "…"
	}
	return s
}
