package script_test

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"colosseum/sdk/driver"
	"colosseum/sdk/gametest"
	"colosseum/sdk/script"
	"colosseum/sdk/script/internal/source"
	"colosseum/sdk/script/symbols"
)

func TestPackageVariablesAreInitialisedAsCompiled(t *testing.T) {
	g := load(t, folder(t,
		file("a.go", "import \"strings\"\n\nvar (\n\tfirst = upper(second)\n\tcount = length(third)\n\tunset [3]int\n)\n\nfunc upper(s string) string { return strings.ToUpper(s) + table[\"x\"] }\n"),
		file("b.go", "var second = third + \"b\"\n\nfunc length(s string) int { return len(s) + len(second) }\n\ntype point struct{ x, y int }\n"),
		file("c.go", "import text \"strings\"\n\nvar third = text.Repeat(\"c\", corner.y)\n\nvar table = map[string]string{\"x\": \"!\"}\n\nvar corner = point{1, size}\n\nconst size = 4\n"),
		"play.go\n"+head+"\nimport \"fmt\"\n\nfunc play(m *sdk.Match) error {\n\tm.Show(fmt.Sprint(first, \" \", count, unset))\n\treturn nil\n}\n"+idleBot+tail,
		"play_test.go\nthis is no Go\n", "notes.txt\n", "_draft.go\nneither is this\n",
	))
	got := play(t, gametest.Match{Game: g, Players: []gametest.Player{gametest.Gone}})
	if want := "CCCCB! 9 [0 0 0]\n"; got.Spectators != want {
		t.Errorf("got %q, want %q\n%s", got.Spectators, want, got)
	}
}

// stoppedDriver stops a match at its first question.
type stoppedDriver struct{ texts []string }

func (d *stoppedDriver) Send(frame *driver.Frame) bool {
	for _, text := range frame.Texts {
		d.texts = append(d.texts, string(text.Lines))
	}
	return true
}
func (d *stoppedDriver) Wait() ([]driver.Answer, bool) { return nil, false }
func (d *stoppedDriver) Pause(time.Duration) bool      { return false }

func TestStoppedRefereeEndsSilently(t *testing.T) {
	g := load(t, game(t, `
func ask(m *sdk.Match) string {
	line, _ := m.Ask(0, []string{"a"})
	m.Show("never")
	return line
}

func play(m *sdk.Match) error {
	each(func(i int) {
		m.Show(ask(m))
	})
	m.Show("never")
	return nil
}

func each(f func(int)) {
	for i := 0; i < 3; i++ {
		f(i)
	}
}
`))
	settings, err := driver.Of(g).Prepare(driver.Request{})
	if err != nil {
		t.Fatal(err)
	}
	var log []string
	d := &stoppedDriver{}
	done := make(chan struct{})
	go func() { // ends with the match
		defer close(done)
		driver.Of(g).Run(&driver.Setup{Settings: settings, Names: []string{"a"}, Log: func(text string) { log = append(log, text) }}, d)
		t.Error("Run returned, want its goroutine to end")
	}()
	<-done
	if len(d.texts) > 0 {
		t.Errorf("got texts %q, want none", d.texts)
	}
	if len(log) > 0 {
		t.Errorf("got log %q, want none", log)
	}
}

func TestManyMatchesRunAtOnce(t *testing.T) {
	g := load(t, game(t, `
type state struct {
	seen   map[string]int
	list   []int
	corner [2]int
}

func (s *state) add(n int) {
	s.list = append(s.list, n)
	s.corner[n%2] += n
	s.seen[words[n%3]]++
}

var words = []string{"x", "y", "z"}

func play(m *sdk.Match) error {
	s := &state{seen: map[string]int{}}
	sum := func() int {
		total := 0
		for _, n := range s.list {
			total += n
		}
		return total
	}
	for i := 0; i < 20; i++ {
		s.add(m.Rand(1000))
		line, err := m.Ask(0, words)
		if err != nil {
			return nil
		}
		if line == "z" && i > 15 {
			panic(line)
		}
		m.Tell(0, words[sum()%3])
	}
	m.Score(0, float64(sum()+s.corner[0]-s.corner[1]+s.seen["x"]))
	return nil
}

func bot(b *sdk.Bot) error {
	for b.Thinking() {
		b.Write(words[b.Rand(3)])
		b.Read()
	}
	return nil
}
`))
	match := func(i int) string {
		got := play(t, gametest.Match{Game: g, Players: []gametest.Player{gametest.Random(uint64(i)), nil}, Seed: uint64(i)})
		// only the first failures have lines and values
		return strings.NewReplacer(` (line = "z")`, "", "play.go:24 to 46:", "play.go:40:").Replace(got.String() + got.Log)
	}
	const n = 40
	var want, got [n]string
	for i := range n {
		want[i] = match(i)
	}
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { got[i] = match(i) })
	}
	wg.Wait()
	failed := 0
	for i := range n {
		if got[i] != want[i] {
			t.Errorf("match %d: got next to others\n%s\nwant as alone\n%s", i, got[i], want[i])
		}
		if strings.Contains(want[i], "the referee failed: play.go:40: z in play") {
			failed++
		}
	}
	if failed < 5 || failed > n-5 {
		t.Errorf("got %d of %d matches that failed, want some of both\n%s", failed, n, want[0])
	}
}

