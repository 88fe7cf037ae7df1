// Package browser tests the pages of a real host in a real Chromium, with clicks and
// keys. Without a browser the tests are skipped.
package browser

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"colosseum/e2e/internal/programs"
)

// built is the folder of the built host and games.
var built string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	flag.Parse()
	var err error
	driver, err = startDriver()
	if errors.Is(err, errNoBrowser) {
		fmt.Fprintln(os.Stderr, "the pages are not tested:", err)
		return m.Run() // skips the tests
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer driver.stop()
	if built, err = os.MkdirTemp("", "browser-"); err == nil {
		defer os.RemoveAll(built)
		programs.Bin = filepath.Join(built, "host")
		err = build("host")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer lasting.end()
	return m.Run()
}

// games returns the names of all games of the repository.
func games() ([]string, error) {
	entries, err := os.ReadDir("../../plugins")
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names, err
}

// build builds the host or a game, if that has not been done.
func build(name string) error {
	pkg := "colosseum/plugins/" + name
	if name == "host" {
		pkg = "colosseum/host"
	}
	path := filepath.Join(built, name, name)
	err := os.Mkdir(filepath.Dir(path), 0o755)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return programs.Build(pkg, path, false)
}

// folder creates a games folder with the descriptions, viewers, pictures and example
// players of the repository.
// viewers replaces the viewers of some games; "" removes one.
func folder(t testing.TB, names []string, viewers map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		if err := build(name); err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Link(filepath.Join(built, name, name), filepath.Join(dir, name, name)); err != nil {
			t.Fatal(err)
		}
		for _, pattern := range []string{"*.md", "viewer.js", "picture*.png"} {
			found, _ := filepath.Glob(filepath.Join("../../plugins", name, pattern)) // the pattern is well formed
			for _, path := range found {
				text, err := os.ReadFile(path)
				if err == nil {
					err = os.WriteFile(filepath.Join(dir, name, filepath.Base(path)), text, 0o644)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
		}
		players := filepath.Join("../../plugins", name, "players")
		if err := os.CopyFS(filepath.Join(dir, name, "players"), os.DirFS(players)); err != nil {
			t.Fatal(err)
		}
		if viewer, ok := viewers[name]; ok {
			path := filepath.Join(dir, name, "viewer.js")
			err := os.Remove(path)
			if viewer != "" {
				err = os.WriteFile(path, []byte(viewer), 0o644)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	return dir
}

// patient are the limits of the hosts: a slow machine is not a fault.
const patient = "clients: {ping: 10m, resume: 10m}\nlobby: {expiry: 2h}\n"

// host is a running host.
type host struct {
	*programs.Host
	url     string // of its pages, without a slash at the end
	plugins string
}

// running are the hosts that no test has ended. Tests run one after the other.
var running []*host

// serve starts a host with the games of a folder, more lines of configuration, which can
// begin with those about plugins, and a folder for the records. It waits until the games are
// ready.
func serve(t testing.TB, plugins, config, data string) *host {
	t.Helper()
	server := programs.StartHostWith(t, data, patient+"plugins:\n  folders: ["+plugins+"]\n  stall: 10m\n  start_timeout: 10m\n"+config)
	h := &host{server, strings.TrimSuffix(server.Page(""), "/"), plugins}
	running = append(running, h)
	t.Cleanup(h.forget)
	return h
}

func (h *host) forget() {
	running = slices.DeleteFunc(running, func(r *host) bool { return r.Host == h.Host })
}

// kill ends the host at once.
func (h *host) kill(t testing.TB) {
	t.Helper()
	h.forget()
	h.Stop(t, syscall.SIGKILL)
}

// start starts a host with some games and no records.
func start(t testing.TB, names ...string) *host {
	t.Helper()
	return startWith(t, "", names...)
}

// startWith is start with more lines of configuration.
func startWith(t testing.TB, config string, names ...string) *host {
	t.Helper()
	needBrowser(t)
	return serve(t, folder(t, names, nil), config, t.TempDir())
}

// suite is the testing.TB of the shared host: what it cleans up is there until the last test
// has ended.
type suite struct {
	testing.TB // of the test that starts the host
	ends       []func()
}

func (s *suite) Cleanup(f func()) { s.ends = append(s.ends, f) }

// Failed returns false, because each test shows the log of the shared host itself.
func (s *suite) Failed() bool { return false }

func (s *suite) TempDir() string {
	dir, err := os.MkdirTemp(built, "shared-")
	if err != nil {
		s.Fatal(err)
	}
	return dir
}

func (s *suite) end() {
	for _, f := range slices.Backward(s.ends) {
		f()
	}
}

var (
	lasting suite
	common  *host // the shared host; nil until a test needs it
)

// Games with settings. In slow nobody is late, because the pages create its matches with its
// own timeout. Spectators see matches of later an hour later. damath is as without settings.
const (
	slow   = "slow: {plugin: kamisado, title: Slow, timeout: 600}"
	later  = "later: {plugin: roshambo, title: Later, delay: 3600}"
	damath = "damath: {plugin: dama, title: Damath, rules: damath.md, picture: picture-damath.png, timeout: 20, params: {rules: {fixed: damath}, start: {fixed: ''}}}"
)

// shared returns a host with all games, also slow, later and damath. A test that uses it
// changes none of its files, and neither expects an empty lobby nor counts matches.
func shared(t testing.TB) *host {
	t.Helper()
	needBrowser(t)
	if common == nil {
		names, err := games()
		if err != nil {
			t.Fatal(err)
		}
		lasting.TB = t
		common = serve(&lasting, folder(&lasting, names, nil), "games: {"+slow+", "+later+", "+damath+"}\n", lasting.TempDir())
	}
	h := common
	mark := h.Mark()
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the log of the shared host:\n%s", strings.Join(programs.Telling(h.Logged()[mark:], 30), "\n"))
		}
		select {
		case <-h.Done: // the next test starts another one
			common = nil
		default:
		}
	})
	return h
}

// startViewer starts a host with roshambo and the given viewer.
func startViewer(t testing.TB, viewer string) *host {
	t.Helper()
	needBrowser(t)
	return serve(t, folder(t, []string{"roshambo"}, map[string]string{"roshambo": viewer}), "", t.TempDir())
}

func needBrowser(t testing.TB) {
	t.Helper()
	if driver == nil {
		t.Skip("no browser: install chromium and chromedriver (on Debian: chromium, chromium-driver)")
	}
}
