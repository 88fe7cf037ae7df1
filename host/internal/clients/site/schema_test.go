package site

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"
)

// schemas reads the part of openapi.json that describes answers.
type schemas struct {
	t    *testing.T
	root map[string]any
}

func readSchemas(t *testing.T) schemas {
	t.Helper()
	var root map[string]any
	if err := json.Unmarshal(description, &root); err != nil {
		t.Fatalf("openapi.json: %v", err)
	}
	return schemas{t, root}
}

// at returns the object at a path of names.
func (s schemas) at(names ...string) map[string]any {
	s.t.Helper()
	v := s.root
	for _, name := range names {
		next, ok := v[name].(map[string]any)
		if !ok {
			s.t.Fatalf("openapi.json has no %s", strings.Join(names, " "))
		}
		v = next
	}
	return v
}

// answer returns the schema of an answer to GET.
func (s schemas) answer(path, status, kind string) map[string]any {
	s.t.Helper()
	return s.answerTo("get", path, status, kind)
}

func (s schemas) answerTo(method, path, status, kind string) map[string]any {
	s.t.Helper()
	return s.at("paths", path, method, "responses", status, "content", kind, "schema")
}

// faults returns the differences between a value and a schema.
func (s schemas) faults(schema map[string]any, v any, where string) []string {
	if ref, ok := schema["$ref"].(string); ok {
		return s.faults(s.at(strings.Split(strings.TrimPrefix(ref, "#/"), "/")...), v, where)
	}
	if kind, ok := schema["type"]; ok && !isKind(kind, v) {
		return []string{fmt.Sprintf("%s: %v is not a %v", where, v, kind)}
	}
	if enum, ok := schema["enum"].([]any); ok && !slices.Contains(enum, v) {
		return []string{fmt.Sprintf("%s: %v is not one of %v", where, v, enum)}
	}
	var faults []string
	switch v := v.(type) {
	case []any:
		for i, item := range v {
			faults = append(faults, s.faults(schema["items"].(map[string]any), item, fmt.Sprintf("%s[%d]", where, i))...)
		}
	case map[string]any:
		properties, _ := schema["properties"].(map[string]any)
		required, _ := schema["required"].([]any)
		for _, name := range required {
			if _, ok := v[name.(string)]; !ok {
				faults = append(faults, where+": lacks "+name.(string))
			}
		}
		for name, field := range v {
			property, ok := properties[name].(map[string]any)
			if !ok {
				property, ok = schema["additionalProperties"].(map[string]any)
			}
			if ok {
				faults = append(faults, s.faults(property, field, where+"."+name)...)
			} else if schema["additionalProperties"] == false {
				faults = append(faults, where+": has "+name+", which is not described")
			}
		}
	case string:
		if schema["format"] == "date-time" {
			if _, err := time.Parse(time.RFC3339Nano, v); err != nil {
				faults = append(faults, where+": "+err.Error())
			}
		}
	}
	return faults
}

// isKind reports whether a value has a JSON type, or one of several.
func isKind(kind, v any) bool {
	if several, ok := kind.([]any); ok {
		return slices.ContainsFunc(several, func(k any) bool { return isKind(k, v) })
	}
	switch v := v.(type) {
	case nil:
		return kind == "null"
	case bool:
		return kind == "boolean"
	case string:
		return kind == "string"
	case float64:
		return kind == "number" || kind == "integer" && v == math.Trunc(v)
	case []any:
		return kind == "array"
	default:
		return kind == "object"
	}
}

func TestTheCheckOfAnswersFindsFaults(t *testing.T) {
	schemas := readSchemas(t)
	for _, bad := range []string{`{}`, `{"matches":7}`, `{"matches":[{"id":"x"}]}`, `{"matches":[],"more":1}`, `{"matches":[],"next":null}`, `[]`} {
		var v any
		if err := json.Unmarshal([]byte(bad), &v); err != nil {
			t.Fatal(err)
		}
		if len(schemas.faults(schemas.answer("/api/matches", "200", "application/json"), v, "")) == 0 {
			t.Errorf("got no fault in %s, want one", bad)
		}
	}
}
