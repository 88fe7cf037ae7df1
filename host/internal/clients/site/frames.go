package site

import (
	"crypto/sha256"
	"encoding/base64"
	"strings"
)

// frameDocument assembles the frame in which viewers run. Its policy allows one
// script, by its hash, and blob: for the worker that runs the viewer. The viewer
// comes in a message, so the frame can load nothing from any address. The worker
// inherits the policy.
func frameDocument() *document {
	html := strings.NewReplacer("{{style}}", string(joined(embedded, frameStyles, ".css"))).Replace(string(embedded("frame/frame.html")))
	return sandboxed("frame.html", html, joined(minified, workerScripts, ".js"), joined(minified, frameScripts, ".js"), "", "style-src 'unsafe-inline'; img-src data: blob:; base-uri 'none'; form-action 'none'; frame-ancestors ")
}

// The files of the frame of viewers, without their endings.
var (
	frameStyles   = []string{"frame", "looks"}
	frameScripts  = []string{"capture", "places", "motion", "drag", "marks", "hints", "frame"}
	workerScripts = []string{"shapes", "worker"}
)

// joined joins files of the folder frame.
func joined(read func(string) []byte, names []string, ending string) []byte {
	var all []byte
	for _, name := range names {
		all = append(all, read("frame/"+name+ending)...)
	}
	return all
}

// minified returns a file of the folder frame as it is in the folder built, if that is current.
func minified(name string) []byte {
	if bundled() {
		return embedded("built/" + name)
	}
	return embedded(name)
}

// sandboxed returns a frame with a worker and a script, and with the policy that all frames
// have for untrusted code; a frame adds to it what scripts can do more, and the rest.
func sandboxed(name, html string, worker, script []byte, more, rest string) *document {
	sum := sha256.Sum256(script)
	d := fileDocument(name, []byte(strings.NewReplacer("{{worker}}", string(worker), "{{script}}", string(script)).Replace(html)))
	d.special = "sandbox allow-scripts; default-src 'none'; script-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "' blob:" + more + "; " + rest
	return d
}

// botFrameDocument assembles the frame in which a person's bot runs. As in the frame of
// viewers, the policy allows one script, by its hash, and blob: for the worker that runs the
// bot, and beside it WebAssembly, for bots in Python. The bot and MicroPython come in messages,
// and neither frame nor worker can load or connect to anything.
func botFrameDocument() *document {
	html := strings.NewReplacer("{{python}}", string(embedded("frame/pythonbot.js")), "{{prelude}}", string(embedded("frame/prelude.py"))).Replace(string(embedded("frame/bot.html")))
	return sandboxed("botframe.html", html, embedded("frame/botworker.js"), embedded("frame/bot.js"), " 'wasm-unsafe-eval'", "base-uri 'none'; form-action 'none'; frame-ancestors 'self'")
}
