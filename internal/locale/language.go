package locale

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"
)

// Language is a language with its translations. A nil Language is English.
type Language struct {
	Code    string            `json:"-"`               // such as "it"
	Name    string            `json:"name"`            // in the language itself
	Plurals []string          `json:"plurals"`         // the categories of CLDR, in the order of the forms in texts
	Texts   map[string]string `json:"texts"`           // of the pages, by English text
	Games   map[string]string `json:"games,omitempty"` // of games: summaries and parameters
	Coco    map[string]string `json:"coco,omitempty"`  // the same of coco
}

// Open returns a language by its code. It is nil if there is no file of that language.
func Open(code string) *Language {
	text := Files()[code]
	if text == nil {
		return nil
	}
	l := &Language{Code: code}
	if err := json.Unmarshal(text, l); err != nil {
		panic(err) // a test reads each of the embedded files
	}
	return l
}

// Page returns a text of the pages in the language, and the English one if it is not
// translated.
func (l *Language) Page(text string) string {
	if l != nil && l.Texts[text] != "" {
		return l.Texts[text]
	}
	return text
}

// Pages returns the file of the language for pages: without the texts of coco, and with those
// of its other texts that keep returns true for.
func (l *Language) Pages(keep func(text string) bool) []byte {
	pages := *l
	pages.Coco, pages.Texts = nil, map[string]string{}
	for text, translated := range l.Texts {
		if keep(text) {
			pages.Texts[text] = translated
		}
	}
	text, err := json.Marshal(pages)
	if err != nil {
		panic(err) // it is a map of strings
	}
	return text
}

// Of returns the text in the language, and the English one if it is not translated.
func (l *Language) Of(text string) string {
	if l != nil {
		for _, texts := range []map[string]string{l.Coco, l.Texts} {
			if translated, ok := texts[text]; ok {
				return translated
			}
		}
	}
	return text
}

// Sprintf formats values with the translation of a format. Values that are errors or
// Words are translated, too; %w is as %v.
func (l *Language) Sprintf(format string, args ...any) string {
	values := slices.Clone(args)
	for i, v := range values {
		switch v := v.(type) {
		case error:
			values[i] = l.Error(v)
		case Word:
			values[i] = l.Of(string(v))
		}
	}
	return fmt.Sprintf(strings.ReplaceAll(l.Of(format), "%w", "%v"), values...)
}

// Count formats n with the form for that number. The forms are separated by "|": in
// English for one, and for all others.
func (l *Language) Count(n int, forms string, args ...any) string {
	translated, code, plurals := forms, "en", []string{"one", "other"}
	if other := l.Of(forms); other != forms {
		translated, code, plurals = other, l.Code, l.Plurals
	}
	list := strings.Split(translated, "|")
	i := slices.Index(plurals, category(code, n))
	if i < 0 || i >= len(list) {
		i = len(list) - 1
	}
	return fmt.Sprintf(list[i], args...)
}

func category(code string, n int) string {
	form := plural.Cardinal.MatchPlural(language.Make(code), n%10_000_000, 0, 0, 0, 0)
	return map[plural.Form]string{plural.Zero: "zero", plural.One: "one", plural.Two: "two", plural.Few: "few", plural.Many: "many"}[form]
}

// Error returns the text of an error in the language. An error of another package is
// translated if the whole text is a key.
func (l *Language) Error(err error) string {
	if in, ok := err.(interface{ In(*Language) string }); ok {
		return in.In(l)
	}
	return l.Of(err.Error())
}
