package mcp

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"colosseum/protocol"
)

// Limits on what a model gets, in bytes.
const (
	maxText    = 6000 // of a match's stream, or a page
	maxError   = 2000
	maxAnswers = 4000
)

// cleaned returns a text of the server for a model. Characters that are not visible, which
// could hide something from people who read along, become U+FFFD.
func cleaned(text string) string {
	text = strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\r\n", "\n")
	return strings.Map(func(r rune) rune {
		if hidden(r) {
			return utf8.RuneError
		}
		return r
	}, text)
}

func hidden(r rune) bool {
	return r != '\n' && r != '\t' && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Cs)
}

// shorten returns the beginning of a text, at most the given bytes, and whether more follows.
func shorten(text string, most int) (string, bool) {
	if len(text) <= most {
		return text, false
	}
	for !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most], true
}

// tail returns the end of a text, if possible from the start of a line, and whether it
// lacks its beginning.
func tail(text string, most int) (string, bool) {
	if len(text) <= most {
		return text, false
	}
	start := len(text) - most
	for !utf8.RuneStart(text[start]) {
		start++
	}
	text = text[start:]
	if i := strings.IndexByte(text, '\n'); i >= 0 && i < len(text)-1 {
		text = text[i+1:]
	}
	return text, true
}

// paged returns a page of a text, numbered from 1, and the number of pages. Pages end with
// a line, if lines are not too long. There is no page beyond them.
func paged(text string, page int) (part string, pages int) {
	for first := true; first || text != ""; first = false {
		next, cut := shorten(text, maxText)
		if i := strings.LastIndexByte(next, '\n'); cut && i > maxText/2 {
			next = next[:i+1]
		}
		if pages++; pages == page {
			part = next
		}
		text = text[len(next):]
	}
	return part, pages
}

// models returns the answers of a question for a model, and whether there are more.
func models(q *protocol.MatchQuestion) (answers []string, more bool) {
	size := 0
	for _, a := range q.Answers {
		if size += len(a) + 1; size > maxAnswers || a == "" || strings.ContainsFunc(a, hidden) || strings.ContainsAny(a, "\n\t") {
			return answers, true
		}
		answers = append(answers, a)
	}
	return answers, q.More
}
