package command

import (
	"archive/zip"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"colosseum/host/internal/base/config"
	"colosseum/host/internal/records/store"
	"colosseum/host/internal/server"
	"colosseum/host/internal/submissions/archive"
)

// handedIn is a data folder in which Ana's first program for kamisado is accepted, her
// second one refused, and Bob's for dama waits. They have the numbers 1 to 3.
type handedIn struct {
	*testFolder
}

func newHandedIn(t *testing.T) handedIn {
	t.Helper()
	c := handedIn{newTestFolder(t)}
	if err := os.Mkdir(filepath.Join(c.folder, "data"), 0o700); err != nil {
		t.Fatal(err)
	}
	s := c.open()
	defer s.Close()
	ctx := t.Context()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, n := range []store.NewSubmission{
		{Player: "Ana", Game: "kamisado", Language: "go"}, {Player: "Ana", Game: "kamisado", Language: "c"}, {Player: "bob", Game: "dama", Language: "python"},
	} {
		tree := archive.Tree{{Path: "main." + n.Language, Data: []byte(n.Game)}}
		n.Hash, n.Source, n.Address = tree.Hash(), tree.Pack(), "203.0.113.7"
		_, err := s.Add(ctx, n, store.SubmissionQuotas{})
		must(err)
		if n.Player == "bob" {
			break
		}
		claimed, ok, err := s.Claim(ctx, "h")
		if must(err); !ok {
			t.Fatal("got nothing to build, want the program that was added")
		}
		if n.Language == "go" {
			_, err = s.Accept(ctx, claimed.Number, "h", []string{"./main", "a b"}, tree.Pack())
			must(err)
			continue
		}
		must(s.AddLog(ctx, claimed.Number, []byte("main.c:1: \x1b[31merror\n")))
		must(s.SetState(ctx, claimed.Number, "h", store.Refused, store.FaultOfProgram, "it does not\ncompile\x1b[2J"))
	}
	return c
}

func (c handedIn) open() *store.Submissions {
	c.t.Helper()
	s, err := store.OpenSubmissions(c.t.Context(), filepath.Join(c.folder, "data", "colosseum.db"), slog.New(slog.DiscardHandler))
	if err != nil {
		c.t.Fatal(err)
	}
	return s
}

// submissions runs host submissions, which must succeed.
func (c handedIn) submissions(args ...string) (stdout, stderr string) {
	c.t.Helper()
	stdout, stderr, err := c.host(append([]string{"submissions"}, args...)...)
	if err != nil {
		c.t.Fatalf("submissions %q: got %v, want nil; stderr:\n%s", args, err, stderr)
	}
	if strings.Contains(stdout+stderr, "203.0.113.7") {
		c.t.Errorf("submissions %q: got the address of the client in %q, want it nowhere", args, stdout+stderr)
	}
	return stdout, stderr
}

func (c handedIn) fails(want string, args ...string) {
	c.t.Helper()
	stdout, stderr, err := c.host(append([]string{"submissions"}, args...)...)
	if err == nil || stdout != "" || !strings.Contains(stderr, want) {
		c.t.Errorf("submissions %q: got %v, stdout %q, stderr %q, want a failure with %q", args, err, stdout, stderr, want)
	}
}

// numbers returns the numbers of the programs that list prints in JSON.
func (c handedIn) numbers(args ...string) (numbers []int) {
	c.t.Helper()
	stdout, _ := c.submissions(append([]string{"list", "--json"}, args...)...)
	var list []struct{ Number int }
	if err := json.Unmarshal([]byte(stdout), &list); err != nil || list == nil {
		c.t.Fatalf("list %q: got %q, %v, want a list in JSON", args, stdout, err)
	}
	for _, one := range list {
		numbers = append(numbers, one.Number)
	}
	return numbers
}

func TestOperatorListsPrograms(t *testing.T) {
	c := newHandedIn(t)
	stdout, _ := c.submissions("list")
	for _, want := range []string{
		`(?m)^│ 3 +│ bob +│ dama +│ 1 +│ queued +│ python +│ \d+ +│ \d{4}-\d\d-\d\d \d\d:\d\d:\d\d │$`, `│ accepted, active │`, `│ refused +│`,
	} {
		if !regexp.MustCompile(want).MatchString(stdout) {
			t.Errorf("got\n%s\nwant a line like %s", stdout, want)
		}
	}
	for _, tt := range []struct {
		args string
		want []int
	}{
		{"", []int{3, 2, 1}}, {"--player ana", []int{2, 1}}, {"--game dama", []int{3}}, {"--state refused", []int{2}},
		{"--player ANA --state accepted --game kamisado", []int{1}}, {"--player carol", nil},
	} {
		if got := c.numbers(strings.Fields(tt.args)...); !slices.Equal(got, tt.want) {
			t.Errorf("list %s: got %v, want %v", tt.args, got, tt.want)
		}
	}
	c.fails(`no program is in the state "new" (have queued, building, trying, accepted, refused, removed)`, "list", "--state", "new")
}

