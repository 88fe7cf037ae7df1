//go:build unix

package catalog

import (
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
	"testing"
	"time"

	"colosseum/host/internal/base/config"
	"colosseum/internal/gamedir"
	"colosseum/internal/test/filetree"
	"colosseum/internal/test/poll"
)

// newLoading opens a catalog, calls prepare unless it is nil, and loads the games
// while the test continues.
func newLoading(t *testing.T, cfg *config.Config, prepare func(c *Catalog)) (*Catalog, *logBuffer) {
	t.Helper()
	log := &logBuffer{}
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
		poll.Receive(t, "Load returns", ended)
		c.Close()
	})
	return c, log
}

func TestGamesThatHangDoNotKeepOthersFromBeingOffered(t *testing.T) {
	t.Parallel()
	files := map[string]string{} // games that are started before roshambo and fill the gate
	var hang []string
	for i := range 2 * startsAtOnce {
		name := fmt.Sprint("hang", i)
		hang = append(hang, name)
		files[name+"/"+name+"*"] = "#!/bin/sh\nexec sleep 1000\n"
	}
	cfg := configOf(roshamboFolder(t, files))
	cfg.Games = map[string]config.Game{"other": {Plugin: "hang0", Title: "Other"}}
	c, log := newLoading(t, cfg, func(c *Catalog) { c.starts = newGate(startsAtOnce, time.Millisecond) })

	poll.Until(t, "roshambo is offered", func() bool { return c.refusal("roshambo") == "" })
	for _, name := range append(hang, "other") {
		poll.Until(t, name+" is being started", func() bool {
			return c.refusal(name) == "the game "+name+" is unavailable: it is starting, try again in a minute"
		})
	}
	var names []string
	for _, o := range c.List() {
		names = append(names, o.Name)
		if (o.Unavailable == "") != (o.Name == "roshambo") {
			t.Errorf("%s is listed as unavailable with %q, want it of all except roshambo", o.Name, o.Unavailable)
		}
	}
	if want := append(slices.Clone(hang), "other", "roshambo"); !slices.Equal(names, want) {
		t.Errorf("got the list %q, want %q", names, want)
	}
	const yet = "The game other can't be played yet: it is starting. Try again in a minute.\n"
	if text, ok := c.Describe("other"); !ok || text != yet {
		t.Errorf("it is described as %q, want %q", text, yet)
	}
	if got, want := c.refusal("chess"), "Game not found yet: the host is still loading its games, try again in a moment"; got != want {
		t.Errorf("an unknown game is refused with %q, want %q", got, want)
	}
	if c.isReady() || strings.Contains(log.String(), "games are ready") {
		t.Error("the catalog is ready, want it not to be")
	}
}

func TestCatalogIsReadyWhenEachGameIsOfferedOrHasFailed(t *testing.T) {
	t.Parallel()
	dir := roshamboFolder(t, map[string]string{"broken/broken*": failing, "notes/todo.txt": ""})
	c, log := newLoading(t, configOf(dir), nil)
	poll.Until(t, "it is ready", func() bool { return c.isReady() && strings.Contains(log.String(), "games are ready") })
	if got := c.refusal("roshambo"); got != "" {
		t.Errorf("roshambo is refused with %q, want it offered", got)
	}
	if got, want := c.refusal("broken"), "Game not found"; got != want {
		t.Errorf("the broken game is refused with %q, want %q", got, want)
	}
	if want := `level=WARN msg="games are ready, but some have a problem" games=1 problems=1 `; !strings.Contains(log.String(), want) {
		t.Errorf("want %q in the log, got:\n%s", want, log)
	}
	if strings.Contains(log.String(), "notes") {
		t.Errorf("want no folder without a game in the log, got:\n%s", log)
	}
}

// silence makes a folder not answer, like one on a dead server, until answer is
// called.
func (c *Catalog) silence(dir string) (answer func()) {
	server := make(chan struct{})
	ctx, cancel := context.WithCancel(context.Background())
	visited := make(chan struct{})
	go func() { // ends with cancel
		defer close(visited)
		_, _ = gamedir.Visit(ctx, c.folders.Visits(dir), func() bool { cancel(); <-server; return true })
	}()
	<-visited
	return sync.OnceFunc(func() { close(server) })
}

