package gametest

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"colosseum/sdk"
)

// recorder is a test that is expected to fail.
type recorder struct {
	testing.TB
	errors []string
}

func (r *recorder) Errorf(format string, args ...any) {
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
}

func (r *recorder) Fatal(args ...any) {
	r.Error(args...)
	runtime.Goexit()
}

func (r *recorder) Error(args ...any) { r.errors = append(r.errors, fmt.Sprint(args...)) }

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

// A host would refuse it, so the author's test does.
func TestRulesThatAHostDoesNotReadFail(t *testing.T) {
	file := filepath.Join(t.TempDir(), "rules.md")
	if err := syscall.Mkfifo(file, 0o644); err != nil {
		t.Fatal(err)
	}
	for name, read := range map[string]func(testing.TB){
		"Examples":    func(t testing.TB) { Examples(t, file) },
		"CheckParams": func(t testing.TB) { CheckParams(t, file, &parity) },
	} {
		r, done := &recorder{TB: t}, make(chan struct{})
		go func() {
			defer close(done)
			read(r)
		}()
		<-done
		if got, want := strings.Join(r.errors, "\n"), "rules.md: it is a named pipe, and not a regular file"; got != want {
			t.Errorf("%s fails with %q, want %q", name, got, want)
		}
	}
}

func TestExampleThatIsNotTrueFails(t *testing.T) {
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
			r := &recorder{TB: t}
			e.Replay(r, Match{Game: &parity, Args: map[string]string{"rounds": tt.args}})
			if text := strings.Join(r.errors, "\n"); !strings.Contains(text, tt.want) {
				t.Errorf("the failure is %q, want it to say %q", text, tt.want)
			}
		})
	}
}

func TestPlayersOfAnExampleMayBeGiven(t *testing.T) {
	e := Examples(t, "testdata/rules.md")[0]
	e.Replay(t, Match{Game: &parity, Args: map[string]string{"rounds": "2"}, Players: []Player{Script("0", "1"), Script("1", "1")}})
	r := &recorder{TB: t}
	e.Replay(r, Match{Game: &parity, Args: map[string]string{"rounds": "2"}, Players: []Player{Script("0", "1"), Script("1", "0")}})
	if len(r.errors) != 3 {
		t.Errorf("with another answer the failures are %q, want one for each seat and the spectators", r.errors)
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
				t.Errorf("got %v, error %v, want an error that says %q", examples, err, tt.want)
			}
		})
	}
}

func TestParameterThatIsNotDescribedFails(t *testing.T) {
	CheckParams(t, "testdata/rules.md", &parity)
	game := parity
	game.Params = append(game.Params, sdk.Int("ann", "player", 1, 1, 2))
	r := &recorder{TB: t}
	CheckParams(r, "testdata/rules.md", &game)
	if len(r.errors) != 1 || !strings.Contains(r.errors[0], "the parameter ann") {
		t.Errorf("the failures are %q, want one about ann", r.errors)
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
			t.Errorf("%d examples, error %v", len(examples), err)
		}
		for _, e := range examples {
			for _, stream := range append(e.Seats, e.Spectators) {
				if stream != "" && !strings.HasSuffix(stream, "\n") || !strings.Contains(text, stream) {
					t.Errorf("the stream %q is not made of whole lines of the text", stream)
				}
			}
			if len(e.Names) != len(e.Seats) {
				t.Errorf("%d names for %d streams", len(e.Names), len(e.Seats))
			}
		}
	})
}
