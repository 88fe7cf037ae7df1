package site

import (
	"crypto/sha256"
	"encoding/base64"
	"slices"
	"strings"
	"testing"
)

func TestTheFrameOfBotsCanLoadAndReachNothing(t *testing.T) {
	s, _ := newSite(t)
	w := get(s, "/botframe")
	_, rest, _ := strings.Cut(w.Body.String(), "<script>")
	script, _, _ := strings.Cut(rest, "</script>")
	sum := sha256.Sum256([]byte(script))
	want := "sandbox allow-scripts; default-src 'none'; script-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "' blob: 'wasm-unsafe-eval'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
	if got := w.Header().Get("Content-Security-Policy"); w.Code != 200 || got != want {
		t.Errorf("got %d and policy %q, want 200 and %q", w.Code, got, want)
	}
	if w := get(s, "/assets/botframe"); w.Code != 404 {
		t.Errorf("the frame as a file of the pages: got %d, want 404", w.Code)
	}
}

func TestBotsAreWrittenForGamesThatExist(t *testing.T) {
	s, _ := newSite(t)
	if w := get(s, "/games/roshambo/bot"); w.Code != 200 || !strings.Contains(w.Body.String(), `id="code"`) {
		t.Errorf("got %d, want the page", w.Code)
	}
	if w := get(s, "/games/chess/bot"); w.Code != 404 {
		t.Errorf("an unknown game: got %d, want 404", w.Code)
	}
}

func TestMicroPythonIsServedForTheFrameOfBots(t *testing.T) {
	s, _ := newSite(t)
	w := get(s, "/assets/python.wasm", "Accept-Encoding", "gzip")
	if h := w.Header(); w.Code != 200 || h.Get("Content-Type") != "application/wasm" || h.Get("Content-Encoding") != "gzip" || w.Body.Len() > 300<<10 {
		t.Errorf("got %d, %d bytes, %v, want WebAssembly in at most 300 KiB", w.Code, w.Body.Len(), h)
	}
	if w := get(s, "/assets/python.js"); w.Code != 200 || !strings.HasPrefix(w.Header().Get("Content-Type"), "text/javascript") || strings.Contains(w.Body.String(), "eval(") {
		t.Errorf("got %d %s, want a script without eval", w.Code, w.Header().Get("Content-Type"))
	}
	if strings.Contains(policy, "wasm") || strings.Contains(frameDocument().special, "wasm") {
		t.Error("got WebAssembly in the policy of the pages or viewers, want it for bots alone")
	}
	licences := get(s, "/assets/licences.txt").Body.String()
	for _, name := range []string{"@codemirror/view", "@lezer/lr", "style-mod", "micropython"} {
		if !strings.Contains(licences, name) {
			t.Errorf("got no licence of %s, want one", name)
		}
	}
}

func TestVendoredFilesAreLoadedWhenTheyAreNeeded(t *testing.T) {
	for _, p := range pages {
		if p.script == "" {
			continue
		}
		for module := range modules(p.script, nil, anyImport) {
			for _, m := range imported.FindAllSubmatch(embedded("pages/"+module), -1) {
				if name := string(m[1]); slices.Contains(vendored, name) {
					t.Errorf("%s loads %s at once, want it to load when it is needed", module, name)
				}
			}
		}
	}
}
