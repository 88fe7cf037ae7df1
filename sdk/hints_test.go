package sdk_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"colosseum/sdk"
	"colosseum/sdk/driver"
)

func TestHintsAreForTheSeatsThatWantThem(t *testing.T) {
	long := strings.Repeat("x", driver.MaxHintBytes)
	many := slices.Repeat([]string{"y"}, driver.MaxHintAnswers+1)
	game := func(m *sdk.Match) error {
		m.AskAll([][]string{{"a", "b"}, {"c"}})
		m.Ask(0, []string{"d"})
		m.Ask(1, []string{long, "e"})
		m.Ask(1, many)
		m.AskLine(1)
		m.Examples(func(seat int) []string { return []string{"f"} })
		m.Tick(1)
		m.Examples(func(seat int) []string { panic("no example") })
		m.AskLine(1)
		m.Examples(func(seat int) []string { return []string{string(rune('g' + m.Rand(3)))} })
		m.AskLine(1)
		m.Show(string(rune('0' + m.Rand(10))))
		return nil
	}
	answers := func() [][]any { return [][]any{{"a", "d", "", "-"}, {"c", "e", "y", "-", "-", "-", "-"}} }
	with := run(t, testMatch{play: game, answers: answers(), hints: []bool{false, true}, seed: 3})
	want := [][]driver.Hint{
		{{Seat: 1, Answers: []string{"c"}}}, nil, {{Seat: 1, Answers: []string{long}, More: true}},
		{{Seat: 1, Answers: many[1:], More: true}}, {{Seat: 1, Examples: true}}, {{Seat: 1, Answers: []string{"f"}, Examples: true}}, {{Seat: 1, Examples: true}},
	}
	for i, q := range with.questions()[:len(want)] {
		if !reflect.DeepEqual(q.Hints, want[i]) {
			t.Errorf("question %d: got the hints %.200v, want %.200v", i, q.Hints, want[i])
		}
	}
	if log := with.log.String(); !strings.Contains(log, "no example") {
		t.Errorf("the log has %q, want the panic", log)
	}
	without := run(t, testMatch{play: game, answers: answers(), seed: 3})
	if got, want := with.received(-1), without.received(-1); got != want {
		t.Errorf("with hints the spectators get %q, without %q, want the same", got, want)
	}
	for _, q := range without.questions() {
		if q.Hints != nil {
			t.Errorf("got the hints %v, want none", q.Hints)
		}
	}
}
