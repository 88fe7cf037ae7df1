package site

import (
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// colour is linear sRGB, with parts from 0 to 1.
type colour [3]float64

// luminance is the relative luminance of WCAG 2.2, the Y of CIE XYZ.
func (c colour) luminance() float64 { return 0.2126*c[0] + 0.7152*c[1] + 0.0722*c[2] }

// lightness is L* of CIE 1976.
func (c colour) lightness() float64 {
	y := c.luminance()
	if y <= 216.0/24389 {
		return y * 24389 / 27
	}
	return 116*math.Cbrt(y) - 16
}

// sights are how people see colours: the deficiencies at severity 1.0, by Machado, Oliveira and
// Fernandes, A Physiologically-based Model for Simulation of Color Vision Deficiency (2009).
var sights = map[string][3]colour{
	"normal sight": {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
	"protanopia":   {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
	"deuteranopia": {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
	"tritanopia":   {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}},
}

// seen returns how a colour looks.
func (c colour) seen(sight [3]colour) (s colour) {
	for i, row := range sight {
		s[i] = min(1, max(0, row[0]*c[0]+row[1]*c[1]+row[2]*c[2]))
	}
	return s
}

// contrast is the contrast ratio of WCAG 2.2.
func contrast(a, b colour) float64 {
	x, y := a.luminance()+0.05, b.luminance()+0.05
	return max(x, y) / min(x, y)
}

// named returns the colour of a text such as #1b1f27.
func named(text string) (c colour) {
	var parts [3]uint8
	fmt.Sscanf(text, "#%02x%02x%02x", &parts[0], &parts[1], &parts[2]) // the pattern has looked at it
	for i, p := range parts {
		if v := float64(p) / 255; v <= 0.04045 {
			c[i] = v / 12.92
		} else {
			c[i] = math.Pow((v+0.055)/1.055, 2.4)
		}
	}
	return c
}

// materials are the colours of each look.
var materials = strings.Fields("rim rim-line rim-ink light dark white white-high white-side white-line black black-high black-side black-line choice mark alarm inlay inlay-two")

var (
	opensLook   = regexp.MustCompile(`^(?::root|\[data-look=([a-z]+)\]) \{$`)
	declaration = regexp.MustCompile(`^--([a-z-]+): (#[0-9a-f]{6}|0|1|\.[0-9]+)$`)
)

// palettes returns the colours of looks.css, by the name of the look and the scheme of the page.
// A line that it does not know, and a look without one of the colours, is an error.
func palettes(css string) (map[string]map[string]colour, error) {
	all := map[string]map[string]colour{}
	scheme, look := "light", map[string]colour(nil)
	css, _, _ = strings.Cut(regexp.MustCompile(`(?s)/\*.*?\*/\n?`).ReplaceAllString(css, ""), "\n.") // materials come before the shapes
	for line := range strings.Lines(css) {
		text := strings.TrimSpace(line)
		head := opensLook.FindStringSubmatch(text)
		switch {
		case text == "@media (prefers-color-scheme: dark) {" && look == nil:
			scheme = "dark"
		case head != nil && look == nil:
			name := head[1] + " " + scheme
			if head[1] == "" {
				name = "wood " + scheme
			}
			if all[name] != nil {
				return nil, fmt.Errorf("%s is there twice", name)
			}
			look = map[string]colour{}
			all[name] = look
		case text == "}" && look != nil:
			look = nil
		case text == "}" && scheme == "dark":
			scheme = "light"
		case look != nil && strings.HasSuffix(text, ";"):
			for part := range strings.SplitSeq(strings.TrimSuffix(text, ";"), ";") {
				d := declaration.FindStringSubmatch(strings.TrimSpace(part))
				switch {
				case d != nil && d[2][0] == '#' && slices.Contains(materials, d[1]):
					look[d[1]] = named(d[2])
				case d != nil && d[2][0] != '#' && (d[1] == "shade" || d[1] == "grain"): // opacities
				default:
					return nil, fmt.Errorf("got %q, want a variable with its value", part)
				}
			}
		default:
			return nil, fmt.Errorf("got the line %q, want a look", text)
		}
	}
	for name, look := range all {
		for _, m := range materials {
			if _, ok := look[m]; !ok {
				return nil, fmt.Errorf("%s has no --%s", name, m)
			}
		}
	}
	return all, nil
}

// TestPiecesAndSquaresDifferInEachLook compares the lightness of what must be told apart, as
// everybody sees it. White pieces on light squares and the two inlays are not listed: the line
// around the pieces differs from both, and inlays have different shapes.
func TestPiecesAndSquaresDifferInEachLook(t *testing.T) {
	all, err := palettes(string(embedded("frame/looks.css")))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"paper dark", "paper light", "slate dark", "slate light", "wood dark", "wood light"}
	if got := slices.Sorted(maps.Keys(all)); !slices.Equal(got, want) {
		t.Fatalf("got the looks %q, want %q", got, want)
	}
	apart := []struct {
		a, b string
		by   float64 // in L*
	}{
		{"white", "black", 20}, {"white-high", "black-high", 20}, {"white", "black-high", 20}, // the lightest part of a black piece and the darkest of a white one
		{"black", "light", 20}, {"black-high", "light", 20}, {"black", "dark", 20}, {"black-high", "dark", 20},
		{"white", "dark", 20}, {"white-high", "dark", 20},
		{"light", "dark", 15},
		{"white-line", "white", 40}, {"white-line", "light", 40},
		{"inlay", "light", 20}, {"inlay-two", "light", 20},
	}
	readable := []struct {
		a, b string
		by   float64 // contrast
	}{{"choice", "light", 3}, {"choice", "dark", 3}, {"rim-ink", "rim", 4.5}}
	for name, look := range all {
		page := "white" // the colour behind captured pieces, which is --paper of frame.css
		if look["paper"] = named("#ffffff"); strings.HasSuffix(name, "dark") {
			page, look["paper"] = "black", named("#14171d")
		}
		if got := contrast(look["paper"], look[page+"-line"]); got < 3 {
			t.Errorf("%s: got a contrast of %.2f between --%s-line and the page, want 3 for captured pieces", name, got, page)
		}
		for sight, matrix := range sights {
			for _, p := range apart {
				a, b := look[p.a].seen(matrix).lightness(), look[p.b].seen(matrix).lightness()
				if math.Abs(a-b) < p.by {
					t.Errorf("%s, %s: got --%s with L* %.1f and --%s with %.1f, want a difference of %.0f", name, sight, p.a, a, p.b, b, p.by)
				}
			}
		}
		for _, p := range readable {
			if got := contrast(look[p.a], look[p.b]); got < p.by {
				t.Errorf("%s: got a contrast of %.2f between --%s and --%s, want %.1f", name, got, p.a, p.b, p.by)
			}
		}
	}
}

func TestALookWithoutAColourIsNamed(t *testing.T) {
	css := string(embedded("frame/looks.css"))
	for _, tt := range []struct{ broken, want string }{
		{strings.Replace(css, "--rim: #74482a;", "--rim: 1;", 1), `got "--rim: 1"`},
		{strings.Replace(css, "--rim-line: #", "--rom: #", 1), `--rom: #`},
		{strings.Replace(css, "[data-look=slate] {", "[data-look=slate], .x {", 1), "want a look"},
		{strings.Replace(css, "[data-look=paper]", "[data-look=slate]", 1), "slate light is there twice"},
		{regexp.MustCompile(`--dark: #\w+;`).ReplaceAllString(css, ""), "has no --dark"},
	} {
		if _, err := palettes(tt.broken); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("got %v, want an error with %s", err, tt.want)
		}
	}
}
