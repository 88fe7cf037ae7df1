package site

import (
	"bytes"
	"strings"
	"testing"
)

// FrameOfViewers returns the frame of viewers from the files as they are in the folder, for
// tests that let a browser run it.
func FrameOfViewers() string {
	part := func(names []string, ending string) string { return string(joined(embedded, names, ending)) }
	return strings.NewReplacer("{{style}}", part(frameStyles, ".css"), "{{worker}}", part(workerScripts, ".js"), "{{script}}", part(frameScripts, ".js")).Replace(string(embedded("frame/frame.html")))
}

func TestTheFrameHasAllItsParts(t *testing.T) {
	text := frameDocument().plain
	for _, part := range []string{"radialGradient", "data-look=slate", "data-goes", "tile"} {
		if !bytes.Contains(text, []byte(part)) {
			t.Errorf("the frame of viewers has no %s", part)
		}
	}
}
