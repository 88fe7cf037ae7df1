package submission

import (
	"archive/zip"
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"colosseum/internal/test/filetree"
)

// unzip returns the files of a zip as "path: content".
func unzip(t *testing.T, packed []byte) (files []string) {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(packed), int64(len(packed)))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f.Name+": "+string(text))
	}
	return files
}

func TestFolderIsPackedWithoutWhatDoesNotBelongToTheProgram(t *testing.T) {
	folder := filepath.Join(filetree.New(t, map[string]string{
		"my bot/main.py": "print()", "my bot/lib/a.py": "a", "my bot/lib/.gitignore": "*", "my bot/.git/config": "x", "my bot/sub/.git": "gitdir: x",
		"my bot/lib/__pycache__/a.pyc": "x", "my bot/node_modules/b/c.js": "x", "my bot/.DS_Store": "x", "my bot/__MACOSX/._main.py": "x", "my bot/tool.sh": "#!/bin/sh",
	}), "my bot")
	if err := os.Chmod(filepath.Join(folder, "tool.sh"), 0o755); err != nil {
		t.Fatal(err)
	}
	name, packed, err := Read(folder, 0)
	if err != nil || name != "my bot.zip" {
		t.Fatalf("got %q, %v, want my bot.zip", name, err)
	}
	if got, want := unzip(t, packed), []string{"lib/.gitignore: *", "lib/a.py: a", "main.py: print()", "tool.sh: #!/bin/sh"}; !slices.Equal(got, want) {
		t.Errorf("got the files %q, want %q", got, want)
	}
	z, _ := zip.NewReader(bytes.NewReader(packed), int64(len(packed)))
	info, err := os.Stat(filepath.Join(folder, "tool.sh"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range z.File {
		if got, want := f.Mode()&0o111 != 0, f.Name == "tool.sh" && info.Mode()&0o111 != 0; got != want {
			t.Errorf("%s: got the mode %v, want that it can be executed: %t", f.Name, f.Mode(), want)
		}
	}
	if _, again, err := Read(folder, 0); err != nil || !bytes.Equal(again, packed) {
		t.Errorf("got other bytes the second time, %v, want the same", err)
	}
}

func TestFileIsHandedInAsItIs(t *testing.T) {
	folder := filetree.New(t, map[string]string{"bot.py": "print()"})
	name, program, err := Read(filepath.Join(folder, "bot.py"), 7)
	if err != nil || name != "bot.py" || string(program) != "print()" {
		t.Errorf("got %q, %q, %v, want bot.py as it is", name, program, err)
	}
}

func TestWhatCannotBeHandedInIsNamed(t *testing.T) {
	noise := make([]byte, 4096)
	for i := range noise {
		noise[i] = byte(i * i * i >> 7)
	}
	folder := filetree.New(t, map[string]string{
		"empty.py": "", "bot.py": "print()", "long/a": string(noise), "long/b": "b", "ignored/.git/config": "x", "links/a": "a", "pipes/a": "a",
	})
	filetree.Made(t, os.Symlink(filepath.Join(folder, "bot.py"), filepath.Join(folder, "links", "b")))
	filetree.Made(t, filetree.MakePipe(filepath.Join(folder, "pipes", "b")))
	for _, tt := range []struct {
		name, path string
		most       int64
		want       string
	}{
		{"nothing", "none", 0, "none"},
		{"an empty file", "empty.py", 0, "empty.py is empty"},
		{"a long file", "bot.py", 6, "bot.py is too long: the server takes at most 6 bytes"},
		{"a long folder", "long", 512, "long.zip is too long: the server takes at most 512 bytes"},
		{"a folder without files of a program", "ignored", 0, "ignored has no files"},
		{"a link", "links", 0, filepath.Join("links", "b") + " is a link"},
		{"a pipe", "pipes", 0, filepath.Join("pipes", "b") + " is not a regular file"},
		{"a pipe as the program", "pipes/b", 0, "is neither a folder nor a regular file"},
	} {
		if _, _, err := Read(filepath.Join(folder, filepath.FromSlash(tt.path)), tt.most); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want an error with %q", tt.name, err, tt.want)
		}
	}
}
