package command

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"colosseum/host/internal/base/config"
	"colosseum/host/internal/contests/players"
	"colosseum/host/internal/records/store"
	"colosseum/host/internal/server"
	"colosseum/internal/test/filetree"
)

// testFolder is a folder in which commands run; data in it is the data folder.
type testFolder struct {
	t      *testing.T
	folder string
}

func newTestFolder(t *testing.T) *testFolder { return &testFolder{t, t.TempDir()} }

// run runs host players.
func (c *testFolder) run(args ...string) (stdout, stderr string, err error) {
	return c.host(append([]string{"players"}, args...)...)
}

// host runs a command of the host.
func (c *testFolder) host(args ...string) (stdout, stderr string, err error) {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Dir = c.folder
	var out, text bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &text
	err = cmd.Run()
	return out.String(), text.String(), err
}

// tokens runs host players and returns the tokens it prints, by name.
func (c *testFolder) tokens(args ...string) map[string]string {
	c.t.Helper()
	stdout, stderr, err := c.run(args...)
	if err != nil {
		c.t.Fatalf("players %q: got %v, want nil; stderr:\n%s", args, err, stderr)
	}
	rows, err := csv.NewReader(strings.NewReader(stdout)).ReadAll()
	if err != nil {
		c.t.Fatalf("players %q: got %q, want CSV", args, stdout)
	}
	tokens := map[string]string{}
	for _, row := range rows {
		if len(row) != 2 || !regexp.MustCompile(`^coco_[A-Za-z0-9_-]{43}$`).MatchString(row[1]) {
			c.t.Fatalf("players %q: got the row %q, want a name and a token", args, row)
		}
		tokens[row[0]] = row[1]
	}
	for _, token := range tokens {
		if strings.Contains(stderr, token) {
			c.t.Errorf("players %q: stderr has a token, want it only on stdout", args)
		}
	}
	return tokens
}

// fails runs host players and returns its stderr.
func (c *testFolder) fails(want string, args ...string) {
	c.t.Helper()
	stdout, stderr, err := c.run(args...)
	if err == nil || stdout != "" || !strings.Contains(stderr, want) {
		c.t.Errorf("players %q: got %v, stdout %q, stderr %q, want a failure with %q", args, err, stdout, stderr, want)
	}
}

func (c *testFolder) write(name, text string) {
	c.t.Helper()
	if err := os.WriteFile(filepath.Join(c.folder, name), []byte(text), 0o600); err != nil {
		c.t.Fatal(err)
	}
}

// wantLogin checks which player a token belongs to; "": none.
func (c *testFolder) wantLogin(token, want string) {
	c.t.Helper()
	file, err := store.OpenPlayers(c.t.Context(), filepath.Join(c.folder, "data", "colosseum.db"), slog.New(slog.DiscardHandler))
	if err != nil {
		c.t.Fatal(err)
	}
	defer file.Close()
	r := players.New(file, players.Settings{}, slog.New(slog.DiscardHandler))
	if got, err := r.Authenticate(c.t.Context(), "", token, players.All); got != want || (err == nil) != (want != "") {
		c.t.Errorf("a login: got %q, %v, want %q", got, err, want)
	}
}

// list returns the players as list prints them in JSON.
func (c *testFolder) list() (list []map[string]any) {
	c.t.Helper()
	stdout, stderr, err := c.run("list", "--json")
	if err != nil {
		c.t.Fatalf("list: got %v, want nil; stderr:\n%s", err, stderr)
	}
	if err := json.Unmarshal([]byte(stdout), &list); err != nil {
		c.t.Fatalf("list: got %q, %v, want JSON", stdout, err)
	}
	return list
}

