package markdown

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestASummaryIsTheFirstSentenceAsPlainText(t *testing.T) {
	long := strings.Repeat("word ", 40)
	tests := []struct{ name, description, want string }{
		{"below a heading", "# x (X)\n\nA game for two. It is old.\n", "A game for two."},
		{"lines become one", "# x\n\nA game\nfor two\nplayers! And more.\n", "A game for two players!"},
		{"marks are removed", "# x\n\n**Bold**, `code`, [a link](http://x) and <b>tags</b> &amp; \\*stars\\*.\n", "Bold, code, a link and tags & *stars*."},
		{"text that looks like a tag stays", "A `<b>` and 1 < 2 > 1.\n", "A <b> and 1 < 2 > 1."},
		{"scripts are left out", "A <script>alert(1)</script> b.\n", "A alert(1) b."},
		{"an abbreviation does not end it", "Stones, e.g. white ones, move 1.5 cells. They win.\n", "Stones, e.g. white ones, move 1.5 cells."},
		{"a quotation mark can follow the end", "It is called “Ur.” It is old.\n", "It is called “Ur.”"},
		{"no end", "A game without an end\n", "A game without an end"},
		{"a list before", "# x\n\n- one\n- two\n\nThen a paragraph.\n", "Then a paragraph."},
		{"an image before", "![board](x.png)\n\nA game.\n", "A game."},
		{"a long sentence is cut at a word", long, strings.TrimSpace(long[:155]) + "…"},
		{"a long word is cut", strings.Repeat("é", 161), strings.Repeat("é", 159) + "…"},
		{"exactly as long as is allowed", strings.Repeat("é", 160), strings.Repeat("é", 160)},
		{"no paragraph", "# x\n\n```\ncode\n```\n", ""},
		{"nothing", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Summary(tt.description); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestOurGamesHaveSummariesThatAreWhole(t *testing.T) {
	files, err := filepath.Glob("../../../../plugins/*/*.md")
	if err != nil || len(files) < 6 {
		t.Fatalf("got %d descriptions, %v, want at least 6", len(files), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if got := Summary(string(text)); !strings.HasSuffix(got, ".") || len(got) < 40 {
			t.Errorf("%s: got the summary %q, want a sentence of 40 to %d characters", file, got, maxSummary)
		}
	}
}

func FuzzSummary(f *testing.F) {
	for _, s := range []string{"", "# a\n\nb. C", "a\x00b\u2028c\td. E", "<b", "&#10;&#x7;x", "| a |\n|-|\n| b |", "a\xff. B", strings.Repeat("é ", 200)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, description string) {
		got := Summary(description)
		if n := utf8.RuneCountInString(got); n > maxSummary || !utf8.ValidString(got) || strings.ContainsFunc(got, func(r rune) bool { return !unicode.IsPrint(r) }) || got != strings.TrimSpace(got) {
			t.Errorf("Summary(%q) = %q, %d characters; want one line of printable characters, at most %d", description, got, n, maxSummary)
		}
	})
}
