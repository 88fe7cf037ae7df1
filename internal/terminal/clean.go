// Package terminal makes what strangers wrote fit to be read on a terminal, and
// writes the lines and tables that the programs show there.
package terminal

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Clean shows what a stranger wrote: a character that could steer the terminal,
// hide text, or show it in another order becomes an escape like \x1b or \u202e,
// and so does each byte that is no UTF-8. Line feeds and tabs stay, and CRLF
// becomes LF.
func Clean(text string) string {
	var b strings.Builder
	for len(text) > 0 {
		r, n := utf8.DecodeRuneInString(text)
		switch {
		case strings.HasPrefix(text, "\r\n"):
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, text[0])
		case !unseen(r):
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

// hidden are the characters that show nothing of themselves: controls, formats
// (which set the direction of text, join letters or tag them), separators of
// lines and paragraphs, and what Unicode says that may be ignored, such as
// fillers and selectors of variants.
var hidden = []*unicode.RangeTable{
	unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector,
}

func unseen(r rune) bool {
	switch r {
	case '\n', '\t':
		return false
	case '\ufe0e', '\ufe0f': // they choose between text and emoji: ❤ and ❤️
		return false
	}
	return unicode.In(r, hidden...)
}

// Cleaner is Clean for a text that comes in pieces, which may end in the middle
// of a character. The zero value is ready.
type Cleaner struct {
	rest []byte // the beginning of a character, or a CR
}

// Clean returns the next piece.
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
