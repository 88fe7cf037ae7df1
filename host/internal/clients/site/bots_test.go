package site

import (
	"crypto/sha256"
	"encoding/base64"
	"strings"
	"testing"
)

func TestTheFrameOfBotsCanLoadAndReachNothing(t *testing.T) {
	s, _ := newSite(t)
	w := get(s, "/botframe")
	_, rest, _ := strings.Cut(w.Body.String(), "<script>")
	script, _, _ := strings.Cut(rest, "</script>")
	sum := sha256.Sum256([]byte(script))
	want := "sandbox allow-scripts; default-src 'none'; script-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "' blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
	if got := w.Header().Get("Content-Security-Policy"); w.Code != 200 || got != want {
		t.Errorf("got %d and policy %q, want 200 and %q", w.Code, got, want)
	}
	if w := get(s, "/assets/botframe"); w.Code != 404 {
		t.Errorf("the frame as a file of the pages: got %d, want 404", w.Code)
	}
}

func TestBotsAreWrittenForGamesThatExist(t *testing.T) {
	s, _ := newSite(t)
	if w := get(s, "/games/roshambo/bot"); w.Code != 200 || !strings.Contains(w.Body.String(), `<textarea id="code"`) {
		t.Errorf("got %d, want the page", w.Code)
	}
	if w := get(s, "/games/chess/bot"); w.Code != 404 {
		t.Errorf("an unknown game: got %d, want 404", w.Code)
	}
}
