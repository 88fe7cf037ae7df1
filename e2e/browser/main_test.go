// Package browser tests the pages of a real host in a real Chromium, with clicks and
// keys. Without a browser the tests are skipped.
package browser

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"colosseum/e2e/internal/programs"
)

// built is the folder of the built host and games.
var built string

// deadline is shortly before go test's timeout; zero if there is none. Nothing else is
// limited in time, because a slow machine is not a fault.
var deadline time.Time

// overdue reports whether a test that waits must fail now.
func overdue() bool { return !deadline.IsZero() && time.Now().After(deadline) }

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	flag.Parse()
	if limit, ok := flag.Lookup("test.timeout").Value.(flag.Getter).Get().(time.Duration); ok && limit > 0 {
		deadline = time.Now().Add(limit - min(limit/10, 30*time.Second))
	}
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
		err = build()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
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

func build() error {
	names, err := games()
	if err != nil {
		return err
	}
	for _, name := range append([]string{"host"}, names...) {
		pkg := "colosseum/plugins/" + name
		if name == "host" {
			pkg = "colosseum/host"
		}
		path := filepath.Join(built, name, name)
		if err := os.Mkdir(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := programs.Build(pkg, path, false); err != nil {
			return err
		}
	}
	return nil
}

// folder creates a games folder with the descriptions, viewers, pictures and example
// players of the repository.
// viewers replaces the viewers of some games; "" removes one.
func folder(t testing.TB, names []string, viewers map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
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

// host is a running host.
type host struct {
	*programs.Host
	url     string // of its pages, without a slash at the end
	plugins string
}

// serve starts a host with the games of a folder, and waits until they are ready.
func serve(t testing.TB, plugins, data string, args ...string) *host {
	t.Helper()
	h := programs.StartHostWith(t, data, "plugins: {folders: ["+plugins+"]}\n", args...)
	return &host{h, strings.TrimSuffix(h.Page(""), "/"), plugins}
}

// start starts a host with some games and no records.
func start(t testing.TB, names ...string) *host {
	t.Helper()
	needBrowser(t)
	return serve(t, folder(t, names, nil), t.TempDir())
}

// serveWith starts a host with some games, no records, and more lines of configuration.
func serveWith(t testing.TB, config string, names ...string) *host {
	t.Helper()
	needBrowser(t)
	plugins := folder(t, names, nil)
	h := programs.StartHostWith(t, t.TempDir(), config+"plugins: {folders: ["+plugins+"]}\n")
	return &host{h, strings.TrimSuffix(h.Page(""), "/"), plugins}
}

// startWith starts a host with roshambo and the given viewer.
func startWith(t testing.TB, viewer string) *host {
	t.Helper()
	needBrowser(t)
	return serve(t, folder(t, []string{"roshambo"}, map[string]string{"roshambo": viewer}), t.TempDir())
}

// serveWatching starts a host that watches the folders of some games.
func serveWatching(t testing.TB, names ...string) *host {
	t.Helper()
	needBrowser(t)
	plugins := folder(t, names, nil)
	h := programs.StartHostWith(t, t.TempDir(), "plugins: {folders: ["+plugins+"], watch: true}\n")
	return &host{h, strings.TrimSuffix(h.Page(""), "/"), plugins}
}

func needBrowser(t testing.TB) {
	t.Helper()
	if driver == nil {
		t.Skip("no browser: install chromium and chromedriver (on Debian: chromium, chromium-driver)")
	}
}
