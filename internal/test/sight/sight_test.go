package sight_test

import (
	"math"
	"testing"

	"colosseum/internal/test/sight"
)

// Red is nearly as dark as blue with protanopia.
func TestColoursAreMeasuredAsDefined(t *testing.T) {
	colour := func(text string) sight.Colour {
		t.Helper()
		c, err := sight.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	white, grey, black := colour("#ffffff"), colour("rgb(128, 128, 128)"), colour("#000000")
	if got := sight.Contrast(black, white); math.Abs(got-21) > 1e-9 {
		t.Errorf("got a contrast of %v between black and white, want 21", got)
	}
	if got := grey.Lightness(); math.Abs(got-53.585) > 0.001 {
		t.Errorf("got L* %v of middle grey, want 53.585", got)
	}
	if got, _ := sight.Difference(white, black); math.Abs(got-100) > 0.01 {
		t.Errorf("got a difference of %v between black and white, want 100 in each kind of sight", got)
	}
	if got, kind := sight.Difference(colour("#ff0000"), colour("#0000ff")); kind != "protanopia" || got > 5 {
		t.Errorf("got a difference of %v with %s between red and blue, want it smallest with protanopia", got, kind)
	}
	if _, err := sight.Parse("url(#x)"); err == nil {
		t.Error("got no error for a text that is no colour")
	}
}
