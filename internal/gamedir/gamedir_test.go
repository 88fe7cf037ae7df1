package gamedir

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"colosseum/internal/test/filetree"
)

// maker makes files in a folder.
type maker func(t *testing.T, dir string)

func file(name, text string) maker {
	return func(t *testing.T, dir string) {
		t.Helper()
		path := filepath.Join(dir, filepath.FromSlash(name))
		err := os.MkdirAll(filepath.Dir(path), 0o755)
		if err == nil {
			err = os.WriteFile(path, []byte(text), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func link(target, name string) maker {
	return func(t *testing.T, dir string) {
		t.Helper()
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
}

func pipe(name string) maker {
	return func(t *testing.T, dir string) {
		t.Helper()
		filetree.Made(t, filetree.MakePipe(filepath.Join(dir, name)))
	}
}

func all(makers ...maker) maker {
	return func(t *testing.T, dir string) {
		t.Helper()
		for _, m := range makers {
			m(t, dir)
		}
	}
}

func TestOnlyRegularFilesInsideTheFolderAreRead(t *testing.T) {
	const limit = 1000
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("secret"), 0o644); err != nil {
		t.Fatal(err)
	}
	const out = "it is or lies behind a link that leads out of the folder; a link inside must be relative"
	tests := []struct {
		name, file string
		make       maker
		want       string // the content
		refusal    string
	}{
		{"a file", "a", file("a", "text"), "text", ""},
		{"an empty file", "a", file("a", ""), "", ""},
		{"a file below", "b/c/a", file("b/c/a", "text"), "text", ""},
		{"a file of the greatest size", "a", file("a", strings.Repeat("x", limit)), strings.Repeat("x", limit), ""},
		{"a link to a file inside", "a", all(file("b/c", "text"), link("b/c", "a")), "text", ""},
		{"a file behind a link to a folder inside", "a/c", all(file("b/c", "text"), link("b", "a")), "text", ""},
		{"a file that is too long", "a", file("a", strings.Repeat("x", limit+1)), "", "a: it has more than 1000 bytes"},
		{"a link to a file outside", "a", link(secret, "a"), "", "a: " + out},
		{"a relative link to a file outside", "a", func(t *testing.T, dir string) {
			target, err := filepath.Rel(dir, secret)
			if err != nil {
				t.Fatal(err)
			}
			link(target, "a")(t, dir)
		}, "", "a: " + out},
		{"a file behind a link to a folder outside", "a/secret", link(filepath.Dir(secret), "a"), "", "a/secret: " + out},
		{"a name that leads outside", "../a", file("a", ""), "", "../a: " + out},
		{"a link to a device", "a", link("/dev/zero", "a"), "", "a: " + out},
		{"links in a circle", "a", all(link("b", "a"), link("a", "b")), "", "a: its links lead in a circle"},
		{"a named pipe", "a", pipe("a"), "", "a: it is a named pipe, and not a regular file"},
		{"a link to a named pipe", "a", all(pipe("b"), link("b", "a")), "", "a: it is a named pipe, and not a regular file"},
		{"a socket", "a", func(t *testing.T, dir string) {
			filetree.Made(t, filetree.MakeSocket(filepath.Join(dir, "a")))
		}, "", "a: it is a socket, and not a regular file"},
		{"a folder", "a", file("a/b", "text"), "", "a: it is a folder, and not a regular file"},
		{"a sparse file of 8 GiB", "a", func(t *testing.T, dir string) {
			file("a", "")(t, dir)
			if err := os.Truncate(filepath.Join(dir, "a"), 8<<30); err != nil {
				t.Fatal(err)
			}
		}, "", "a: it has more than 1000 bytes"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			tt.make(t, dir)
			got, err := Read(dir, tt.file, limit)
			var refused *Refused
			if tt.refusal == "" && err != nil || tt.refusal != "" && (!errors.As(err, &refused) || err.Error() != tt.refusal) {
				t.Fatalf("the error is %v, want %q", err, tt.refusal)
			}
			if string(got) != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			f, err := Open(dir)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			if _, err := f.Stat(tt.file); tt.refusal != "" && !strings.Contains(tt.refusal, "more than") && fmt.Sprint(err) != tt.refusal {
				t.Errorf("Stat returned %v, want %q", err, tt.refusal)
			}
		})
	}
}

func TestFileThatIsNotThereIsNotRefused(t *testing.T) {
	dir := t.TempDir()
	link("nowhere", "dangling")(t, dir)
	for _, name := range []string{"a", "a/b", "dangling"} {
		if _, err := Read(dir, name, 10); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: got %v, want fs.ErrNotExist", name, err)
		}
	}
	if _, err := Read(filepath.Join(dir, "nowhere"), "a", 10); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no folder: got %v, want fs.ErrNotExist", err)
	}
}

func TestFolderItselfCanBeBehindALink(t *testing.T) {
	dir, there := t.TempDir(), t.TempDir()
	file("a", "text")(t, there)
	link(there, "game")(t, dir)
	if got, err := Read(filepath.Join(dir, "game"), "a", 10); string(got) != "text" || err != nil {
		t.Errorf("got %q, %v, want text", got, err)
	}
}

func TestOnlyFoldersAreOpened(t *testing.T) {
	dir := t.TempDir()
	all(file("a", ""), pipe("b"))(t, dir)
	for _, name := range []string{"a", "b"} {
		if _, err := Open(filepath.Join(dir, name)); !errors.Is(err, syscall.ENOTDIR) {
			t.Errorf("%s: got %v, want %v", name, err, syscall.ENOTDIR)
		}
	}
}

func TestFileThatGrowsIsReadUpToTheLimit(t *testing.T) {
	const limit = 1000
	dir := t.TempDir()
	file("a", "small")(t, dir)
	f, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var b bytes.Buffer
	_, err = f.Copy(growing{&b, filepath.Join(dir, "a"), t}, "a", limit)
	if want := "a: it has more than 1000 bytes"; err == nil || err.Error() != want {
		t.Errorf("the error is %v, want %q", err, want)
	}
	if b.Len() > limit {
		t.Errorf("%d bytes were read, want at most %d", b.Len(), limit)
	}
}

// growing is a buffer that lengthens a file each time it reads from it.
type growing struct {
	*bytes.Buffer
	path string
	t    *testing.T
}

func (g growing) ReadFrom(r io.Reader) (int64, error) {
	return g.Buffer.ReadFrom(reader(func(p []byte) (int, error) {
		f, err := os.OpenFile(g.path, os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			g.t.Error(err)
			return 0, err
		}
		defer f.Close()
		if _, err := f.WriteString(strings.Repeat("x", 200)); err != nil {
			g.t.Error(err)
		}
		return r.Read(p)
	}))
}

type reader func(p []byte) (int, error)

func (r reader) Read(p []byte) (int, error) { return r(p) }

func TestWalkVisitsAllFoldersButFollowsNoLink(t *testing.T) {
	dir := t.TempDir()
	all(file("b/c/d", ""), file("a", ""), file("skip/e", ""), link("b", "link"), link("/", "root"), pipe("pipe"))(t, dir)
	f, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var got []string
	err = f.Walk(func(name string, e fs.DirEntry) error {
		got = append(got, name)
		if e.Name() == "skip" {
			return fs.SkipDir
		}
		return nil
	})
	if want := []string{"a", "b", "b/c", "b/c/d", "link", "pipe", "root", "skip"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
	stop := errors.New("stop")
	if err := f.Walk(func(string, fs.DirEntry) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("got %v, want the error of visit", err)
	}
}

func TestFoldersWithTooManyEntriesAreRefused(t *testing.T) {
	flat, deep := t.TempDir(), t.TempDir()
	all(file("a", ""), file("b/c", ""), file("b/d", ""))(t, flat)
	file(strings.Repeat("d/", MaxDepth+1)+"a", "")(t, deep)
	tests := []struct {
		name, dir string
		most      int
		want      string
	}{
		{"the greatest number of files", flat, 4, ""},
		{"too many files", flat, 3, fmt.Sprintf("the game's folder: it holds more than %d files and folders", MaxEntries)},
		{"too many nested folders", deep, MaxEntries, fmt.Sprintf("the game's folder: it holds more than %d folders inside each other", MaxDepth)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f, err := Open(tt.dir)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			err = f.walk(".", 0, &tt.most, func(string, fs.DirEntry) error { return nil })
			if got := fmt.Sprint(err); tt.want == "" && err != nil || tt.want != "" && got != tt.want {
				t.Errorf("the error is %v, want %q", err, tt.want)
			}
		})
	}
}
