package catalog

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"colosseum/host/internal/config"
	"colosseum/internal/gamedir"
)

// heard is a log that can be read.
type heard struct {
	mu   sync.Mutex // guards the field below
	text bytes.Buffer
}

func (h *heard) Write(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.text.Write(p)
}

func (h *heard) String() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.text.String()
}

// loading opens a catalog whose games are being loaded while the test goes on.
func loading(t *testing.T, cfg *config.Config, prepare func(c *Catalog)) (*Catalog, *heard) {
	t.Helper()
	log := &heard{}
	c, err := Open(cfg, t.TempDir(), slog.New(slog.NewTextHandler(log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	if prepare != nil {
		prepare(c)
	}
	ended := make(chan struct{})
	ctx, cancel := context.WithCancel(context.Background())
	go func() { // ends with the test
		defer close(ended)
		c.Load(ctx)
	}()
	t.Cleanup(func() {
		cancel()
		<-ended
		c.Close()
	})
	return c, log
}

// refusal returns what a client reads that wants to play a game; empty: it
// can be played.
func (c *Catalog) refusal(game string) string {
	if _, err := c.Find(game); err != nil {
		return err.Error()
	}
	return ""
}

func (c *Catalog) problemOf(game string) string {
	for _, p := range c.Problems() {
		if p.Game == game {
			return p.Err.Error()
		}
	}
	return ""
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

func TestGamesThatHangDoNotKeepOthersFromBeingOffered(t *testing.T) {
	program, err := roshambo()
	if err != nil {
		t.Fatal(err)
	}
	// They come before roshambo, and fill all places at the gate.
	files := map[string]string{"roshambo/roshambo*": string(program), "roshambo/rules.md": "# roshambo\n"}
	var hang []string
	for i := range 2 * startsAtOnce {
		name := fmt.Sprint("hang", i)
		hang = append(hang, name)
		files[name+"/"+name+"*"] = "#!/bin/sh\nexec sleep 1000\n"
	}
	cfg := configOf(folder(t, files))
	cfg.Plugins.StartTimeout = time.Hour
	cfg.Games = map[string]config.Game{"other": {Plugin: "hang0", Title: "Other"}}
	c, log := loading(t, cfg, func(c *Catalog) { c.starts = newGate(startsAtOnce, time.Millisecond) })

	eventually(t, "roshambo is offered", func() bool { return c.refusal("roshambo") == "" })
	for _, name := range append(hang, "other") {
		eventually(t, name+" is being started", func() bool {
			return c.refusal(name) == "the game "+name+" is unavailable: it is starting, try again in a minute"
		})
	}
	var names []string
	for _, o := range c.List() {
		names = append(names, o.Name)
		if (o.Unavailable == "") != (o.Name == "roshambo") {
			t.Errorf("%s is listed with %q", o.Name, o.Unavailable)
		}
	}
	if want := append(slices.Clone(hang), "other", "roshambo"); !slices.Equal(names, want) {
		t.Errorf("listed are %q, want %q", names, want)
	}
	if text, ok := c.Describe("other"); !ok || text != "The game other can't be played yet: it is starting. Try again in a minute.\n" {
		t.Errorf("it is described as %q", text)
	}
	if got, want := c.refusal("chess"), "Game not found yet: the host is still loading its games, try again in a moment"; got != want {
		t.Errorf("a game that is not there is refused with %q, want %q", got, want)
	}
	if isClosed(c.Ready()) || strings.Contains(log.String(), "games are ready") {
		t.Error("all are said to be ready")
	}
}

func TestCatalogIsReadyWhenEachGameIsOfferedOrHasFailed(t *testing.T) {
	program, err := roshambo()
	if err != nil {
		t.Fatal(err)
	}
	dir := folder(t, map[string]string{"roshambo/roshambo*": string(program), "roshambo/rules.md": "# roshambo\n", "broken/broken*": "#!/bin/sh\nexit 1\n", "notes/todo.txt": ""})
	c, log := loading(t, configOf(dir), nil)
	eventually(t, "it is ready", func() bool { return isClosed(c.Ready()) && strings.Contains(log.String(), "games are ready") })
	if got := c.refusal("roshambo"); got != "" {
		t.Errorf("roshambo is refused with %q", got)
	}
	if got := c.refusal("broken"); got != "Game not found" {
		t.Errorf("the broken game is refused with %q", got)
	}
	if want := `level=WARN msg="games are ready, but some have a problem" games=1 problems=1 `; !strings.Contains(log.String(), want) {
		t.Errorf("the log does not say %q:\n%s", want, log)
	}
	if strings.Contains(log.String(), "notes") {
		t.Errorf("the log speaks of a folder without a game:\n%s", log)
	}
}

// dead makes a folder not answer, as one on a server that is gone, until the
// returned function is called.
func dead(t *testing.T, c *Catalog, dir string) (revive func()) {
	t.Helper()
	visits, server, asked := c.looks.visit(dir), make(chan struct{}), make(chan struct{})
	ctx, cancel := context.WithCancel(context.Background())
	given := make(chan struct{})
	go func() { // ends with cancel
		defer close(given)
		_, _ = gamedir.Visit(ctx, visits, func() bool { close(asked); <-server; return true })
	}()
	<-asked
	cancel()
	<-given
	return sync.OnceFunc(func() { close(server) })
}

func TestGameWhoseFolderDoesNotAnswerIsLoadedWhenItDoes(t *testing.T) {
	program, err := roshambo()
	if err != nil {
		t.Fatal(err)
	}
	dir := folder(t, map[string]string{
		"roshambo/roshambo*": string(program), "roshambo/rules.md": "# roshambo\n", "broken/broken*": "#!/bin/sh\nexit 1\n",
	})
	var revive func()
	c, _ := loading(t, configOf(dir), func(c *Catalog) {
		revive = dead(t, c, filepath.Join(dir, "roshambo"))
	})
	defer revive()
	eventually(t, "the others are loaded, or not", func() bool { return isClosed(c.Ready()) })
	if got, want := c.problemOf("roshambo"), gamedir.ErrSilent.Error(); got != want {
		t.Errorf("the problem is %q, want %q", got, want)
	}
	revive()
	eventually(t, "it is offered", func() bool { return c.refusal("roshambo") == "" })
	if got := c.problemOf("roshambo"); got != "" {
		t.Errorf("it still has the problem %q", got)
	}
}

// compiler puts a program named go first on the path, which hangs in the folder
// of the game hang and is the real one elsewhere. It returns the file in which
// the hanging one leaves the ID of a process that it started.
func compiler(t *testing.T) (pid string) {
	t.Helper()
	real, err := exec.LookPath("go")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	pid = filepath.Join(dir, "pid")
	text := fmt.Sprintf("#!/bin/sh\ncase $PWD in\n*/hang*) sleep 1000 & echo $! > %s.new; mv %s.new %s; wait;;\n*) exec %s \"$@\";;\nesac\n", pid, pid, pid, real)
	if err := os.WriteFile(filepath.Join(dir, "go"), []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	return pid
}

func TestGamesAreCompiledBesideOneWhoseCompilationHangs(t *testing.T) {
	pid := compiler(t)
	files := map[string]string{"script/script*": "#!/bin/sh\nexit 1\n"}
	for _, name := range []string{"hang", "hang2", "hang3", "late"} {
		files[name+"/go.mod"], files[name+"/main.go"] = "module "+name+"\n", "package main\n\nfunc main() { println(\"no game\") }\n"
	}
	cfg := configOf(folder(t, files))
	cfg.Plugins.BuildTimeout = time.Hour
	c, log := loading(t, cfg, func(c *Catalog) { c.builds = newGate(1, time.Millisecond) })
	eventually(t, "the last has been compiled", func() bool { return strings.Contains(c.problemOf("late"), "no game") })
	if got, want := c.refusal("hang"), "the game hang is unavailable: it is being compiled, try again in a minute"; got != want {
		t.Errorf("it is refused with %q, want %q", got, want)
	}
	for _, want := range []string{`msg="compiling game" game=hang number="\d of [45]"`, `msg="compiling game" game=late number="\d of [45]"`, `number="4 of [45]"`} {
		if !regexp.MustCompile(want).MatchString(log.String()) {
			t.Errorf("the log does not say %s:\n%s", want, log)
		}
	}
	eventually(t, "the compiler runs", func() bool { _, err := os.Stat(pid); return err == nil })
}

func TestCompilationThatTakesTooLongIsEndedWithAllItsProcesses(t *testing.T) {
	file := compiler(t)
	cfg := configOf(folder(t, map[string]string{"hang/main.go": "package main\n"}))
	cfg.Plugins.BuildTimeout = 100 * time.Millisecond
	c, _ := loading(t, cfg, nil)
	eventually(t, "it is given up", func() bool { return c.problemOf("hang") != "" })
	if got, want := c.problemOf("hang"), "it was not compiled within 100ms: see plugins.build_timeout"; got != want {
		t.Errorf("the problem is %q, want %q", got, want)
	}
	b, err := os.ReadFile(file)
	if os.IsNotExist(err) {
		return // it was so slow that it had not started another
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(b)))
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "the process of the compiler is gone", func() bool { return syscall.Kill(pid, 0) != nil || zombie(pid) })
}

func zombie(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && strings.Contains(string(stat), ") Z ")
}
