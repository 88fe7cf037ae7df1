package archive

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
)

var limits = Limits{Files: 20, Bytes: 4 << 20, Ratio: 100, Path: 100}

// entry is one of an archive; a mode of 0 is that of a file.
type entry struct {
	name, text string
	mode       fs.FileMode
}

func zipped(t testing.TB, entries ...entry) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, e := range entries {
		h := &zip.FileHeader{Name: e.name, Method: zip.Deflate}
		h.SetMode(e.mode | 0o644)
		f, err := w.CreateHeader(h)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte(e.text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func tarred(t testing.TB, entries ...entry) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, e := range entries {
		h := &tar.Header{Name: e.name, Mode: int64(e.mode.Perm() | 0o644), Size: int64(len(e.text))}
		switch {
		case e.mode&fs.ModeSymlink != 0:
			h.Typeflag, h.Linkname, h.Size = tar.TypeSymlink, e.text, 0
		case e.mode&fs.ModeDevice != 0:
			h.Typeflag, h.Size = tar.TypeBlock, 0
		case e.mode&fs.ModeIrregular != 0:
			h.Typeflag, h.Linkname, h.Size = tar.TypeLink, e.text, 0
		case e.mode.IsDir():
			h.Typeflag = tar.TypeDir
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if h.Size > 0 {
			if _, err := w.Write([]byte(e.text)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func gzipped(t testing.TB, b []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write(b); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func paths(t Tree) (all []string) {
	for _, f := range t {
		all = append(all, f.Path)
	}
	return all
}

func TestAllKindsOfArchivesGiveTheSameTree(t *testing.T) {
	entries := []entry{{"mine/b.py", "two", 0}, {"mine/a/x.sh", "one", 0o111}, {"mine/", "", fs.ModeDir}}
	want := Tree{{"a/x.sh", true, []byte("one")}, {"b.py", false, []byte("two")}}
	for name, b := range map[string][]byte{
		"zip": zipped(t, entries...), "tar": tarred(t, entries...), "tar.gz": gzipped(t, tarred(t, entries...)), "packed": want.Pack(), "zip for the author": want.Zip(),
	} {
		got, left, err := Unpack(name, b, limits)
		if err != nil || !reflect.DeepEqual(got, want) || left != nil {
			t.Errorf("%s: got %v, %v, %v, want %v", name, got, left, err, want)
		}
	}
	got, _, err := Unpack(`C:\bots\bot.py`, []byte("print()"), limits)
	if one := (Tree{{"bot.py", false, []byte("print()")}}); err != nil || !reflect.DeepEqual(got, one) {
		t.Errorf("one file: got %v, %v, want %v", got, err, one)
	}
}

func TestWhatNoProgramNeedsIsLeftOut(t *testing.T) {
	entries := []entry{
		{"bot/bot.py", "x", 0}, {"bot/._bot.py", "x", 0}, {"__MACOSX/bot/._bot.py", "x", 0}, {"bot/.git/config", "x", 0}, {"bot/.git/HEAD", "x", 0},
		{"bot/node_modules/a/b.js", "x", 0}, {"bot/.DS_Store", "x", 0}, {"bot/.gitignore", "x", 0},
	}
	entries = append(entries, entry{"bot/node_modules/.bin/x", "../a", fs.ModeSymlink})
	for _, b := range [][]byte{zipped(t, entries...), tarred(t, entries...)} {
		got, left, err := Unpack("x", b, limits)
		if want := []string{".gitignore", "bot.py"}; err != nil || !slices.Equal(paths(got), want) {
			t.Errorf("got %v, %v, want %v", paths(got), err, want)
		}
		if want := []string{"__MACOSX", "bot/._bot.py", "bot/.DS_Store", "bot/.git", "bot/node_modules"}; !slices.Equal(sorted(left), sorted(want)) {
			t.Errorf("got %v left out, want %v", left, want)
		}
	}
}

func sorted(s []string) []string { return slices.Sorted(slices.Values(s)) }

func TestArchiveThatIsNotOnlyFilesIsRefused(t *testing.T) {
	encrypted := zipped(t, entry{"a.py", "x", 0})
	encrypted[6] |= 1 // the flag in the header of the file, and the one in the directory
	encrypted[bytes.Index(encrypted, []byte("PK\x01\x02"))+8] |= 1
	zeros := strings.Repeat("\x00", 3<<20)
	many := slices.Repeat([]entry{{"x", "", 0}}, 21)
	for name, tt := range map[string]struct {
		b    []byte
		want string
	}{
		"a link in a zip":            {zipped(t, entry{"a", "/etc/passwd", fs.ModeSymlink}), "is a link or a device"},
		"a link in a tar":            {tarred(t, entry{"a", "/etc/passwd", fs.ModeSymlink}), "is a link or a device"},
		"a hard link":                {tarred(t, entry{"b", "x", 0}, entry{"a", "b", fs.ModeIrregular}), "is a link or a device"},
		"a device":                   {tarred(t, entry{"a", "", fs.ModeDevice}), "is a link or a device"},
		"an absolute path":           {zipped(t, entry{"/etc/x", "", 0}), "leads out of the archive"},
		"an absolute path in a tar":  {tarred(t, entry{"/etc/x", "", 0}), "leads out of the archive"},
		"a path upwards":             {zipped(t, entry{"a/../../x", "", 0}), "leads out of the archive"},
		"a path upwards for Windows": {zipped(t, entry{`..\x`, "", 0}), "leads out of the archive"},
		"a path upwards in a tar":    {tarred(t, entry{"../x", "", 0}), "leads out of the archive"},
		"a path upwards below .git":  {tarred(t, entry{"../.git/x", "", 0}), "leads out of the archive"},
		"a name twice":               {zipped(t, entry{"a", "1", 0}, entry{"a", "2", 0}), "have the same name"},
		"names that differ in case":  {zipped(t, entry{"Bot.py", "1", 0}, entry{"bot.py", "2", 0}), "have the same name"},
		"a file that is a folder":    {zipped(t, entry{"a", "1", 0}, entry{"A/b", "2", 0}), "is in a folder of that name"},
		"a name in Latin-1":          {zipped(t, entry{"\xe9.py", "", 0}), "is not in UTF-8"},
		"a line feed in a name":      {zipped(t, entry{"a\nb", "", 0}), "has a character"},
		"a long path":                {zipped(t, entry{strings.Repeat("a/", 60), "", 0}, entry{strings.Repeat("a/", 60) + "b", "", 0}), "more than 100 bytes"},
		"an encrypted zip":           {encrypted, "is encrypted"},
		"many files":                 {zipped(t, many...), "more than 20 files"},
		"many bytes":                 {tarred(t, entry{"x", strings.Repeat("\x00", 5<<20), 0}), "more than 4194304 bytes"},
		"many bytes in two files":    {tarred(t, entry{"x", zeros, 0}, entry{"y", zeros, 0}), "more than 4194304 bytes"},
		"a bomb of two files":        {zipped(t, entry{"x", zeros[:1<<20], 0}, entry{"y", zeros[:1<<20], 0}), "more than 100 times as long"},
		"a bomb as zip":              {zipped(t, entry{"x", zeros, 0}), "more than 100 times as long"},
		"a bomb as tar.gz":           {gzipped(t, tarred(t, entry{"x", zeros, 0})), "more than 100 times as long"},
		"a bomb that is left out":    {gzipped(t, tarred(t, entry{".git/x", zeros, 0}, entry{"x", "", 0})), "more than 100 times as long"},
		"no files":                   {zipped(t, entry{"a/", "", fs.ModeDir}), "it has no files"},
		"half a zip":                 {zipped(t, entry{"a", "abc", 0})[:40], "it can't be unpacked: "},
		"half a tar.gz":              {gzipped(t, []byte("abc"))[:15], "it can't be unpacked: "},
		"another archive":            {[]byte("Rar!\x1a\x07"), "it is a rar archive"},
		"a program":                  {[]byte("\x7fELF\x00"), "it is neither"},
	} {
		t.Run(name, func(t *testing.T) {
			tree, _, err := Unpack("a", tt.b, limits)
			if wrong := (*Error)(nil); !errors.As(err, &wrong) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, %v, want an Error with %q", paths(tree), err, tt.want)
			}
		})
	}
	if _, _, err := Unpack("../..", []byte("x"), limits); err == nil {
		t.Error("a file without a name: got no error, want one")
	}
}

func TestTreeIsTheSameAfterItWasPackedOrWritten(t *testing.T) {
	tree := Tree{{"a/b/c", true, []byte("x")}, {"a/d", false, nil}, {"e é", false, bytes.Repeat([]byte("y"), 2<<20)}}
	if !bytes.Equal(tree.Pack(), tree.Pack()) {
		t.Error("got different bytes, want the same")
	}
	got, err := Open(tree.Pack(), limits)
	if err != nil || got.Hash() != tree.Hash() {
		t.Errorf("got %v, %v, want the same tree", paths(got), err)
	}
	dir := t.TempDir()
	if err := tree.Write(dir); err != nil {
		t.Fatal(err)
	}
	if got, err = ReadFolder(dir, limits); err != nil || runtime.GOOS != "windows" && got.Hash() != tree.Hash() || len(got) != len(tree) {
		t.Errorf("got %v, %v, want the same tree", paths(got), err)
	}
	if f, ok := got.Find("a/d"); !ok || len(f.Data) != 0 || got.Bytes() != 1+2<<20 {
		t.Errorf("got %v, %v and %d bytes, want a/d, and %d", f, ok, got.Bytes(), 1+2<<20)
	}
	for name, other := range map[string]Tree{
		"path": {{"a/b/x", true, []byte("x")}, tree[1], tree[2]}, "mode": {{"a/b/c", false, []byte("x")}, tree[1], tree[2]}, "content": {{"a/b/c", true, []byte("z")}, tree[1], tree[2]},
	} {
		if other.Hash() == tree.Hash() {
			t.Errorf("another %s: got the same hash, want another", name)
		}
	}
	if err := tree.Write(dir); err == nil {
		t.Error("the files exist: got no error, want one")
	}
	if _, err := ReadFolder(dir, Limits{Files: 2}); err == nil {
		t.Error("got no error, want one about the number of files")
	}
}

func TestFolderIsReadWithoutItsLinks(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	for link, target := range map[string]string{"b": "a", "c": "/etc", "d": "/etc/passwd"} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Skip(err)
		}
	}
	if got, err := ReadFolder(dir, limits); err != nil || !slices.Equal(paths(got), []string{"a"}) {
		t.Errorf("got %v, %v, want only a", paths(got), err)
	}
}

func FuzzUnpack(f *testing.F) {
	entries := []entry{{"a/b.py", "x = 1", 0}, {"a/.git/c", "y", 0}}
	for _, seed := range [][]byte{
		zipped(f, entries...), tarred(f, entries...), gzipped(f, tarred(f, entries...)), []byte("print(1)"), {},
		zipped(f, entry{"../x", "", 0}), tarred(f, entry{"a", "b", fs.ModeSymlink}), zipped(f, entry{"A", "", 0}, entry{"a/b", "", 0}),
	} {
		f.Add("bot.py", seed)
	}
	f.Add("..", []byte("x"))
	f.Fuzz(func(t *testing.T, name string, b []byte) {
		tree, _, err := Unpack(name, b, Limits{Files: 10, Bytes: 1 << 20, Ratio: 50, Path: 50})
		if err != nil {
			if wrong := (*Error)(nil); !errors.As(err, &wrong) {
				t.Errorf("got %v, want an Error", err)
			}
			return
		}
		if len(tree) > 10 || tree.Bytes() > 1<<20 {
			t.Errorf("got %d files and %d bytes, want no more than allowed", len(tree), tree.Bytes())
		}
		for _, file := range tree {
			if !fs.ValidPath(file.Path) || !filepath.IsLocal(filepath.FromSlash(file.Path)) || len(file.Path) > 50 {
				t.Errorf("got the path %q, want one within the tree", file.Path)
			}
		}
		if again, err := Open(tree.Pack(), limits); err != nil || again.Hash() != tree.Hash() {
			t.Errorf("got %v, %v after packing, want the same tree", again, err)
		}
	})
}
