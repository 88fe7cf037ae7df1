package exported

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"colosseum/internal/test/filetree"
)

const hash = "0000000000000000000000000000000000000000000000000000000000000001"

func manifest(until string) string {
	return `{"format":"colosseum-export-1","created":"2026-06-01T01:00:00Z","since":"2026-01-01T00:00:00Z","until":"` + until + `","lines":"colosseum-match-1","matches":1,"games":{"dama":1},
		"files":[{"name":"matches-0001.ndjson.zst","bytes":3,"sha256":"` + hash + `","matches":1,"plain_bytes":9},{"name":"cut.zst","bytes":9,"sha256":"` + hash + `"},{"name":"gone","bytes":9,"sha256":"` + hash + `"}]}`
}

// full is a folder with two exports and with much that is none.
func full(t *testing.T) string {
	return filetree.New(t, map[string]string{
		"2026-04/manifest.json": manifest("2026-05-01T00:00:00Z"), "2026-04/matches-0001.ndjson.zst": "abc", "2026-04/cut.zst": "a", "2026-04/manifest.sig": "s", "2026-04/secret": "x",
		"2026-05/manifest.json": manifest("2026-06-01T00:00:00Z"), "2026-05/matches-0001.ndjson.zst": "abc",
		"2026-06.partial/manifest.json": manifest("2026-07-01T00:00:00Z"), "empty/x": "", "wrong/manifest.json": "{}", "manifest.json": manifest("2026-07-01T00:00:00Z"),
	})
}

func TestCompleteExportsAreListedTheNewestFirst(t *testing.T) {
	dir := full(t)
	f := Open(dir)
	for range 2 {
		list, err := f.List()
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, x := range list {
			got = append(got, x.Name)
			if x.Signed != (x.Name == "2026-04") || x.Manifest.Matches != 1 {
				t.Errorf("got %+v, want the signature of 2026-04 alone, and 1 match", x)
			}
		}
		if strings.Join(got, " ") != "2026-05 2026-04" {
			t.Errorf("got %q, want 2026-05 and 2026-04", got)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "2026-05", "manifest.json"), []byte(strings.Replace(manifest("2026-06-01T00:00:00Z"), `"matches":1,"games"`, `"host":"other","matches":1,"games"`, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(dir, "2026-04")); err != nil {
		t.Fatal(err)
	}
	if list, err := f.List(); err != nil || len(list) != 1 || list[0].Manifest.Host != "other" {
		t.Errorf("after a change: got %+v, %v, want the new manifest alone", list, err)
	}
	for _, path := range []string{"", filepath.Join(dir, "nowhere")} {
		if list, err := Open(path).List(); len(list) > 0 || err != nil {
			t.Errorf("%q: got %v, %v, want nothing", path, list, err)
		}
	}
}

func TestOnlyFilesOfTheManifestAreOpened(t *testing.T) {
	f := Open(full(t))
	for _, file := range []string{"matches-0001.ndjson.zst", "manifest.json", "manifest.sig"} {
		opened, etag, err := f.Get("2026-04", file)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(opened)
		_ = opened.Close()
		if err != nil || len(text) == 0 || etag == "" || file == "matches-0001.ndjson.zst" && etag != hash {
			t.Errorf("%s: got %q, %q, %v, want the file and its hash", file, text, etag, err)
		}
	}
	for _, tt := range [][2]string{
		{"2026-04", "secret"}, {"2026-04", ".."}, {"2026-04", "../2026-05/manifest.json"}, {"2026-04", ""}, {"2026-04", "gone"}, {"2026-05", "manifest.sig"},
		{"2026-06.partial", "manifest.json"}, {"..", "manifest.json"}, {".", "manifest.json"}, {"", "manifest.json"}, {"wrong", "manifest.json"}, {"empty", "x"}, {"2026-07", "manifest.json"},
	} {
		if opened, _, err := f.Get(tt[0], tt[1]); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%q: got %v, %v, want that it does not exist", tt, opened, err)
		}
	}
	if opened, _, err := f.Get("2026-04", "cut.zst"); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file with another size: got %v, %v, want an error", opened, err)
	}
}
