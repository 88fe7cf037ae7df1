// Package sight computes how colours look to people, for tests of what must be told apart.
package sight

import (
	"fmt"
	"math"
)

// Colour is linear sRGB, with parts from 0 to 1.
type Colour [3]float64

// RGB returns the colour of sRGB with parts from 0 to 255.
func RGB(parts [3]float64) (c Colour) {
	for i, p := range parts {
		if v := p / 255; v <= 0.04045 {
			c[i] = v / 12.92
		} else {
			c[i] = math.Pow((v+0.055)/1.055, 2.4)
		}
	}
	return c
}

// Parse returns the colour of a text such as #1b1f27 or rgb(27, 31, 39).
func Parse(text string) (Colour, error) {
	var a, b, c uint8
	for _, format := range []string{"#%02x%02x%02x", "rgb(%d, %d, %d)"} {
		if _, err := fmt.Sscanf(text, format, &a, &b, &c); err == nil {
			return RGB([3]float64{float64(a), float64(b), float64(c)}), nil
		}
	}
	return Colour{}, fmt.Errorf("%q is no colour", text)
}

// Luminance is the relative luminance of WCAG 2.2, the Y of CIE XYZ.
func (c Colour) Luminance() float64 { return 0.2126*c[0] + 0.7152*c[1] + 0.0722*c[2] }

// Lightness is L* of CIE 1976, from 0 to 100.
func (c Colour) Lightness() float64 {
	y := c.Luminance()
	if y <= 216.0/24389 {
		return y * 24389 / 27
	}
	return 116*math.Cbrt(y) - 16
}

// Contrast is the contrast ratio of WCAG 2.2, from 1 to 21.
func Contrast(a, b Colour) float64 {
	x, y := a.Luminance()+0.05, b.Luminance()+0.05
	return max(x, y) / min(x, y)
}

// kinds of sight: the deficiencies at severity 1.0, by Machado, Oliveira and Fernandes, A
// Physiologically-based Model for Simulation of Color Vision Deficiency (2009).
var kinds = map[string][3]Colour{
	"normal sight": {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
	"protanopia":   {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
	"deuteranopia": {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
	"tritanopia":   {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}},
}

// Difference returns the difference in lightness of two colours in the kind of sight in which it
// is smallest, and the name of that.
func Difference(a, b Colour) (least float64, kind string) {
	least = math.Inf(1)
	for name, k := range kinds {
		if d := math.Abs(a.seen(k).Lightness() - b.seen(k).Lightness()); d < least {
			least, kind = d, name
		}
	}
	return least, kind
}

func (c Colour) seen(kind [3]Colour) (s Colour) {
	for i, row := range kind {
		s[i] = min(1, max(0, row[0]*c[0]+row[1]*c[1]+row[2]*c[2]))
	}
	return s
}
