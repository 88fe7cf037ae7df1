package strict

import (
	"errors"
	"io"
	"strings"
	"testing"
	"time"
)

type section struct {
	Size  int           `yaml:"size"`
	Stall time.Duration `yaml:"stall"`
}

type file struct {
	Title    string              `yaml:"title"`
	One      *section            `yaml:"one"`
	Many     map[string]*section `yaml:"many"`
	Again    []file              `yaml:"again"`
	Embedded section             `yaml:",inline"`
}

func TestMistakesAreExplainedToTheAuthor(t *testing.T) {
	for text, want := range map[string]string{
		"titel: x\n":                     `line 1: unknown key "titel" (did you mean "title"?)`,
		"\none: {sice: 3}\n":             `line 2: unknown key "sice" (did you mean "size"?)`,
		"many: {a: {wrong: 3}}\n":        `line 1: unknown key "wrong" (have size, stall)`,
		"again: [{one: {stal: 3s}}]\n":   `line 1: unknown key "stal" (did you mean "stall"?)`,
		"nothing: 1\n":                   `line 1: unknown key "nothing" (have again, many, one, size, stall, title)`,
		"one: 5\n":                       `line 1: "5" is not a section of keys and values`,
		"one: [5]\n":                     `line 1: a list is not a section of keys and values`,
		"title: {a: b}\n":                `line 1: a section of keys and values is not a text`,
		"stall: 3\n":                     `line 1: "3" is not a duration like 10s, 5m or 250ms`,
		"again: x\n":                     `line 1: "x" is not a list like [a, b]`,
		"title: x\n---\ntitle: y\n":      `more than one YAML document`,
		"size: many\none: {size: few}\n": "line 1: \"many\" is not a whole number\nline 2: \"few\" is not a whole number",
	} {
		var f file
		if err := Decode([]byte(text), &f); err == nil || err.Error() != want {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
	for _, text := range []string{"a: [", "\t", "a: b: c"} {
		if err := Decode([]byte(text), &file{}); err == nil || strings.Contains(err.Error(), "strict.") {
			t.Errorf("%q: got %v, want an error", text, err)
		}
	}
	if err := Decode(nil, &file{}); !errors.Is(err, io.EOF) {
		t.Errorf("an empty file: got %v, want %v", err, io.EOF)
	}
	var f file
	if err := Decode([]byte("title: x\nsize: 3\nmany: {a: {stall: 2s}}\n"), &f); err != nil || f.Embedded.Size != 3 || f.Many["a"].Stall != 2*time.Second {
		t.Errorf("got %+v, %v, want the values of the file", f, err)
	}
}
