// Package terminal makes untrusted text safe to show on a terminal, and writes lines
// and tables there.
package terminal

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Clean returns a text that is safe to show: characters that could control the
// terminal, hide text or change its order become escapes like \x1b or \u202e, and
// so do bytes that are not UTF-8. Line feeds and tabs stay; CRLF becomes LF.
func Clean(text string) string {
	var b strings.Builder
	for len(text) > 0 {
		r, n := utf8.DecodeRuneInString(text)
		switch {
		case strings.HasPrefix(text, "\r\n"):
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, text[0])
		case !invisible(r):
			b.WriteRune(r)
		case r < 0x80:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r < 0x10000:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
		text = text[n:]
	}
	return b.String()
}

// hidden are the characters without a glyph: controls, formats
// (which set the direction of text, join letters or tag them), separators of
// lines and paragraphs, and those that Unicode lets a program ignore, such as
// fillers and variation selectors.
var hidden = []*unicode.RangeTable{
	unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector,
}

func invisible(r rune) bool {
	switch r {
	case '\n', '\t':
		return false
	case '\ufe0e', '\ufe0f': // they select text or emoji: ❤ or ❤️
		return false
	}
	return unicode.In(r, hidden...)
}

// Cleaner cleans a text in pieces, which can end inside a character. The zero
// Cleaner is ready for use.
type Cleaner struct {
	rest []byte // of the last piece: an incomplete character, or a CR
}

// Clean returns the next piece as the function Clean does.
func (c *Cleaner) Clean(piece []byte) []byte {
	text := append(c.rest, piece...)
	end := len(text)
	for i := end - 1; i >= 0 && i >= end-utf8.UTFMax; i-- {
		if utf8.RuneStart(text[i]) {
			if text[i] == '\r' && i == end-1 || !utf8.FullRune(text[i:]) {
				end = i
			}
			break
		}
	}
	c.rest = bytes.Clone(text[end:])
	return []byte(Clean(string(text[:end])))
}
