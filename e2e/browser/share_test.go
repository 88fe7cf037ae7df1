package browser

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/gif"
	"image/png"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"colosseum/internal/test/long"
)

// saved clicks a button of the share menu, and returns the file that the page then saves,
// and its name.
func (b *browser) saved(button string) (name string, file []byte) {
	b.t.Helper()
	b.call("POST", "/execute/sync", map[string]any{"args": []any{}, "script": `
		window.file = null;
		window.make ??= URL.createObjectURL;
		URL.createObjectURL = (blob) => {
			if (blob.type !== "text/javascript") { // the scripts of boards
				const reader = new FileReader();
				reader.onload = () => (window.file = reader.result.split(",")[1]);
				reader.readAsDataURL(blob);
			}
			return make.call(URL, blob);
		};
		window.link ??= HTMLAnchorElement.prototype.click;
		HTMLAnchorElement.prototype.click = function () { this.download ? (window.called = this.download) : link.call(this); };
	`}, nil)
	b.click(button)
	b.await("window.file || document.querySelector('#share [role=status]').textContent.includes('board')")
	file, err := base64.StdEncoding.DecodeString(b.text("window.file || ''"))
	if err != nil || len(file) == 0 {
		b.fatal("got no file, %v, want one", err)
	}
	return b.text("window.called"), file
}

// coloured counts the pixels of a picture by colour.
func coloured(m image.Image) map[[3]uint8]int {
	n := map[[3]uint8]int{}
	for y := m.Bounds().Min.Y; y < m.Bounds().Max.Y; y++ {
		for x := m.Bounds().Min.X; x < m.Bounds().Max.X; x++ {
			r, g, b, _ := m.At(x, y).RGBA()
			n[[3]uint8{uint8(r >> 8), uint8(g >> 8), uint8(b >> 8)}]++
		}
	}
	return n
}

// papers are the colours behind a board.
var papers = map[string][3]uint8{"light": {255, 255, 255}, "dark": {0x14, 0x17, 0x1d}}

