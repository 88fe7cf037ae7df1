package site

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"colosseum/host/internal/clients/downloads"
	"colosseum/internal/test/filetree"
)

func TestADownloadIsAFileWithAChecksumAndRanges(t *testing.T) {
	s, _ := newSite(t)
	body := get(s, "/api/downloads").Body.String()
	_, rest, _ := strings.Cut(body, `"sha256":"`)
	digits, _, ok := strings.Cut(rest, `"`)
	if !ok || len(digits) != 64 {
		t.Fatalf("got %s, want checksums", body)
	}
	w := get(s, "/download/coco-linux-amd64")
	h := w.Header()
	if w.Code != 200 || w.Body.String() != "a program" || h.Get("Content-Length") != "9" || h.Get("Content-Type") != "application/octet-stream" ||
		h.Get("Content-Disposition") != `attachment; filename="coco-linux-amd64"` || h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Cache-Control") != "no-cache" {
		t.Errorf("got %d %s %v, want the file as an attachment", w.Code, w.Body, h)
	}
	if again := get(s, "/download/coco-linux-amd64", "If-None-Match", h.Get("ETag")); again.Code != http.StatusNotModified {
		t.Errorf("with its ETag: got %d, want 304", again.Code)
	}
	if part := get(s, "/download/coco-linux-amd64", "Range", "bytes=2-4"); part.Code != http.StatusPartialContent || part.Body.String() != "pro" {
		t.Errorf("a range: got %d %s, want 206 pro", part.Code, part.Body)
	}
	if named := get(s, "/download/coco-linux-amd64?sha256="+digits); !strings.Contains(named.Header().Get("Cache-Control"), "immutable") {
		t.Errorf("with its checksum: got %v, want an immutable answer", named.Header())
	}
	for _, name := range []string{"coco-linux-386", "coco-linux-amd64.exe", "coco-windows-amd64", "..%2fcoco-linux-amd64", "players", "players%2fplayer.py", ""} {
		if w := get(s, "/download/"+name); w.Code != 404 {
			t.Errorf("%q: got %d, want 404", name, w.Code)
		}
	}
}

func TestNewDownloadsAreSummedInASlotForLongWork(t *testing.T) {
	s, _ := newSite(t)
	dir := filetree.New(t, map[string]string{"coco-linux-amd64": "1"})
	s.Downloads = downloads.Open(dir)
	c := s.Readers.(*fakeReaders)
	for _, want := range []int{1, 1} {
		if w := get(s, "/api/downloads"); w.Code != 200 || c.work != want {
			t.Errorf("got %d after %d slots, want 200 after %d", w.Code, c.work, want)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "coco-linux-amd64"), []byte("22"), 0o644); err != nil {
		t.Fatal(err)
	}
	if w := get(s, "/download/coco-linux-amd64"); w.Body.String() != "22" || c.work != 2 {
		t.Errorf("a new file: got %s after %d slots, want 22 after 2", w.Body, c.work)
	}
}

func TestDownloadsWaitForEachOther(t *testing.T) {
	dir := filetree.New(t, map[string]string{"coco-linux-amd64": "program"})
	synctest.Test(t, func(t *testing.T) {
		s := New(Parts{Games: fakeCatalog{}, Lobby: fakeLobby{}, Readers: &fakeReaders{}, Downloads: downloads.Open(dir)}, quiet)
		for range maxDownloads {
			s.downloads.running <- struct{}{}
		}
		code := 0
		ask := func() { code = get(s, "/download/coco-linux-amd64").Code } // ends with the answer
		go ask()
		synctest.Wait()
		if code != 0 {
			t.Fatalf("got %d while all places are taken, want it to wait", code)
		}
		<-s.downloads.running
		synctest.Wait()
		if code != 200 {
			t.Errorf("after the end of another: got %d, want 200", code)
		}
		s.downloads.running <- struct{}{}
		begin := time.Now()
		if ask(); code != 503 || time.Since(begin) != downloadWait {
			t.Errorf("while none ends: got %d after %v, want 503 after %v", code, time.Since(begin), downloadWait)
		}
	})
}

func TestDownloadsOfOneAddressLeavePlacesForOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s shares
		var all []func()
		for range maxShare {
			free, ok := s.take(t.Context(), "slow")
			if !ok {
				t.Fatal("a place of the address was refused, want it")
			}
			all = append(all, free)
		}
		ctx, cancel := context.WithTimeout(t.Context(), downloadWait)
		defer cancel()
		free, ok := s.take(ctx, "slow")
		if free(); ok {
			t.Errorf("got a place beyond %d of one address, want it to wait", maxShare)
		}
		other, ok := s.take(t.Context(), "other")
		if !ok {
			t.Error("another address got no place")
		}
		more := false
		go func() { // ends when another frees its place
			free, ok := s.take(t.Context(), "slow")
			more = ok
			free()
		}()
		synctest.Wait()
		all[0]()
		synctest.Wait()
		if !more {
			t.Error("the one that waited got no place after another was freed")
		}
		for _, free := range append(all[1:], other) {
			free()
		}
		if len(s.used) != 0 {
			t.Errorf("got %d addresses kept, want none", len(s.used))
		}
	})
}
