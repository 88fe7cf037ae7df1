package driver_test

import (
	"fmt"
	"math"
	"math/rand"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"colosseum/sdk"
	"colosseum/sdk/driver"
)

// kinds are parameters of all kinds, with ranges that are hard to match.
var kinds = []driver.Param{
	rounds, shift, pace, level, start,
	sdk.Int("many", "number", 1, 1, 9999),
	sdk.Int("some", "number", 30, 17, 2345),
	sdk.Int("below", "number", -100, -1234, -7),
	sdk.Int("around", "number", 0, -120, 99),
	sdk.Int("one", "number", 5, 5, 5),
	sdk.Int("none", "number", 0, 0, 0),
	sdk.Int("seed", "number", 0, math.MinInt, math.MaxInt),
	sdk.Float("around", "distance", 0, -1, 1),
	sdk.Float("above", "distance", 1, 0.5, 1e9),
	sdk.Choice("mark", "mark", "a.b", "c|d", "^", "é", "a"),
}

// agree checks that the regular expression and Normalize accept the same values;
// of a decimal number, the same forms.
func agree(t *testing.T, p driver.Param, re *regexp.Regexp, value string) {
	t.Helper()
	norm, err := p.Normalize(value)
	switch matches := re.MatchString(value); {
	case err == nil && !matches:
		t.Errorf("%s: %q is accepted as %s, want it to match %s", p.Range(), value, norm, re)
	case err != nil && matches && p.Kind != driver.KindFloat && p.Kind != driver.KindText:
		t.Errorf("%s: %q matches %s, got %v, want it accepted", p.Range(), value, re, err)
	case err != nil && matches && p.Kind == driver.KindFloat:
		// Only its range can be wrong.
		if f, _ := strconv.ParseFloat(value, 64); f >= p.Min && f <= p.Max {
			t.Errorf("%s: %q matches %s, got %v, want it accepted", p.Range(), value, re, err)
		}
	}
	if err == nil && !re.MatchString(norm) {
		t.Errorf("%s: from %q got %q, want it to match %s", p.Range(), value, norm, re)
	}
}

// written returns ways to write a number, some of them wrong.
func written(n int) []string {
	s := strconv.Itoa(n)
	sign, abs := "", s
	if n < 0 {
		sign, abs = "-", s[1:]
	}
	return []string{
		s, "+" + s, "-" + s, sign + "0" + abs, sign + "000" + abs, "+0" + abs, s + ".0", s + ".", s + "e0", s + "E+1", s + "e-1", s + "e",
		"." + abs, sign + "." + abs, sign + "0." + abs, s + " ", " " + s, s + "\n", s + s, "0x" + abs, s + "_0",
	}
}

func TestRegexAndNormalizeAgree(t *testing.T) {
	odd := []string{
		"", "+", "-", ".", "-.", "+.", "-0", "+0", "00", "-00.00", "-.0", "-0e5", "-0e", "-1e-400", "1e-400", "1e400", "-1e400", "e1", "NaN", "Inf", "-inf",
		"9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809", "1e-1", "1E1", "٣", "\xff", "a", "a.b", "axb", "c", "c|d", "^", "é", "strong", "strongrandom", "STRONG", " W:W1 ", "a\tb", "a\x7f",
	}
	for _, p := range kinds {
		re := regexp.MustCompile(p.Regex())
		for n := -2500; n <= 12500; n++ {
			agree(t, p, re, strconv.Itoa(n))
		}
		for _, n := range []int{0, 1, 3, 5, 7, 9, 10, 11, 16, 17, 99, 100, 120, 121, 1234, 1235, 2345, 2346, 9999, 10000} {
			for _, value := range append(written(n), written(-n)...) {
				agree(t, p, re, value)
			}
		}
		for _, value := range odd {
			agree(t, p, re, value)
		}
	}
}

func TestRegexOfARangeMatchesItsNumbersAndNoOther(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for range 300 {
		low := r.Intn(3000) - 1500
		high := low + r.Intn(1+r.Intn(3000))
		p := sdk.Int("n", "number", low, low, high)
		re := regexp.MustCompile(p.Regex())
		for n := low - 200; n <= high+200; n++ {
			if got, want := re.MatchString(strconv.Itoa(n)), n >= low && n <= high; got != want {
				t.Fatalf("%s: %d matches %s: %t, want %t", p.Range(), n, re, got, want)
			}
		}
	}
	for range 300 { // of any length
		a, b := int(r.Uint64()>>r.Intn(64)), int(r.Uint64()>>r.Intn(64))
		low, high := min(a, b), max(a, b)
		low, high = low/1024*1024, high/1024*1024 // a Param holds its range as float64
		if float64(low) < math.MinInt || int(float64(low)) != low || int(float64(high)) != high {
			continue
		}
		p := sdk.Int("n", "number", low, low, high)
		re := regexp.MustCompile(p.Regex())
		for _, n := range []int{low, low + 1, low - 1, high, high - 1, high + 1, low/2 + high/2, -low, -high, 0} {
			if got, want := re.MatchString(strconv.Itoa(n)), n >= low && n <= high; got != want {
				t.Fatalf("%s: %d matches %s: %t, want %t", p.Range(), n, re, got, want)
			}
			agree(t, p, re, strconv.Itoa(n))
		}
	}
}

func TestRegexIsShortEnoughToRead(t *testing.T) {
	tests := []struct {
		param driver.Param
		want  string
	}{
		{rounds, `^(\+?0*([1-9]|10))$`},
		{kinds[5], `^(\+?0*([1-9][0-9]{0,3}))$`},
		{kinds[6], `^(\+?0*(1[7-9]|[2-9][0-9]|[1-9][0-9]{2}|1[0-9]{3}|2[0-2][0-9]{2}|23[0-3][0-9]|234[0-5]))$`},
		{shift, `^([+-]?0+|\+?0*([1-3])|-0*([1-3]))$`},
		{pace, `^(\+?([0-9]+\.?[0-9]*|\.[0-9]+)|-(0+\.?0*|\.0+))([eE][+-]?[0-9]+)?$`},
		{level, `^(strong|random)$`},
		{start, `^[ \t\r\n]*[^\x00-\x1f\x7f-\x9f]*[ \t\r\n]*$`},
	}
	for _, tt := range tests {
		if got := tt.param.Regex(); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.param.Range(), got, tt.want)
		}
	}
	if n := len(kinds[11].Regex()); n > 1500 {
		t.Errorf("of all numbers: %d bytes, want at most 1500", n)
	}
}

func FuzzRegexAndNormalizeAgree(f *testing.F) {
	for _, seed := range []string{"1", "-0", "1e1", "0x1p-2", "007", "strong", "NaN", "1_0", "30.0", "\xff", "+5", "1e-1", "-.0e3", "1\n"} {
		f.Add(seed, 0, 9)
	}
	f.Fuzz(func(t *testing.T, value string, low, high int) {
		list := kinds
		if low <= high && low > -1<<53 && high < 1<<53 {
			list = append(list[:len(list):len(list)], sdk.Int("n", "number", low, low, high), sdk.Float("n", "number", float64(low), float64(low), float64(high)))
			for _, n := range []int{low, low - 1, high, high + 1} {
				agree(t, list[len(list)-2], regexp.MustCompile(list[len(list)-2].Regex()), fmt.Sprint(n))
			}
		}
		if len(value) > 1<<10 {
			value = strings.Clone(value[:1<<10])
		}
		for _, p := range list {
			agree(t, p, regexp.MustCompile(p.Regex()), value)
		}
	})
}
