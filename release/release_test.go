package main

import (
	"archive/tar"
	"archive/zip"
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"colosseum/internal/test/poll"
)

// unpack writes the files of a tar.gz into a folder.
func unpack(t *testing.T, archive, folder string) {
	t.Helper()
	f, err := os.Open(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil || !filepath.IsLocal(h.Name) {
			t.Fatal(h, err)
		}
		to := filepath.Join(folder, h.Name)
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, content, fs.FileMode(h.Mode)); err != nil {
			t.Fatal(err)
		}
	}
}

// TestUnpackedReleaseRunsWhereThereIsNoGo makes the archive for this system,
// unpacks it in another folder, and plays a match with its programs only.
func TestUnpackedReleaseRunsWhereThereIsNoGo(t *testing.T) {
	// Compiled like other builds, so that the build cache is used; only linked like
	// a release.
	here := runtime.GOOS + "/" + runtime.GOARCH
	b := &builder{source: "..", flags: []string{"-ldflags=-s -w"}, cgo: true, offered: []string{here}}
	work := t.TempDir()
	folder := filepath.Join(work, "colosseum-test")
	if err := b.host(here, folder); err != nil {
		t.Fatal(err)
	}
	archive := filepath.Join(work, "colosseum.tar.gz")
	// Compression takes two minutes with the race detector.
	if err := tarAt(gzip.NoCompression, folder, archive); err != nil {
		t.Fatal(err)
	}
	elsewhere := t.TempDir()
	unpack(t, archive, elsewhere)
	root := filepath.Join(elsewhere, "colosseum-test")
	environment := []string{"PATH=/nowhere", "HOME=" + elsewhere, "TMPDIR=" + os.TempDir()}

	host := exec.Command(filepath.Join(root, "host"), "--config", "configs/colosseum.yaml", "--listen", "127.0.0.1:0")
	host.Dir, host.Env = root, environment
	stderr, err := host.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := host.Start(); err != nil {
		t.Fatal(err)
	}
	var log []string
	games := map[string]string{} // how each runs
	ready, listening := regexp.MustCompile(`msg="game ready" game=(\S+) .*mode=(\S+)`), regexp.MustCompile(`msg=listening address=(\S+)`)
	url, all := "", false
	lines := bufio.NewScanner(stderr)
	late := time.AfterFunc(poll.Limit, func() { _ = host.Process.Kill() }) // ends its log
	for !all && lines.Scan() {
		all = strings.Contains(lines.Text(), "all games are ready")
		log = append(log, lines.Text())
		if m := ready.FindStringSubmatch(lines.Text()); m != nil {
			games[m[1]] = m[2]
		}
		if m := listening.FindStringSubmatch(lines.Text()); m != nil {
			url = m[1]
		}
	}
	late.Stop()
	if url == "" || !all {
		t.Fatalf("the host did not start:\n%s", strings.Join(log, "\n"))
	}
	go func() { _, _ = io.Copy(io.Discard, stderr) }() // ends with the host
	defer func() {
		_ = host.Process.Signal(syscall.SIGTERM)
		if err := host.Wait(); err != nil {
			t.Errorf("the host ended with %v, want nil", err)
		}
	}()
	sources, err := filepath.Glob("../plugins/*/rules.md")
	if err != nil || len(sources) == 0 {
		t.Fatal(sources, err)
	}
	for _, s := range sources {
		if game := filepath.Base(filepath.Dir(s)); games[game] != "program" {
			t.Errorf("%s runs as %q, want program:\n%s", game, games[game], strings.Join(log, "\n"))
		}
	}

	coco := func(args ...string) string {
		t.Helper()
		cmd := exec.Command(filepath.Join(root, "coco"), append([]string{"-s", url}, args...)...)
		cmd.Dir, cmd.Env = root, environment
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("coco %v: %v\n%s", args, err, out)
		}
		return string(out)
	}
	if out := coco("list", "damath"); !strings.Contains(out, "damath") {
		t.Errorf("the rules of damath are\n%s\nwant them to name damath", out)
	}
	id, found := strings.CutPrefix(strings.TrimSpace(coco("new", "roshambo", "-b", "1", "-a", "rounds=1", "-a", "pace=0")), "Created new game with id ")
	if !found {
		t.Fatalf("coco new printed %s, want an ID", id)
	}
	coco("connect", id, "--", "/bin/sh", "-c", "read a; read b; read c; echo ROCK; read d; true")
	if out := coco("history", id); !strings.Contains(out, "ROCK") {
		t.Errorf("the record of the match is\n%s\nwant ROCK in it", out)
	}
	for _, path := range []string{"games/roshambo/viewer.js", "games/roshambo/players/player.py", "games/damath/players/player.py", "download/coco-" + strings.ReplaceAll(here, "/", "-")} {
		response, err := http.Get("http" + strings.TrimPrefix(url, "ws") + path)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		if response.StatusCode != http.StatusOK {
			t.Errorf("/%s: got %s, want 200", path, response.Status)
		}
	}
}

