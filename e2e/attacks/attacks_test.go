//go:build linux

package attacks

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"colosseum/e2e/internal/programs"
	"colosseum/internal/test/long"
	"colosseum/internal/test/waits"
	"colosseum/protocol"
)

func TestMain(m *testing.M) {
	waits.Together()
	programs.Main(m, nil)
}

const secret = "secret-4f1c"

// arena is a host with targets around it.
type arena struct {
	*programs.Host
	t       *testing.T
	games   programs.Folder
	ready   programs.Folder   // of games that are moved to the host's folder at once
	dir     string            // of everything that is attacked
	targets map[string]string // what games attack, by name
	touched chan string       // names of targets that something has connected to
}

// newArena starts a host with isolation of a level. It offers roshambo and the hostile
// game in Go, and loads further games when they appear in its folder.
func newArena(t *testing.T, level, settings string) *arena {
	t.Helper()
	if version, _, err := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION); err != 0 {
		t.Skipf("the kernel can't restrict files: got version %d of Landlock, %v", version, err)
	}
	parent := os.TempDir()
	if len(parent) > 20 {
		parent = "/tmp" // with a longer path, the host has its sockets elsewhere
	}
	dir, err := os.MkdirTemp(parent, "atk-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	a := &arena{t: t, games: programs.NewFolder(t), ready: programs.NewFolder(t), dir: dir, touched: make(chan string, 1000)}
	for _, folder := range []string{"tmp", "data", "victims"} {
		a.check(os.Mkdir(filepath.Join(dir, folder), 0o700))
	}
	for _, file := range []string{"home", "password"} {
		a.check(os.WriteFile(filepath.Join(dir, file), []byte(secret), 0o600))
	}
	a.add("hostile", func(folder string) { a.check(os.CopyFS(folder, os.DirFS("testdata/hostile"))) })
	config := fmt.Sprintf(`plugins: {folders: [%s, %s], modes: {hostile: compiled, script-imports: script}, watch: true, isolation: %s, memory_mb: 512%s}
drain: 0s
verification_password_file: %s
operations: {listen: 127.0.0.1:0}
`, programs.Plugins, a.games.Dir, level, settings, filepath.Join(dir, "password"))
	prepare := []string{"sh", "-c", `exec 9<"$0" && export TMPDIR="$1" && shift && exec "$@"`, filepath.Join(dir, "home"), filepath.Join(dir, "tmp")}
	a.Host = programs.LaunchHost(t, prepare, filepath.Join(dir, "data"), config)
	a.Await(t, `msg="all games are ready"`)
	a.aim()
	return a
}

func (a *arena) check(err error) {
	a.t.Helper()
	if err != nil {
		a.t.Fatal(err)
	}
}

// add adds the folder of a game at once, after make has filled it.
func (a *arena) add(name string, make func(folder string)) {
	a.t.Helper()
	folder := filepath.Join(a.ready.Dir, name)
	a.check(os.Mkdir(folder, 0o755))
	make(folder)
	a.check(os.Rename(folder, filepath.Join(a.games.Dir, name)))
}