func TestBotThatPanicsIsReportedAndGone(t *testing.T) {
	g := load(t, game(t, `
func play(m *sdk.Match) error {
	_, err := m.Ask(1, []string{"a"})
	if err != nil {
		m.Reason("the bot is gone: " + err.Error())
	}
	return nil
}

func bot(b *sdk.Bot) error {
	var board []int
	b.Write(words(board[3:]))
	return nil
}

func words(list []int) string { return "a" }
`))
	got := play(t, gametest.Match{Game: g, Players: []gametest.Player{gametest.Gone, nil}})
	if want := "bot: play.go:20: slice bounds out of range [3:0] with length 0 in bot (board = [])\n"; got.Log != want {
		t.Errorf("got log %q, want %q", got.Log, want)
	}
	if want := "the bot is gone: disconnected"; got.Result.Reason != want {
		t.Errorf("got reason %q, want %q", got.Result.Reason, want)
	}
}

func TestCheckOfSettingsIsCalled(t *testing.T) {
	g := load(t, folder(t, "play.go\n"+head+idle+`
var odd = []int{1, 3}

func check(s *sdk.Settings) error {
	if odd[s.Int("size")] == 3 {
		return fault("size must not be 1")
	}
	return nil
}

func main() {
	plugin.Serve(sdk.Game{Name: "x", Title: "X", MinPlayers: 1, MaxPlayers: 1, Timeout: 10, Play: play, Check: check,
		Params: []sdk.Param{sdk.Int("size", "size", 0, 0, 9)}})
}
`, file("errors.go", "import \"errors\"\n\nfunc fault(text string) error { return errors.New(text) }\n")))
	for size, want := range map[string]string{"0": "<nil>", "1": "size must not be 1", "7": "play.go:15: index out of range [7] with length 2 in check (odd = [1 3])"} {
		_, err := driver.Of(g).Prepare(driver.Request{Args: map[string]string{"size": size}})
		if fmt.Sprint(err) != want {
			t.Errorf("size %s: got error %v, want %s", size, err, want)
		}
	}
}

func TestFailuresBeforeServeAreReported(t *testing.T) {
	tests := []struct{ name, main, want string }{
		{"not served", "\nfunc main() {}\n", "main must call plugin.Serve exactly once"},
		{"served twice", strings.Replace(tail, "{\n", "{\n\tfor i := 0; i < 2; i++ {\n", 1) + "}\n", "main must call plugin.Serve exactly once"},
		{"panic in an initialiser", "\nvar n = half(1)\n\nfunc half(k int) int {\n\tlist := []int{0}\n\treturn list[k]\n}\n" + tail, "play.go:16: index out of range [1] with length 1 in half (list = [0], k = 1)"},
		{"panic in main", "\nfunc main() {\n\tvar games []sdk.Game\n\tk := 2\n\tplugin.Serve(games[k])\n}\n", "play.go:15: index out of range [2] with length 0 in main (games = [], k = 2)"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			code := tt.main
			if tt.name == "not served" {
				code += "\nvar _ = plugin.Serve\n"
			}
			_, err := script.Load(folder(t, "play.go\n"+head+idle+code, file("bot.go", "import \"colosseum/sdk\"\n"+idleBot)))
			if err == nil || err.Error() != tt.want {
				t.Errorf("got error %v, want %s", err, tt.want)
			}
		})
	}
}

func TestScriptAsksSomeSeats(t *testing.T) {
	g := load(t, game(t, `
func play(m *sdk.Match) error {
	answers := m.AskSeats([]int{1, 0}, [][]string{{"b"}, {"a"}})
	m.Show(answers[0].Line + answers[1].Line)
	if answers[0].Err != nil || answers[1].Seat != 0 || answers[1].Err != sdk.ErrIllegal {
		m.Show("other errors")
	}
	k := 7
	m.Examples(func(seat int) []string { return []string{string(rune('0'+seat)), string(rune('0'+k))} })
	for _, a := range m.AskLines([]int{1}) {
		m.Show(a.Line)
		if a.Err != nil {
			return a.Err
		}
	}
	return nil
}
`))
	second := func(q gametest.Question) (string, error) { return q.Legal[len(q.Legal)-1], nil }
	got := play(t, gametest.Match{Game: g, Players: []gametest.Player{gametest.Endless("x"), second}})
	if want := "b\n7\n"; got.Spectators != want {
		t.Errorf("got %q, want %q\n%s", got.Spectators, want, got)
	}
}

