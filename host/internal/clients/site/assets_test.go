package site

import (
	"bytes"
	"compress/gzip"
	"io"
	"strings"
	"testing"
)

func TestAMissingPageLinksToTheLobby(t *testing.T) {
	s, _ := newSite(t)
	w := get(s, "/nowhere", "Accept", "text/html,*/*")
	if w.Code != 404 || !strings.HasPrefix(w.Header().Get("Content-Type"), "text/html") || !strings.Contains(w.Body.String(), `<a href="/">`) {
		t.Errorf("got %d %s %s, want a page with status 404", w.Code, w.Header().Get("Content-Type"), w.Body)
	}
	if w := get(s, "/nowhere"); w.Code != 404 || !strings.HasPrefix(w.Header().Get("Content-Type"), "text/plain") {
		t.Errorf("without Accept: got %d %s, want plain text with status 404", w.Code, w.Header().Get("Content-Type"))
	}
}

func TestEveryAnswerForbidsForeignScripts(t *testing.T) {
	s, _ := newSite(t)
	for _, path := range []string{"/", "/match/x", "/games/roshambo", "/games/roshambo/viewer.js", "/assets/match.js", "/assets/nothing.js", "/api/lobby", "/nowhere", "/frame"} {
		h := get(s, path).Header()
		csp := h.Get("Content-Security-Policy")
		if !strings.Contains(csp, "default-src 'none'") || !strings.Contains(csp, "script-src '") || strings.Contains(csp, "script-src 'unsafe") {
			t.Errorf("%s: got policy %q, want one without foreign scripts", path, csp)
		}
		if h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Referrer-Policy") != "no-referrer" {
			t.Errorf("%s: got headers %v, want nosniff and no-referrer", path, h)
		}
	}
}

func TestNoPageHasAnInlineScript(t *testing.T) {
	for name, d := range documents() {
		if !strings.HasPrefix(d.kind, "text/html") || d.special != "" { // a frame has its own policy
			continue
		}
		text := string(d.plain)
		for _, bad := range []string{"<style", " style=", " onclick=", "http:", "https:"} {
			if strings.Contains(text, bad) {
				t.Errorf("%s: got a page with %s, want none", name, bad)
			}
		}
		if n := strings.Count(text, "<script"); n != 1 || n != strings.Count(text, `<script type="module" src="/assets/`) {
			t.Errorf("%s: got %d scripts, want 1 from /assets/", name, n)
		}
	}
}

func TestOnlyTheFrameCanBeFramed(t *testing.T) {
	s, _ := newSite(t)
	if csp := get(s, "/match/x").Header().Get("Content-Security-Policy"); !strings.Contains(csp, "frame-ancestors 'none'") {
		t.Errorf("got policy %q, want frame-ancestors 'none'", csp)
	}
	csp := get(s, "/frame").Header().Get("Content-Security-Policy")
	if !strings.HasPrefix(csp, "sandbox allow-scripts;") || strings.Contains(csp, "connect-src") || strings.Contains(csp, "script-src 'self'") {
		t.Errorf("got policy %q, want a sandbox without connections", csp)
	}
}

func TestAssetsAreSentOnceAndSmall(t *testing.T) {
	s, _ := newSite(t)
	w := get(s, "/assets/match.js", "Accept-Encoding", "gzip, br")
	if w.Header().Get("Content-Encoding") != "gzip" || w.Body.Len() >= len(documents()["match.js"].plain) {
		t.Errorf("got %v, %d bytes, want fewer than %d in gzip", w.Header(), w.Body.Len(), len(documents()["match.js"].plain))
	}
	again := get(s, "/assets/match.js", "If-None-Match", w.Header().Get("ETag"))
	if again.Code != 304 || again.Body.Len() > 0 {
		t.Errorf("got status %d, want 304 without a body", again.Code)
	}
	if w := get(s, "/assets/index.html"); w.Code != 404 {
		t.Errorf("a page under /assets: got %d, want 404", w.Code)
	}
}

func TestLongAnswersAreCompressedOnRequest(t *testing.T) {
	s, list := newSite(t)
	list[0].Rules = strings.Repeat("All about the game. ", 1000)
	writeViewer(t, list[0].Dir, strings.Repeat("// it draws\n", 1000))
	for _, path := range []string{"/api/games/roshambo", "/api/openapi.json", "/games/roshambo/viewer.js"} {
		plain, zipped := get(s, path), get(s, path, "Accept-Encoding", "gzip")
		if plain.Header().Get("Content-Encoding") != "" || zipped.Header().Get("Content-Encoding") != "gzip" || zipped.Header().Get("Vary") != "Accept-Encoding" {
			t.Errorf("%s: got %v and %v, want only the second in gzip", path, plain.Header(), zipped.Header())
			continue
		}
		z, err := gzip.NewReader(zipped.Body)
		if err != nil {
			t.Fatal(err)
		}
		if text, err := io.ReadAll(z); err != nil || !bytes.Equal(text, plain.Body.Bytes()) {
			t.Errorf("%s: got %d bytes, %v, want %d", path, len(text), err, plain.Body.Len())
		}
	}
	if w := get(s, "/api/matches/running/clocks", "Accept-Encoding", "gzip"); w.Header().Get("Content-Encoding") != "" {
		t.Error("got a short answer in gzip, want it uncompressed")
	}
}
