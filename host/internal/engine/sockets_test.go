package engine

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestSocketsFolderHasAShortPathWhereverTemporaryFilesAre(t *testing.T) {
	short, err := os.MkdirTemp("/tmp", "s")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(short)
	long := filepath.Join(short, strings.Repeat("x", 60))
	if err := os.Mkdir(long, 0o700); err != nil {
		t.Fatal(err)
	}
	for parent, want := range map[string]string{short: short, long: "/tmp"} {
		t.Setenv("TMPDIR", parent)
		dir, err := socketFolder()
		if err != nil {
			t.Fatal(err)
		}
		defer os.Remove(dir)
		if filepath.Dir(dir) != want || len(dir) > maxFolderPath {
			t.Errorf("with TMPDIR=%s the folder is %s", parent, dir)
		}
		if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%s has the mode %v, %v", dir, info.Mode(), err)
		}
	}
	if left, err := os.ReadDir(long); err != nil || len(left) > 0 {
		t.Errorf("left in %s: %v, %v", long, left, err)
	}
}
