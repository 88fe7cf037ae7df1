package site

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"colosseum/host/internal/clients/exported"
	"colosseum/internal/test/filetree"
)

func TestExportIsListedWithFilesThatHaveRangesAndETags(t *testing.T) {
	s, _ := newSite(t)
	var a exportsAnswer
	if err := json.Unmarshal(get(s, "/api/exports").Body.Bytes(), &a); err != nil || len(a.Exports) != 1 {
		t.Fatalf("got %+v, %v, want an export", a, err)
	}
	x := a.Exports[0]
	if x.Name != "2025-03" || x.Matches != 12 || x.Games["tiny"] != 6 || x.Host != hostile || len(x.Key) != 16 || len(x.Files) != 4 {
		t.Errorf("got %+v, want the 12 matches of 2025-03 in 4 files, signed", x)
	}
	for _, f := range x.Files {
		w := get(s, f.Address)
		h := w.Header()
		if w.Code != 200 || f.Bytes > 0 && int64(w.Body.Len()) != f.Bytes || h.Get("Content-Disposition") != `attachment; filename="`+f.Name+`"` || h.Get("Access-Control-Allow-Origin") != "*" || h.Get("Cache-Control") != "no-cache" {
			t.Errorf("%s: got %d, %d bytes, %v, want the file as an attachment that all pages can read", f.Name, w.Code, w.Body.Len(), h)
		}
		etag := h.Get("ETag")
		if again := get(s, f.Address, "If-None-Match", etag); again.Code != http.StatusNotModified || again.Body.Len() > 0 || etag == "" {
			t.Errorf("%s with its ETag %s: got %d, want 304", f.Name, etag, again.Code)
		}
		part := get(s, f.Address, "Range", "bytes=2-4", "If-Range", etag)
		if part.Code != http.StatusPartialContent || part.Body.String() != w.Body.String()[2:5] {
			t.Errorf("%s: got %d %q, want the bytes 2 to 4", f.Name, part.Code, part.Body)
		}
	}
	for _, path := range []string{"/exports/2025-03/none", "/exports/2025-04/manifest.json", "/exports/2025-03/..%2f2025-03%2fmanifest.json", "/exports/..%2f2025-03/manifest.json", "/exports/players/player.py"} {
		if w := get(s, path); w.Code != 404 || !strings.Contains(w.Body.String(), "there is no such export") {
			t.Errorf("%s: got %d %s, want 404", path, w.Code, w.Body)
		}
	}
}

func TestFileThatIsNotThatOfTheManifestIsNotSent(t *testing.T) {
	s, _ := newSite(t)
	file := "match.schema.json"
	dir := filetree.New(t, map[string]string{"x/" + file: "{}", "x/manifest.json": get(s, "/exports/2025-03/manifest.json").Body.String()})
	s.Exported = exported.Open(dir)
	if w := get(s, "/exports/x/"+file); w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" {
		t.Errorf("got %d %s, want 503", w.Code, w.Body)
	}
	if err := os.Remove(filepath.Join(dir, "x", "manifest.json")); err != nil {
		t.Fatal(err)
	}
	if w := get(s, "/exports/x/"+file); w.Code != http.StatusNotFound {
		t.Errorf("without a manifest: got %d %s, want 404", w.Code, w.Body)
	}
}

func TestExportsWaitForEachOtherAndNotForDownloads(t *testing.T) {
	s, _ := newSite(t)
	for range maxDownloads {
		s.downloads.running <- struct{}{}
	}
	if w := get(s, "/exports/2025-03/manifest.json"); w.Code != 200 || len(s.data.running) != 0 {
		t.Errorf("while downloads take all their places: got %d, want 200", w.Code)
	}
}
