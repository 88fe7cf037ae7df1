package protocol

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Limits of a Clock, in seconds.
const (
	MinBank      = 1
	MaxBank      = 86400
	MaxIncrement = 600

	maxTimeout = 600 // for one answer
)

// Check returns an error for a clock out of the range that a host accepts.
func (c Clock) Check() error {
	if !(c.Bank >= MinBank && c.Bank <= MaxBank && c.Increment >= 0 && c.Increment <= MaxIncrement) { // refuses NaN
		return fmt.Errorf("Clock %v out of allowed range: the bank is from %d to %d seconds, the increment from 0 to %d", c, MinBank, MaxBank, MaxIncrement)
	}
	return nil
}

// Timeout returns the timeout of a match with this clock if its creator gives none: the
// bank, so that the clock is the limit, but at least the game's own timeout, since
// increments can fill the bank again.
func (c Clock) Timeout(game float64) float64 { return max(game, min(c.Bank, maxTimeout)) }

// String returns a clock as people write it, like 60+1.
func (c Clock) String() string {
	return strconv.FormatFloat(c.Bank, 'f', -1, 64) + "+" + strconv.FormatFloat(c.Increment, 'f', -1, 64)
}

// ParseClock is the reverse of String. Without a plus the increment is 0. It does not
// check the range.
func ParseClock(text string) (c Clock, err error) {
	bank, increment, both := strings.Cut(text, "+")
	if c.Bank, err = strconv.ParseFloat(bank, 64); err == nil && both {
		c.Increment, err = strconv.ParseFloat(increment, 64)
	}
	if err != nil || math.IsNaN(c.Bank+c.Increment) || math.IsInf(c.Bank+c.Increment, 0) {
		return Clock{}, fmt.Errorf("the clock %q is not of the form BANK+INCREMENT, in seconds, like 60+1", text)
	}
	return c, nil
}
