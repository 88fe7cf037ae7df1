package markdown

import (
	"regexp"
	"strings"
	"testing"
)

// FuzzRender checks that the HTML of a description has only elements of Markdown.
func FuzzRender(f *testing.F) {
	for _, s := range []string{
		"# A *game*\n\n| a | b |\n|---|:-:|\n| 1 | 2 |\n", `<script>alert(1)</script>"'&`, "[x](javascript:alert(1))", "![x](data:text/html,<script>)", "<javascript:x>",
		"[x]: javascript:x\n[x]", "[a](jAvAsCrIpT&#58;x)", "<a onclick=x>", "```<script>\n```", "&lt;script&gt;", "\xff\x00", "[a](\"onclick=\"x)",
		"[](javascript)", // a page of that name
	} {
		f.Add(s)
	}
	// The elements that goldmark creates.
	own := regexp.MustCompile(`^</?(h[1-6]|p|em|strong|code|pre|ul|ol|li|blockquote|hr|br|a|img|table|thead|tbody|tr|th|td|!-- raw HTML omitted --)( (href|src|alt|title|class|align|start|tabindex)="[^"<>]*")*( /)?>`)
	address := regexp.MustCompile(`(?i)(href|src)="\s*((javascript|vbscript)(:|&)|data:text)`)
	f.Fuzz(func(t *testing.T, text string) {
		html := Render(text)
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

func TestRenderIsAccessible(t *testing.T) {
	html := Render("| | a |\n|---|---|\n| b | 1 |\n\n```yaml\nwide: 1\n```\n\n    <pre>\n")
	for _, want := range []string{"<tr>\n<td></td>\n<th>a</th>", `<pre tabindex="0"><code class="language-yaml">`, `<pre tabindex="0"><code>&lt;pre&gt;`} {
		if !strings.Contains(html, want) {
			t.Errorf("got %q, want %q in it", html, want)
		}
	}
}