func TestATeacherImportsAClassAndHandsOutTokens(t *testing.T) {
	c := newTestFolder(t)
	text := "class,name\n"
	for i := range 40 {
		text += fmt.Sprintf("7a,pupil%d\n", i)
	}
	c.write("class.csv", text)
	tokens := c.tokens("import", "class.csv")
	if len(tokens) != 40 {
		t.Errorf("got %d tokens, want 40", len(tokens))
	}
	c.wantLogin(tokens["pupil7"], "pupil7")
	c.wantLogin(tokens["pupil39"], "pupil39")

	again := c.tokens("reset", "PUPIL7", "pupil8")
	c.wantLogin(tokens["pupil7"], "")
	c.wantLogin(again["pupil7"], "pupil7")
	if _, stderr, err := c.run("remove", "pupil8"); err != nil {
		t.Fatalf("remove: got %v, want nil; stderr:\n%s", err, stderr)
	}
	c.wantLogin(again["pupil8"], "")
	c.fails("pupil8: the player pupil8 exists, or has existed", "add", "pupil8")
	if list := c.list(); len(list) != 40 || list[8]["name"] != "pupil16" {
		t.Errorf("got %v, want 40 players by name", list)
	}
	stdout, _, err := c.run("list")
	if want := regexp.MustCompile(`(?m)^│ pupil8 +│ \d{4}-\d\d-\d\d \d\d:\d\d:\d\d │ never +│ removed │ +│ +│$`); err != nil || !want.MatchString(stdout) || strings.Contains(stdout, "coco_") {
		t.Errorf("list: got %v,\n%s\nwant a line like %v, and no tokens", err, stdout, want)
	}
}

func TestSecretsAreWrittenToAFileThatOthersCannotRead(t *testing.T) {
	c := newTestFolder(t)
	for i, args := range [][]string{{"add", "--out", "0", "ana"}, {"reset", "--out", "1", "ana"}, {"invite", "-n", "2", "--out", "2"}} {
		stdout, stderr, err := c.run(args...)
		path := filepath.Join(c.folder, strconv.Itoa(i))
		text, readErr := os.ReadFile(path)
		info, statErr := os.Stat(path)
		if err != nil || readErr != nil || statErr != nil || stdout != "" || strings.Contains(stderr, "coco_") {
			t.Fatalf("%v: got %v, %v, stdout %q, stderr %q, want a file", args, err, readErr, stdout, stderr)
		}
		if runtime.GOOS != "windows" && info.Mode() != 0o600 {
			t.Errorf("%v: got the mode %v, want 0600", args, info.Mode())
		}
		if i < 2 {
			c.wantLogin(strings.TrimPrefix(strings.TrimSpace(string(text)), "ana,"), "ana")
		} else if n := strings.Count(string(text), "\n"); n != 2 {
			t.Errorf("%v: got %d lines, want 2", args, n)
		}
	}
	c.fails("0 exists already: name a new file", "add", "--out", "0", "bob")
	c.fails("the player ana exists", "add", "--out", "3", "ana")
	if _, err := os.Stat(filepath.Join(c.folder, "3")); !os.IsNotExist(err) {
		t.Errorf("a file without tokens was left: %v", err)
	}
	if list := c.list(); len(list) != 1 {
		t.Errorf("got %v, want that bob was not registered", list)
	}
}

