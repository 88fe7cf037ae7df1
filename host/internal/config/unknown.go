package config

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

var unknownField = regexp.MustCompile(`^line (\d+): field (\S+) not found in type config\.(\w+)$`)

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

// explain rewrites the errors of the YAML library for the author of the file, and
// suggests a key for an unknown one.
func explain(err error) error {
	var wrong *yaml.TypeError
	if !errors.As(err, &wrong) {
		return err
	}
	var all []error
	for _, text := range wrong.Errors {
		if m := unknownField.FindStringSubmatch(text); m != nil {
			text = fmt.Sprintf("line %s: unknown key %q", m[1], m[2])
			if known := keys(m[3]); len(known) > 0 {
				text += " (" + suggest(m[2], known) + ")"
			}
		}
		if m := wrongType.FindStringSubmatch(text); m != nil {
			text = fmt.Sprintf("line %s: %s is not %s", m[1], valueOf(m[2], m[3]), kindOf(m[4]))
		}
		all = append(all, errors.New(text))
	}
	return errors.Join(all...)
}

// keys lists the keys of a section, by the name of its type.
func keys(section string) []string {
	for _, v := range []any{Config{}, Plugins{}, Lobby{}, Clients{}, Limits{}, Records{}, Players{}, Serving{}, Exception{}, TLS{}, ACME{}, Operations{}, Game{}, Param{}} {
		t := reflect.TypeOf(v)
		if t.Name() != section {
			continue
		}
		var list []string
		for i := range t.NumField() {
			key, _, _ := strings.Cut(t.Field(i).Tag.Get("yaml"), ",")
			list = append(list, key)
		}
		slices.Sort(list)
		return list
	}
	return nil
}

func suggest(key string, known []string) string {
	best := slices.MinFunc(known, func(a, b string) int { return distance(key, a) - distance(key, b) })
	if distance(key, best) <= (len(key)+2)/3 {
		return fmt.Sprintf("did you mean %q?", best)
	}
	return "have " + strings.Join(known, ", ")
}

// distance returns the Levenshtein distance: the least number of letters to
// insert, delete or replace.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		corner := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := corner
			if a[i] != b[j] {
				change++
			}
			corner = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