func TestArchivesHoldTheSameFilesWithPlainModes(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "thing-1")
	for name, mode := range map[string]fs.FileMode{"program": 0o700, "manual.md": 0o600, "sub/other.md": 0o664} {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("content of "+name), mode); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{"thing-1/manual.md -rw-r--r--", "thing-1/program -rwxr-xr-x", "thing-1/sub/other.md -rw-r--r--"}
	for _, kind := range []struct {
		name string
		pack func(folder, to string) error
		list func(t *testing.T, path string) []string
	}{
		{"tar.gz", tarGz, func(t *testing.T, path string) (list []string) {
			f, err := os.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			z, err := gzip.NewReader(f)
			if err != nil {
				t.Fatal(err)
			}
			for r := tar.NewReader(z); ; {
				h, err := r.Next()
				if errors.Is(err, io.EOF) {
					return list
				}
				if err != nil {
					t.Fatal(err)
				}
				list = append(list, fmt.Sprint(h.Name, " ", fs.FileMode(h.Mode)))
			}
		}},
		{"zip", zipped, func(t *testing.T, path string) (list []string) {
			z, err := zip.OpenReader(path)
			if err != nil {
				t.Fatal(err)
			}
			defer z.Close()
			for _, f := range z.File {
				list = append(list, fmt.Sprint(f.Name, " ", f.Mode()))
			}
			return list
		}},
	} {
		t.Run(kind.name, func(t *testing.T) {
			var archives [2][]byte
			for i := range archives {
				path := filepath.Join(t.TempDir(), "archive")
				if err := kind.pack(folder, path); err != nil {
					t.Fatal(err)
				}
				if info, err := os.Stat(path); err != nil || info.Mode() != 0o644 {
					t.Errorf("the archive has the mode %v, %v, want that others can read it", info.Mode(), err)
				}
				if got := kind.list(t, path); !slices.Equal(got, want) {
					t.Errorf("it holds %q, want %q", got, want)
				}
				content, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				archives[i] = content
			}
			if !bytes.Equal(archives[0], archives[1]) {
				t.Error("got two different archives of the same files, want the same")
			}
		})
	}
}

// An operator with a strict umask builds for others, too.
func TestFolderOfAHostCanBeReadByOthers(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "colosseum")
	if err := os.MkdirAll(filepath.Join(folder, "docs"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, mode := range map[string]fs.FileMode{"host": 0o700, "docs/coco.md": 0o600} {
		if err := os.WriteFile(filepath.Join(folder, name), nil, mode); err != nil {
			t.Fatal(err)
		}
	}
	if err := readable(folder); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]fs.FileMode{"": 0o755, "host": 0o755, "docs": 0o755, "docs/coco.md": 0o644} {
		if info, err := os.Stat(filepath.Join(folder, name)); err != nil || info.Mode().Perm() != want {
			t.Errorf("/%s has the mode %v, %v, want %v", name, info.Mode().Perm(), err, want)
		}
	}
}

func TestMissingFileIsNamed(t *testing.T) {
	b := &builder{source: ".."}
	if err := b.copy(t.TempDir(), "LICENCE"); err == nil || !strings.Contains(err.Error(), "there is no LICENCE") {
		t.Errorf("got %v, want an error that names LICENCE", err)
	}
}
