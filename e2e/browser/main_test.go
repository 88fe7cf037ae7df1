// Package browser tests the pages of a real host in a real Chromium, with clicks and
// keys. Without a browser the tests are skipped.
package browser

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"colosseum/e2e/internal/programs"
)

// built is the folder of the built host and games.
var built string

// deadline is shortly before go test's timeout; zero: there is none. Nothing else is
// limited in time, as a slow machine is no fault.
var deadline time.Time

// overdue reports whether a waiting test must fail now.
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

// folder makes a games folder with the descriptions and viewers of the repository.
// viewers has other viewers for some games; "" is none.
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
		for _, pattern := range []string{"*.md", "viewer.js"} {
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
	url, data, plugins string
	cmd                *exec.Cmd
}

var listening = regexp.MustCompile(`msg=listening address=ws://(\S+)`)

// serve starts a host with the games of a folder, and waits until they are ready.
// Port 0 of the address is any free port.
func serve(t testing.TB, plugins, data, address string) *host {
	t.Helper()
	config := filepath.Join(t.TempDir(), "host.yaml")
	if err := os.WriteFile(config, []byte("plugins: {folders: ["+plugins+"]}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	h := &host{plugins: plugins, data: data}
	h.cmd = exec.Command(filepath.Join(built, "host", "host"), "--config", config, "--listen", address, "--data", data)
	stderr, err := h.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := h.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.kill)
	var log []string
	for lines := bufio.NewScanner(stderr); lines.Scan(); {
		log = append(log, lines.Text())
		if m := listening.FindStringSubmatch(lines.Text()); m != nil {
			h.url = "http://" + strings.TrimSuffix(m[1], "/")
		}
		if h.url != "" && strings.Contains(lines.Text(), "games are ready") {
			go func() { // ends with the host
				for lines.Scan() {
					continue
				}
			}()
			return h
		}
	}
	t.Fatalf("the host did not start:\n%s", strings.Join(log, "\n"))
	return nil
}

// start starts a host with some games and no records.
func start(t testing.TB, names ...string) *host {
	t.Helper()
	needBrowser(t)
	return serve(t, folder(t, names, nil), t.TempDir(), "127.0.0.1:0")
}

// startWith starts a host with roshambo and another viewer.
func startWith(t testing.TB, viewer string) *host {
	t.Helper()
	needBrowser(t)
	return serve(t, folder(t, []string{"roshambo"}, map[string]string{"roshambo": viewer}), t.TempDir(), "127.0.0.1:0")
}

func needBrowser(t testing.TB) {
	t.Helper()
	if driver == nil {
		t.Skip("no browser: install chromium and chromedriver (on Debian: chromium, chromium-driver)")
	}
}

func (h *host) kill() {
	_ = h.cmd.Process.Kill()
	_ = h.cmd.Wait()
}
