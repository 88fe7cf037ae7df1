package gametest

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"colosseum/internal/test/filetree"
	"colosseum/sdk"
	"colosseum/sdk/driver"
)

// fakeTest collects the errors of a test that must fail.
type fakeTest struct {
	testing.TB
	errors []string
}

func (f *fakeTest) Errorf(format string, args ...any) {
	f.errors = append(f.errors, fmt.Sprintf(format, args...))
}

func (f *fakeTest) Fatal(args ...any) {
	f.Error(args...)
	runtime.Goexit()
}

func (f *fakeTest) Error(args ...any) { f.errors = append(f.errors, fmt.Sprint(args...)) }

func TestExamplesAreReplayed(t *testing.T) {
	examples := Examples(t, "testdata/rules.md")
	reasons := []string{"", "cid forfeits: illegal"}
	if len(examples) != len(reasons) {
		t.Fatalf("%d examples, want %d", len(examples), len(reasons))
	}
	for i, e := range examples {
		got := e.Replay(t, Match{Game: &parity, Args: map[string]string{"rounds": "2"}})
		if got.Result.Reason != reasons[i] {
			t.Errorf("example %d ends by %q, want %q", i, got.Result.Reason, reasons[i])
		}
	}
}

func TestRulesThatAHostDoesNotReadFail(t *testing.T) {
	file := filepath.Join(t.TempDir(), "rules.md")
	filetree.Made(t, filetree.MakePipe(file))
	for name, read := range map[string]func(testing.TB){
		"Examples":    func(t testing.TB) { Examples(t, file) },
		"CheckParams": func(t testing.TB) { CheckParams(t, file, &parity) },
	} {
		f, done := &fakeTest{TB: t}, make(chan struct{})
		go func() {
			defer close(done)
			read(f)
		}()
		<-done
		if got, want := strings.Join(f.errors, "\n"), "rules.md: it is a named pipe, and not a regular file"; got != want {
			t.Errorf("%s fails with %q, want %q", name, got, want)
		}
	}
}

func TestWrongExampleFails(t *testing.T) {
	tests := []struct {
		name string
		bend func(e *Example)
		args string // rounds
		want string
	}{
		{"a player's line", func(e *Example) { e.Seats[1] = strings.Replace(e.Seats[1], "01", "00", 1) }, "2", "bob receives"},
		{"the spectators' line", func(e *Example) { e.Spectators = "ann\n" }, "2", "the spectators receive"},
		{"another answer", func(e *Example) { e.Seats[0] = strings.Replace(e.Seats[0], ">0", ">1", 1) }, "2", "ann receives"},
		{"a match that goes on", func(*Example) {}, "3", "RETIRE"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := Examples(t, "testdata/rules.md")[0]
			tt.bend(&e)
			f := &fakeTest{TB: t}
			e.Replay(f, Match{Game: &parity, Args: map[string]string{"rounds": tt.args}})
			if text := strings.Join(f.errors, "\n"); !strings.Contains(text, tt.want) {
				t.Errorf("the errors are %q, want one with %q", text, tt.want)
			}
		})
	}
}

func TestExampleIsReplayedWithGivenPlayers(t *testing.T) {
	e := Examples(t, "testdata/rules.md")[0]
	e.Replay(t, Match{Game: &parity, Args: map[string]string{"rounds": "2"}, Players: []Player{Script("0", "1"), Script("1", "1")}})
	f := &fakeTest{TB: t}
	e.Replay(f, Match{Game: &parity, Args: map[string]string{"rounds": "2"}, Players: []Player{Script("0", "1"), Script("1", "0")}})
	if len(f.errors) != 3 {
		t.Errorf("with another answer the errors are %q, want one for each seat and the spectators", f.errors)
	}
}

func TestIncompleteExamplesAreRefused(t *testing.T) {
	block := ":\n\n```\nx\n```\n"
	tests := []struct{ name, text, want string }{
		{"none", "# parity\n", "example 1 has no stream of the spectators"},
		{"no spectators", "Stream of ann" + block, "example 1 has no stream of the spectators"},
		{"no spectators in the second", "Stream of ann" + block + "Stream of the spectators" + block + "Stream of ann" + block, "example 2 has"},
		{"no block", "Stream of ann:\n\nis long.\n", `no code block follows "Stream of ann:"`},
		{"block without end", "Stream of ann:\n\n```\nx\n", `no code block follows "Stream of ann:"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			examples, err := parseExamples(tt.text)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, error %v, want an error with %q", examples, err, tt.want)
			}
		})
	}
}

func TestParameterWithoutDescriptionFails(t *testing.T) {
	CheckParams(t, "testdata/rules.md", &parity)
	game := parity
	game.Params = append(game.Params, sdk.Int("ann", "player", 1, 1, 2))
	f := &fakeTest{TB: t}
	CheckParams(f, "testdata/rules.md", &game)
	if len(f.errors) != 1 || !strings.Contains(f.errors[0], "`ann`") {
		t.Errorf("the errors are %q, want one about ann", f.errors)
	}
}

func TestChecksFail(t *testing.T) {
	result := &Transcript{Seats: []string{"", ""}, Result: &driver.Result{Reason: "end", Seats: []driver.SeatResult{
		{Score: 1, Rank: 1, Ended: "finished"}, {Rank: 2, Ended: "forfeit: timeout"},
	}}}
	lost := "score 0, rank 2, forfeit: timeout"
	tests := []struct {
		name  string
		check func(t testing.TB)
		want  string // errors, by line
	}{
		{"the result", func(t testing.TB) { result.ExpectResult(t, "end", "score 1, rank 1, finished", lost) }, ""},
		{"another result", func(t testing.TB) { result.ExpectResult(t, "win", lost, lost) },
			`the match ended by "end", want "win"` + "\n" + `seat 0 ended with "score 1, rank 1, finished", want "` + lost + `"`},
		{"out of range", func(t testing.TB) { CheckRefused(t, &parity, "rounds", "from 1 to 1000", "0", "1001") }, ""},
		{"in range", func(t testing.TB) { CheckRefused(t, &parity, "rounds", "from", "1", "0") }, `rounds=1: got error <nil>, want one with "from"`},
		{"the numbers", func(t testing.TB) { Perft(t, []int{2, 4}, func(depth int) int { return 2 * depth }) }, ""},
		{"another number", func(t testing.TB) { Perft(t, []int{2, 5}, func(depth int) int { return 2 * depth }) }, "perft(2) = 4, want 5"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := &fakeTest{TB: t}
			tt.check(f)
			if got := strings.Join(f.errors, "\n"); got != tt.want {
				t.Errorf("the errors are\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

func FuzzExamples(f *testing.F) {
	text, err := os.ReadFile("testdata/rules.md")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(text))
	f.Add("Stream of the spectators:\n\n```\n```\nStream of a:\n\n```\n```")
	f.Add("Stream of a:\n\n```\n>1\n```\n\nStream of the spectators:\n\n```\nb\r\n```\n")
	f.Fuzz(func(t *testing.T, text string) {
		examples, err := parseExamples(text)
		if (err == nil) != (len(examples) > 0) {
			t.Errorf("got %d examples and error %v, want either", len(examples), err)
		}
		for _, e := range examples {
			for _, stream := range append(e.Seats, e.Spectators) {
				if stream != "" && !strings.HasSuffix(stream, "\n") || !strings.Contains(text, stream) {
					t.Errorf("got the stream %q, want whole lines of the text", stream)
				}
			}
			if len(e.Names) != len(e.Seats) {
				t.Errorf("got %d names, want one for each of %d streams", len(e.Names), len(e.Seats))
			}
		}
	})
}
