package driver

import (
	"math"
	"regexp"
	"strconv"
	"strings"
)

// Regex returns an anchored regular expression for the values that Normalize
// accepts, in the syntax that Go, JavaScript, Python and Rust share; clients show it
// next to the description. For a whole number and for words it matches exactly
// those values. For a decimal number it matches the form and not the range, except
// that it accepts a minus sign only before zeros if Min is not negative. For a text it
// excludes control characters only.
func (p Param) Regex() string {
	switch p.Kind {
	case KindInt:
		return wholePattern(p.whole())
	case KindFloat:
		return p.decimal().String()
	case KindText:
		return `^[ \t\r\n]*[^\x00-\x1f\x7f-\x9f]*[ \t\r\n]*$`
	default:
		quoted := make([]string, len(p.Choices))
		for i, c := range p.Choices {
			quoted[i] = regexp.QuoteMeta(c)
		}
		return "^(" + strings.Join(quoted, "|") + ")$"
	}
}

// space is what surrounds a text without being part of it.
const space = " \t\r\n"

// The decimal numbers that a parameter accepts. Those of strconv also include
// hexadecimal ones, Inf and NaN.
const (
	digits   = `([0-9]+\.?[0-9]*|\.[0-9]+)`
	zeros    = `(0+\.?0*|\.0+)`
	exponent = `([eE][+-]?[0-9]+)?`
)

var (
	decimal      = regexp.MustCompile(`^[+-]?` + digits + exponent + `$`)
	decimalAbove = regexp.MustCompile(`^(\+?` + digits + `|-` + zeros + `)` + exponent + `$`) // if Min is not negative
)

func (p Param) decimal() *regexp.Regexp {
	if p.Min >= 0 {
		return decimalAbove
	}
	return decimal
}

// whole returns the least and the greatest whole number of the range; low is above
// high when there is none.
func (p Param) whole() (low, high int) {
	return clamp(math.Ceil(p.Min)), clamp(math.Floor(p.Max))
}

// clamp converts a whole number to the nearest one that an int can hold.
func clamp(f float64) int {
	switch {
	case f >= math.MaxInt:
		return math.MaxInt
	case f <= math.MinInt:
		return math.MinInt
	}
	return int(f)
}

// wholePattern matches the whole numbers from low to high, with sign and leading
// zeros, as strconv.Atoi accepts them.
func wholePattern(low, high int) string {
	var list []string
	if low <= 0 && high >= 0 {
		list = append(list, `[+-]?0+`)
	}
	if high >= 1 {
		list = append(list, `\+?0*`+between(max(low, 1), high))
	}
	if low <= -1 {
		list = append(list, `-0*`+between(min(high, -1), low))
	}
	return "^(" + strings.Join(list, "|") + ")$"
}

// between matches the numbers from low to high without their sign. Both are above
// 0 or both below; low is the one nearer to 0.
func between(low, high int) string {
	a, b := strings.TrimPrefix(strconv.Itoa(low), "-"), strings.TrimPrefix(strconv.Itoa(high), "-")
	least, most := len(a), len(b) // lengths of which all numbers match
	var list, end []string
	if strings.Trim(a[1:], "0") != "" || a[0] != '1' {
		least++
		list = sameLength(a, strings.Repeat("9", len(a)))
	}
	if strings.Trim(b, "9") != "" {
		most--
		end = sameLength("1"+strings.Repeat("0", len(b)-1), b)
	}
	switch {
	case least <= most:
		list = append(list, "[1-9]"+anyDigits(least-1, most-1))
	case len(a) == len(b):
		list, end = sameLength(a, b), nil
	}
	return "(" + strings.Join(append(list, end...), "|") + ")"
}

// sameLength matches the numbers from a to b, which have the same number of
// digits: those with the first digit of a, those in between, and those with the
// first digit of b.
func sameLength(a, b string) []string {
	if a == "" {
		return []string{""}
	}
	first, last, rest := a[0], b[0], len(a)-1
	if first == last {
		return prefixed(first, sameLength(a[1:], b[1:]))
	}
	var list, end []string
	if strings.Trim(a[1:], "0") != "" {
		list = prefixed(first, sameLength(a[1:], strings.Repeat("9", rest)))
		first++
	}
	if strings.Trim(b[1:], "9") != "" {
		end = prefixed(last, sameLength(strings.Repeat("0", rest), b[1:]))
		last--
	}
	if first <= last {
		list = append(list, digit(first, last)+anyDigits(rest, rest))
	}
	return append(list, end...)
}

func prefixed(first byte, rest []string) []string {
	for i, r := range rest {
		rest[i] = string(first) + r
	}
	return rest
}

func digit(first, last byte) string {
	if first == last {
		return string(first)
	}
	return "[" + string(first) + "-" + string(last) + "]"
}

// anyDigits matches from least to most digits.
func anyDigits(least, most int) string {
	switch {
	case most == 0:
		return ""
	case least == 1 && most == 1:
		return "[0-9]"
	case least == 0 && most == 1:
		return "[0-9]?"
	case least == most:
		return "[0-9]{" + strconv.Itoa(most) + "}"
	default:
		return "[0-9]{" + strconv.Itoa(least) + "," + strconv.Itoa(most) + "}"
	}
}
