package script_test

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"colosseum/internal/test/long"
	"colosseum/sdk/driver"
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
}`, "play.go:15: index out of range [5] with length 1 in play (list = [7], i = 5)"},
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
}`, "play.go:12: index out of range [6] with length 3 in pick (a = [1 2 3], i = 6), called by play (play.go:17)"},
		{"nil map", `
func play(m *sdk.Match) error {
	var seen map[string]bool
	m.Show("before")
	seen["a"] = true
	return nil
}`, "play.go:13: assignment to entry in nil map in play (seen = nil)"},
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
}`, "play.go:14: nil pointer dereference in add (b = nil, k = 6), called by play (play.go:20)"},
		{"an index of a text that is no UTF-8", `
func play(m *sdk.Match) error {
	list := []int{1, 2}
	text := "a\xffb"
	for i, r := range text {
		m.Show(string(r))
		list[i]++
	}
	return nil
}`, "play.go:15: index out of range [2] with length 2 in play (list = [2 3], i = 2)"},
		{"a script that names an error of the SDK", `
func play(m *sdk.Match) error {
	list := []int{1}
	m.Show("before")
	m.Forfeit(0, sdk.ErrIllegal)
	m.Score(0, float64(list[m.Players()]))
	return nil
}`, "play.go:14: index out of range [1] with length 1 in play (list = [1])"},
		{"division by zero", `
func play(m *sdk.Match) error {
	zero := m.Players() - 1
	m.Show("before")
	m.Score(0, float64(8/2))
	m.Score(0, float64(3/zero))
	return nil
}`, "play.go:14: integer divide by zero in play (zero = 0)"},
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
}`, "play.go:13: slice bounds out of range [40:7] with length 7 in play (line = \"Player0\")"},
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
}`, "play.go:20: index out of range [1] with length 1 in a function literal (list = [2], i = 1), called by each (play.go:12), play (play.go:18)"},
		{"second line of a statement", `
func sum(list ...int) int {
	total := 0
	for _, n := range list {
		total += n
	}
	return total
}

func play(m *sdk.Match) error {
	list := []int{1, 2}
	i := m.Players()
	m.Score(0, float64(sum(
		list[i],
		list[i+1],
	)))
	return nil
}`, "play.go:23: index out of range [2] with length 2 in play (list = [1 2], i = 1)"},
		{"condition of a loop", `
func play(m *sdk.Match) error {
	list := []string{"a", "b"}
	m.Show(list[0])
	i := 0
	for ; list[i] != "c"; i++ {
		m.Show(list[i])
	}
	return nil
}`, "play.go:14: index out of range [2] with length 2 in play (list = [\"a\" \"b\"], i = 2)"},
		{"condition of else", `
func play(m *sdk.Match) error {
	list := []int{1}
	if m.Players() == 2 {
		m.Show("two")
	} else if list[0] == 1 && list[m.Players()] == 3 {
		m.Show("three")
	}
	return nil
}`, "play.go:14: index out of range [1] with length 1 in play (list = [1])"},
		{"case", `
type board struct {
	cells [2]string
	turn  int
}

func play(m *sdk.Match) error {
	b := &board{turn: 4}
	switch {
	case m.Players() == 7:
		m.Show("seven")
	case b.cells[b.turn-m.Players()] == "x":
		m.Show("x")
	}
	return nil
}`, "play.go:20: index out of range [3] with length 2 in play (b.cells = [\"\" \"\"], b.turn = 4)"},
		{"after a call in the same statement", `
func next(n int) int {
	n++
	return n
}

func play(m *sdk.Match) error {
	list := []int{1}
	m.Score(0, float64(list[next(0)]))
	return nil
}`, "play.go:17: index out of range [1] with length 1 in play (list = [1])"},
		{"after answers", `
func play(m *sdk.Match) error {
	bids := []int{}
	for round := 0; ; round++ {
		line, err := m.Ask(0, []string{"1", "2"})
		if err != nil {
			return nil
		}
		bids = append(bids, len(line))
		if m.Rand(3) == 0 && bids[round+m.Players()] > 0 {
			return nil
		}
	}
}`, "play.go:18: index out of range [3] with length 3 in play (bids = [1 1 1], round = 2)"},
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
}`, "play.go:12: deep enough in down, called by down, down, down, down, …"},
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

