package script_test

import (
	"strings"
	"testing"

	"colosseum/sdk/gametest"
)

func TestPanicIsReportedWithFileAndLine(t *testing.T) {
	tests := []struct{ name, code, want string }{
		{"index of a slice", `
func play(m *sdk.Match) error {
	i := 5
	list := []int{1}
	list[0] = 7
	m.Show("before")
	list[i] = 2
	return nil
}`, "play.go:13 or 15: slice index out of range in play"},
		{"index of an array in another function", `
func pick(a [3]int, i int) int {
	i++
	return a[i]
}

func play(m *sdk.Match) error {
	m.Show("before")
	n := pick([3]int{1, 2, 3}, m.Players()+4)
	m.Score(0, float64(n))
	return nil
}`, "play.go:12: array index out of range in pick, called by play (play.go:17)"},
		{"nil map", `
func play(m *sdk.Match) error {
	var seen map[string]bool
	m.Show("before")
	seen["a"] = true
	return nil
}`, "play.go:13: assignment to entry in nil map in play"},
		{"nil pointer in a method", `
type board struct{ n int }

func (b *board) add(k int) {
	k *= 2
	b.n += k
}

func play(m *sdk.Match) error {
	var b *board
	m.Show("before")
	b.add(3)
	return nil
}`, "play.go:14: nil pointer dereference in add, called by play (play.go:20)"},
		{"division by zero", `
func play(m *sdk.Match) error {
	zero := m.Bots()
	m.Show("before")
	m.Score(0, float64(8/2))
	m.Score(0, float64(3/zero))
	return nil
}`, "play.go:13 or 14: integer divide by zero in play"},
		{"panic of the author", `
func play(m *sdk.Match) error {
	m.Show("before")
	if m.Players() > 0 {
		panic("the board is broken")
	}
	return nil
}`, "play.go:13: the board is broken in play"},
		{"panic of the SDK", `
func play(m *sdk.Match) error {
	m.Show("before")
	_, err := m.Ask(0, []string{"a"})
	m.Tell(17, "hello")
	return err
}`, "play.go:13: sdk: there is no such seat in play"},
		{"nil function", `
type rules struct{ wins func() bool }

func play(m *sdk.Match) error {
	r := rules{}
	m.Show("before")
	if r.wins() {
		return nil
	}
	return nil
}`, "play.go:15: call of a nil function in play"},
		{"slice bounds", `
func play(m *sdk.Match) error {
	line := m.Name(0)
	m.Show("before")
	m.Show(line[40:])
	return nil
}`, "play.go:13: slice bounds out of range in play"},
		{"function literal", `
func each(n int, f func(int)) {
	for i := 0; i < n; i++ {
		f(i)
	}
}

func play(m *sdk.Match) error {
	list := []int{1}
	each(3, func(i int) {
		m.Show("step")
		list[i]++
	})
	return nil
}`, "play.go:20: slice index out of range in a function literal, called by each (play.go:10 to 14), play (play.go:18)"},
		{"recursion", `
func down(n int) int {
	if n == 0 {
		panic("deep enough")
	}
	return down(n - 1)
}

func play(m *sdk.Match) error {
	down(40)
	return nil
}`, "play.go:12: deep enough in down, called by down (play.go:14), down (play.go:14), down (play.go:14), down (play.go:14), …"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			g := load(t, game(t, tt.code))
			got := play(t, gametest.Match{Game: g, Players: []gametest.Player{gametest.Random(1)}})
			if want := "the referee failed: " + tt.want; got.Result.Reason != want || !got.Result.Aborted {
				t.Errorf("got reason\n%s\nwant\n%s", got.Result.Reason, want)
			}
			if strings.TrimSpace(got.Log) != "referee: "+tt.want {
				t.Errorf("got log\n%s\nwant\nreferee: %s", got.Log, tt.want)
			}
		})
	}
}
