package sdk_test

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"colosseum/sdk"
)

// auction is a game with mistakes.
type auction struct{ bids []int }

//go:noinline
func (a *auction) best(seat int) int { return a.bids[seat] }

func lower[T any](f func() T) T { return f() }

func recursive(n int) int {
	if n == 0 {
		panic("the end")
	}
	return recursive(n-1) + 1
}

func TestPanicOfACompiledGameHasItsLine(t *testing.T) {
	tests := []struct {
		name string
		play func(m *sdk.Match) error
		want string // # stands for a line
	}{
		{"method", func(m *sdk.Match) error { return fmt.Errorf("%d", (&auction{bids: []int{1, 2}}).best(3)) },
			"failure_test.go:#: index out of range [3] with length 2 in best, called by a function literal (failure_test.go:#)"},
		{"nil pointer", func(m *sdk.Match) error { var a *auction; return fmt.Errorf("%d", a.best(0)) },
			"failure_test.go:#: nil pointer dereference in best, called by a function literal (failure_test.go:#)"},
		{"function with type parameters", func(m *sdk.Match) error {
			return fmt.Errorf("%d", lower(func() int { return recursive(0) }))
		},
			"failure_test.go:#: the end in recursive, called by a function literal (failure_test.go:#), lower (failure_test.go:#), a function literal (failure_test.go:#)"},
		{"many callers", func(m *sdk.Match) error { return fmt.Errorf("%d", recursive(9)) },
			"failure_test.go:#: the end in recursive" + ", called by recursive (failure_test.go:#)" + strings.Repeat(", recursive (failure_test.go:#)", 3) + ", …"},
		{"in a library", func(m *sdk.Match) error {
			slices.SortFunc([]int{1, 2}, func(int, int) int { panic("incomparable") })
			return nil
		},
			"failure_test.go:#: incomparable in a function literal, called by a function literal (failure_test.go:#)"},
		{"of a library", func(m *sdk.Match) error { return errors.New(strings.Repeat("x", -m.Players())) },
			"failure_test.go:#: strings: negative Repeat count in a function literal"},
		{"of the SDK", func(m *sdk.Match) error { m.Tell(7, "x"); return nil },
			"failure_test.go:#: sdk: there is no such seat in a function literal"},
		{"in a deferred function", func(m *sdk.Match) error {
			defer func() { _ = (&auction{}).best(1) }()
			panic("before")
		},
			"failure_test.go:#: index out of range [1] with length 0 in best, called by a function literal (failure_test.go:#), a function literal (failure_test.go:#)"},
		{"after one that was recovered", func(m *sdk.Match) error {
			func() {
				defer func() { _ = recover() }()
				recursive(2)
			}()
			panic(fmt.Errorf("after"))
		},
			"failure_test.go:#: after in a function literal"},
		{"none of its frames", nil, "panic: nil pointer dereference"},
	}
	lines := regexp.MustCompile(`\.go:\d+`)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := run(t, testMatch{play: tt.play})
			if why := lines.ReplaceAllString(got.result().Reason, ".go:#"); why != "the referee failed: "+tt.want {
				t.Errorf("reason\n%s\nwant\nthe referee failed: %s", why, tt.want)
			}
			if log := lines.ReplaceAllString(got.log.String(), ".go:#"); !strings.HasPrefix(log, "referee: "+tt.want+"\ngoroutine ") {
				t.Errorf("log\n%s\nwant the failure and the stack", log)
			}
		})
	}
}
