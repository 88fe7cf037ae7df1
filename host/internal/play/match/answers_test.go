package match

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"colosseum/host/internal/records/record"
	"colosseum/sdk/driver"
)

func TestPackedAnswersAreWhole(t *testing.T) {
	want := []record.Answer{
		{},
		{Seat: 1, Line: "ROCK", At: 17 * time.Millisecond},
		{Seat: 300, Line: "täglich", At: 12 * time.Millisecond, Left: 3*time.Second + 1},
		{Outcome: driver.Timeout, At: math.MaxInt64, Left: -1},
		{Line: strings.Repeat("x", 1<<16), Outcome: record.Refused, Note: "why", Lines: 1 << 40},
		{Line: "e4", Note: "first", Spent: record.Spent{Wall: 5, CPU: 4, Counted: true}},
		{Line: "\x00\xff", Spent: record.Spent{Counted: true}},
		{Spent: record.Spent{Wall: time.Hour}},
	}
	var l answers
	for i := range want {
		if got := l.all(); !slices.Equal(got, want[:i]) {
			t.Fatalf("got %v after %d answers, want %v", got, i, want[:i])
		}
		l.add(want[i])
	}
	if got := l.all(); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