func TestGameWhoseFolderDoesNotAnswerIsLoadedWhenItDoes(t *testing.T) {
	t.Parallel()
	dir := roshamboFolder(t, map[string]string{"broken/broken*": failing})
	var answer func()
	c, _ := newLoading(t, configOf(dir), func(c *Catalog) { answer = c.silence(filepath.Join(dir, "roshambo")) })
	defer answer()
	poll.Until(t, "the catalog is ready", c.isReady)
	if got, want := c.problemOf("roshambo"), gamedir.ErrSilent.Error(); got != want {
		t.Errorf("the problem is %q, want %q", got, want)
	}
	answer()
	poll.Until(t, "it is offered", func() bool { return c.refusal("roshambo") == "" })
	if got := c.problemOf("roshambo"); got != "" {
		t.Errorf("it has the problem %q, want none", got)
	}
}

// fakeCompiler puts a program named go first on the path. In folders named hang* it
// starts a process, writes its ID to the file pid, and hangs; elsewhere it runs the
// real go.
func fakeCompiler(t *testing.T) (pid string) {
	t.Helper()
	compiler, err := exec.LookPath("go")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	pid = filepath.Join(dir, "pid")
	text := fmt.Sprintf("#!/bin/sh\ncase $PWD in\n*/hang*) sleep 1000 & echo $! > %s.new; mv %s.new %s; wait;;\n*) exec %s \"$@\";;\nesac\n", pid, pid, pid, compiler)
	if err := os.WriteFile(filepath.Join(dir, "go"), []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	return pid
}

func TestGamesAreCompiledWhileAnotherCompilationHangs(t *testing.T) {
	pid := fakeCompiler(t)
	files := map[string]string{"script/script*": failing}
	for _, name := range []string{"hang", "late", "later"} {
		files[name+"/go.mod"], files[name+"/main.go"] = "module "+name+"\n", "package main\n\nfunc main() { println(\"no game\") }\n"
	}
	cfg := configOf(filetree.New(t, files))
	cfg.Plugins.BuildTimeout = time.Hour
	c, log := newLoading(t, cfg, func(c *Catalog) { c.builds = newGate(2, 0) })
	for _, name := range []string{"late", "later"} {
		poll.Until(t, name+" has been compiled", func() bool { return strings.Contains(c.problemOf(name), "no game") })
	}
	if got, want := c.refusal("hang"), "the game hang is unavailable: it is being compiled, try again in a minute"; got != want {
		t.Errorf("it is refused with %q, want %q", got, want)
	}
	for _, want := range []string{`msg="compiling game" game=hang number="\d of [34]"`, `msg="compiling game" game=late number="\d of [34]"`, `number="3 of [34]"`} {
		if !regexp.MustCompile(want).MatchString(log.String()) {
			t.Errorf("want %s in the log, got:\n%s", want, log)
		}
	}
	poll.Until(t, "the compiler runs", func() bool { _, err := os.Stat(pid); return err == nil })
}

func TestCompilationWithoutProgressIsKilledWithAllItsProcesses(t *testing.T) {
	file := fakeCompiler(t)
	cfg := configOf(filetree.New(t, map[string]string{"hang/go.mod": "module hang\n", "hang/main.go": "package main\n"}))
	cfg.Plugins.BuildTimeout = 100 * time.Millisecond
	c, _ := newLoading(t, cfg, nil)
	poll.Until(t, "the build is ended", func() bool { return c.problemOf("hang") != "" })
	want := "as a script, because it can't be compiled here now: the go command made no progress for 100ms (plugins.build_timeout):\nthis script has an error"
	if got := c.problemOf("hang"); got != want {
		t.Errorf("the problem is %q, want %q", got, want)
	}
	b, err := os.ReadFile(file)
	if os.IsNotExist(err) {
		return // the compiler was killed before it started a process
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(b)))
	if err != nil {
		t.Fatal(err)
	}
	poll.Until(t, "the process of the compiler is gone", func() bool { return isGone(pid) || isZombie(pid) })
}

func isZombie(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && strings.Contains(string(stat), ") Z ")
}
