package build

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"colosseum/host/internal/games/program"
	"colosseum/host/internal/games/sandbox"
	"colosseum/host/internal/submissions/archive"
	"colosseum/host/internal/submissions/language"
	"colosseum/internal/test/long"
	"colosseum/internal/test/poll"
)

const mib = 1 << 20

// generous are limits that no honest build in the tests reaches.
var generous = Limits{
	Time: poll.Limit, CPU: poll.Limit, Memory: 2 << 30, Disk: 1 << 30, File: 256 * mib, Files: 20_000, Processes: 200, Output: 1 * mib,
}

// canConfine skips the test on systems that can't confine programs.
func canConfine(t *testing.T) {
	t.Helper()
	if missing := sandbox.Supported().Missing(); len(missing) > 0 {
		t.Skip(missing[0].Text)
	}
}

// languageOf returns a language, or skips the test if it is not installed.
func languageOf(t *testing.T, name string) *language.Language {
	t.Helper()
	canConfine(t)
	l, err := languages(t).Find(name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.Installed(t.Context()); err != nil {
		t.Skip(err)
	}
	return l
}

func languages(t *testing.T) *language.Set {
	t.Helper()
	set, err := load()
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// load looks for tools only once.
var load = sync.OnceValues(func() (*language.Set, error) { return language.Load() })

// private returns an empty folder for a build, which is removed at the end.
func private(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := Remove(dir); err != nil {
			t.Errorf("remove the folder of a build: %v", err)
		}
	})
	return dir
}