// aim starts listeners and collects what can be attacked.
func (a *arena) aim() {
	a.t.Helper()
	a.targets = map[string]string{
		"data": a.Data, "config": a.Config, "home": filepath.Join(a.dir, "home"), "password": filepath.Join(a.dir, "password"),
		"games": programs.Plugins, "game": filepath.Join(programs.Plugins, "roshambo", "roshambo"),
		"host":    strings.TrimSuffix(strings.TrimPrefix(a.URL, "ws://"), "/"),
		"metrics": regexp.MustCompile(`at=http://([^/]+)/`).FindStringSubmatch(a.Await(a.t, "serving metrics"))[1],
	}
	databases, err := filepath.Glob(filepath.Join(a.Data, "*.db"))
	if err != nil || len(databases) == 0 {
		a.t.Fatalf("got the databases %q, %v, want one", databases, err)
	}
	a.targets["database"] = databases[0]
	sockets, _ := filepath.Glob(filepath.Join(a.dir, "tmp", "*", "*", "*"))
	for _, path := range sockets { // those of both games
		if conn, err := net.Dial("unix", path); err == nil {
			_ = conn.Close()
			a.targets["socket"] = path
		}
	}
	for name, at := range map[string][2]string{
		"tcp": {"tcp4", "127.0.0.1:0"}, "tcp6": {"tcp6", "[::1]:0"}, "unix": {"unix", filepath.Join(a.dir, "stream")},
		"abstract": {"unix", "@" + filepath.Base(a.dir)},
	} {
		l, err := net.Listen(at[0], at[1])
		if name == "tcp6" && err != nil {
			a.targets[name] = "[::1]:1" // a machine without IPv6
			continue
		}
		a.check(err)
		a.t.Cleanup(func() { _ = l.Close() })
		a.targets[name] = strings.TrimPrefix(l.Addr().String(), "@")
		go func() { // ends with l
			for {
				conn, err := l.Accept()
				if err != nil {
					return
				}
				_ = conn.Close()
				a.touched <- name
			}
		}()
	}
	for name, at := range map[string][2]string{"udp": {"udp4", "127.0.0.1:0"}, "unixgram": {"unixgram", filepath.Join(a.dir, "datagram")}} {
		var l net.PacketConn
		if l, err = net.ListenPacket(at[0], at[1]); err != nil {
			a.t.Fatal(err)
		}
		a.t.Cleanup(func() { _ = l.Close() })
		a.targets[name] = l.LocalAddr().String()
		go func() { // ends with l
			for {
				if _, _, err := l.ReadFrom(make([]byte, 1)); err != nil {
					return
				}
				a.touched <- name
			}
		}()
	}
}

// victims are the files that attackers try to change, by the name of the attack.
var victims = []string{"rename", "link", "unlink", "chmod", "chown", "utime", "truncate", "setxattr"}

// target writes the targets for a game into a folder: the common ones, and files of its
// own that it tries to change.
func (a *arena) target(game, folder, only string) {
	a.t.Helper()
	own := filepath.Join(a.dir, "victims", game)
	a.check(os.MkdirAll(own, 0o700))
	for _, name := range victims {
		a.check(os.WriteFile(filepath.Join(own, name), []byte(secret), 0o600))
	}
	lines := fmt.Sprintf("victims=%s\nonly=%s\n", own, only)
	for name, value := range a.targets {
		lines += name + "=" + value + "\n"
	}
	a.check(os.WriteFile(filepath.Join(folder, "targets"), []byte(lines), 0o644))
}

// ask lets the hostile game in Go try attacks, in one match, and returns what happened.
func (a *arena) ask(ids []string) map[string]string {
	a.t.Helper()
	c, _ := a.Join(a.t, protocol.GameNew{Game: "hostile"}, "alice")
	lines, results := &programs.Lines{C: c}, map[string]string{}
	for _, id := range ids {
		c.Answer(a.t, id)
		line, ended, err := lines.Next()
		if err != nil || ended != nil {
			a.t.Fatalf("%s: got %v, error %v, want an answer", id, ended, err)
		}
		name, result, _ := strings.Cut(line, "=")
		results[name] = result
	}
	c.Answer(a.t, "end")
	if r, _ := c.AwaitEnd(a.t); r.Aborted {
		a.t.Errorf("got %+v, want a match that is not aborted", r)
	}
	return results
}

// run adds a game of another language, which tries attacks and ends, and returns what
// happened and everything that it wrote. only are the attacks; empty: all.
func (a *arena) run(language, name, only string) (results map[string]string, output string) {
	a.t.Helper()
	mark := a.Mark()
	a.add(name, func(folder string) {
		install(a.t, language, folder)
		a.target(name, folder, only)
		a.check(os.Symlink(a.targets["home"], filepath.Join(folder, "link")))
	})
	output = a.AwaitAfter(a.t, mark, "game="+name+` error="attacks:`)
	_, line, found := strings.Cut(output, "attacks:")
	line, _, ended := strings.Cut(line, " end")
	if !found || !ended {
		a.t.Fatalf("%s: got %s, want the results of its attacks", language, output)
	}
	results = map[string]string{}
	for _, field := range strings.Fields(line) {
		id, result, _ := strings.Cut(field, "=")
		results[id] = result
	}
	return results, output
}