func TestPlayersAreAddedWhileAHostRuns(t *testing.T) {
	c := newTestFolder(t)
	s, err := server.Open(t.Context(), config.Source{Override: func(cfg *config.Config) {
		cfg.Listen, cfg.Operations.Listen, cfg.Plugins.Folders = "127.0.0.1:0", "", []string{t.TempDir()}
		cfg.Data = filepath.Join(c.folder, "data")
	}}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	c.wantLogin(c.tokens("add", "Ana")["Ana"], "Ana")
	if list := c.list(); len(list) != 1 || list[0]["name"] != "Ana" {
		t.Errorf("got %v, want Ana", list)
	}
}

func TestAnImportWithProblemsListsAllOfThemAndAddsNobody(t *testing.T) {
	c := newTestFolder(t)
	c.tokens("add", "old")
	c.write("class.csv", "name;class\nana;7a\nOLD;7a\nzoë;7a\n;7a\nAna;7b\nserver;7b\nbob;7b\n")
	stdout, stderr, err := c.run("import", "class.csv")
	if err == nil || stdout != "" {
		t.Errorf("got %v, stdout %q, want a failure without tokens", err, stdout)
	}
	lines := strings.Split(strings.TrimSpace(stderr), "\n")
	wants := []string{
		"class.csv:3: OLD: the player old exists", `class.csv:4: "zoë": the name of a player has`, `class.csv:5: "": the name`,
		"class.csv:6: Ana: the list has this name twice", "class.csv:7: server: the setting players.reserved", "host: no player was registered: 5 problems",
	}
	if len(lines) != len(wants) || slices.ContainsFunc(wants, func(want string) bool { return !strings.Contains(stderr, want) }) {
		t.Errorf("got stderr\n%s\nwant the lines\n%s", stderr, strings.Join(wants, "\n"))
	}
	if list := c.list(); len(list) != 1 {
		t.Errorf("got the players %v, want old alone", list)
	}
}

func TestWrongUsesOfPlayersAreExplained(t *testing.T) {
	c := newTestFolder(t)
	c.fails("name the host's data folder with --data", "list")
	c.fails("name the host's data folder with --data", "reset", "ana")
	c.fails("name the host's data folder with --data", "remove", "ana")
	if _, err := os.Stat(filepath.Join(c.folder, "data")); err == nil {
		t.Error("list, reset and remove created the data folder, want none")
	}
	c.tokens("add", "ana")
	c.write("empty.csv", "\n")
	c.write("long.csv", strings.Repeat("a,", players.MaxList))
	filetree.Made(t, filetree.MakePipe(filepath.Join(c.folder, "pipe")))
	c.fails("add takes the names of players", "add")
	c.fails("reset takes the names of players", "reset")
	c.fails("remove takes the names of players", "remove")
	c.fails("import takes one file, got 0", "import")
	c.fails("list takes no arguments", "list", "ana")
	c.fails("not registered: bob (see host players list)", "reset", "ana", "bob")
	c.fails("not registered: bob", "remove", "bob")
	c.fails("empty.csv: it has no names", "import", "empty.csv")
	c.fails("long.csv: it is longer than 1024 KiB", "import", "long.csv")
	c.fails("no such file", "import", "none.csv")
	c.fails("pipe is not a regular file", "import", "pipe")
	c.fails("data is not a regular file", "import", "data")
	c.fails("-n must be 1 to 1000, got 0", "invite", "-n", "0")
	c.fails("-n must be 1 to 1000", "invite", "-n", "1001")
	c.fails(`players has no command "frob"`, "frob")
	c.fails("see host players add --help", "add", "--frob")
}

func TestTokensThatCannotBePrintedAreReported(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("no /dev/full:", err)
	}
	defer full.Close()
	cmd := exec.Command(os.Args[0], "players", "add", "ana")
	cmd.Dir, cmd.Stdout = t.TempDir(), full
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Run(); err == nil || !strings.Contains(stderr.String(), "host players reset gives new ones") {
		t.Errorf("got %v, %q, want advice", err, stderr.String())
	}
}

func TestInvitationsArePrintedOneALine(t *testing.T) {
	c := newTestFolder(t)
	stdout, stderr, err := c.run("invite", "-n", "3")
	if !regexp.MustCompile(`^([A-Z2-7]{26}\n){3}$`).MatchString(stdout) || stderr != "" || err != nil {
		t.Errorf("got %q, %q, %v, want three codes", stdout, stderr, err)
	}
	if stdout, _, _ = c.run("invite"); strings.Count(stdout, "\n") != 1 {
		t.Errorf("without -n: got %q, want one code", stdout)
	}
}

func TestTheListShowsWhenAPlayerLoggedIn(t *testing.T) {
	c := newTestFolder(t)
	c.tokens("add", "ana", "bob")
	file, err := store.OpenPlayers(t.Context(), filepath.Join(c.folder, "data", "colosseum.db"), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	if err := file.SetSeen(t.Context(), map[string]time.Time{"ana": at}, nil); err != nil {
		t.Fatal(err)
	}
	file.Close()
	list := c.list()
	if _, never := list[1]["seen"]; list[0]["seen"] != "2026-03-04T05:06:07Z" || never {
		t.Errorf("got %v, want ana to be seen at %v, bob never", list, at)
	}
	if stdout, _, _ := c.run("list"); !strings.Contains(stdout, at.Local().Format(time.DateTime)) {
		t.Errorf("got\n%s\nwant the time %v", stdout, at.Local())
	}
}