func TestScriptReadsAndWritesJSON(t *testing.T) {
	g := load(t, game(t, `
type square struct{ X, Y int }

type move struct {
	From   square         `+"`json:\"from\"`"+`
	Path   []square       `+"`json:\"path,omitempty\"`"+`
	Counts map[string]int `+"`json:\"counts\"`"+`
	Next   *square
	Last, secret, other int
}

func play(m *sdk.Match) error {
	list := []square{{1, 2}, {3, 4}}
	m.Show(sdk.JSON(move{From: list[0], Path: list, Counts: map[string]int{"b": 1, "a": 2}, Next: &list[1], secret: 3, other: 4, Last: 5}))
	m.Show(sdk.JSON(struct{ A, b int }{1, 2}))
	m.Show(sdk.JSON(list) + sdk.JSON(map[string]square{"a": {5, 6}}) + sdk.JSON([]interface{}{1, "x", nil, true}))
	for i := 0; i < 3; i++ {
		line, err := m.AskLine(0)
		if err != nil {
			return nil
		}
		var got move
		if err := sdk.ParseJSON(line, &got); err != nil {
			m.Show(err.Error())
			continue
		}
		m.Show(sdk.JSON(got.Path[1]) + sdk.JSON(got.Counts["k"]) + sdk.JSON(got.Next.Y))
	}
	return nil
}
`))
	lines := []string{`{"from":{"X":1},"path":[{},{"X":7,"Y":8}],"counts":{"k":9},"Next":{"Y":10}}`, `{"from":{"X":"1"}}`, `{"secret":1}`}
	got := play(t, gametest.Match{Game: g, Players: []gametest.Player{gametest.Script(lines...)}})
	want := `{"from":{"X":1,"Y":2},"path":[{"X":1,"Y":2},{"X":3,"Y":4}],"counts":{"a":2,"b":1},"Next":{"X":3,"Y":4},"Last":5}
{"A":1}
[{"X":1,"Y":2},{"X":3,"Y":4}]{"a":{"X":5,"Y":6}}[1,"x",null,true]
{"X":7,"Y":8}910
invalid JSON: from.X is a string, want a whole number that fits
invalid JSON: unknown field "secret"
`
	if got.Spectators != want {
		t.Errorf("got\n%s\nwant\n%s\n%s", got.Spectators, want, got.Log)
	}
}

// TestPrintlnGoesToStandardError runs itself in a process of its own.
func TestPrintlnGoesToStandardError(t *testing.T) {
	if dir := os.Getenv("SCRIPT_TO_PRINT"); dir != "" {
		play(t, gametest.Match{Game: load(t, dir), Players: []gametest.Player{gametest.Gone}})
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestPrintlnGoesToStandardError$")
	cmd.Env = append(os.Environ(), "SCRIPT_TO_PRINT="+game(t, "\nfunc play(m *sdk.Match) error {\n\tprintln(\"the board is\", 7)\n\treturn nil\n}\n"))
	var stderr strings.Builder
	cmd.Stderr = &stderr
	stdout, err := cmd.Output()
	if err != nil || stderr.String() != "the board is 7\n" || strings.Contains(string(stdout), "board") {
		t.Errorf("got error %v, standard error %q, standard output %q; want the text on standard error alone", err, &stderr, stdout)
	}
}

func TestPackagesAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../../docs/scripts.md")
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(string(text), "\n## What a script can import\n")
	list, _, _ = strings.Cut(list, "\nIt can import nothing else")
	_, list, _ = strings.Cut(list, "\n- ")
	var documented []string
	for _, path := range regexp.MustCompile("`([a-z0-9/]+)`").FindAllStringSubmatch(list, -1) {
		documented = append(documented, path[1])
	}
	slices.Sort(documented)
	want := []string{symbols.Plugin}
	for _, p := range symbols.Packages {
		want = append(want, p.Path)
	}
	want = slices.AppendSeq(want, maps.Keys(source.GenericNames()))
	want = slices.DeleteFunc(want, func(path string) bool { return path == "builtin" })
	slices.Sort(want)
	if !slices.Equal(documented, want) {
		t.Errorf("docs/scripts.md has\n%v\nwant\n%v", documented, want)
	}
}

func BenchmarkLoad(b *testing.B) {
	for _, name := range []string{"dama", "kamisado", "liarsdice", "roshambo", "royalur", "taacoca"} {
		dir := "../../plugins/" + name
		b.Run("check/"+name, func(b *testing.B) {
			for b.Loop() {
				if problems := script.Check(dir); len(problems) > 0 {
					b.Fatal(script.Problems(problems))
				}
			}
		})
		b.Run("load/"+name, func(b *testing.B) {
			for b.Loop() {
				load(b, dir)
			}
		})
	}
}