func TestOperatorSeesAProgramAndItsSource(t *testing.T) {
	c := newHandedIn(t)
	byNumber, _ := c.submissions("show", "2")
	byName, _ := c.submissions("show", "ana", "kamisado", "2")
	for _, want := range []string{
		"state      refused\n", `reason     it does not compile\x1b[2J (fault: program)` + "\n", "\n\n" + `main.c:1: \x1b[31merror` + "\n",
	} {
		if !strings.Contains(byNumber, want) || byName != byNumber {
			t.Errorf("got\n%s\nand\n%s\nwant the same, with %q", byNumber, byName, want)
		}
	}
	if stdout, _ := c.submissions("show", "1"); !strings.Contains(stdout, `runs       ["./main" "a b"]`) || !strings.Contains(stdout, "state      accepted, active\n") {
		t.Errorf("got\n%s\nwant its state and its command", stdout)
	}
	if stdout, _ := c.submissions("show", "3"); !strings.Contains(stdout, "state      queued, 0 before it\n") {
		t.Errorf("got\n%s\nwant its place in the queue", stdout)
	}
	stdout, _ := c.submissions("show", "--json", "2")
	var one struct{ Player, Reason, Log string }
	if err := json.Unmarshal([]byte(stdout), &one); err != nil || one.Player != "Ana" || one.Log != "main.c:1: \x1b[31merror\n" {
		t.Errorf("got %q, %v, want the program with its log in JSON", stdout, err)
	}
	c.submissions("show", "1", "--source", "mine.zip")
	path := filepath.Join(c.folder, "mine.zip")
	z, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	info, err := os.Stat(path)
	if err != nil || len(z.File) != 1 || z.File[0].Name != "main.go" || runtime.GOOS != "windows" && info.Mode() != 0o600 {
		t.Errorf("got the files %v in a file of mode %v, %v, want main.go in one of mode 0600", z.File, info.Mode(), err)
	}
	c.fails("mine.zip exists already", "show", "2", "--source", "mine.zip")
}

func TestOperatorRemovesProgramsAndHasThemBuiltAgain(t *testing.T) {
	c := newHandedIn(t)
	if _, stderr := c.submissions("rebuild", "Ana", "kamisado", "2"); !strings.HasPrefix(stderr, "kamisado v2 of Ana is queued again in ") {
		t.Errorf("got %q, want what was done", stderr)
	}
	if got := c.numbers("--state", "queued"); !slices.Equal(got, []int{3, 2}) {
		t.Errorf("got the programs %v in the queue, want 3 and 2", got)
	}
	c.fails("kamisado v2 of Ana: the submission waits, or a host works on it", "rebuild", "2")
	if _, stderr := c.submissions("remove", "1"); !strings.HasPrefix(stderr, "kamisado v1 of Ana is removed in ") {
		t.Errorf("got %q, want what was done", stderr)
	}
	if got := c.numbers("--state", "removed"); !slices.Equal(got, []int{1}) {
		t.Errorf("got the programs %v removed, want 1", got)
	}
	c.fails("kamisado v1 of Ana: there is no such submission", "remove", "1")
	c.fails("there is no such submission", "show", "1", "--source", "x.zip")
	if _, err := os.Stat(filepath.Join(c.folder, "x.zip")); err == nil {
		t.Error("got a file for a source that is gone, want none")
	}
}

func TestOperatorChangesProgramsWhileAHostRuns(t *testing.T) {
	c := newHandedIn(t)
	s, err := server.Open(t.Context(), config.Source{Override: func(cfg *config.Config) {
		cfg.Listen, cfg.Operations.Listen, cfg.Plugins.Folders = "127.0.0.1:0", "", []string{t.TempDir()}
		cfg.Data = filepath.Join(c.folder, "data")
	}}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	c.submissions("remove", "1")
	c.submissions("rebuild", "2")
	if got := c.numbers("--player", "ana"); len(got) != 2 {
		t.Errorf("got %v, want both programs of Ana", got)
	}
}

func TestWrongUsesOfSubmissionsAreExplained(t *testing.T) {
	empty := handedIn{newTestFolder(t)}
	empty.fails("name the host's data folder with --data", "list")
	empty.fails("name the host's data folder with --data", "remove", "1")
	c := newHandedIn(t)
	c.fails("list takes no arguments", "list", "1")
	c.fails("show takes the number of a program, or its player, game and version: host submissions show", "show")
	c.fails("show takes the number", "show", "ana", "kamisado")
	c.fails(`"x" is no number`, "show", "x")
	c.fails(`"0" is no number`, "remove", "0")
	c.fails(`"99999999999" is no number`, "rebuild", "ana", "kamisado", "99999999999")
	c.fails("there is no program 7 in ", "show", "7")
	c.fails("there is no program ana kamisado 7 in ", "remove", "ana", "kamisado", "7")
	c.fails(`submissions has no command "frob"`, "frob")
	c.fails("see host submissions list --help", "list", "--frob")
}
