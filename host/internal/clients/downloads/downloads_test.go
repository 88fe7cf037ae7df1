package downloads

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"colosseum/internal/gamedir"
	"colosseum/internal/test/filetree"
)

func names(t *testing.T, f *Folder) (list []string) {
	t.Helper()
	files, err := f.List()
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		list = append(list, file.Name)
	}
	return list
}

func TestOnlyPlainFilesForKnownSystemsAreOffered(t *testing.T) {
	dir := filetree.New(t, map[string]string{
		"coco-linux-amd64": "program", "coco-windows-arm64.exe": "", "coco-windows-amd64": "", "coco-linux-arm64.exe": "", "coco-plan9-amd64": "",
		"coco": "", "SHA256SUMS": "", "coco-linux-amd64.sh": "", "coco-darwin-amd64/x": "", "real": "linked",
	})
	filetree.Made(t, os.WriteFile(filepath.Join(dir, "coco-windows-amd64.exe"), nil, 0o644))
	filetree.Made(t, os.Truncate(filepath.Join(dir, "coco-windows-amd64.exe"), MaxBytes+1))
	filetree.Made(t, filetree.MakePipe(filepath.Join(dir, "coco-darwin-arm64")))
	filetree.Made(t, os.Symlink("/dev/zero", filepath.Join(dir, "coco-linux-arm64")))
	f := Open(dir)
	if got, want := names(t, f), []string{"coco-linux-amd64", "coco-windows-arm64.exe"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	file, in, err := f.Get("coco-linux-amd64")
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	const sum = "1310ca2c8932dbd118668bd97442558a3e1f546b5e15c69699dfbd6024f548d8" // printf program | sha256sum
	if text, _ := io.ReadAll(in); string(text) != "program" || file.SHA256 != sum || file.Bytes != 7 || file.System != "linux" || file.Architecture != "amd64" {
		t.Errorf("got %+v and %q, want the file", file, text)
	}
	if _, _, err := f.Get("coco-darwin-arm64"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a named pipe: got %v, want fs.ErrNotExist", err)
	}
}

func TestAChecksumIsComputedOnceForEachStateOfAFile(t *testing.T) {
	dir := filetree.New(t, map[string]string{"coco-linux-amd64": "1"})
	f, computed := Open(dir), 0
	look := func() string {
		t.Helper()
		files := f.look(func(dir *gamedir.Folder, name string) (string, error) { computed++; return sum(dir, name) })
		if len(files) != 1 {
			t.Fatalf("got %v, want one file", files)
		}
		return files[0].SHA256
	}
	first := look()
	if look() != first || computed != 1 {
		t.Errorf("unchanged: got %d computations, want 1", computed)
	}
	path := filepath.Join(dir, "coco-linux-amd64")
	if err := errors.Join(os.WriteFile(path, []byte("2"), 0o644), os.Chtimes(path, time.Time{}, time.Now().Add(time.Hour))); err != nil {
		t.Fatal(err)
	}
	if f.Current() {
		t.Error("changed: Current returned true, want false")
	}
	if second := look(); second == first || computed != 2 || len(f.sums) != 1 {
		t.Errorf("changed: got %s after %d computations, %d kept, want another checksum after 2, 1 kept", second, computed, len(f.sums))
	}
}

func TestWithoutAFolderNothingIsOffered(t *testing.T) {
	for _, path := range []string{"", filepath.Join(t.TempDir(), "none"), os.DevNull} {
		if got := names(t, Open(path)); len(got) != 0 {
			t.Errorf("%q: got %q, want none", path, got)
		}
	}
}
