package playerprocess

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"testing"

	"colosseum/sdk"
)

// TestMain makes this test binary a player if its arguments are "player" and a
// name of a behaviour.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "player" {
		os.Exit(behave(os.Args[2]))
	}
	os.Setenv("GORACE", "atexit_sleep_ms=0") // otherwise each player ends a second late
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
	if how == "leaves" {
		return 0
	}
	fmt.Fprintln(out, 1)
	for lines.Scan() && lines.Text() != "END" {
		fmt.Fprintln(out, 1)
	}
	switch how {
	case "fails":
		return 3
	case "moves once more":
		fmt.Fprintln(out, "more")
	case "sends on":
		fmt.Fprintln(out, "more\nmore")
	}
	return 0
}

// fakeTest collects the errors of a test.
type fakeTest struct {
	testing.TB
	errors []string
}

func (f *fakeTest) Errorf(format string, args ...any) {
	f.errors = append(f.errors, fmt.Sprintf(format, args...))
}

func TestPlayerRunsAsAProcess(t *testing.T) {
	starts := []struct {
		name  string
		start func(testing.TB, ...string) *Process
	}{{"stdio", Start}, {"named pipes", StartOnPipes}}
	tests := []struct {
		how     string
		answers int
		want    []string // beginnings of the test's errors
	}{
		{"plays", 5, nil},
		{"moves once more", 5, nil},
		{"sends on", 5, []string{`the program still sends "more\nmore\n"`}},
		{"fails", 5, []string{"the program ends with exit status 3"}},
		{"leaves", 0, []string{"the program does not answer question 0: EOF"}},
		{"opens no pipe", 0, []string{"the program does not answer question 0: EOF", "the program ends with exit status 1"}},
	}
	for _, s := range starts {
		for _, tt := range tests {
			t.Run(s.name+" "+tt.how, func(t *testing.T) {
				t.Parallel()
				f := &fakeTest{TB: t}
				p := s.start(f, os.Args[0], "player", tt.how)
				stream, answers := "ann\n", 0
				for answers < 5 {
					line, err := p.Answer(stream)
					if err != nil {
						if err != sdk.ErrDisconnected {
							t.Errorf("got error %v, want %v", err, sdk.ErrDisconnected)
						}
						break
					}
					if line != "1\n" {
						t.Errorf("answer %d is %q, want 1", answers, line)
					}
					if answers++; answers < 5 {
						stream += ">" + line + "next\n"
					}
				}
				p.Finish(stream + "END\n")
				if answers != tt.answers {
					t.Errorf("got %d answers, want %d", answers, tt.answers)
				}
				if len(f.errors) != len(tt.want) {
					t.Fatalf("the errors are %q, want %q", f.errors, tt.want)
				}
				for i, want := range tt.want {
					if !strings.HasPrefix(f.errors[i], want) {
						t.Errorf("error %q, want %q", f.errors[i], want)
					}
				}
			})
		}
	}
}

func TestPlayerThatIsNotInstalledSkipsTheTest(t *testing.T) {
	var name string
	t.Run("skipped", func(t *testing.T) {
		t.Cleanup(func() {
			if t.Skipped() {
				name = t.Name()
			}
		})
		Start(t, "no-such-program-of-colosseum")
	})
	if !strings.HasSuffix(name, "/skipped") {
		t.Error("the test ran on, want it skipped")
	}
}
