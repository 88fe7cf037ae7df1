package protocol

import (
	"math"
	"strings"
	"testing"
)

func TestClockIsReadAsPeopleWriteIt(t *testing.T) {
	tests := []struct {
		text string
		want Clock
		fail bool
	}{
		{"60+1", Clock{60, 1}, false},
		{"90", Clock{90, 0}, false},
		{"0.5+0.25", Clock{0.5, 0.25}, false},
		{"60+1+1", Clock{}, true},
		{"60+", Clock{}, true},
		{"+1", Clock{}, true},
		{"1m", Clock{}, true},
		{"", Clock{}, true},
		{"nan+1", Clock{}, true},
		{"60+inf", Clock{}, true}, // JSON has no such number
	}
	for _, tt := range tests {
		got, err := ParseClock(tt.text)
		if got != tt.want || (err != nil) != tt.fail {
			t.Errorf("%q: got %v, error %v, want %v, failure %v", tt.text, got, err, tt.want, tt.fail)
		}
	}
	for _, c := range []Clock{{60, 1}, {0.1, 0}, {86400, 600}} {
		if got, err := ParseClock(c.String()); got != c || err != nil {
			t.Errorf("%v is read as %v, error %v, want the same", c, got, err)
		}
	}
}

func TestClockOutOfRangeIsRefusedWithTheRange(t *testing.T) {
	for _, c := range []Clock{{1, 0}, {86400, 600}, {60, 0.5}} {
		if err := c.Check(); err != nil {
			t.Errorf("%v: got %v, want no error", c, err)
		}
	}
	for _, c := range []Clock{{0.9, 0}, {86401, 0}, {60, -1}, {60, 601}, {math.NaN(), 0}, {60, math.NaN()}, {math.Inf(1), 0}} {
		if err := c.Check(); err == nil || !strings.Contains(err.Error(), "from 1 to 86400 seconds, the increment from 0 to 600") {
			t.Errorf("%v: got %v, want an error with the range", c, err)
		}
	}
}