// install writes a program into a folder of its own.
func install(t *testing.T, tree archive.Tree) string {
	t.Helper()
	dir := t.TempDir()
	if err := tree.Write(dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

// seat is a program.Match.
type seat struct {
	lines chan string
	gone  chan struct{}
}

func (s seat) Line(_ int, line string, _ time.Time) bool { s.lines <- line; return true }
func (s seat) Leave(int)                                 { close(s.gone) }
func (s seat) Began(int, time.Time)                      {}

// play plays rounds of roshambo with a program that was installed in a folder.
func play(t *testing.T, plan language.Plan, folder string) {
	t.Helper()
	isolation := program.Isolation{Level: sandbox.Require, Memory: 512 * mib, CPU: poll.Limit, Private: []string{filepath.Dir(folder)}}
	command, err := Command(plan.Run, plan.Language, folder, isolation)
	if err != nil {
		t.Fatal(err)
	}
	p, err := program.Start(command, program.Limits{Line: 1000, Backlog: 10_000})
	if err != nil {
		t.Fatal(err)
	}
	s := seat{make(chan string, 100), make(chan struct{})}
	p.Play(s, 0)
	defer func() {
		if exit := p.End(poll.Limit); !exit.OK {
			t.Errorf("got %+v, want a good end", exit)
		}
	}()
	wants := []string{"ROCK", "SCISSORS", "ROCK", "PAPER"} // what beats the opponent's last hand
	p.Send([]byte(fmt.Sprintf("Alice\nBob\n%d\n", len(wants))))
	for i, hand := range []string{"PAPER", "SCISSORS", "ROCK", "ROCK"} {
		select {
		case got := <-s.lines:
			if got != wants[i] {
				t.Fatalf("round %d: got %q, want %q", i, got, wants[i])
			}
		case <-s.gone:
			t.Fatalf("round %d: the program has ended", i)
		case <-time.After(poll.Limit):
			t.Fatalf("round %d: got no line", i)
		}
		p.Send([]byte(hand + "\n"))
	}
}

func TestSamplesAreBuiltAndPlay(t *testing.T) {
	for _, l := range languages(t).All() {
		t.Run(l.Name, func(t *testing.T) {
			if l.Name != "python" {
				long.Only(t, "the sample of another language")
			}
			languageOf(t, l.Name)
			source, err := archive.ReadFolder("../../../../examples/submissions/"+l.Name, archive.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			plan, err := languages(t).Recognize(source, nil)
			if err != nil {
				t.Fatal(err)
			}
			if build := plan.Language.Prepare.Build; build != nil { // only what the sample needs
				plan.Language.Prepare.Build = [][]string{slices.Concat(build[0][:3], []string{"bufio", "fmt", "os", "strconv"})}
			}
			began := time.Now()
			if err := Prepare(t.Context(), plan.Language, t.TempDir(), generous, sandbox.Require); err != nil {
				t.Fatal(err)
			}
			prepared := time.Now()
			var out bytes.Buffer
			tree, err := Build(t.Context(), plan, source, private(t), generous, sandbox.Require, &out)
			if err != nil {
				t.Fatalf("got %v\n%s", err, out.Bytes())
			}
			t.Logf("prepared in %v, built in %v:\n%s", prepared.Sub(began), time.Since(prepared), out.Bytes())
			for _, f := range tree {
				t.Logf("%s: %d bytes", f.Path, len(f.Data))
				if plan.Language.Drops(f.Path) {
					t.Errorf("got %s in the program, want it dropped", f.Path)
				}
			}
			play(t, plan, install(t, tree))
		})
	}
}

// buildOf builds files, each "path=content", in a language with one command in place of
// its own.
func buildOf(t *testing.T, name string, l Limits, out *bytes.Buffer, build []string, files ...string) (archive.Tree, error) {
	t.Helper()
	plan := language.Plan{Language: languageOf(t, name), Build: [][]string{build}, Run: []string{"python3", "bot.py"}}
	var source archive.Tree
	for _, f := range files {
		path, text, _ := strings.Cut(f, "=")
		source = append(source, archive.File{Path: path, Data: []byte(text)})
	}
	return Build(t.Context(), plan, source, private(t), l, sandbox.Require, out)
}

func TestFaultOfTheAuthorIsTheirsWithTheOutput(t *testing.T) {
	var out bytes.Buffer
	_, err := buildOf(t, "python", generous, &out, []string{"python3", "-m", "compileall", "-q", "."}, "bot.py=if:")
	if wrong := (*ProgramError)(nil); !errors.As(err, &wrong) || err.Error() != "python3 failed: exit status 1" {
		t.Errorf("got %v, want a fault of the program", err)
	}
	for _, want := range []string{"Python 3", "$ python3 -m compileall -q .\n", "SyntaxError: invalid syntax"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("got the output %q, want %q in it", out.String(), want)
		}
	}
	_, err = buildOf(t, "python", generous, &out, []string{"colosseum-no-such-program"})
	if wrong := (*ProgramError)(nil); !errors.As(err, &wrong) {
		t.Errorf("an unknown program: got %v, want a fault of the program", err)
	}
}

func TestFaultOfTheHostIsNotTheAuthors(t *testing.T) {
	languageOf(t, "python")
	plan := language.Plan{Language: languageOf(t, "python"), Run: []string{"python3"}}
	var wrong *ProgramError
	if _, err := Build(t.Context(), plan, nil, "/nonexistent", generous, sandbox.Require, &bytes.Buffer{}); err == nil || errors.As(err, &wrong) {
		t.Errorf("no folder: got %v, want a fault of the host", err)
	}
	tight := generous
	tight.Memory = 1 * mib
	if _, err := Build(t.Context(), plan, nil, private(t), tight, sandbox.Require, &bytes.Buffer{}); err == nil || errors.As(err, &wrong) || !strings.Contains(err.Error(), "Python does not run in its confinement") {
		t.Errorf("no memory for Python itself: got %v, want a fault of the host", err)
	}
}

func TestFilesOfTheAuthorAreKeptWithoutSources(t *testing.T) {
	tree, err := buildOf(t, "python", generous, &bytes.Buffer{}, []string{"sh", "-c", "mkdir __pycache__ out; echo x >__pycache__/a; echo y >out/b; ln -s bot.py link; ln -s /etc/passwd secret"}, "bot.py=", "book.txt=e4")
	var got []string
	for _, f := range tree {
		got = append(got, f.Path)
	}
	if want := []string{"book.txt", "bot.py", "out/b"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
}