// loops are referees that do not end, with the beginning of the message.
var loops = []struct{ name, code, want string }{
	{"an index that does not change", `
func play(m *sdk.Match) error {
	list := []int{3, 1, 2}
	m.Show("before")
	i, sum := 0, 0
	for i < len(list) {
		if list[i] > 2 {
			sum++
		}
	}
	m.Score(0, float64(sum))
	return nil
}`, "play.go:14 to 16: the loop in play does not end; at the last look: i = 0, list = [3 1 2], sum = "},
	{"an answer that is asked for again", `
func play(m *sdk.Match) error {
	for {
		line, err := m.Ask(0, []string{"b"})
		if err != nil {
			continue
		}
		m.Show(line)
		return nil
	}
}`, "play.go:11 to 14: the loop in play does not end; at the last look: err = illegal"},
	{"a loop in another function, with loops that end", `
type board struct{ cells [9]int }

func (b *board) free(n int) bool {
	for i := range b.cells {
		if b.cells[i] == n {
			return false
		}
	}
	return true
}

func (b *board) place(n int) {
	at := n
	for !b.free(n) {
		at = (at + 1) % 9
	}
	b.cells[at] = n
}

func play(m *sdk.Match) error {
	b := &board{}
	m.Ask(0, []string{"a"})
	for n := 4; n >= 0; n-- {
		b.place(n)
	}
	return nil
}`, "play.go:23 to 24: the loop in place does not end; at the last look: b = &{cells: [0 1 2 3 4 0 0 0 0]}, n = 0, at = "},
	{"a loop without statements", `
func play(m *sdk.Match) error {
	for m.Players() > 0 {
	}
	return nil
}`, "play.go:11: the loop in play does not end"},
}

// TestReferee is run by the next test, in a process for each referee, which ends while the
// referee runs.
func TestReferee(t *testing.T) {
	number, err := strconv.Atoi(os.Getenv("REFEREE"))
	if err != nil {
		t.Skip("for TestRefereeThatDoesNotEndIsReportedWithItsLines")
	}
	g := load(t, game(t, loops[number].code))
	settings, err := driver.Of(g).Prepare(driver.Request{})
	if err != nil {
		t.Fatal(err)
	}
	d := &endDriver{end: make(chan *driver.Result, 1)}
	go driver.Of(g).Run(&driver.Setup{Settings: settings, Names: []string{"a"}, Stall: 2 * time.Second, Thoughts: 1}, d) // ends with the process
	if end := <-d.end; end.Aborted && end.Stuck {
		fmt.Printf("result: %s\n", end.Reason)
	}
}

// endDriver gives the answer "a" to each question, and passes on the result.
type endDriver struct{ end chan *driver.Result }

func (d *endDriver) Send(frame *driver.Frame) bool {
	if frame.End != nil {
		d.end <- frame.End
	}
	return true
}
func (d *endDriver) Wait() ([]driver.Answer, bool) { return []driver.Answer{{Line: "a"}}, true }
func (d *endDriver) Pause(time.Duration) bool      { return true }

func TestRefereeThatDoesNotEndIsReportedWithItsLines(t *testing.T) {
	for i, tt := range loops {
		t.Run(tt.name, func(t *testing.T) {
			if i != 2 { // the one with calls
				long.Only(t, "each loop computes for two seconds")
			}
			cmd := exec.Command(os.Args[0], "-test.run=^TestReferee$")
			cmd.Env = append(os.Environ(), fmt.Sprint("REFEREE=", i))
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			if want := "result: the referee failed: " + tt.want; !strings.HasPrefix(string(out), want) {
				t.Errorf("got %q, want the beginning %q", out, want)
			}
		})
	}
}

