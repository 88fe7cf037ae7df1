package site

import (
	"bytes"
	"testing"
)

// FrameOfViewers returns the frame of viewers, for tests that let a browser run it.
func FrameOfViewers() string { return string(frameDocument().plain) }

func TestTheFrameHasAllItsParts(t *testing.T) {
	text := frameDocument().plain
	for _, part := range []string{"radialGradient", "data-look=slate", "data-goes", "tile"} {
		if !bytes.Contains(text, []byte(part)) {
			t.Errorf("the frame of viewers has no %s", part)
		}
	}
}
