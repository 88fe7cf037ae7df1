package site

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
)

func TestHTMLInADescriptionIsOmitted(t *testing.T) {
	s, _ := newSite(t)
	var game gameAnswer
	if err := json.Unmarshal(get(s, "/api/games/roshambo").Body.Bytes(), &game); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"<script", "javascript:", "style="} {
		if strings.Contains(game.HTML, bad) {
			t.Errorf("got %s, want it without %s", game.HTML, bad)
		}
	}
	if !strings.Contains(game.HTML, "<h1>roshambo</h1>") || !strings.Contains(game.HTML, "<td align=\"center\">b</td>") {
		t.Errorf("got %s, want a heading and an aligned cell", game.HTML)
	}
}

// FuzzRender checks that the HTML of a description has only elements of Markdown.
func FuzzRender(f *testing.F) {
	for _, s := range []string{
		"# A *game*\n\n| a | b |\n|---|:-:|\n| 1 | 2 |\n", hostile, "[x](javascript:alert(1))", "![x](data:text/html,<script>)", "<javascript:x>",
		"[x]: javascript:x\n[x]", "[a](jAvAsCrIpT&#58;x)", "<a onclick=x>", "```<script>\n```", "&lt;script&gt;", "\xff\x00", "[a](\"onclick=\"x)",
		"[](javascript)", // a page of that name
	} {
		f.Add(s)
	}
	// The elements that goldmark creates.
	own := regexp.MustCompile(`^</?(h[1-6]|p|em|strong|code|pre|ul|ol|li|blockquote|hr|br|a|img|table|thead|tbody|tr|th|td|!-- raw HTML omitted --)( (href|src|alt|title|class|align|start)="[^"<>]*")*( /)?>`)
	address := regexp.MustCompile(`(?i)(href|src)="\s*((javascript|vbscript)(:|&)|data:text)`)
	f.Fuzz(func(t *testing.T, text string) {
		html := render(text)
		for rest := html; ; {
			i := strings.IndexByte(rest, '<')
			if i < 0 {
				break
			}
			rest = rest[i:]
			tag := own.FindString(rest)
			if tag == "" {
				t.Fatalf("rendering %q: got %q, want no markup like %.40q", text, html, rest)
			}
			rest = rest[len(tag):]
		}
		if address.MatchString(html) {
			t.Errorf("rendering %q: got %q, want no dangerous address", text, html)
		}
	})
}
