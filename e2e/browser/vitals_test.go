package browser

import (
	"fmt"
	"testing"
)

// observing measures what people feel of a page: when its largest part is there (LCP), how much
// moves (CLS), and how long an answer to a click takes (INP), in milliseconds.
const observing = `{
	const v = window.vitals = { lcp: 0, cls: 0, inp: 0 };
	const watch = (type, f, more) => new PerformanceObserver((list) => list.getEntries().forEach(f)).observe({ type, buffered: true, ...more });
	watch("largest-contentful-paint", (e) => { v.lcp = e.startTime; });
	watch("layout-shift", (e) => { if (!e.hadRecentInput) v.cls += e.value; });
	watch("event", (e) => { if (e.interactionId) v.inp = Math.max(v.inp, e.duration); }, { durationThreshold: 16 });
}`

// BenchmarkVitals opens pages on a slow connection (400 kbit/s, 400 ms) and a processor that is
// four times as slow: with an empty cache, and again. A board counts as shown when its frame
// has drawn it.
func BenchmarkVitals(b *testing.B) {
	needBrowser(b)
	c, _, running := startContests(b)
	h := shared(b)
	other := dial(b, h)
	ended := other.create("ended", 3, 1)
	other.join(ended, "ann")
	other.play("ROCK", "PAPER", "SCISSORS")
	other.AwaitEnd(b)
	for _, p := range []struct{ name, url, ready, click string }{
		{"front", h.url + "/", "document.querySelector('#games .card') && document.querySelector('#recent li')", "h1"},
		{"game", h.url + "/games/royalur", "document.querySelector('#rules h2, #rules p') && document.querySelector('#start button')", "#new summary"},
		{"match, running", h.url + "/match/" + running, board, "#moves button"},
		{"match, ended", h.url + "/match/" + ended, board, "#moves button"},
		{"contest", c.url + "/contests/cup", "document.querySelector('#standings table')", "#table"},
		{"player", c.url + "/players/ann", "document.querySelector('#games *')", "h1"},
	} {
		b.Run(p.name, func(b *testing.B) {
			for b.Loop() {
				w := open(b, 1280, 900)
				w.cdp("Page.addScriptToEvaluateOnNewDocument", map[string]any{"source": observing})
				w.cdp("Network.enable", map[string]any{})
				w.cdp("Network.emulateNetworkConditions", map[string]any{"offline": false, "latency": 400, "downloadThroughput": 50e3, "uploadThroughput": 50e3})
				w.cdp("Emulation.setCPUThrottlingRate", map[string]any{"rate": 4})
				for _, cache := range []string{"cold", "warm"} {
					w.visit("about:blank")
					w.visit(p.url)
					w.await(p.ready)
					w.await("performance.now() > 6000") // later changes count, too
					const entries = "[...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]"
					values := map[string]string{
						"LCP-ms": "vitals.lcp", "CLS": "vitals.cls", "board-ms": "performance.getEntriesByName('board')[0]?.startTime ?? 0",
						"requests": entries + ".filter((e) => e.transferSize > 0).length", "KiB": entries + ".reduce((sum, e) => sum + e.transferSize, 0) / 1024",
					}
					for _, name := range []string{"LCP-ms", "CLS", "board-ms", "requests", "KiB"} {
						var n float64
						w.eval(values[name], &n)
						b.ReportMetric(n, cache+"-"+name)
					}
					if cache == "cold" && testing.Verbose() {
						b.Log(w.text(entries + `.map((e) => Math.round(e.startTime) + "-" + Math.round(e.responseEnd) + " " + e.transferSize + " " + e.name.slice(0, 110)).join("\n")`))
					}
				}
				w.click(p.click)
				w.await(fmt.Sprintf("performance.now() > %s + 1000", w.text("performance.now()")))
				var n float64
				w.eval("vitals.inp", &n)
				b.ReportMetric(n, "INP-ms")
				b.ReportMetric(0, "ns/op")
				w.cdp("Emulation.setCPUThrottlingRate", map[string]any{"rate": 1})
				w.cdp("Network.emulateNetworkConditions", map[string]any{"offline": false, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1})
			}
		})
	}
}
