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
	if len(text) > MaxNote {
		text = strings.TrimSpace(cut(text, MaxNote))
	}
	return text
}

// CleanLine returns a text as one line for people, of at most the given bytes of UTF-8 and
// an ellipsis. Tabs and ends of lines become spaces; other control characters, and bytes
// that are not UTF-8, become U+FFFD, because they could change what a terminal shows.
func CleanLine(text string, most int) string {
	more := ""
	if len(text) > most {
		text, more = cut(text, most), "…"
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t' || r == '\n' || r == '\r':
			return ' '
		case unicode.IsControl(r):
			return utf8.RuneError
		}
		return r
	}, text) + more
}

// cut returns the first bytes of a text that has more, without a part of a character.
func cut(text string, most int) string {
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}
