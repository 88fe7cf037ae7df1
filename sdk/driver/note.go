package driver

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxNote is the most bytes of a note.
const MaxNote = 1024

// CleanNote returns a text as a note: at most MaxNote bytes of UTF-8, without spaces and
// line feeds at its ends. Control characters, except tabs and line feeds, and bytes that
// are not UTF-8 become U+FFFD, because a bot can quote its opponents. The rest of a text
// that is too long is cut.
func CleanNote(text string) string {
	text = strings.TrimSpace(text)
	text = text[:min(len(text), MaxNote+utf8.UTFMax)] // the text does not become shorter below
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\t' && r != '\n' {
			return utf8.RuneError
		}
		return r
	}, text)
	if end := MaxNote; len(text) > end {
		for !utf8.RuneStart(text[end]) {
			end--
		}
		text = strings.TrimSpace(text[:end])
	}
	return text
}
