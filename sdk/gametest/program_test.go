package gametest

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"testing"

	"colosseum/sdk"
	"colosseum/sdk/driver"
)

// TestMain makes this test a player of parity when it is told so: "player" and
// the way in which it behaves.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "player" {
		os.Exit(behave(os.Args[2]))
	}
	os.Setenv("GORACE", "atexit_sleep_ms=0") // else each player would end a second late
	os.Exit(m.Run())
}

func behave(how string) (status int) {
	in, out := os.Stdin, os.Stdout
	if how == "opens no pipe" {
		return 1
	}
	if path := os.Getenv("COCO_PIPEIN"); path != "" {
		in, _ = os.Open(path)
		out, _ = os.OpenFile(os.Getenv("COCO_PIPEOUT"), os.O_WRONLY, 0)
	}
	lines := bufio.NewScanner(in)
	lines.Scan()
	lines.Scan()
	if how == "leaves" {
		return 0
	}
	if how == "talks nonsense" {
		fmt.Fprintln(out, "nonsense")
		return 0
	}
	fmt.Fprintln(out, 1)
	for answers := 1; lines.Scan(); answers++ {
		if lines.Text() == "RETIRE" && how != "overlooks who leaves" {
			break
		}
		if answers < 5 {
			fmt.Fprintln(out, 1)
		}
	}
	switch how {
	case "fails":
		return 3
	case "sends on":
		fmt.Fprintln(out, "more")
	}
	return 0
}

func TestProgramPlaysInAProcessOfItsOwn(t *testing.T) {
	starts := []struct {
		name  string
		start func(testing.TB, ...string) *Program
	}{{"stdio", StartProgram}, {"named pipes", StartProgramOnPipes}}
	tests := []struct {
		how   string
		ended driver.Ended
		want  []string // the test's failures
	}{
		{"plays", driver.EndedFinished, nil},
		{"sends on", driver.EndedFinished, []string{`the program still sends "more\n"`}},
		{"fails", driver.EndedFinished, []string{"the program ends with exit status 3"}},
		{"leaves", "forfeit: disconnected", []string{"the program does not answer question 0: EOF"}},
	}
	for _, s := range starts {
		for _, tt := range tests {
			t.Run(s.name+" "+tt.how, func(t *testing.T) {
				t.Parallel()
				r := &recorder{TB: t}
				p := s.start(r, os.Args[0], "player", tt.how)
				got := play(t, Match{Players: []Player{Random(1), p.Answer}, Args: map[string]string{"rounds": "5"}})
				p.Finish(got.Seats[1])
				if ended := got.Result.Seats[1].Ended; ended != tt.ended {
					t.Errorf("ended as %q, want %q", ended, tt.ended)
				}
				if tt.ended == driver.EndedFinished && strings.Count(got.Seats[1], ">1\n") != 5 {
					t.Errorf("the program did not answer 5 times with 1:\n%s", got.Seats[1])
				}
				if len(r.errors) != len(tt.want) {
					t.Fatalf("the failures are %q, want %q", r.errors, tt.want)
				}
				for i, want := range tt.want {
					if !strings.HasPrefix(r.errors[i], want) {
						t.Errorf("failure %q, want %q", r.errors[i], want)
					}
				}
			})
		}
	}
}

func TestPlayerIsPutThroughAll(t *testing.T) {
	tests := []struct{ how, want string }{
		{"plays", ""},
		{"fails", "the program ends with exit status 3"},
		{"leaves", `against random players, the program on seat 0 ended as "forfeit: disconnected"`},
		{"talks nonsense", `against random players, the program on seat 0 ended as "forfeit: illegal"`},
		{"overlooks who leaves", `the program still sends "1\n"`},
		{"opens no pipe", "the program does not answer question 0"},
	}
	for _, tt := range tests {
		t.Run(tt.how, func(t *testing.T) {
			t.Parallel()
			for _, run := range []func(testing.TB, *sdk.Game, map[string]string, ...string){RunPlayer, RunPlayerOnPipes} {
				r := &recorder{TB: t}
				run(r, &parity, map[string]string{"rounds": "5"}, os.Args[0], "player", tt.how)
				if text := strings.Join(r.errors, "\n"); (text == "") != (tt.want == "") || !strings.Contains(text, tt.want) {
					t.Errorf("the failures are\n%s\nwant\n%s", text, tt.want)
				}
			}
		})
	}
}

func TestProgramThatOpensNoPipeDoesNotHangTheTest(t *testing.T) {
	r := &recorder{TB: t}
	p := StartProgramOnPipes(r, os.Args[0], "player", "opens no pipe")
	got := play(t, Match{Players: []Player{p.Answer, Script("1")}})
	p.Finish(got.Seats[0])
	if len(r.errors) != 2 || !strings.Contains(r.errors[0], "does not answer") || !strings.Contains(r.errors[1], "exit status 1") {
		t.Errorf("the failures are %q, want that it did not answer and its status", r.errors)
	}
}

func TestProgramThatIsNotInstalledSkipsTheTest(t *testing.T) {
	var name string
	t.Run("skipped", func(t *testing.T) {
		t.Cleanup(func() {
			if t.Skipped() {
				name = t.Name()
			}
		})
		StartProgram(t, "no-such-program-of-colosseum")
	})
	if !strings.HasSuffix(name, "/skipped") {
		t.Error("the test was not skipped")
	}
}