func TestLargeValuesAndThoseThatLeadBackToThemselvesAreCut(t *testing.T) {
	tests := []struct{ name, code, want string }{
		{"neighbours", `
type field struct {
	n    int
	next []*field
}

func play(m *sdk.Match) error {
	a, b := &field{n: 1}, &field{n: 2}
	a.next = []*field{b}
	b.next = []*field{a}
	m.Show("before")
	m.Score(0, float64(a.next[m.Players()].n))
	return nil
}`, "play.go:20: index out of range [1] with length 1 in play (a.next = [&{n: 2, next: "},
		{"a large list of lists", `
func play(m *sdk.Match) error {
	var a [][][][][][][][]int
	var b [][][][][][][]int
	var c [][][][][][]int
	var d [][][][][]int
	var e [][][][]int
	var f [][][]int
	var g [][]int
	for n := 0; n < 12; n++ {
		g = append(g, []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
	}
	for n := 0; n < 12; n++ {
		f = append(f, g)
	}
	for n := 0; n < 12; n++ {
		e = append(e, f)
	}
	for n := 0; n < 12; n++ {
		d = append(d, e)
	}
	for n := 0; n < 12; n++ {
		c = append(c, d)
	}
	for n := 0; n < 12; n++ {
		b = append(b, c)
	}
	for n := 0; n < 12; n++ {
		a = append(a, b)
	}
	i := 99
	m.Score(0, float64(len(a[i])))
	return nil
}`, "play.go:40: index out of range [99] with length 12 in play (a = [[[["},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			g := load(t, game(t, tt.code))
			got := play(t, gametest.Match{Game: g, Players: []gametest.Player{gametest.Random(1)}})
			if want := "the referee failed: " + tt.want; !strings.HasPrefix(got.Result.Reason, want) || len(got.Result.Reason) > 300 {
				t.Errorf("got reason\n%s\nwant the beginning\n%s", got.Result.Reason, want)
			}
		})
	}
}

func TestPanicOfABotIsReportedWithValues(t *testing.T) {
	g := load(t, game(t, `
func play(m *sdk.Match) error {
	for {
		m.Tell(1, "your turn")
		if _, err := m.Ask(1, []string{"a"}); err != nil {
			return nil
		}
	}
}

func bot(b *sdk.Bot) error {
	best := []int{0, 1, 2}
	for turn := 0; ; turn++ {
		b.Read()
		n := 0
		for b.Thinking() {
			n++
		}
		b.Write("a")
		if best[turn] == 1 && b.Rand(2) < 2 && best[turn+b.Players()+n] == 3 {
			return nil
		}
	}
}
`))
	got := play(t, gametest.Match{Game: g, Players: []gametest.Player{gametest.Random(1), nil}, Thoughts: 7})
	if want := "bot: play.go:28: index out of range [10] with length 3 in bot (best = [0 1 2], turn = 1, n = 7)\n"; got.Log != want {
		t.Errorf("got log\n%swant\n%s", got.Log, want)
	}
}

func TestPanicOfCheckIsReportedWithValues(t *testing.T) {
	code := idle + `
func check(s *sdk.Settings) error {
	most := []int{1}
	if most[s.Players()-1] == 0 {
		return nil
	}
	return nil
}
`
	g := load(t, folder(t, "play.go\n"+head+code+strings.Replace(idleBot+tail, "Play: play", "Check: check, Play: play", 1)))
	two := 2
	_, err := driver.Of(g).Prepare(driver.Request{Players: &two})
	if want := "play.go:14: index out of range [1] with length 1 in check (most = [1])"; err == nil || err.Error() != want {
		t.Errorf("got error %v, want %s", err, want)
	}
}

func TestFailureIsRunAgainFiveTimes(t *testing.T) {
	g := load(t, game(t, `
func play(m *sdk.Match) error {
	list := []int{1}
	m.Score(0, float64(list[0]))
	m.Score(0, float64(list[m.Players()]))
	return nil
}`))
	exact, whole := "the referee failed: play.go:13: index out of range [1] with length 1 in play (list = [1])", "the referee failed: play.go:10 to 15: slice index out of range in play"
	for n, want := range []string{exact, exact, exact, exact, exact, whole, whole} {
		got := play(t, gametest.Match{Game: g, Players: []gametest.Player{gametest.Random(1)}})
		if got.Result.Reason != want {
			t.Errorf("match %d: got reason\n%s\nwant\n%s", n+1, got.Result.Reason, want)
		}
	}
}

func TestManyFailuresAtOnceAreReported(t *testing.T) {
	g := load(t, game(t, `
func play(m *sdk.Match) error {
	list := []int{1}
	line, _ := m.Ask(0, []string{"a", "bb", "ccc"})
	m.Score(0, float64(list[len(line)]))
	return nil
}`))
	var wait sync.WaitGroup
	for n := range 20 {
		wait.Go(func() {
			got := play(t, gametest.Match{Game: g, Players: []gametest.Player{gametest.Random(uint64(n))}})
			exact, whole := "the referee failed: play.go:13: index out of range [", "the referee failed: play.go:10 to 15: slice index out of range in play"
			if got := got.Result.Reason; !strings.HasPrefix(got, exact) && got != whole {
				t.Errorf("match %d: got reason %q, want the beginning %q, or %q", n, got, exact, whole)
			}
		})
	}
	wait.Wait()
}
