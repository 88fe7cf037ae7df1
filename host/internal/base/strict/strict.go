// Package strict reads YAML, and explains its mistakes to the author of the file.
package strict

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"colosseum/internal/spelling"
)

var unknownField = regexp.MustCompile(`^line (\d+): field (\S+) not found in type (.+)$`)

var wrongType = regexp.MustCompile("^line (\\d+): cannot unmarshal !!(\\w+)(?: `(.*)`)? into (.+)$")

// kinds describes the values of a type for the author of the file.
var kinds = map[string]string{
	"time.Duration": "a duration like 10s, 5m or 250ms",
	"int":           "a whole number",
	"int64":         "a whole number",
	"float64":       "a number",
	"bool":          "true or false",
	"string":        "a text",
}

// kindOf describes the values of a type of Go.
func kindOf(name string) string {
	switch {
	case kinds[name] != "":
		return kinds[name]
	case strings.HasPrefix(name, "[]"):
		return "a list like [a, b]"
	default: // a struct or a map
		return "a section of keys and values"
	}
}

// valueOf describes a value, of which the library quotes only a short text.
func valueOf(kind, text string) string {
	switch kind {
	case "seq":
		return "a list"
	case "map":
		return "a section of keys and values"
	default:
		return strconv.Quote(text)
	}
}

// Decode reads one document of YAML into the value that into points to, as yaml.v3 does,
// and refuses unknown keys and further documents. Its errors are for the author of the
// file: they have line numbers, suggest a key for an unknown one, and name no type of Go.
// It returns io.EOF for an empty file.
func Decode(text []byte, into any) error {
	d := yaml.NewDecoder(bytes.NewReader(text))
	d.KnownFields(true)
	if err := d.Decode(into); err != nil {
		return explain(err, reflect.TypeOf(into))
	}
	if err := d.Decode(&struct{}{}); !errors.Is(err, io.EOF) {
		return errors.New("more than one YAML document")
	}
	return nil
}

// explain rewrites the errors of the YAML library, of decoding into a value of a type.
func explain(err error, into reflect.Type) error {
	var wrong *yaml.TypeError
	if !errors.As(err, &wrong) {
		return err
	}
	var all []error
	for _, text := range wrong.Errors {
		if m := unknownField.FindStringSubmatch(text); m != nil {
			text = fmt.Sprintf("line %s: unknown key %q", m[1], m[2])
			if known := keys(into, m[3], map[reflect.Type]bool{}); len(known) > 0 {
				text += " (" + spelling.Suggest(m[2], known) + ")"
			}
		}
		if m := wrongType.FindStringSubmatch(text); m != nil {
			text = fmt.Sprintf("line %s: %s is not %s", m[1], valueOf(m[2], m[3]), kindOf(m[4]))
		}
		all = append(all, errors.New(text))
	}
	return errors.Join(all...)
}

// keys lists the keys of the section with a name of a type, in t or below it.
func keys(t reflect.Type, section string, seen map[reflect.Type]bool) []string {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		return keys(t.Elem(), section, seen)
	case reflect.Struct:
	default:
		return nil
	}
	if t.String() == section {
		return slices.Sorted(slices.Values(own(t)))
	}
	if seen[t] {
		return nil
	}
	seen[t] = true
	for i := range t.NumField() {
		if list := keys(t.Field(i).Type, section, seen); list != nil {
			return list
		}
	}
	return nil
}

// own lists the keys of a section, in the order of its type.
func own(t reflect.Type) (list []string) {
	for i := range t.NumField() {
		switch key, flags, _ := strings.Cut(t.Field(i).Tag.Get("yaml"), ","); {
		case flags == "inline":
			list = append(list, own(t.Field(i).Type)...)
		case key != "" && key != "-":
			list = append(list, key)
		}
	}
	return list
}
