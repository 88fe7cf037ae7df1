package site

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"colosseum/internal/test/sight"
)

// materials are the colours of each look.
var materials = strings.Fields("rim rim-line rim-ink light dark white white-high white-side white-line black black-high black-side black-line choice mark alarm inlay inlay-two")

var (
	opensLook   = regexp.MustCompile(`^(?::root|\[data-look=([a-z]+)\]) \{$`)
	declaration = regexp.MustCompile(`^--([a-z-]+): (#[0-9a-f]{6}|0|1|\.[0-9]+)$`)
)

// palettes returns the colours of looks.css, by the name of the look and the scheme of the page.
// A line that it does not know, and a look without one of the colours, is an error.
func palettes(css string) (map[string]map[string]sight.Colour, error) {
	all := map[string]map[string]sight.Colour{}
	scheme, look := "light", map[string]sight.Colour(nil)
	css, _, _ = strings.Cut(regexp.MustCompile(`(?s)/\*.*?\*/\n?`).ReplaceAllString(css, ""), "\n:where") // materials come before the shapes
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
			look = map[string]sight.Colour{}
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
					look[d[1]], _ = sight.Parse(d[2]) // the pattern has looked at it
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
		colour, paper := "white", "#ffffff" // captured pieces are on --paper of frame.css
		if strings.HasSuffix(name, "dark") {
			colour, paper = "black", "#14171d"
		}
		page, _ := sight.Parse(paper)
		if got := sight.Contrast(page, look[colour+"-line"]); got < 3 {
			t.Errorf("%s: got a contrast of %.2f between --%s-line and the page, want 3", name, got, colour)
		}
		for _, p := range apart {
			if got, kind := sight.Difference(look[p.a], look[p.b]); got < p.by {
				t.Errorf("%s: got --%s and --%s with a difference of %.1f in L* with %s, want %.0f", name, p.a, p.b, got, kind, p.by)
			}
		}
		for _, p := range readable {
			if got := sight.Contrast(look[p.a], look[p.b]); got < p.by {
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
