package driver_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"colosseum/sdk"
	"colosseum/sdk/driver"
)

var (
	rounds = sdk.Int("rounds", "number of rounds", 5, 1, 10)
	shift  = sdk.Int("shift", "number of squares", 0, -3, 3)
	pace   = sdk.Float("pace", "seconds between rounds", 0.5, 0, 30)
	level  = sdk.Choice("bot", "level of the bot", "strong", "random")
	start  = sdk.Text("start", "start position", "", 16)
)

func TestValuesAreNormalized(t *testing.T) {
	tests := []struct {
		param       driver.Param
		value, want string
	}{
		{rounds, "1", "1"}, {rounds, "10", "10"}, {rounds, "007", "7"}, {rounds, "+7", "7"},
		{shift, "-3", "-3"}, {shift, "-0", "0"},
		{pace, "0", "0"}, {pace, "30.0", "30"}, {pace, ".25", "0.25"}, {pace, "5.", "5"}, {pace, "+1", "1"}, {pace, "1e1", "10"}, {pace, "25E-2", "0.25"}, {pace, "-0", "0"},
		{level, "strong", "strong"}, {level, "random", "random"},
		{start, "", ""}, {start, " \t\r\n", ""}, {start, " W:W21, 22:B1\n", "W:W21, 22:B1"}, {start, "♔ à d4", "♔ à d4"}, {start, "0123456789abcdef ", "0123456789abcdef"},
	}
	for _, tt := range tests {
		t.Run(tt.param.Name+"="+tt.value, func(t *testing.T) {
			if got, err := tt.param.Normalize(tt.value); got != tt.want || err != nil {
				t.Errorf("got %q, error %v, want %q", got, err, tt.want)
			}
		})
	}
}

func TestValuesOutOfRangeAreRefused(t *testing.T) {
	tests := []struct {
		param  driver.Param
		values []string
		want   string // the range
	}{
		{rounds, []string{"0", "11", "-1", "1.0", "1e0", "", " 1", "x", "99999999999999999999"}, "a whole number from 1 to 10"},
		{shift, []string{"-4", "4", "--1"}, "a whole number from -3 to 3"},
		{pace, []string{"-0.1", "30.01", "NaN", "Inf", "", "1,5", "1e400", "0x1p-2", "0x_1p-2", "1_0", ".", "1e"}, "a number from 0 to 30"},
		{level, []string{"", "STRONG", "strong ", "stron"}, "one of strong, random"},
		{start, []string{"0123456789abcdefg", "♔♔♔♔♔♔", "a\tb", "a\nb", "a\x00", "\xff", "\u202ea", "\u0085"}, "a printable text of at most 16 bytes"},
	}
	for _, tt := range tests {
		for _, value := range tt.values {
			t.Run(tt.param.Name+"="+value, func(t *testing.T) {
				want := fmt.Sprintf("Invalid %s: %s=%q is not %s", tt.param.Description, tt.param.Name, value, tt.want)
				if got, err := tt.param.Normalize(value); err == nil || err.Error() != want {
					t.Errorf("got %q, error %v, want %q", got, err, want)
				}
			})
		}
	}
}

func TestLongValueDoesNotFillTheRefusal(t *testing.T) {
	_, err := rounds.Normalize(strings.Repeat("9", 1<<20))
	if err == nil || len(err.Error()) > 200 {
		t.Errorf("the refusal is %.300v, want less than 200 bytes", err)
	}
}

func FuzzNormalize(f *testing.F) {
	for _, seed := range []string{"1", "-0", "1e1", "0x1p-2", "007", "strong", "NaN", "1_0", "30.0", "\xff", " W:W1 ", "a\tb"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value string) {
		for _, p := range []driver.Param{rounds, shift, pace, level, start} {
			norm, err := p.Normalize(value)
			if err != nil {
				if !strings.HasPrefix(err.Error(), "Invalid "+p.Description+": ") {
					t.Errorf("the refusal is %q, want one that begins with Invalid", err)
				}
				continue
			}
			if again, err := p.Normalize(norm); again != norm || err != nil {
				t.Errorf("%s: %q becomes %q; got %q, %v from that, want no change", p.Name, value, norm, again, err)
			}
			if n, err := strconv.ParseFloat(norm, 64); (p.Kind == driver.KindInt || p.Kind == driver.KindFloat) && (err != nil || n < p.Min || n > p.Max) {
				t.Errorf("%s: from %q got %q, want %s", p.Name, value, norm, p.Range())
			}
		}
	})
}