// savesPicture saves the picture of the board, and checks it.
func (b *browser) savesPicture(game, scheme string) {
	t := b.t
	t.Helper()
	b.click("#share summary")
	name, file := b.saved("[data-key=share-png]")
	keep(t, name, file)
	still, err := png.Decode(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	colours := coloured(still)
	if size := still.Bounds().Size(); size.X != 960 || size.Y < 300 || len(colours) < 20 || colours[papers[scheme]] == 0 {
		t.Errorf("%s: got %v, %d colours, %d of the paper; want a board, 960 pixels wide, on the paper of the %s scheme", name, size, len(colours), colours[papers[scheme]], scheme)
	}
	if !strings.HasPrefix(name, game+"-") || !strings.HasSuffix(name, ".png") {
		t.Errorf("got the name %s, want %s-ID.png", name, game)
	}
}

// savesFilm saves the film of the match, and checks it.
func (b *browser) savesFilm() {
	t := b.t
	t.Helper()
	stops := b.text("document.querySelector('.timeline input[type=range]').max")
	name, file := b.saved("[data-key=share-gif]")
	keep(t, name, file)
	film, err := gif.DecodeAll(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprint(len(film.Image) - 1); want != stops || film.Config.Width != 480 || film.LoopCount != 0 || len(file) > 2<<20 {
		t.Errorf("%s: got %d frames, %d pixels wide, %d bytes; want one for each of %s moments and the start, 480 pixels wide", name, len(film.Image), film.Config.Width, len(file), stops)
	}
	if n := len(coloured(film.Image[0])); n < 10 {
		t.Errorf("%s: got %d colours in the first frame, want a board", name, n)
	}
	same := 0
	for i, frame := range film.Image[1:] {
		if changed := slices.ContainsFunc(frame.Pix, func(index uint8) bool { _, _, _, a := frame.Palette[index].RGBA(); return a > 0 }); !changed {
			t.Logf("frame %d is as the one before", i+1)
			same++
		}
		if want := 50; i+2 < len(film.Image) && film.Delay[i+1] != want {
			t.Errorf("got a frame for %d/100 s, want %d", film.Delay[i+1], want)
		}
	}
	if same > 0 {
		t.Errorf("%s: got %d of %d frames without a change, want none", name, same, len(film.Image))
	}
}

func TestAMatchIsSavedInTheFormatsOfItsViewer(t *testing.T) {
	long.Only(t, "one more way to share a match")
	h := start(t, "roshambo")
	writeViewer(t, h.plugins, `
		export const start = () => ({ lines: [] });
		export function read(state, line) { state.lines.push(line); }
		export const draw = (_, { svg }) => svg("svg", { viewBox: "0 0 1 1" });
		export const files = (state, about) => [
			{ name: "LOG", text: [about.id, about.address, about.started.slice(0, 2), about.result?.players.length ?? "running", ...state.lines].join("\n") },
			{ name: "../LOG", text: "in another folder" },
			{ name: "HUGE", text: "x".repeat((1 << 20) + 1) },
		];`)
	alice := dial(t, h)
	id := alice.create("formats", 2, 1)
	alice.join(id, "alice")
	alice.play("ROCK")
	b := open(t, 800, 800)
	b.visit(h.url + "/match/" + id)
	b.click("#share summary")
	b.await("document.querySelector('[data-key=share-LOG]')")
	if got := b.text("[...document.querySelectorAll('#share [data-key]')].map((e) => e.textContent).filter((x) => x.startsWith('Save as')).join()"); got != "Save as LOG" {
		t.Errorf("got the buttons %s, want one for the small file with a good name", got)
	}
	for _, state := range []string{"running", "2"} {
		name, file := b.saved("[data-key=share-LOG]")
		about := []string{id, h.url + "/match/" + id, "20", state}
		lines := strings.Split(string(file), "\n") // of about, then the stream, which names the players of both seats first
		if name != "roshambo-"+id+".log" || len(lines) < 6 || !slices.Equal(lines[:4], about) || !slices.Contains(lines[4:6], "alice") {
			t.Errorf("got %s:\n%s\nwant roshambo-%s.log with %q and then the stream of a match of alice", name, file, id, about)
		}
		if state == "running" {
			alice.play("ROCK")
			b.await("document.querySelector('#verdict').textContent !== ''")
		}
	}
}

// keep writes a file into the folder SCREENSHOTS, if that is set.
func keep(t testing.TB, name string, file []byte) {
	t.Helper()
	if folder := os.Getenv("SCREENSHOTS"); folder != "" {
		if err := os.WriteFile(filepath.Join(folder, name), file, 0o644); err != nil {
			t.Error(err)
		}
	}
}

// otherSite serves a page with a frame that has the given address.
func otherSite(t *testing.T) (s *httptest.Server, show func(address string)) {
	t.Helper()
	var address string
	s = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<!doctype html><title>School</title><h1>Our matches</h1><iframe src="%s" width="480" height="640" style="border:0"></iframe>`, address)
	}))
	t.Cleanup(s.Close)
	return s, func(a string) { address = a }
}

func TestAMatchIsFollowedAndReplayedInAPageOfAnotherSite(t *testing.T) {
	long.Only(t, "one more way to share a match")
	needBrowser(t)
	site, show := otherSite(t)
	school := strings.Replace(site.URL, "127.0.0.1", "localhost", 1) // another site, not only another port: its storage is separate
	h := startWith(t, "embed: ["+school+"]\n", "roshambo")
	alice := dial(t, h)
	id := alice.create("embedded", 3, 1)
	alice.join(id, "alice")
	alice.play("ROCK")
	b := open(t, 800, 800)
	show(h.url + "/embed/" + id)
	b.cdp("Network.setCookieControls", map[string]any{"enableThirdPartyCookieRestriction": true, "disableThirdPartyCookieMetadata": true, "disableThirdPartyCookieHeuristics": true})
	b.visit(school)
	inside := func() {
		b.leave()
		b.call("POST", "/frame", map[string]any{"id": map[string]string{elementKey: b.find("iframe")}}, nil)
	}
	inside()
	b.await("document.querySelector('#players').textContent.includes('alice')")
	b.await("document.querySelector('.timeline output').textContent.startsWith('1 ')")
	alice.play("PAPER", "ROCK")
	b.await("/wins|Draw/.test(document.querySelector('#caption').textContent)")
	if got := b.text("document.querySelector('#match').href"); got != h.url+"/match/"+id {
		t.Errorf("got a link to %s, want %s", got, h.url+"/match/"+id)
	}
	if got := b.text("document.documentElement.scrollWidth > innerWidth"); got != "false" {
		t.Error("got an embedded page that scrolls sideways, want one that fits")
	}
	b.call("POST", "/frame", map[string]any{"id": map[string]string{elementKey: b.find("iframe.viewer")}}, nil)
	b.await("document.querySelector('#board svg')")
	b.leave()
	b.shoot("embed")

	// The replay goes on by itself, here so slowly that the test sees it.
	show(h.url + "/embed/" + id + "?autoplay&speed=0.1")
	b.visit(school)
	inside()
	b.await("document.querySelector('[data-key=play]')?.textContent === 'Pause'")
	b.click("[aria-label=Speed] option[value='10']")
	b.await("document.querySelector('.timeline output').textContent === '3 of 3' && document.querySelector('[data-key=play]').textContent === 'Replay'")
	b.leave()
	if faults := b.console(); len(faults) > 0 {
		t.Errorf("got %q on the console, want nothing", faults)
	}

	// Another site cannot show it, and this one no other page.
	for _, refused := range []struct{ from, path string }{{site.URL, "/embed/" + id}, {school, "/match/" + id}} {
		show(h.url + refused.path)
		b.visit(refused.from)
		inside()
		if text := b.text("document.body?.innerText"); strings.Contains(text, "alice") {
			t.Errorf("%s in %s: got %q, want nothing of the match", refused.path, refused.from, text)
		}
		b.leave()
		if log := strings.Join(b.console(), "\n"); !strings.Contains(log, "frame-ancestors") {
			t.Errorf("%s in %s: got %q on the console, want a refusal", refused.path, refused.from, log)
		}
	}
}
