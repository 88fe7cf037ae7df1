package script_test

import (
	"fmt"
	"regexp"
	"testing"
	"testing/synctest"

	"colosseum/sdk/driver"
	"colosseum/sdk/gametest"
	"colosseum/sdk/script"
)

// untimed runs a test in a bubble: the time of a second run, which finds the line and the
// values, does not pass while it computes. On a busy machine it could need more.
func untimed(test func(t *testing.T)) func(t *testing.T) {
	return func(t *testing.T) { synctest.Test(t, test) }
}

func TestEndlessRecursionEndsItsMatchAlone(t *testing.T) {
	tests := []struct{ name, code, want string }{
		{"a function", `
func count(n, step int) int {
	if n < 0 {
		return 0
	}
	return count(n+step, step) + 1
}

func endless(m *sdk.Match) { m.Score(0, float64(count(0, m.Players()))) }
`, `play.go:14: endless recursion in count \(n = \d+, step = 1\)`},
		{"methods and function literals", `
type board struct{ next func(n int) int }

func (b *board) walk(n int) int {
	return b.next(n)
}

func endless(m *sdk.Match) {
	b := &board{}
	b.next = func(n int) int {
		return b.walk(n) + 1
	}
	m.Score(0, float64(b.walk(1)))
}
`, `play.go:(13: endless recursion in walk|19: endless recursion in a function literal) \((b = &\{\}, )?n = 1\)`},
		{"a function and a variable", `
func visit(list []int, each func(list []int)) {
	each(list)
}

func endless(m *sdk.Match) {
	var each func(list []int)
	each = func(list []int) { visit(list, each) }
	each([]int{7})
}
`, `play.go:(11|16): endless recursion in (visit|a function literal).*`},
	}
	for _, tt := range tests {
		t.Run(tt.name, untimed(func(t *testing.T) {
			g := load(t, game(t, tt.code+`
func play(m *sdk.Match) error {
	line, err := m.Ask(0, []string{"a", "b"})
	if err == nil && line == "b" {
		endless(m)
	}
	return nil
}
`))
			got := play(t, gametest.Match{Game: g, Players: []gametest.Player{gametest.Script("b")}})
			if want := "^the referee failed: " + tt.want + "$"; !regexp.MustCompile(want).MatchString(got.Result.Reason) || !got.Result.Aborted {
				t.Errorf("got reason\n%s\nwant\n%s", got.Result.Reason, want)
			}
			got = play(t, gametest.Match{Game: g, Players: []gametest.Player{gametest.Script("a")}})
			if got.Result.Aborted {
				t.Errorf("the next match: got reason %s, want none", got.Result.Reason)
			}
		}))
	}
}

func TestDeepRecursionThatEndsIsNoFailure(t *testing.T) {
	g := load(t, game(t, `
func depth(n int) int {
	if n == 0 {
		return 0
	}
	return depth(n-1) + 1
}

func play(m *sdk.Match) error {
	m.Score(0, float64(depth(20000)))
	return nil
}
`))
	got := play(t, gametest.Match{Game: g, Players: []gametest.Player{gametest.Gone}})
	if got.Result.Aborted || got.Result.Seats[0].Score != 20000 {
		t.Errorf("got %s, want 20000 points", got)
	}
}

func TestEndlessRecursionBeforeAMatchIsAnError(t *testing.T) {
	const recursion = "\nfunc down(n int) int { return down(n+1) + 1 }\n"
	t.Run("initialiser", untimed(func(t *testing.T) {
		_, err := script.Load(folder(t, "play.go\n"+head+idle+idleBot+"\nvar depth = down(1)\n"+recursion+tail))
		if want := `^play.go:16: endless recursion in down \(n = \d+\)$`; !regexp.MustCompile(want).MatchString(fmt.Sprint(err)) {
			t.Errorf("got error %v, want %s", err, want)
		}
	}))
	t.Run("Check", untimed(func(t *testing.T) {
		g := load(t, folder(t, "play.go\n"+head+idle+recursion+`
func check(s *sdk.Settings) error {
	down(1)
	return nil
}

func main() {
	plugin.Serve(sdk.Game{Name: "x", Title: "X", MinPlayers: 1, MaxPlayers: 1, Timeout: 10, Play: play, Check: check})
}
`))
		_, err := driver.Of(g).Prepare(driver.Request{})
		if want := `^play.go:12: endless recursion in down \(n = \d+\)$`; !regexp.MustCompile(want).MatchString(fmt.Sprint(err)) {
			t.Errorf("got error %v, want %s", err, want)
		}
	}))
}
