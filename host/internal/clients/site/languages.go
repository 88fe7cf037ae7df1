package site

import (
	"html"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"

	"colosseum/internal/locale"

	"golang.org/x/text/language"
)

// languageCookie has the language that the person has chosen on the pages. The host
// reads it, and not the browser's storage, so that pages arrive in that language.
const languageCookie = "language"

// languages returns the languages of the pages except English.
var languages = sync.OnceValue(func() (list []*locale.Language) {
	for _, code := range slices.Sorted(maps.Keys(locale.Files())) {
		list = append(list, locale.Open(code))
	}
	return list
})

// matcher finds the language for what a browser prefers.
var matcher = sync.OnceValue(func() language.Matcher {
	tags := []language.Tag{language.English}
	for _, l := range languages() {
		tags = append(tags, language.Make(l.Code))
	}
	return language.NewMatcher(tags)
})

// languageOf returns the code of the language for a request: the one that the person has
// chosen, or else the one that the browser prefers.
func languageOf(r *http.Request) string {
	if c, err := r.Cookie(languageCookie); err == nil {
		if c.Value == "en" || slices.ContainsFunc(languages(), func(l *locale.Language) bool { return l.Code == c.Value }) {
			return c.Value
		}
	}
	wanted := r.Header.Get("Accept-Language")
	if len(wanted) > 200 {
		return "en"
	}
	_, i := language.MatchStrings(matcher(), wanted)
	if i == 0 {
		return "en"
	}
	return languages()[i-1].Code
}

// choices returns the options of the list of languages.
func choices(chosen string) string {
	text := &strings.Builder{}
	for _, l := range append([]*locale.Language{{Code: "en", Name: "English"}}, languages()...) {
		selected := ""
		if l.Code == chosen {
			selected = " selected"
		}
		text.WriteString(`<option value="` + l.Code + `" lang="` + l.Code + `"` + selected + `>` + html.EscapeString(l.Name) + `</option>`)
	}
	return text.String()
}

// static matches the texts in the markup of the pages.
var static = regexp.MustCompile(`>[^<>]*\pL[^<>]*<|(?: aria-label| title| placeholder| alt)="[^"]*\pL[^"]*"`)

// staticText returns the text in a match of static.
func staticText(match string) string {
	return strings.TrimSpace(strings.Trim(match[strings.IndexAny(match, `>"`):], `<>"`))
}

// translated returns markup of the pages with its texts in a language. The markup is that
// of the embedded files; it has no text of others.
func translated(l *locale.Language, markup string) string {
	if l == nil {
		return markup
	}
	return static.ReplaceAllStringFunc(markup, func(match string) string {
		text := staticText(match)
		return strings.Replace(match, text, l.Page(text), 1)
	})
}
