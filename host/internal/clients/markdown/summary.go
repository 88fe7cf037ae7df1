package markdown

import (
	"bytes"
	"html"
	"regexp"
	"strings"
	"unicode"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

const (
	maxSummary     = 160      // characters
	maxIntroducing = 16 << 10 // bytes of a description in which its first paragraph must end
)

var tag = regexp.MustCompile(`<[^>]*>`)

// Summary returns the first sentence of the first paragraph of a description, as plain
// text of at most maxSummary characters; "" if there is no paragraph.
func Summary(description string) string {
	source := []byte(strings.ToValidUTF8(description[:min(len(description), maxIntroducing)], ""))
	for n := renderer.Parser().Parse(text.NewReader(source)).FirstChild(); n != nil; n = n.NextSibling() {
		if n.Kind() != ast.KindParagraph {
			continue
		}
		var out bytes.Buffer
		_ = renderer.Renderer().Render(&out, source, n) // writing to a bytes.Buffer cannot fail
		plain := html.UnescapeString(tag.ReplaceAllString(out.String(), ""))
		plain = strings.Map(func(r rune) rune {
			if unicode.IsSpace(r) {
				return ' '
			}
			if !unicode.IsPrint(r) {
				return -1
			}
			return r
		}, plain)
		if words := strings.Fields(plain); len(words) > 0 {
			return shortened(sentence(words))
		}
	}
	return ""
}

// sentence returns the words up to the end of the first sentence: a word that ends in a
// full stop, before one that does not begin with a small letter.
func sentence(words []string) []string {
	for i, word := range words[:len(words)-1] {
		if strings.ContainsAny(last(strings.TrimRight(word, `"'”’»)`)), ".!?") && !unicode.IsLower([]rune(words[i+1])[0]) {
			return words[:i+1]
		}
	}
	return words
}

func last(word string) string { return word[max(0, len(word)-1):] }

// shortened joins words, and leaves out the last ones if there are too many characters.
func shortened(words []string) string {
	all := []rune(strings.Join(words, " "))
	if len(all) <= maxSummary {
		return string(all)
	}
	cut := string(all[:maxSummary-1])
	if i := strings.LastIndexByte(cut, ' '); i > 0 {
		cut = cut[:i]
	}
	return strings.TrimRight(cut, ",;:–- ") + "…"
}