// languages are those of run, with a program that each needs. The interpreters are those
// that the games name.
var languages = map[string]string{"c": "gcc", "python": "/usr/bin/python3", "node": "/usr/bin/node"}

// need skips a test of a language that this machine lacks, and of one that the short run
// leaves out.
func need(t *testing.T, language string) {
	t.Helper()
	if _, err := exec.LookPath(languages[language]); err != nil {
		t.Skipf("there is no %s: install it to try the attacks in this language", languages[language])
	}
	if language != "c" {
		long.Only(t, "attacks that the short run tries in Go and C, in another language")
	}
}

// hasClone3 reports whether the kernel and the container offer clone3.
func hasClone3() bool {
	_, _, err := unix.Syscall(unix.SYS_CLONE3, 0, 0, 0)
	return err != unix.ENOSYS
}

func install(t *testing.T, language, folder string) {
	t.Helper()
	program := filepath.Join(folder, "game")
	var err error
	if language == "c" {
		err = programs.Run(languages["c"], "-o", program, "testdata/c/game.c")
	} else {
		err = programs.Run("cp", filepath.Join("testdata", language, "game"), program)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// snapshot returns the files below a folder, with everything that an attack could change.
func snapshot(t *testing.T, folder string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		text := ""
		if info.Mode().IsRegular() {
			content, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			text = string(content)
		}
		files[path] = fmt.Sprint(info.Mode(), info.ModTime(), text)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// inGo returns the attacks of the game in Go that are in the table.
func inGo(t *testing.T, works bool) (ids []string) {
	t.Helper()
	source, err := os.ReadFile("testdata/hostile/attacks.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range attacks {
		if strings.Contains(string(source), "\t\""+a.id+"\":") && (a.works || !works) {
			ids = append(ids, a.id)
		}
	}
	return ids
}

// TestHostileGamesHarmNobody tries everything on one host, because each start compiles
// the game in Go.
func TestHostileGamesHarmNobody(t *testing.T) {
	t.Parallel()
	a := newArena(t, "best-effort", ", exceptions: {family: {processes: true}}")
	a.target("hostile", filepath.Join(a.games.Dir, "hostile"), "")
	for _, part := range []struct {
		name string
		run  func(t *testing.T, a *arena)
	}{
		{"attacks are refused", attacksAreRefused},
		{"hostile folders are refused", hostileFoldersAreRefused},
		{"descendants end with their game", descendantsEndWithTheirGame},
		{"a game with a bomb ends alone", gameWithABombEndsAlone},
		{"a busy game makes nobody late", busyGameMakesNobodyLate},
	} {
		t.Run(part.name, func(t *testing.T) {
			whole := a.t
			a.t = t
			defer func() { a.t = whole }()
			part.run(t, a)
		})
	}
}

func attacksAreRefused(t *testing.T, a *arena) {
	expected := map[string]string{}
	for _, attack := range attacks {
		expected[attack.id] = attack.want
	}
	compare := func(t *testing.T, results map[string]string, atLeast int) {
		t.Helper()
		for id, got := range results {
			if want, known := expected[id]; !known || !slices.Contains(strings.Fields(want), got) {
				t.Errorf("%s: got %s, want %s", id, got, want)
			}
		}
		if len(results) < atLeast {
			t.Errorf("got %d attacks, want at least %d", len(results), atLeast)
		}
	}
	for language := range languages {
		a.check(os.MkdirAll(filepath.Join(a.dir, "victims", language), 0o700))
	}
	tried := map[string]bool{}
	a.DuringDuels(t, func() {
		own := filepath.Join(a.games.Dir, "hostile")
		before, around := snapshot(t, own), snapshot(t, filepath.Join(a.dir, "victims", "hostile"))
		begin := time.Now()
		results := a.ask(inGo(t, false))
		t.Logf("%d attacks in Go took %v", len(results), time.Since(begin))
		compare(t, results, 130)
		for id := range results {
			tried[id] = true
		}
		if after := snapshot(t, own); !maps.Equal(before, after) {
			t.Errorf("got the game's folder %v, want %v", after, before)
		}
		if after := snapshot(t, filepath.Join(a.dir, "victims", "hostile")); !maps.Equal(around, after) {
			t.Errorf("got the files of others %v, want %v", after, around)
		}
	})
	for language := range languages {
		t.Run(language, func(t *testing.T) {
			need(t, language)
			results, _ := a.run(language, language, "")
			compare(t, results, 38)
			for id := range results {
				tried[id] = true
			}
			own := snapshot(t, filepath.Join(a.dir, "victims", language))
			for _, name := range victims {
				if text := own[filepath.Join(a.dir, "victims", language, name)]; !strings.HasPrefix(text, "-rw-------") || !strings.HasSuffix(text, secret) {
					t.Errorf("got the file %s: %q, want it unchanged", name, text)
				}
			}
			if len(own) != len(victims)+1 {
				t.Errorf("got the files %v, want only %v", slices.Sorted(maps.Keys(own)), victims)
			}
		})
	}
	for id := range expected {
		if _, err := exec.LookPath(languages["c"]); err == nil && !tried[id] && !strings.HasPrefix(id, "calls-") {
			t.Errorf("got no game that tries %s, want one", id)
		}
	}
	if _, err := os.Stat(fmt.Sprintf("/proc/%d/fd/9", a.Cmd.Process.Pid)); errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want a host with a file that it has inherited", err)
	}
	a.intact(t)
}

// intact checks that nothing has connected to a target, and that the host works.
func (a *arena) intact(t *testing.T) {
	t.Helper()
	select {
	case name := <-a.touched:
		t.Errorf("got a connection to %s, want none", name)
	default:
	}
	if err := a.Duel(3); err != nil {
		t.Errorf("a match on the same host: got %v, want no error", err)
	}
}

// machine returns what attacks must not change: the mounts in the folder of the test, and
// the host's priority, processors and tracer.
func (a *arena) machine(t *testing.T) string {
	t.Helper()
	text := ""
	for _, path := range []string{"/proc/self/mountinfo", fmt.Sprintf("/proc/%d/status", a.Cmd.Process.Pid)} {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(content)) {
			if name, _, status := strings.Cut(line, ":\t"); !status && strings.Contains(line, a.dir) || slices.Contains([]string{"TracerPid", "Cpus_allowed_list"}, name) {
				text += line
			}
		}
	}
	priority, err := unix.Getpriority(unix.PRIO_PROCESS, a.Cmd.Process.Pid)
	a.check(err)
	return fmt.Sprintf("%spriority: %d\n", text, priority)
}

// If an attack did not work, its refusal would say nothing. The others are tried as well:
// none harms the machine, even where nothing refuses it.
func TestAttacksWorkWithoutIsolation(t *testing.T) {
	t.Parallel()
	a := newArena(t, "off", "")
	compare := func(t *testing.T, results map[string]string, atLeast int) {
		t.Helper()
		for id, got := range results {
			if got != "done" && (id != "clone3" || hasClone3()) {
				t.Errorf("%s: got %s, want done", id, got)
			}
		}
		if len(results) < atLeast {
			t.Errorf("got %d attacks, want at least %d", len(results), atLeast)
		}
	}
	a.target("hostile", filepath.Join(a.games.Dir, "hostile"), "")
	own := filepath.Join(a.dir, "victims", "hostile")
	before := snapshot(t, own)
	machine := a.machine(t)
	results := a.ask(slices.DeleteFunc(inGo(t, false), func(id string) bool { return id == "execve" })) // which ends the game
	maps.DeleteFunc(results, func(id, _ string) bool { return !slices.Contains(inGo(t, true), id) })
	compare(t, results, 55)
	if after := a.machine(t); after != machine {
		t.Errorf("got the machine changed:\n%s\nwant as before:\n%s", after, machine)
	}
	if after := snapshot(t, own); maps.Equal(before, after) {
		t.Errorf("got the files of others %v, want them changed", after)
	}
	only := " "
	for _, attack := range attacks {
		if attack.works {
			only += attack.id + " "
		}
	}
	for language := range languages {
		t.Run(language, func(t *testing.T) {
			need(t, language)
			results, _ := a.run(language, language, only)
			compare(t, results, 25)
		})
	}
}
