//go:build unix

// These tests check modes of files, which Windows does not have.

package disk

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"colosseum/internal/test/filetree"
)

// umask sets the process's umask until the end of a test.
func umask(t *testing.T, mask int) {
	t.Helper()
	old := syscall.Umask(mask)
	t.Cleanup(func() { syscall.Umask(old) })
}

// only checks that a folder holds the given files and no others.
func only(t *testing.T, folder string, want ...string) {
	t.Helper()
	if got := filetree.Names(t, folder); !slices.Equal(got, want) {
		t.Errorf("%s holds %q, want %q", folder, got, want)
	}
}

// checkMode checks the permissions of a file or folder.
func checkMode(t *testing.T, path string, want fs.FileMode) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := info.Mode().Perm(); got != want {
		t.Errorf("%s has the mode %v, want %v", path, got, want)
	}
}

func TestFileIsWrittenWithItsModeWhateverWasThere(t *testing.T) {
	umask(t, 0)
	folder := t.TempDir()
	path := filepath.Join(folder, "secret")
	for _, before := range []string{"", "old and longer"} {
		if before != "" {
			if err := os.WriteFile(path, []byte(before), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if err := WriteFile(path, []byte("new"), 0o600); err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(path)
		if err != nil || string(b) != "new" {
			t.Errorf("after %q the file holds %q, %v, want %q", before, b, err, "new")
		}
		checkMode(t, path, 0o600)
		only(t, folder, "secret")
	}
}

func TestFileThatCannotBeWrittenStaysAsItWas(t *testing.T) {
	const key = "TEST_FULL_DISK"
	if folder := os.Getenv(key); folder != "" { // in a file system of 4 KiB
		if err := os.WriteFile(filepath.Join(folder, "old"), []byte("old"), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"old", "new"} {
			if err := WriteFile(filepath.Join(folder, name), []byte("something else"), 0o600); !errors.Is(err, syscall.ENOSPC) {
				t.Errorf("%s: got %v, want %v", name, err, syscall.ENOSPC)
			}
		}
		only(t, folder, "old")
		if b, err := os.ReadFile(filepath.Join(folder, "old")); err != nil || string(b) != "old" {
			t.Errorf("the file holds %q, %v, want %q", b, err, "old")
		}
		return
	}
	folder := t.TempDir()
	words := []string{"unshare", "--user", "--map-root-user", "--mount", "sh", "-c", `mount -t tmpfs -o size=4k none "$0" && exec "$@"`, folder}
	if out, err := exec.Command(words[0], append(words[1:], "true")...).CombinedOutput(); err != nil {
		t.Skipf("this system does not let users mount file systems: %v\n%s", err, out)
	}
	cmd := exec.Command(words[0], append(words[1:], os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")...)
	cmd.Env = append(os.Environ(), key+"="+folder)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("the test on a full disk: got %v, want nil\n%s", err, out)
	}
}

func TestFolderIsCreatedForItsOwnerAlone(t *testing.T) {
	umask(t, 0)
	parent := t.TempDir()
	path := filepath.Join(parent, "a", "b")
	for range 2 {
		if err := MakeFolder(path); err != nil {
			t.Fatal(err)
		}
	}
	checkMode(t, path, 0o700)
	checkMode(t, filepath.Dir(path), 0o755)
	if err := os.Chmod(path, 0o750); err != nil {
		t.Fatal(err)
	}
	if err := MakeFolder(path); err != nil {
		t.Fatal(err)
	}
	checkMode(t, path, 0o750)
	file := filepath.Join(parent, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{file, filepath.Join(file, "x")} {
		if err := MakeFolder(path); !errors.Is(err, syscall.ENOTDIR) {
			t.Errorf("%s: got %v, want %v", path, err, syscall.ENOTDIR)
		}
	}
}
